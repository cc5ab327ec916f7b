// Work on large bodies takes turns: one piece of it each time around the event loop, so that whoever asks for little is
// answered in between, however many large bodies have come.

export type Turns = { next(): Promise<void> }

export function createTurns(): Turns {
  const waiting: (() => void)[] = []
  let isGoing = false

  function go(): void {
    const take = waiting.shift()
    isGoing = take !== undefined
    if (take === undefined) return
    take()
    setImmediate(go)
  }

  return {
    next: () =>
      new Promise((resolve) => {
        waiting.push(resolve)
        if (isGoing) return
        isGoing = true
        setImmediate(go)
      }),
  }
}
