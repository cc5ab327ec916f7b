// One page of a list of contracts. The node looks through a bounded number of contracts for each request, so a filter that
// few contracts pass takes several; what is found so far is reported, and the reader may stop.
import type { ContractQuery, ContractQueryPage, Total } from './contract-query.ts'
import { type ContractRow, rowOf } from './contract-rows.ts'

export type ContractWindow = {
  readonly rows: readonly ContractRow[]
  readonly at: number
  readonly total: Total
  /** How many contracts were looked through, and of how many; undefined if one request was enough. */
  readonly looked: { readonly count: number; readonly outOf: Total } | undefined
  /** Where the next page begins, or where to go on after a stop; undefined at the end of the list. */
  readonly next: string | undefined
}

type Reading = {
  readonly ask: (query: ContractQuery, signal: AbortSignal) => Promise<ContractQueryPage>
  /** Ends the reading without an outcome. */
  readonly signal: AbortSignal
  /** Ends it with what is found so far. */
  readonly stop: AbortSignal
  readonly report: (soFar: ContractWindow) => void
  /** Goes on with a window that was stopped. */
  readonly from?: ContractWindow | undefined
}

/** `size` rows, or fewer at the end of the list or after a stop. Undefined if it was stopped before the first answer. */
export async function readWindow(
  query: ContractQuery & { readonly size: number },
  { ask, signal, stop, report, from }: Reading,
): Promise<ContractWindow | undefined> {
  let window = from
  const either = AbortSignal.any([signal, stop])
  try {
    do {
      const [size, pageToken] = [query.size - (window?.rows.length ?? 0), window?.next ?? query.pageToken]
      const page = await ask({ ...query, size, pageToken }, either)
      window = added(window, page)
      if (!isGoingOn(window, query.size)) break
      window = { ...window, looked: await lookedSoFar(window, page) }
      report(window)
    } while (!stop.aborted)
  } catch (error) {
    if (!stop.aborted || signal.aborted) throw error
  }
  return window

  /** How many there are without the filter says how much of the work is done. */
  async function lookedSoFar(soFar: ContractWindow, { looked: count, activeAtOffset: at }: ContractQueryPage) {
    const { looked } = soFar
    if (looked !== undefined) return looked
    const { total } = await ask({ format: query.format, at: query.at ?? at, size: 1 }, either)
    return { count, outOf: total }
  }
}

const isGoingOn = ({ rows, next }: ContractWindow, size: number) => next !== undefined && rows.length < size

function added(window: ContractWindow | undefined, page: ContractQueryPage): ContractWindow {
  const { looked } = window ?? {}
  return {
    rows: [...(window?.rows ?? []), ...page.activeContracts.map(({ contractEntry }) => rowOf(contractEntry))],
    at: page.activeAtOffset,
    total: page.total,
    looked: looked && { ...looked, count: looked.count + page.looked },
    next: page.nextPageToken ?? undefined,
  }
}

/** 200,000; at least 10,000; about 200,000. */
export function totalText({ count, is }: Total): string {
  const words = { exact: '', atLeast: 'at least ', about: 'about ' } as const
  return `${words[is]}${count.toLocaleString('en-GB')}`
}
