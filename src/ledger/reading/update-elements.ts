// Rows of updates as the elements that a request gets of them: the format compiled, visibility decided, blobs and views
// fetched once for all rows, and JSON written.
import type { Store, UpdateRecord } from '../../store/store.ts'
import type { PackageContents } from '../packages/package-contents.ts'
import type { ContractViews, Shown } from './contract-views.ts'
import { createMatcher, type Matcher } from './event-matcher.ts'
import { JsonWriter } from './json-writer.ts'
import { type TransactionLayout, writeTransaction } from './projection.ts'
import type { TransactionForm, UpdateFormat } from './reading.ts'
import type { Placed } from './tailing.ts'
import { seeTransaction } from './visibility.ts'

/** What is written around a transaction. */
export type Wrapping = readonly [before: string, after: string]

export type UpdateElements = {
  readonly matcher: Matcher
  of(rows: readonly UpdateRecord[]): Promise<Placed[]>
}

type Parts = { readonly store: Store; readonly contractViews: ContractViews }

const noContracts: ReadonlyMap<string, Shown> = new Map()
const bytesPerRow = 1024

/** Undefined when the format asks for nothing that there is. */
export function createUpdateElements(
  { store, contractViews }: Parts,
  { transactions }: UpdateFormat,
  { contents, form, wrapping }: { contents: PackageContents; form: TransactionForm; wrapping: Wrapping },
): UpdateElements | undefined {
  const matcher = transactions?.eventFormat && createMatcher(transactions.eventFormat, contents)
  if (matcher === undefined) return undefined
  const layout: TransactionLayout = {
    shape: transactions!.shape === 'TRANSACTION_SHAPE_ACS_DELTA' ? 'delta' : 'effects',
    form,
  }
  const [before, after] = wrapping
  return {
    matcher,
    async of(rows) {
      const seen = rows.flatMap((row) => seeTransaction(row, matcher, layout.shape) ?? [])
      const wanted = matcher.wantsContracts
        ? seen.flatMap(({ events }) => events.flatMap((event) => event.wanted ?? []))
        : []
      const contracts =
        wanted.length === 0
          ? noContracts
          : await contractViews.show(wanted, await store.contracts.find(wanted.map(({ contractId }) => contractId)))
      const out = new JsonWriter(bytesPerRow * seen.length)
      return seen.map((transaction) => {
        out.text(before)
        writeTransaction(out, transaction, layout, contracts)
        out.text(after)
        return { offset: transaction.offset, element: out.take() }
      })
    },
  }
}

/** How a transaction stands in the oneof `update`. */
export function wrappingOf(form: TransactionForm): Wrapping {
  return [form === 'tree' ? '{"TransactionTree":{"value":' : '{"Transaction":{"value":', '}}']
}
