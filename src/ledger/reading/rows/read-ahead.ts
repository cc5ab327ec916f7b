// Read-ahead for clients that read the ledger page by page: the next page is read while the client handles the
// last one. The past does not change, so a page read early is the page that it would get later.
import { nextTurn } from '../../../base/turns.ts'
import type { UpdatesRange } from './update-rows.ts'

type Page = readonly string[]

export type PageRequest = {
  /** Equal for exactly those requests that get the same result for a range. */
  readonly key: string
  readonly range: UpdatesRange
  /** Nothing is read beyond it. */
  readonly ledgerEnd: bigint
  /** Yields a few elements at a time. */
  read(range: UpdatesRange, purpose: 'now' | 'ahead'): AsyncIterable<Page>
}

/** The range that a reader is expected to request, and its page once the reader has continued. */
type Expected = { readonly upTo: bigint; readonly page?: Promise<Page | undefined> }

/** A few megabytes in all. */
const expectedMax = 16
const pageLengthMax = 512 * 1024

export type ReadAhead = (request: PageRequest) => AsyncGenerator<Page>

export function createReadAhead(): ReadAhead {
  /** By request key and start of the next range; the first request takes the page. */
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
      last = length <= pageLengthMax ? [...some] : []
      if (length > pageLengthMax) yield some // Large pages are not kept while the rest is read.
    }
    expectNext(length <= pageLengthMax) // Before the last piece: a reader that has enough stops here.
    if (last.length > 0) yield last
  }
}

function following({ after, upTo }: UpdatesRange): UpdatesRange {
  return { after: upTo, upTo: upTo + (upTo - after), descending: false }
}

/** Runs after the response is sent; undefined if the page is long. On an error the request for the page reads again. */
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
