// Work that takes long takes turns: one piece of it each time around the event loop, so that a client that asks for little
// is answered in between, however much large work there is. Those with a name of their own take turns with each other:
// who has forty pieces waiting does not delay another's first by forty.

export type Turns = { next(owner?: string): Promise<void> }

export function createTurns(): Turns {
  /** By owner; the next one is the first. */
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
