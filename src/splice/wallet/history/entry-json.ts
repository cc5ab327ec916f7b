// Entries of a wallet's history as Splice's wallet API shows them.
import { decimalFrom, unitsFrom } from '../../ledger/decimals.ts'
import type { Entry, PartyAmount, Subtype, TransferEntry } from './entries.ts'

export function entryJson(entry: Entry): object {
  const { type, subtype, eventId, date } = entry
  const head = { transaction_type: type, transaction_subtype: subtypeJson(subtype), event_id: eventId, date }
  if (type === 'transfer') return { ...head, ...transferJson(entry) }
  if (type === 'notification') return { ...head, details: entry.details }
  if (type === 'unknown') return head
  const { receiver, instructionCid } = entry
  return { ...head, receivers: [amountJson(receiver)], ...known({ transfer_instruction_cid: instructionCid }) }
}

function subtypeJson({ templateId, choice, interfaceId }: Subtype): object {
  return { template_id: templateId, choice, ...known({ interface_id: interfaceId }) }
}

function transferJson(entry: TransferEntry): object {
  const { sender, receivers, costs, description } = entry
  const { instructionReceiver, instructionAmount, instructionCid } = entry
  return {
    sender: amountJson(sender),
    receivers: receivers.map(amountJson),
    holding_fees: decimal(costs.holdingFees),
    app_rewards_used: decimal(costs.appRewards),
    validator_rewards_used: decimal(costs.validatorRewards),
    sv_rewards_used: decimal(costs.svRewards),
    development_fund_coupons_used: decimal(costs.developmentFund),
    ...known({
      transfer_instruction_receiver: instructionReceiver,
      transfer_instruction_amount: instructionAmount && decimal(instructionAmount),
      transfer_instruction_cid: instructionCid,
      description,
    }),
  }
}

const amountJson = ({ party, units }: PartyAmount) => ({ party, amount: decimalFrom(units) })

/** With all its digits. */
const decimal = (text = '0') => decimalFrom(unitsFrom(text)!)

/** The fields that are not empty. */
function known(fields: Readonly<Record<string, string | undefined>>): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== ''))
}
