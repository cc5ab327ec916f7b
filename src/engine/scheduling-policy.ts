// Who gets a thread, and who has to make way: decisions only, made from what is waiting and what the threads do. The pool
// (pool.ts) carries them out.
//
// There are two kinds of threads. A request begins in a quick one, with others behind it. When it turns out to take long,
// those behind it are given back; when it takes longer and somebody waits, it stops, and begins anew in a thread for long
// ones. There it makes way only for other clients that had less of the processor, and each time that it was stopped it
// may run twice as long before. A quick thread that does not stop becomes one for long requests. So a client that asks for
// little is answered soon, whatever others ask for, and one that asks for much is answered at last: what is done in vain
// stays below twice what is done.
import { createFairQueue, createUsage } from './fair-queue.ts'

export type Schedulable = {
  readonly client: string
  /** How often it had to make way. */
  stops: number
  readonly isSettled: boolean
}

export type Lane = 'quick' | 'long'

export type ThreadState<Task> = {
  readonly lane: Lane
  readonly isReady: boolean
  /** The first is running, the others come after it. */
  readonly inHand: readonly Task[]
  /** What its first request was found to be, until it ends. */
  readonly isBurning: boolean
  /** When the first of them began, and for how long it waited for answers of the ledger. */
  readonly sinceMs: number
  readonly waitedMs: number
  /** It waits for an answer. */
  readonly asking: { readonly sinceMs: number } | undefined
  /** Since when it was told to stop what it runs, and has not done so. */
  readonly stoppingMs: number | undefined
}

/** So many keep a thread from waiting for the main thread, and let both tell each other several at once. */
export const inHandMax = 16
/** What takes longer gives back what waits behind it. */
export const patienceMs = 10
/** What takes longer may have to make way. The first run of some code, which compiles it, should not. */
export const quickMs = 30
/** The same for what was stopped once; then twice as long, and so on. */
export const longMs = 120
/** Who waits for the ledger hardly burns, and would only have to ask again; but it must not keep a thread for long. */
const waitingShare = 0.1
/** Who does not stop for so long is busy with something that nothing interrupts, such as collecting garbage. */
export const stuckMs = 100
/** Charged when a request is handed out, so that clients take turns before anything is known of what they ask for. */
const handedMs = 0.1

export function quantumMs({ stops }: Pick<Schedulable, 'stops'>): number {
  return stops === 0 ? quickMs : longMs * 2 ** (stops - 1)
}

export function burntMs({ sinceMs, waitedMs, asking }: ThreadState<unknown>, nowMs: number): number {
  const idleMs = waitedMs + (asking === undefined ? 0 : nowMs - asking.sinceMs)
  return nowMs - sinceMs - idleMs * (1 - waitingShare)
}

export type SchedulingPolicy<Task extends Schedulable> = ReturnType<typeof createSchedulingPolicy<Task>>

