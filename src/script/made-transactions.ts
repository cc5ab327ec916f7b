// What a script has done to a ledger: the last transactions, as trees for people.
import { witnessedText } from '../base/transaction-text.ts'
import type { Call } from './participants.ts'

export type MadeTransaction = { readonly updateId: string; readonly offset: number; readonly tree: string }

type Transaction = { readonly updateId: string; readonly offset: number }

/** Shown at most: the last ones. */
const shownMax = 20
/** Updates to look for them in: a list may have 200. */
const readMax = 200

/** Those after an offset. Empty for callers that may not read all parties. */
export async function madeTransactions(call: Call, after: number): Promise<MadeTransaction[]> {
  const endInclusive = await ledgerEnd(call)
  if (endInclusive <= after) return []
  const filter = { identifierFilter: { WildcardFilter: { value: { includeCreatedEventBlob: false } } } }
  const eventFormat = { filtersByParty: {}, filtersForAnyParty: { cumulative: [filter] }, verbose: false }
  const includeTransactions = { eventFormat, transactionShape: 'TRANSACTION_SHAPE_LEDGER_EFFECTS' }
  const beginExclusive = Math.max(after, endInclusive - readMax)
  const body = JSON.stringify({ beginExclusive, endInclusive, updateFormat: { includeTransactions } })
  const { status, text } = await call({ participant: undefined, method: 'POST', path: '/v2/updates', body })
  if (status >= 300) return []
  const updates: { update: { Transaction?: { value: Transaction } } }[] = JSON.parse(text)
  return updates
    .flatMap(({ update }) => update.Transaction?.value ?? [])
    .slice(-shownMax)
    .map((transaction) => {
      const { updateId, offset } = transaction
      return { updateId, offset, tree: witnessedText(transaction) }
    })
}

/** 0 if the participant does not tell. */
export async function ledgerEnd(call: Call): Promise<number> {
  const { status, text } = await call({
    participant: undefined,
    method: 'GET',
    path: '/v2/state/ledger-end',
    body: undefined,
  })
  return status >= 300 ? 0 : JSON.parse(text).offset
}
