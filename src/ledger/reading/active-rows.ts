// Contracts that were active at an offset, in the order of their positions. Those of the index that were not yet there
// are left out; those archived since are put back. The index is always read before the archives, so that a contract
// archived in between is found in one of them at least.
import type { ArchivePlace, ContractPosition, Store, StoredContractRow } from '../../store/store.ts'
import type { Names } from '../names.ts'
import type { Search, Templates } from './event-matcher.ts'
import { nextTurn } from './turns.ts'

type Parts = { readonly store: Store; readonly names: Names }

/** Of one party, or of anybody; of one template, or of all. */
type Source = { readonly party: bigint; readonly template: bigint | undefined }

type Place = ContractPosition & { readonly row: StoredContractRow | undefined }

const anybody = 0n
const rowsMax = 100
const archivesMax = 1000

export const beforeAll: ContractPosition = { template: 0n, number: 0n }

/** Every step yields, also one that found nothing. Rows may be more than the search is for. */
export async function* readActive(
  parts: Parts,
  search: Search,
  { activeAt, after }: { activeAt: bigint; after: ContractPosition },
): AsyncGenerator<readonly StoredContractRow[]> {
  const { store } = parts
  const templates = await templateNumbers(search, parts)
  const archives = createArchives(store, activeAt, (position) => templates?.has(position.template) ?? true)
  const heads = (await sourcesOf(search, parts)).map((source) => createHead(store, source, after))
  let reached = after
  for (let isDone = false; !isDone; ) {
    const active = await takeMerged(heads)
    isDone = active.length < rowsMax
    await archives.refresh()
    const until = isDone ? undefined : active.at(-1)!
    const places = merged(active, archives.between(reached, until))
    for (let from = 0; from < places.length; from += rowsMax) {
      const some = places.slice(from, from + rowsMax)
      yield (await withRows(some, store)).filter(({ createdOffset }) => createdOffset <= activeAt)
      await nextTurn()
    }
    reached = until ?? reached
  }
}

function comparePositions(a: ContractPosition, b: ContractPosition): number {
  if (a.template !== b.template) return a.template < b.template ? -1 : 1
  return a.number < b.number ? -1 : a.number > b.number ? 1 : 0
}

/** Undefined for all. */
async function templateNumbers(search: Search, { store, names }: Parts): Promise<Set<bigint> | undefined> {
  const wanted = search.kind === 'everywhere' ? [search.templates] : [...search.parties.values()]
  if (wanted.includes('all')) return undefined
  const numbers = await names.numbers((wanted as (readonly string[])[]).flat(), store.names)
  return new Set(numbers.values())
}

async function sourcesOf(search: Search, { store, names }: Parts): Promise<Source[]> {
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

type Head = { peek(): Promise<StoredContractRow | undefined>; drop(): void }

function createHead(store: Store, { party, template }: Source, after: ContractPosition): Head {
  let rows: readonly StoredContractRow[] = []
  let position = 0
  let last = after
  let isDone = template !== undefined && template < after.template
  return {
    async peek() {
      if (position < rows.length || isDone) return rows[position]
      rows = await store.contracts.active(party, template, last, rowsMax)
      position = 0
      last = rows.at(-1) ?? last
      isDone = rows.length < rowsMax
      return rows[position]
    },
    drop() {
      position += 1
    },
  }
}

/** The next rows of all heads, each contract once; fewer than `rowsMax` only at the end. */
async function takeMerged(heads: readonly Head[]): Promise<StoredContractRow[]> {
  const taken: StoredContractRow[] = []
  while (taken.length < rowsMax) {
    let next: StoredContractRow | undefined
    for (const head of heads) {
      const row = await head.peek()
      if (row !== undefined && (next === undefined || comparePositions(row, next) < 0)) next = row
    }
    if (next === undefined) break
    for (const head of heads) if ((await head.peek())?.number === next.number) head.drop()
    taken.push(next)
  }
  return taken
}

/** Positions of contracts that were active and are not any more; what is archived meanwhile is added. */
function createArchives(store: Store, activeAt: bigint, isWanted: (position: ContractPosition) => boolean) {
  let last: ArchivePlace = { archivedOffset: activeAt + 1n, number: -1n }
  const positions: ContractPosition[] = []

  function indexAfter(position: ContractPosition): number {
    let [low, high] = [0, positions.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (comparePositions(positions[middle]!, position) <= 0) low = middle + 1
      else high = middle
    }
    return low
  }

  return {
    async refresh() {
      const before = positions.length
      for (;;) {
        const more = await store.contracts.archivedAfter(activeAt, last, archivesMax)
        positions.push(...more.filter(isWanted))
        last = more.at(-1) ?? last
        if (more.length < archivesMax) break
        await nextTurn()
      }
      if (positions.length > before) positions.sort(comparePositions)
    },
    /** After the one, up to and with the other. */
    between(after: ContractPosition, upTo: ContractPosition | undefined): ContractPosition[] {
      return positions.slice(indexAfter(after), upTo === undefined ? undefined : indexAfter(upTo))
    },
  }
}

function merged(active: readonly StoredContractRow[], archived: readonly ContractPosition[]): Place[] {
  const isActive = new Set(active.map(({ number }) => number))
  const places: Place[] = [
    ...active.map((row) => ({ template: row.template, number: row.number, row })),
    ...archived
      .filter(({ number }) => !isActive.has(number))
      .map(({ template, number }) => ({ template, number, row: undefined })),
  ]
  return archived.length === 0 ? places : places.sort(comparePositions)
}

async function withRows(places: readonly Place[], store: Store): Promise<StoredContractRow[]> {
  const missing = places.flatMap(({ row, number }) => (row === undefined ? [number] : []))
  const found = new Map((await store.contracts.at(missing)).map((row) => [row.number, row]))
  return places.flatMap(({ row, number }) => row ?? found.get(number) ?? [])
}
