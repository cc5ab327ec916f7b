// A refusal that rests on what a node remembers is final only if the node looked: another node may have granted the
// right, allocated the party or uploaded the package a moment ago. Looks are shared and paced, so that refused requests,
// however many, cost a bounded number of queries. A node that has its ledger to itself needs none of this.
import type { Clock } from './clock.ts'

export type SecondLook = {
  /** Grows whenever the node learns that another has changed what it remembers. */
  changes(): number
  /** Settles when the node knows everything that was changed before the call. */
  look(): Promise<void>
}

/** From the beginning of one look to that of the next. */
export const paceMs = 10

export function createSecondLook({ changes, look }: SecondLook, clock: Clock): SecondLook {
  let begunMs = Number.NEGATIVE_INFINITY
  let next: Promise<void> | undefined

  async function lookInTurn(): Promise<void> {
    const waitMs = begunMs + paceMs - clock.elapsedMs()
    await (waitMs > 0 ? new Promise<void>((resolve) => void clock.after(waitMs, resolve)) : undefined)
    next = undefined // Who comes from now on may ask for something that this look does not see.
    begunMs = clock.elapsedMs()
    await look()
  }

  return {
    changes,
    look() {
      next ??= lookInTurn()
      return next
    },
  }
}

/** Does the work again if it is refused, `isInDoubt` says that memory may be the reason, and memory was outdated. */
export function reconsidered<T>(
  work: () => Promise<T>,
  isInDoubt: (error: unknown) => boolean,
  secondLook: SecondLook | undefined,
): Promise<T> {
  return secondLook === undefined ? work() : reconsideredBy(secondLook, work, isInDoubt)
}

async function reconsideredBy<T>(
  secondLook: SecondLook,
  work: () => Promise<T>,
  isInDoubt: (error: unknown) => boolean,
): Promise<T> {
  const before = secondLook.changes()
  try {
    return await work()
  } catch (error) {
    if (!isInDoubt(error)) throw error
    await secondLook.look()
    if (secondLook.changes() === before) throw error
    return work()
  }
}
