// Several ascending lists of contract numbers as one. Each is read a few numbers at a time, when those before are taken, so
// taking some costs about as many, and one for each list.

/** A list: its numbers after one, in order, at most `limit`. */
export type NumberList = {
  readonly next: (after: bigint, limit: number) => Promise<bigint[]>
  /** Its first number, if that is known already. */
  readonly first?: bigint
}

export type MergedNumbers = {
  /** Each once, in order. Returns fewer than `count` only at the end. */
  take(count: number): Promise<bigint[]>
  /** More numbers, after those that were taken. */
  add(numbers: readonly bigint[]): void
}

type Reading = {
  readonly next: NumberList['next']
  /** Read and not taken, the next one last. */
  numbers: bigint[]
  last: bigint
  limit: number
  isDone: boolean
}

/** The next number of a list, or an added one. */
type Entry = { readonly number: bigint; readonly of: Reading | undefined }

const limitMin = 8

export function mergeNumbers(lists: readonly NumberList[], after: bigint): MergedNumbers {
  /** A heap: each entry is at most those at 2n + 1 and 2n + 2. */
  const heap: Entry[] = []
  let isStarted = false
  let taken = after

  async function start(count: number): Promise<void> {
    isStarted = true
    const limit = Math.max(limitMin, Math.ceil((2 * count) / Math.max(1, lists.length)))
    for (const { next, first } of lists) {
      const reading: Reading = { next, numbers: [], last: after, limit, isDone: false }
      if (first === undefined) await advance(reading, count)
      else {
        reading.last = first
        push({ number: first, of: reading })
      }
    }
  }

  async function advance(reading: Reading, count: number): Promise<void> {
    if (reading.numbers.length === 0 && !reading.isDone) {
      const limit = Math.min(reading.limit, count)
      const more = await reading.next(reading.last, limit)
      reading.isDone = more.length < limit
      reading.limit = 2 * limit
      reading.last = more.at(-1) ?? reading.last
      reading.numbers = more.reverse() // Reversed: taking the last one is cheap.
    }
    const number = reading.numbers.pop()
    if (number !== undefined) push({ number, of: reading })
  }

  function push(entry: Entry): void {
    let place = heap.length
    while (place > 0) {
      const above = (place - 1) >> 1
      if (heap[above]!.number <= entry.number) break
      heap[place] = heap[above]!
      place = above
    }
    heap[place] = entry
  }

  function pop(): Entry | undefined {
    const first = heap[0]
    const entry = heap.pop()
    if (first === undefined || entry === undefined || heap.length === 0) return first
    let place = 0
    for (;;) {
      let below = 2 * place + 1
      if (below >= heap.length) break
      if (below + 1 < heap.length && heap[below + 1]!.number < heap[below]!.number) below += 1
      if (heap[below]!.number >= entry.number) break
      heap[place] = heap[below]!
      place = below
    }
    heap[place] = entry
    return first
  }

  return {
    async take(count) {
      if (!isStarted) await start(count)
      const numbers: bigint[] = []
      while (numbers.length < count) {
        const entry = pop()
        if (entry === undefined) break
        if (entry.number > taken) {
          taken = entry.number
          numbers.push(taken)
        }
        if (entry.of !== undefined) await advance(entry.of, count)
      }
      return numbers
    },
    add(numbers) {
      for (const number of numbers) push({ number, of: undefined })
    },
  }
}
