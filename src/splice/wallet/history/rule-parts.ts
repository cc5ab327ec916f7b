// What several rules of a wallet's history use: the parts of an entry, by the event for which it stands.
import { unitsFrom } from '../../ledger/decimals.ts'
import type { EventNode } from '../../ledger/event-tree.ts'
import type { BalanceEntry, PartyAmount, Subtype, TransferEntry } from './entries.ts'
import type { Reading } from './reading.ts'

/** Module and name of a template, with one of its choices. */
type Choice = { readonly entity: string; readonly choice: string; readonly interfaceId?: string }

export const choiceOf = (entity: string, choice: string, interfaceId?: string): Choice => ({
  entity,
  choice,
  ...(interfaceId !== undefined && { interfaceId }),
})

/** What every transfer is called that has no name of its own. */
export const transferByRules = choiceOf('Splice.AmuletRules:AmuletRules', 'AmuletRules_Transfer')

/** Where the token standard keeps what people write about a transfer. */
export const reasonKey = 'splice.lfdecentralizedtrust.org/reason'

export const unitsOf = (decimal: string) => unitsFrom(decimal)!

/**
 * Of the event itself, or of another choice in the same package. A second version of a choice goes by the name of the first, as in
 * Splice.
 */
export function subtypeOf({ event }: EventNode, other?: Choice): Subtype {
  if (other !== undefined) {
    const { entity, choice, interfaceId } = other
    const packageId = event.templateId.slice(0, event.templateId.indexOf(':'))
    return { templateId: `${packageId}:${entity}`, choice, interfaceId }
  }
  const choice = event.choice.replace(/V2$/, '')
  return { templateId: event.templateId, choice, interfaceId: event.interfaceId ?? undefined }
}

export function balanceEntry(node: EventNode, reading: Reading, receiver: PartyAmount): BalanceEntry {
  const { date } = reading
  return { type: 'balance_change', eventId: reading.eventId(node), subtype: subtypeOf(node), date, receiver }
}

type TransferParts = Pick<TransferEntry, 'sender' | 'receivers'> & Partial<TransferEntry>

export function transferEntry(node: EventNode, reading: Reading, parts: TransferParts): TransferEntry {
  const { subtype = subtypeOf(node) } = parts
  return { type: 'transfer', eventId: reading.eventId(node), date: reading.date, costs: {}, ...parts, subtype }
}
