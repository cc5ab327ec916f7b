// Who gets a thread, and who has to make way: decisions only, made from what is waiting and what the threads do. The pool
// (pool.ts) carries them out.
//
// There are two kinds of threads. A request begins in a quick one, with others behind it. When it turns out to take long,
// those behind it are given back; when it takes longer and somebody waits, it stops, and begins anew in a thread for long
// ones. There it makes way only for other clients that had less of the processor, and each time that it was stopped it
// may run twice as long before. A quick thread that does not stop becomes one for long requests. So a client that asks
// for little is answered soon, whatever others ask for, and a client that asks for much is answered at last: what is done
// in vain stays below twice what is done.
//
// A thread can be lost, or be busy with what nothing interrupts, and a new one takes a while to start. So a client whose
// requests took long lately leaves one quick thread to the others: it can take away only the threads that it has.
import { createFairQueue, createUsage } from '../../base/fair-queue.ts'
import { createRecentBurners } from './recent-burners.ts'

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
  /** The client that cost the thread whose place this one takes. */
  readonly costBy: string | undefined
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

export function burntMs(thread: ThreadState<unknown>, nowMs: number): number {
  return nowMs - thread.sinceMs - idleMs(thread, nowMs) * (1 - waitingShare)
}

function idleMs({ waitedMs, asking }: ThreadState<unknown>, nowMs: number): number {
  return waitedMs + (asking === undefined ? 0 : nowMs - asking.sinceMs)
}

export type SchedulingPolicy<Task extends Schedulable> = ReturnType<typeof createSchedulingPolicy<Task>>

export function createSchedulingPolicy<Task extends Schedulable>({ queueMax }: { readonly queueMax: number }) {
  type Thread = ThreadState<Task>
  /** A quick thread, and whose requests it has in hand. While it starts, it is as if the client that made it do so had it. */
  type Slot = { readonly thread: Thread; readonly isFree: boolean; readonly clients: string[] }
  const usage = createUsage()
  const waiting = createFairQueue<Task>(usage)
  /** Those that had to make way. */
  const long = createFairQueue<Task>(usage)
  const burners = createRecentBurners()
  const queueOf = ({ stops }: Task) => (stops === 0 ? waiting : long)

  /** One thread is kept for the time when others burn: more threads than needed only wake and sleep in turns. */
  function usable(slots: readonly Slot[]): Slot[] {
    const free = slots.filter(({ isFree }) => isFree)
    const isQuiet = slots.length > 1 && free.length === slots.length
    return isQuiet ? free.slice(0, -1) : free
  }

  /** A burner leaves one thread without requests of its own, and the others keep away from those that it has. */
  function usableFor(client: string, slots: readonly Slot[]): Slot[] {
    if (burners.isEmpty || slots.length === 1) return usable(slots)
    const free = slots.filter(({ isFree }) => isFree)
    if (burners.has(client))
      return free.filter((slot) => slots.some((other) => other !== slot && !other.clients.includes(client)))
    const apart = free.filter(({ clients }) => !clients.some(burners.has))
    return apart.length > 0 ? apart : free
  }

  function slotsOf(threads: readonly Thread[]): Slot[] {
    return threads
      .filter(({ lane }) => lane === 'quick')
      .map((thread) => ({
        thread,
        isFree: thread.isReady && !thread.isBurning,
        clients: thread.isReady || thread.costBy === undefined ? thread.inHand.map(clientOf) : [thread.costBy],
      }))
  }

  /** The one with the least in hand, if it has room. */
  function roomFor(client: string, slots: readonly Slot[]): Slot | undefined {
    let best: Slot | undefined
    for (const slot of usableFor(client, slots))
      if (best === undefined || slot.clients.length < best.clients.length) best = slot
    return best !== undefined && best.clients.length < inHandMax ? best : undefined
  }

  function handToQuick(threads: readonly Thread[], give: (thread: Thread, task: Task) => void): void {
    const slots = slotsOf(threads)
    while (slots.some(({ isFree, clients }) => isFree && clients.length < inHandMax)) {
      const task = next(waiting, (client) => roomFor(client, slots) !== undefined)
      if (task === undefined) return
      const { thread, clients } = roomFor(task.client, slots)!
      give(thread, task)
      clients.push(task.client)
    }
  }

  function idleLong(threads: readonly Thread[], handed: ReadonlyMap<Thread, readonly Task[]>): Thread | undefined {
    return threads.find(
      (thread) => thread.lane === 'long' && thread.isReady && thread.inHand.length === 0 && !handed.has(thread),
    )
  }

  /** The next that somebody still waits for. */
  function next(queue: typeof waiting, mayServe?: (client: string) => boolean): Task | undefined {
    for (let task = queue.shift(mayServe); task !== undefined; task = queue.shift(mayServe))
      if (!task.isSettled) return task
    return undefined
  }

  function isAnyoneIn(queue: typeof waiting): boolean {
    for (const task of queue) if (!task.isSettled) return true
    return false
  }

  /** Somebody waits that no thread is left for: of those that had their time, who used the most, and began last. */
  function quickToStop(threads: readonly Thread[], nowMs: number): Thread | undefined {
    const ready = threads.filter(({ lane, isReady }) => lane === 'quick' && isReady)
    if (ready.some(({ stoppingMs }) => stoppingMs !== undefined) || !isAnyoneIn(waiting)) return undefined
    const slots = slotsOf(threads)
    const isStranded = (client: string) => usableFor(client, slots).length === 0
    // Nobody else makes way for a burner that has a thread already.
    const hasOwn = (client: string) => burners.has(client) && slots.some(({ clients }) => clients.includes(client))
    const other = waiting.nextClient((client) => isStranded(client) && !hasOwn(client))
    const own = other === undefined ? waiting.nextClient(isStranded) : undefined
    if (other === undefined && own === undefined) return undefined
    return ready
      .filter((thread) => thread.isBurning && burntMs(thread, nowMs) > quickMs)
      .filter(({ inHand: [running] }) => own === undefined || running!.client === own)
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

  const clientOf = ({ client }: Task) => client
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
    isIdle: (threads: readonly Thread[]) => usable(slotsOf(threads)).some(({ clients }) => clients.length === 0),

    /** The client took a thread from the others: it was lost, or does not come back soon. */
    noteBurning: burners.add,

    /** Whose first request takes long, and not because the ledger does. */
    burning: (threads: readonly Thread[], nowMs: number): readonly Thread[] =>
      threads.filter((thread) => {
        const ranMs = nowMs - thread.sinceMs - idleMs(thread, nowMs)
        return thread.inHand.length > 0 && ranMs > quickMs
      }),

    /** What each thread gets now. */
    handOut(threads: readonly Thread[], nowMs: number): ReadonlyMap<Thread, readonly Task[]> {
      burners.forget(nowMs)
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
