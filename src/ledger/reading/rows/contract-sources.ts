// The index ranges in which a search finds its contracts. Each source is a list in the order of places; contracts in
// several sources are taken once.
import type { ContractState, Store } from '../../../store/store.ts'
import type { Names } from '../../names.ts'
import type { Search, Templates } from '../requests/event-matcher.ts'
import { type ActiveCursor, type ActivePlace, comparePlaces } from './active-cursor.ts'

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

/** The next places of a source after a given one, at most `limit`. */
export type NextPlaces = (after: ActivePlace, limit: number) => Promise<ActivePlace[]>

/** Contracts active now that existed at the offset. */
export function activePlaces(store: Store, source: Source, { lastNumber }: ActiveCursor): NextPlaces {
  return acrossTemplates(store, source, 'active', async (template, after, limit) => {
    const numbers = await store.contracts.active(source.party, template, after.number, lastNumber, limit)
    return numbers.map((number) => ({ template, node: 0n, bound: 0n, number }))
  })
}

/** Contracts that were active at the offset and were archived before the read began. */
export function pastPlaces(
  store: Store,
  source: Source,
  { lastNumber, began }: ActiveCursor,
  activeAt: bigint,
): NextPlaces {
  return acrossTemplates(store, source, 'past', async (template, after, limit) => {
    const query = { party: source.party, template, activeAt, archivedUpTo: began, lastNumber }
    return (await store.contracts.past(query, after, limit)).map((place) => ({ template, ...place }))
  })
}

function acrossTemplates(
  store: Store,
  { party, template: only }: Source,
  of: 'active' | 'past',
  inTemplate: (template: bigint, after: ActivePlace, limit: number) => Promise<ActivePlace[]>,
): NextPlaces {
  const next = async (after: bigint) => {
    if (only === undefined) return store.contracts.nextTemplate(of, party, after)
    return only > after ? only : undefined
  }
  return async (after, limit) => {
    const found: ActivePlace[] = []
    const isWithin = after.template > 0n && (only ?? after.template) === after.template
    let template = isWithin ? after.template : await next(after.template)
    while (template !== undefined && found.length < limit) {
      const from = template === after.template ? after : { template, node: 0n, bound: 0n, number: 0n }
      found.push(...(await inTemplate(template, from, limit - found.length)))
      if (found.length < limit) template = await next(template)
    }
    return found
  }
}

export type MergedPlaces = {
  /** Returns fewer than `count` only at the end. */
  take(count: number): Promise<ActivePlace[]>
  /** Skips a contract that was read already. */
  forget(number: bigint): void
}

type Head = { places: ActivePlace[]; last: ActivePlace; isDone: boolean }

export function mergePlaces(sources: readonly NextPlaces[], after: ActivePlace): MergedPlaces {
  const heads = sources.map((next) => ({ next, places: [], last: after, isDone: false }) as Head & { next: NextPlaces })
  return {
    async take(count) {
      const taken: ActivePlace[] = []
      while (taken.length < count) {
        let first: ActivePlace | undefined
        for (const head of heads) {
          if (head.places.length === 0 && !head.isDone) {
            const more = await head.next(head.last, count)
            head.isDone = more.length < count
            head.last = more.at(-1) ?? head.last
            head.places = more.reverse() // Reversed: taking the last one is cheap.
          }
          const place = head.places.at(-1)
          if (place !== undefined && (first === undefined || comparePlaces(place, first) < 0)) first = place
        }
        if (first === undefined) break
        for (const { places } of heads) if (places.at(-1)?.number === first.number) places.pop()
        taken.push(first)
      }
      return taken
    },
    forget(number) {
      for (const head of heads) head.places = head.places.filter((place) => place.number !== number)
    },
  }
}
