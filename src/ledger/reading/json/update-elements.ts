// Update rows as the elements of a response: compiles the format, decides visibility, fetches blobs and views once for
// all rows, and writes the JSON. Transactions, reassignments and changes of the topology each have a filter.

import { Pieces, startOf } from '../../../events/format/event-pieces.ts'
import { bodyBytes, isTopologyText, type Outline } from '../../../events/format/stored-update.ts'
import type { Extras } from '../../../events/json/event-json.ts'
import {
  type StoredPieces,
  type TransactionForm,
  type TransactionLayout,
  type TransactionPattern,
  transactionJson,
  transactionPattern,
} from '../../../events/json/transaction-json.ts'
import { reassignmentJson, topologyJson } from '../../../events/json/update-json.ts'
import type { RenderedElement, RenderTransactions } from '../../../events/protobuf/transaction-protobuf.ts'
import type { UpdateRow } from '../../../store/core/ledger-records.ts'
import type { Store } from '../../../store/core/store.ts'
import type { PackageContents } from '../../packages/package-contents.ts'
import type { Placed } from '../following/tailing.ts'
import {
  createMatcher,
  type Matcher,
  type PartySet,
  type Search,
  topologySearch,
  unitedSearch,
} from '../requests/event-matcher.ts'
import type { UpdateFormat } from '../requests/queries.ts'
import type { UpdateMetas } from '../rows/update-metas.ts'
import { type ContractViews, type Wanted, wantedOf } from './contract-views.ts'
import {
  type SeenOutline,
  type SeenReassignment,
  type SeenTopology,
  seeOutline,
  seeReassignment,
  seeTopology,
} from './visibility.ts'

/** The update itself, in the oneof `update`, or that as an element of a list. */
export type Wrapping = 'bare' | 'update' | 'element'

export type UpdateElements = {
  /** Where to find rows that may match. */
  readonly search: Search
  /** Whether a row gives the same element while packages are the same; views depend on more. */
  readonly isLasting: boolean
  of(rows: readonly UpdateRow[]): Promise<Placed[]>
  /** The same, with the transactions that can be rendered as protobuf in that form. */
  rendered(rows: readonly UpdateRow[], render: RenderTransactions): Promise<Placed<string | RenderedElement>[]>
}

export type ElementParts = {
  readonly store: Store
  readonly contractViews: ContractViews
  readonly metas: UpdateMetas
}

export type Matchers = { readonly transactions: Matcher | undefined; readonly reassignments: Matcher | undefined }

/** What the readers see of every transaction with one outline, and how it is written. */
type ShownOutline = SeenOutline & { readonly pattern: TransactionPattern }

type SeenTransaction = StoredPieces & {
  readonly kind: 'transaction'
  readonly outline: ShownOutline
}

type Seen = SeenTransaction | SeenReassignment | SeenTopology

/** Characters cached for one format; the frames of events take as much again. */
const rememberedLengthMax = 1024 * 1024
const lengthOfEntry = 512

const noContracts: ReadonlyMap<string, Extras> = new Map()