export function createSchedulingPolicy<Task extends Schedulable>({ queueMax }: { readonly queueMax: number }) {
  type Thread = ThreadState<Task>
  const usage = createUsage()
  const waiting = createFairQueue<Task>(usage)
  /** Those that had to make way. */
  const long = createFairQueue<Task>(usage)
  const queueOf = ({ stops }: Task) => (stops === 0 ? waiting : long)

  /** One thread is kept for the time when others burn: more threads than needed only wake and sleep in turns. */
  function usable(threads: readonly Thread[]): Thread[] {
    const quick = threads.filter(({ lane }) => lane === 'quick')
    const free = quick.filter(({ isReady, isBurning }) => isReady && !isBurning)
    const isQuiet = quick.length > 1 && free.length === quick.length
    return isQuiet ? free.slice(0, -1) : free
  }

  /** Gives to whoever has the least in hand, as long as somebody has room. */
  function handToQuick(threads: readonly Thread[], give: (thread: Thread, task: Task) => void): void {
    const free = usable(threads).map((thread) => ({ thread, count: thread.inHand.length }))
    while (waiting.size > 0) {
      let best = free[0]
      for (const one of free) if (one.count < best!.count) best = one
      if (best === undefined || best.count >= inHandMax) return
      const task = next(waiting)
      if (task === undefined) return
      give(best.thread, task)
      best.count += 1
    }
  }

  function idleLong(threads: readonly Thread[], handed: ReadonlyMap<Thread, readonly Task[]>): Thread | undefined {
    return threads.find(
      (thread) => thread.lane === 'long' && thread.isReady && thread.inHand.length === 0 && !handed.has(thread),
    )
  }

  /** The next that somebody still waits for. */
  function next(queue: typeof waiting): Task | undefined {
    for (let task = queue.shift(); task !== undefined; task = queue.shift()) if (!task.isSettled) return task
    return undefined
  }

  function isAnyoneIn(queue: typeof waiting): boolean {
    for (const task of queue) if (!task.isSettled) return true
    return false
  }

  /** All threads are taken, and somebody waits: of those that had their time, who used the most, and began last. */
  function quickToStop(threads: readonly Thread[], nowMs: number): Thread | undefined {
    const ready = threads.filter(({ lane, isReady }) => lane === 'quick' && isReady)
    if (ready.length === 0 || ready.some(({ isBurning, stoppingMs }) => !isBurning || stoppingMs !== undefined))
      return undefined
    if (!isAnyoneIn(waiting)) return undefined
    return ready
      .filter((thread) => burntMs(thread, nowMs) > quickMs)
      .sort((a, b) => usageOf(b) - usageOf(a) || b.sinceMs - a.sinceMs)[0]
  }

  function longToStop(threads: readonly Thread[], nowMs: number): Thread | undefined {
    const lane = threads.filter((thread) => thread.lane === 'long')
    if (lane.some(({ inHand, stoppingMs }) => inHand.length === 0 || stoppingMs !== undefined)) return undefined
    const client = long.nextClient()
    if (client === undefined || !isAnyoneIn(long)) return undefined
    return lane
      .filter(({ inHand: [running] }) => running!.client !== client && usage.of(client) < usage.of(running!.client))
      .filter((thread) => burntMs(thread, nowMs) > quantumMs(thread.inHand[0]!))
      .sort((a, b) => usageOf(b) - usageOf(a) || b.sinceMs - a.sinceMs)[0]
  }

  const usageOf = ({ inHand: [running] }: Thread) => usage.of(running!.client)

  return {
    /** Takes the request, unless too many wait. Who waits with the most makes room; it is answered. */
    add(task: Task): Task | undefined {
      const refused = waiting.size + long.size < queueMax ? undefined : (waiting.popFromLargest(task.client) ?? task)
      if (refused !== task) waiting.push(task.client, task)
      return refused
    },

    /** Comes back from a thread: it had to make way, or had not begun yet. */
    giveBack(tasks: readonly Task[]): void {
      for (const task of tasks.toReversed()) queueOf(task).unshift(task.client, task)
    },

    /** The client had so much of the processor. */
    charge: usage.charge,

    /** Whether a thread has nothing to do, so that what comes next should not wait for company. */
    isIdle: (threads: readonly Thread[]) => usable(threads).some(({ inHand }) => inHand.length === 0),

    /** What each thread gets now. */
    handOut(threads: readonly Thread[]): ReadonlyMap<Thread, readonly Task[]> {
      const handed = new Map<Thread, Task[]>()
      const give = (thread: Thread, task: Task) => {
        usage.charge(task.client, handedMs)
        const before = handed.get(thread)
        if (before === undefined) handed.set(thread, [task])
        else before.push(task)
      }
      handToQuick(threads, give)
      for (let thread = idleLong(threads, handed); thread && long.size > 0; thread = idleLong(threads, handed)) {
        const task = next(long)
        if (task !== undefined) give(thread, task)
      }
      return handed
    },

    /** Whether one thread more for what takes long would have something to do. */
    wantsLongThread(threads: readonly Thread[]): boolean {
      const lane = threads.filter((thread) => thread.lane === 'long')
      return isAnyoneIn(long) && lane.every(({ isReady, inHand }) => isReady && inHand.length > 0)
    },

    /** Whose first request takes long: what is behind it goes back. */
    toGiveBack: (threads: readonly Thread[], nowMs: number): readonly Thread[] =>
      threads.filter(({ inHand, sinceMs }) => inHand.length > 0 && nowMs - sinceMs > patienceMs),

    /** Whose first request has to make way, at most one of each kind at a time. */
    toStop: (threads: readonly Thread[], nowMs: number): readonly Thread[] =>
      [quickToStop(threads, nowMs), longToStop(threads, nowMs)].filter((thread) => thread !== undefined),

    /** A quick thread that does not stop although others wait for it: another is to take its place. */
    toReplace(threads: readonly Thread[], nowMs: number): Thread | undefined {
      const quick = threads.filter(({ lane }) => lane === 'quick')
      if (quick.some(({ isReady, isBurning }) => !isReady || !isBurning) || !isAnyoneIn(waiting)) return undefined
      return quick.find(({ stoppingMs }) => stoppingMs !== undefined && nowMs - stoppingMs > stuckMs)
    },

    waiting: () => waiting.size + long.size,

    /** Everything that waits, when nothing will be served any more. */
    drain: (): Task[] => [...waiting.drain(), ...long.drain()],
  }
}
