// Rows of updates as the elements that a request gets of them: the format compiled, visibility decided, blobs and views
// fetched once for all rows, and JSON written. Transactions and reassignments have a filter each.
import type { Store, UpdateRecord } from '../../store/store.ts'
import type { PackageContents } from '../packages/package-contents.ts'
import type { ContractViews, Shown } from './contract-views.ts'
import { createMatcher, type Matcher, type Search, unitedSearch } from './event-matcher.ts'
import { JsonWriter } from './json-writer.ts'
import { type TransactionLayout, writeTransaction } from './projection.ts'
import type { TransactionForm, UpdateFormat } from './reading.ts'
import { writeReassignment } from './reassignment-projection.ts'
import { metaOf } from './recent-updates.ts'
import type { Placed } from './tailing.ts'
import { type SeenReassignment, type SeenTransaction, seeReassignment, seeTransaction } from './visibility.ts'

/** The update alone; or in the oneof `update`; or that as an element of a list. */
export type Wrapping = 'bare' | 'update' | 'element'

export type UpdateElements = {
  /** Where rows are that may have something in them. */
  readonly search: Search
  of(rows: readonly UpdateRecord[]): Promise<Placed[]>
}

type Parts = { readonly store: Store; readonly contractViews: ContractViews }

type Matchers = { readonly transactions: Matcher | undefined; readonly reassignments: Matcher | undefined }

type Seen = SeenTransaction | SeenReassignment

const noContracts: ReadonlyMap<string, Shown> = new Map()
const bytesPerRow = 1024

/** Undefined when the format asks for nothing that there is. */
export function createUpdateElements(
  { store, contractViews }: Parts,
  format: UpdateFormat,
  { contents, form, wrapping }: { contents: PackageContents; form: TransactionForm; wrapping: Wrapping },
): UpdateElements | undefined {
  const matchers = matchersOf(format, contents)
  const search = searchOf(matchers)
  if (search === undefined) return undefined
  const layout: TransactionLayout = {
    shape: format.transactions?.shape === 'TRANSACTION_SHAPE_ACS_DELTA' ? 'delta' : 'effects',
    form,
  }
  const wantsContracts = matchers.transactions?.wantsContracts || matchers.reassignments?.wantsContracts
  const beforeTransaction = opening(form === 'tree' ? 'TransactionTree' : 'Transaction', wrapping)
  const beforeReassignment = opening('Reassignment', wrapping)
  const after = wrapping === 'bare' ? '' : wrapping === 'update' ? '}}' : '}}}'

  function see(record: UpdateRecord): Seen | undefined {
    const meta = metaOf(record)
    return meta.kind === 'transaction'
      ? matchers.transactions && seeTransaction(record, meta, matchers.transactions, layout.shape)
      : matchers.reassignments && seeReassignment(record, meta, matchers.reassignments)
  }

  /** Of one kind of update: a contract that is created and moved may be shown differently each time. */
  async function contractsOf(seen: readonly Seen[], kind: Seen['kind']): Promise<ReadonlyMap<string, Shown>> {
    if (!wantsContracts) return noContracts
    const wanted = seen.flatMap((update) =>
      update.kind === kind ? update.events.flatMap((event) => event.wanted ?? []) : [],
    )
    if (wanted.length === 0) return noContracts
    return contractViews.show(wanted, await store.contracts.find(wanted.map(({ contractId }) => contractId)))
  }

  return {
    search,
    async of(rows) {
      const seen = rows.flatMap((row) => see(row) ?? [])
      const created = await contractsOf(seen, 'transaction')
      const moved = await contractsOf(seen, 'reassignment')
      const out = new JsonWriter(bytesPerRow * seen.length)
      return seen.map((update) => {
        if (update.kind === 'transaction') {
          out.text(beforeTransaction)
          writeTransaction(out, update, layout, created)
        } else {
          out.text(beforeReassignment)
          writeReassignment(out, update, moved)
        }
        out.text(after)
        return { offset: update.offset, element: out.take() }
      })
    },
  }
}

/** Older requests have one format for both, and need one matcher. */
function matchersOf({ transactions, reassignments }: UpdateFormat, contents: PackageContents): Matchers {
  const forTransactions = transactions?.eventFormat && createMatcher(transactions.eventFormat, contents)
  return {
    transactions: forTransactions,
    reassignments:
      reassignments !== undefined && reassignments === transactions?.eventFormat
        ? forTransactions
        : reassignments && createMatcher(reassignments, contents),
  }
}

function searchOf({ transactions, reassignments }: Matchers): Search | undefined {
  if (transactions === undefined || reassignments === undefined) return (transactions ?? reassignments)?.search
  return transactions === reassignments ? transactions.search : unitedSearch(transactions.search, reassignments.search)
}

function opening(variant: string, wrapping: Wrapping): string {
  if (wrapping === 'bare') return ''
  return `${wrapping === 'element' ? '{"update":' : ''}{"${variant}":{"value":`
}
