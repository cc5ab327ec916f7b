// Whoever reads the ledger page after page gets the next page from memory: it is read while he looks at the one before.
// What is past does not change, so a page that was read early is the page that he would get later.
import { nextTurn } from './turns.ts'
import type { UpdatesRange } from './update-rows.ts'

type Page = readonly string[]

export type PageRequest = {
  /** The same for requests that would get the same for a range, and for no others. */
  readonly key: string
  readonly range: UpdatesRange
  /** Nothing is read beyond it. */
  readonly ledgerEnd: bigint
  read(range: UpdatesRange): Promise<Page>
}

/** Where a reader will go on, and what there is, as soon as it is worth to look. */
type Reader = { readonly next: UpdatesRange; readonly page?: Promise<Page | undefined> }

/** Together some megabytes at most. */
const readersMax = 16
const pageLengthMax = 512 * 1024

export function createReadAhead(): (request: PageRequest) => Promise<Page> {
  const readers = new Map<string, Reader>()

  function expect(key: string, reader: Reader): void {
    readers.delete(key) // The latest come last.
    readers.set(key, reader)
    if (readers.size > readersMax) readers.delete(readers.keys().next().value!)
  }

  return async ({ key, range, ledgerEnd, read }) => {
    const reader = readers.get(key)
    const next = following(range)
    if (reader?.next.after !== range.after) {
      expect(key, { next })
      return read(range)
    }
    const known = reader.next.upTo === range.upTo ? await reader.page : undefined
    const page = known ?? (await read(range))
    expect(key, next.upTo <= ledgerEnd && isShort(page) ? { next, page: soon(() => read(next)) } : { next })
    return page
  }
}

function following({ after, upTo }: UpdatesRange): UpdatesRange {
  return { after: upTo, upTo: upTo + (upTo - after), descending: false }
}

/** Once the answer is out. What goes wrong, whoever asks for the page will hear. */
async function soon(read: () => Promise<Page>): Promise<Page | undefined> {
  await nextTurn()
  const page = await read().catch(() => undefined)
  return page && isShort(page) ? page : undefined
}

function isShort(page: Page): boolean {
  return page.reduce((sum, element) => sum + element.length, 0) <= pageLengthMax
}
