// Which request gets a thread, and which is preempted: decisions only, made from what waits and what the threads do.
// The dispatcher (dispatcher.ts) carries them out.
//
// There are two kinds of threads. A request starts in a quick one, with others queued behind it. When it takes long,
// those behind it are given back. When it takes longer and others wait, it is stopped and restarts in a thread for long
// requests. There it is preempted only for clients that used less of the processor, and after each preemption it may
// run twice as long. A quick thread that does not stop becomes one for long requests. So small requests are answered
// soon, whatever others ask for, and large ones in the end: wasted work stays below three times the useful work.
//
// A thread can be lost, or stuck in something that cannot be interrupted, and a new one takes a while to start. So a
// client whose requests recently took long leaves one quick thread to the others: it can take away only the threads
// that it has.
import { createFairQueue, createUsage } from '../../base/fair-queue.ts'
import { createHeavyClients } from './heavy-clients.ts'

export type Schedulable = {
  readonly client: string
  /** How often it was preempted. */
  stops: number
  readonly isSettled: boolean
}

export type Lane = 'quick' | 'long'

export type ThreadState<Task> = {
  readonly lane: Lane
  readonly isReady: boolean
  /** The client that cost the thread that this one replaces. */
  readonly costBy: string | undefined
  /** The first is running, the others wait behind it. */
  readonly inHand: readonly Task[]
  /** Whether its first request was found to burn time; cleared when that ends. */
  readonly isBurning: boolean
  /** When the first of them began, and how long it waited for the ledger. */
  readonly sinceMs: number
  readonly waitedMs: number
  /** Set while it waits for an answer. */
  readonly asking: { readonly sinceMs: number } | undefined
  /** When the dispatcher stopped its request; undefined once the request has ended. */
  readonly stoppingMs: number | undefined
}

