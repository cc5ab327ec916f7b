// Turns for long work: one task per iteration of the event loop, so that small requests are answered in between. Owners
// alternate: forty waiting tasks of one owner do not delay the first task of another by forty turns.
import { setImmediate as setImmediatePromise } from 'node:timers/promises'

export type Turns = { next(owner?: string): Promise<void> }

export function createTurns(): Turns {
  /** By owner, in the order of their next turns. */
  const waiting = new Map<string, (() => void)[]>()
  let isGoing = false

  function go(): void {
    for (const [owner, queue] of waiting) {
      const take = queue.shift()!
      waiting.delete(owner)
      if (queue.length > 0) waiting.set(owner, queue)
      take()
      setImmediate(go)
      return
    }
    isGoing = false
  }

  return {
    next: (owner = '') =>
      new Promise((resolve) => {
        const queue = waiting.get(owner)
        if (queue === undefined) waiting.set(owner, [resolve])
        else queue.push(resolve)
        if (isGoing) return
        isGoing = true
        setImmediate(go)
      }),
  }
}

/** Lets other work run: an in-process store answers at once, so nothing else would run until a long read ends. */
export async function nextTurn(): Promise<void> {
  await setImmediatePromise()
}
