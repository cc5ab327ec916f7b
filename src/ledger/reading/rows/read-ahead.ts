// A client that reads the ledger page after page gets the next page from memory: it is read while the client looks at
// the one before. What is past does not change, so a page that was read early is the page it would get later.
import { nextTurn } from './turns.ts'
import type { UpdatesRange } from './update-rows.ts'

type Page = readonly string[]

export type PageRequest = {
  /** The same for requests that would get the same for a range, and for no others. */
  readonly key: string
  readonly range: UpdatesRange
  /** Nothing is read beyond it. */
  readonly ledgerEnd: bigint
  /** A few elements at a time. */
  read(range: UpdatesRange, purpose: 'now' | 'ahead'): AsyncIterable<Page>
}

/** Up to where a reader is expected to read, and what is there, once it is known that he goes on. */
type Expected = { readonly upTo: bigint; readonly page?: Promise<Page | undefined> }

/** Together some megabytes at most. */
const expectedMax = 16
const pageLengthMax = 512 * 1024

export type ReadAhead = (request: PageRequest) => AsyncGenerator<Page>

export function createReadAhead(): ReadAhead {
  /** By the key of the request and where the next one will begin; given to the first who comes. */
  const expected = new Map<string, Expected>()

  function expect(place: string, what: Expected): void {
    expected.set(place, what)
    if (expected.size > expectedMax) expected.delete(expected.keys().next().value!)
  }

  return async function* pageOf({ key, range, ledgerEnd, read }) {
    const here = `${key} ${range.after}`
    const expectedHere = expected.get(here)
    expected.delete(here)
    const known = expectedHere?.upTo === range.upTo ? await expectedHere.page : undefined
    const next = following(range)
    const there = `${key} ${next.after}`
    const expectNext = (isShort: boolean) => {
      if (expected.has(there)) return
      const goesOn = expectedHere !== undefined && next.upTo <= ledgerEnd && isShort
      expect(there, { upTo: next.upTo, ...(goesOn && { page: soon(() => read(next, 'ahead')) }) })
    }
    if (known !== undefined) {
      expectNext(true)
      yield known
      return
    }
    let length = 0
    let last: Page = []
    for await (const some of read(range, 'now')) {
      length += lengthOf(some)
      if (last.length > 0) yield last
      last = length <= pageLengthMax ? some : []
      if (length > pageLengthMax) yield some // Large ones are not kept while the next are read.
    }
    expectNext(length <= pageLengthMax) // Before the last is taken: a reader that has enough asks for no more.
    if (last.length > 0) yield last
  }
}

function following({ after, upTo }: UpdatesRange): UpdatesRange {
  return { after: upTo, upTo: upTo + (upTo - after), descending: false }
}

/** Once the answer is out; undefined when it is long. What goes wrong, whoever asks for the page will hear. */
async function soon(read: () => AsyncIterable<Page>): Promise<Page | undefined> {
  await nextTurn()
  const page: string[] = []
  let length = 0
  try {
    for await (const some of read()) {
      length += lengthOf(some)
      if (length > pageLengthMax) return undefined
      page.push(...some)
    }
    return page
  } catch {
    return undefined
  }
}

function lengthOf(page: Page): number {
  return page.reduce((sum, element) => sum + element.length, 0)
}