/** Requests a thread holds at once: enough to keep it busy, and to batch messages both ways. */
export const inHandMax = 16
/** A request that runs longer gives back those behind it. */
export const patienceMs = 10
/** A request that runs longer may be preempted. The first run of some code, which compiles it, should not be. */
export const quickMs = 30
/** The same after one preemption; it doubles with each further one. */
export const longMs = 120
/** Share of ledger waits that counts: a restart would only ask again, but a wait must not hold a thread for long. */
const waitingShare = 0.1
/** A request that does not stop for this long is stuck in something uninterruptible, such as garbage collection. */
export const stuckMs = 100
/** Charged when a request is handed out, so that clients take turns before the cost of their requests is known. */
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
  /** A quick thread, and the clients whose requests it holds; while it starts, the client that caused the start. */
  type Slot = { readonly thread: Thread; readonly isFree: boolean; readonly clients: string[] }
  const usage = createUsage()
  const waiting = createFairQueue<Task>(usage)
  /** Preempted requests. */
  const long = createFairQueue<Task>(usage)
  const heavyClients = createHeavyClients()
  const queueOf = ({ stops }: Task) => (stops === 0 ? waiting : long)

  /** One thread is reserved for when others burn: more threads than needed only wake and sleep in turns. */
  function usable(slots: readonly Slot[]): Slot[] {
    const free = slots.filter(({ isFree }) => isFree)
    const isQuiet = slots.length > 1 && free.length === slots.length
    return isQuiet ? free.slice(0, -1) : free
  }

  /** A burner leaves one thread without requests of its own, and other clients avoid the threads that it has. */
  function usableFor(client: string, slots: readonly Slot[]): Slot[] {
    if (heavyClients.isEmpty || slots.length === 1) return usable(slots)
    const free = slots.filter(({ isFree }) => isFree)
    if (heavyClients.has(client))
      return free.filter((slot) => slots.some((other) => other !== slot && !other.clients.includes(client)))
    const apart = free.filter(({ clients }) => !clients.some(heavyClients.has))
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

  /** The one with the fewest requests, if it has room. */
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

  /** The next request that is still wanted. */
  function next(queue: typeof waiting, mayServe?: (client: string) => boolean): Task | undefined {
    for (let task = queue.shift(mayServe); task !== undefined; task = queue.shift(mayServe))
      if (!task.isSettled) return task
    return undefined
  }

  function isAnyoneIn(queue: typeof waiting): boolean {
    for (const task of queue) if (!task.isSettled) return true
    return false
  }

  /** For a client that has no thread left: of those past their time, the heaviest client's request, begun last. */
  function quickToStop(threads: readonly Thread[], nowMs: number): Thread | undefined {
    const ready = threads.filter(({ lane, isReady }) => lane === 'quick' && isReady)
    if (ready.some(({ stoppingMs }) => stoppingMs !== undefined) || !isAnyoneIn(waiting)) return undefined
    const slots = slotsOf(threads)
    const isStranded = (client: string) => usableFor(client, slots).length === 0
    // Nobody is preempted for a burner that already has a thread.
    const hasOwn = (client: string) => heavyClients.has(client) && slots.some(({ clients }) => clients.includes(client))
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
    /** Takes the request. When too many wait, the client with the most waiting loses one, which is returned. */
    add(task: Task): Task | undefined {
      const isFull = waiting.size + long.size >= queueMax
      const refused = isFull
        ? (waiting.popFromLargest(task.client) ?? long.popFromLargest(task.client) ?? task)
        : undefined
      if (refused !== task) waiting.push(task.client, task)
      return refused
    },

    /** Takes back requests from a thread: preempted, or not yet begun. */
    giveBack(tasks: readonly Task[]): void {
      for (const task of tasks.toReversed()) queueOf(task).unshift(task.client, task)
    },

    /** Records processor time that the client used. */
    charge: usage.charge,

    /** Whether a thread is idle, so that the next request should not wait to be batched. */
    isIdle: (threads: readonly Thread[]) => usable(slotsOf(threads)).some(({ clients }) => clients.length === 0),

    /** The client cost the others a thread: it was lost, or is stuck. */
    noteBurning: heavyClients.add,

    /** Threads whose first request takes long, and not because the ledger does. */
    burning: (threads: readonly Thread[], nowMs: number): readonly Thread[] =>
      threads.filter((thread) => {
        const ranMs = nowMs - thread.sinceMs - idleMs(thread, nowMs)
        return thread.inHand.length > 0 && ranMs > quickMs
      }),

    /** What each thread gets now. */
    handOut(threads: readonly Thread[], nowMs: number): ReadonlyMap<Thread, readonly Task[]> {
      heavyClients.forget(nowMs)
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

    /** Whether one more thread for long requests would have something to do. */
    wantsLongThread(threads: readonly Thread[]): boolean {
      const lane = threads.filter((thread) => thread.lane === 'long')
      return isAnyoneIn(long) && lane.every(({ isReady, inHand }) => isReady && inHand.length > 0)
    },

    /** Threads whose first request takes long: those behind it are given back. */
    toGiveBack: (threads: readonly Thread[], nowMs: number): readonly Thread[] =>
      threads.filter(({ inHand, sinceMs }) => inHand.length > 0 && nowMs - sinceMs > patienceMs),

    /** Threads whose first request is to be preempted, at most one of each kind at a time. */
    toStop: (threads: readonly Thread[], nowMs: number): readonly Thread[] =>
      [quickToStop(threads, nowMs), longToStop(threads, nowMs)].filter((thread) => thread !== undefined),

    /** A quick thread that does not stop although others wait for it, and is to be replaced. */
    toReplace(threads: readonly Thread[], nowMs: number): Thread | undefined {
      const quick = threads.filter(({ lane }) => lane === 'quick')
      if (quick.some(({ isReady, isBurning }) => !isReady || !isBurning) || !isAnyoneIn(waiting)) return undefined
      return quick.find(({ stoppingMs }) => stoppingMs !== undefined && nowMs - stoppingMs > stuckMs)
    },

    waiting: () => waiting.size + long.size,

    /** Removes all waiting requests, when nothing will be served any more. */
    drain: (): Task[] => [...waiting.drain(), ...long.drain()],
  }
}
