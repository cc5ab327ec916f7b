// The index ranges in which a search finds its contracts, as lists in the order of their creation.
import type { ContractState, PastQuery } from '../../../store/core/contract-records.ts'
import type { Store } from '../../../store/core/store.ts'
import type { Names } from '../../model/name-numbers.ts'
import type { Search, Templates } from '../requests/event-matcher.ts'
import type { NumberList } from './merged-numbers.ts'

type Parts = { readonly store: Store; readonly names: Names }

/** One party or anybody; one template or all. */
export type Source = { readonly party: bigint; readonly template: bigint | undefined }

const anybody = 0n

export async function sourcesOf(search: Search, { store, names }: Parts): Promise<Source[]> {
  const wanted: [party: bigint, templates: Templates][] = []
  if (search.kind === 'everywhere') wanted.push([anybody, search.templates])
  else {
    const numbers = await names.numbers([...search.parties.keys()], store.names)
    for (const [party, templates] of search.parties) {
      const number = numbers.get(party)
      if (number !== undefined) wanted.push([number, templates])
    }
  }
  const sources: Source[] = []
  for (const [party, templates] of wanted) {
    if (templates === 'all') sources.push({ party, template: undefined })
    else {
      for (const template of (await names.numbers(templates, store.names)).values()) sources.push({ party, template })
    }
  }
  return sources
}

export function isInAny(
  sources: readonly Source[],
  contract: Pick<ContractState, 'template' | 'stakeholders'>,
): boolean {
  return sources.some(
    ({ party, template }) =>
      (template === undefined || template === contract.template) &&
      (party === anybody || contract.stakeholders.includes(`,${party},`)),
  )
}

/** The order of a list of contracts. Merging knows only ascending lists, so a number of a newest-first list is negated. */
export type ListOrder = {
  readonly isNewestFirst: boolean
  keyOf(number: bigint): bigint
  numberOf(key: bigint): bigint
}

export const oldestFirst: ListOrder = { isNewestFirst: false, keyOf: (number) => number, numberOf: (key) => key }
export const newestFirst: ListOrder = { isNewestFirst: true, keyOf: (number) => -number, numberOf: (key) => -key }

/** Contracts active now that come after the cursor: a list for each template, because the index has no other order. */
export async function activeLists(
  { contracts }: Store,
  { party, template }: Source,
  { number, lastNumber }: ActiveCursor,
  order: ListOrder,
): Promise<NumberList[]> {
  const listOf = (template: bigint): NumberList => ({
    next: inKeys(order, (from, limit) =>
      order.isNewestFirst
        ? contracts.activeBefore(party, template, from, limit)
        : contracts.active(party, template, from, lastNumber, limit),
    ),
  })
  if (template !== undefined) return [listOf(template)]
  const firsts = order.isNewestFirst
    ? await contracts.lastActive(party, number)
    : await contracts.firstActive(party, number, lastNumber)
  return firsts.map(({ template, number: first }) => ({ ...listOf(template), first: order.keyOf(first) }))
}

/** Contracts that were active at the offset and were archived since. */
export async function pastLists(
  { contracts }: Store,
  { party, template: only }: Source,
  { lastNumber }: ActiveCursor,
  { activeAt, archivedUpTo }: Pick<PastQuery, 'activeAt' | 'archivedUpTo'>,
  order: ListOrder,
): Promise<NumberList[]> {
  const templates = only === undefined ? await contracts.pastTemplates(party) : [only]
  const read = order.isNewestFirst ? contracts.pastBefore : contracts.past
  return templates.map((template) => ({
    next: inKeys(order, (from, limit) => read({ party, template, activeAt, archivedUpTo, lastNumber }, from, limit)),
  }))
}

function inKeys(
  { keyOf, numberOf }: ListOrder,
  read: (from: bigint, limit: number) => Promise<bigint[]>,
): NumberList['next'] {
  return async (after, limit) => (await read(numberOf(after), limit)).map(keyOf)
}

/** The cursor of a read of active contracts: contract numbers ascend with offsets, and within one with nodes. */
export type ActiveCursor = {
  /** The number of the last contract created up to the offset. */
  readonly lastNumber: bigint
  /** The contract that was read last. */
  readonly number: bigint
}

export function firstCursor(lastNumber: bigint, order: ListOrder = oldestFirst): ActiveCursor {
  return { lastNumber, number: order.isNewestFirst ? lastNumber + 1n : 0n }
}

export const cursorValues = 2

export function cursorToValues({ lastNumber, number }: ActiveCursor): bigint[] {
  return [lastNumber, number]
}

export function cursorFromValues(values: readonly bigint[]): ActiveCursor {
  const [lastNumber, number] = values as readonly [bigint, bigint]
  return { lastNumber, number }
}