/** Undefined if nothing can match the format. */
export function createUpdateElements(
  { store, contractViews, metas }: ElementParts,
  format: UpdateFormat,
  { contents, form, wrapping }: { contents: PackageContents; form: TransactionForm; wrapping: Wrapping },
): UpdateElements | undefined {
  const matchers = matchersOf(format, contents)
  // The tree format has no field for topology events.
  const topology = form === 'tree' ? undefined : format.topology
  const topologyOf = topology && partiesIn(topology)
  const search = searchOf(matchers, topology)
  if (search === undefined) return undefined
  const wantsContracts = (matchers.transactions?.wantsContracts || matchers.reassignments?.wantsContracts) ?? false
  const beforeReassignment = opening('Reassignment', wrapping)
  const beforeTopology = opening('TopologyTransaction', wrapping)
  const after = wrapping === 'bare' ? '' : wrapping === 'update' ? '}}' : '}}}'
  const layout: TransactionLayout = {
    shape: format.transactions?.shape === 'TRANSACTION_SHAPE_ACS_DELTA' ? 'delta' : 'effects',
    form,
    wantsContracts,
    before: opening(form === 'tree' ? 'TransactionTree' : 'Transaction', wrapping),
    after,
  }

  const outlines = new Map<Outline, ShownOutline | 'nothing'>()
  let outlineLengths = 0

  function see(row: UpdateRow): Seen | undefined {
    if (topologyOf === undefined && isTopologyText(row.meta)) return undefined
    const meta = metas.of(row)
    if (meta.kind === 'topology') return topologyOf && seeTopology(row.offset, meta, topologyOf)
    const body = new Pieces(row, bodyBytes(meta))
    if (meta.kind !== 'transaction') {
      return matchers.reassignments && seeReassignment(row.offset, meta, body, matchers.reassignments)
    }
    const outline = matchers.transactions && shownOutline(meta.outline, matchers.transactions)
    return outline && { kind: 'transaction', offset: row.offset, meta, body, outline }
  }

  function shownOutline(outline: Outline, matcher: Matcher): ShownOutline | undefined {
    let shown = outlines.get(outline)
    if (shown === undefined) {
      shown = show(outline, matcher) ?? 'nothing'
      remember(outline, shown)
    }
    return shown === 'nothing' ? undefined : shown
  }

  /** Caches outlines of small transactions; clears the cache when it is full. */
  function remember(outline: Outline, shown: ShownOutline | 'nothing'): void {
    const length = shown === 'nothing' ? 0 : shown.pattern.texts.reduce((sum, text) => sum + text.length, 0)
    if (length > rememberedLengthMax / 16) return
    outlineLengths += length + lengthOfEntry
    if (outlineLengths > rememberedLengthMax) {
      outlines.clear()
      outlineLengths = length + lengthOfEntry
    }
    outlines.set(outline, shown)
  }

  function show(outline: Outline, matcher: Matcher): ShownOutline | undefined {
    const seen = seeOutline(outline, matcher, layout.shape)
    return seen && { ...seen, pattern: transactionPattern(seen, layout) }
  }

  /** Separate per kind of update: a contract may show different views when it is created and when it moves. */
  async function contractsOf(
    seen: readonly Seen[],
    kind: 'transaction' | 'reassignment',
  ): Promise<ReadonlyMap<string, Extras>> {
    if (!wantsContracts) return noContracts
    const wanted = seen.flatMap((update) => (update.kind === kind ? wantedIn(update) : []))
    if (wanted.length === 0) return noContracts
    return contractViews.show(wanted, await store.contracts.blobsOf(wanted.map(({ contractId }) => contractId)))
  }

  function elementOf(update: Seen, created: ReadonlyMap<string, Extras>, moved: ReadonlyMap<string, Extras>): string {
    if (update.kind === 'transaction') return transactionJson(update.outline.pattern, update, created)
    return update.kind === 'reassignment'
      ? `${beforeReassignment}${reassignmentJson(update, moved)}${after}`
      : `${beforeTopology}${topologyJson(update)}${after}`
  }

  function seenIn(rows: readonly UpdateRow[]): Seen[] {
    const seen: Seen[] = []
    for (const row of rows) {
      const update = see(row)
      if (update !== undefined) seen.push(update)
    }
    return seen
  }

  async function elementsOf(seen: readonly Seen[]): Promise<string[]> {
    const created = await contractsOf(seen, 'transaction')
    const moved = await contractsOf(seen, 'reassignment')
    return seen.map((update) => elementOf(update, created, moved))
  }

  return {
    search,
    isLasting: !wantsContracts,
    async of(rows) {
      const seen = seenIn(rows)
      const elements = await elementsOf(seen)
      return seen.map(({ offset }, index) => ({ offset, element: elements[index]! }))
    },
    async rendered(rows, render) {
      const seen = seenIn(rows)
      const rendered = await render(
        seen.map((update) =>
          update.kind === 'transaction' && !wantsContracts ? { stored: update, shown: update.outline } : undefined,
        ),
      )
      const others = seen.filter((_, index) => rendered[index] === undefined)
      const json = others.length === 0 ? [] : await elementsOf(others)
      return seen.map(({ offset }, index) => ({ offset, element: rendered[index] ?? json.shift()! }))
    },
  }
}

function wantedIn(update: Seen): Wanted[] {
  if (update.kind === 'topology') return []
  if (update.kind === 'reassignment') return update.events.flatMap(({ wanted }) => wanted ?? [])
  return update.outline.events.flatMap(({ event, first, rule, witnesses }) => {
    if (event.kind !== 'create') return []
    return wantedOf(update.body.contractIdAt(startOf(first, update.meta)), rule, witnesses) ?? []
  })
}

/** Older requests use one format for both, and share one matcher. */
export function matchersOf({ transactions, reassignments }: UpdateFormat, contents: PackageContents): Matchers {
  const forTransactions = transactions?.eventFormat && createMatcher(transactions.eventFormat, contents)
  return {
    transactions: forTransactions,
    reassignments:
      reassignments !== undefined && reassignments === transactions?.eventFormat
        ? forTransactions
        : reassignments && createMatcher(reassignments, contents),
  }
}

export function searchOf(
  { transactions, reassignments }: Matchers,
  topology: readonly string[] | undefined,
): Search | undefined {
  const searches = [...new Set([transactions, reassignments])].flatMap((matcher) => matcher?.search ?? [])
  if (topology !== undefined) searches.push(topologySearch(topology))
  return searches.length === 0 ? undefined : searches.reduce(unitedSearch)
}

/** No party stands for all. */
export function partiesIn(topology: readonly string[]): PartySet {
  return topology.length === 0 ? 'everybody' : new Set(topology)
}

function opening(variant: string, wrapping: Wrapping): string {
  if (wrapping === 'bare') return ''
  return `${wrapping === 'element' ? '{"update":' : ''}{"${variant}":{"value":`
}
