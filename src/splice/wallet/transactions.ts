// POST /api/validator/v0/wallet/transactions: the history of a user's wallet, page by page.
import { offsetOfUpdate, transactionsBackwards } from '../ledger/backward-updates.ts'
import { checkFields } from '../serving/request-fields.ts'
import { badRequest } from '../serving/route.ts'
import { entryJson } from './history/entry-json.ts'
import { historyPage } from './history/paging.ts'
import { readTransaction } from './history/reading.ts'
import { historyRules, historyTemplates } from './history/rules.ts'
import { walletRoute } from './wallet-route.ts'

/** Entries on a page, as in Splice. */
const pageMax = 1000
/** Transactions that are read at a time: few for a short page, but not every transaction is an entry. */
const [transactionsMin, transactionsMax] = [20, 100]

export const transactionsRoute = walletRoute(
  'POST v0/wallet/transactions',
  'listTransactions',
  async ({ validator, party }, { body }) => {
    checkFields(body, { required: { page_size: 'Long' }, optional: { begin_after_id: 'String' } })
    const size = pageSizeOf(body.page_size)
    const { participant } = validator
    const pageSize = Math.min(Math.max(size, transactionsMin), transactionsMax)
    const ofParty = { party, templates: historyTemplates }
    const ledger = {
      offsetOf: (updateId: string) => offsetOfUpdate(participant, updateId, ofParty),
      transactions: (upTo: number | undefined) => transactionsBackwards(participant, { ...ofParty, upTo, pageSize }),
    }
    const page = await historyPage(
      ledger,
      (transaction) => readTransaction(transaction, party, historyRules),
      size,
      body.begin_after_id || undefined,
    )
    return { items: page.map(entryJson) }
  },
)

function pageSizeOf(value: number): number {
  if (value > pageMax) throw badRequest(`Exceeded limit maximum (${value} > ${pageMax}).`)
  if (value < 1) throw badRequest('Limit must be at least 1.')
  return value
}
