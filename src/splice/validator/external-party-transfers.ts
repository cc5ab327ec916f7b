// /api/validator/v0/admin/external-party/transfer-preapproval and balance: Amulet of an external party. It signs a command to send, and
// an automation of the validator sends.
import { decodePreparedTransaction } from '../../lf/codec/prepared-transaction.ts'
import { decimalFrom, unitsFrom } from '../ledger/decimals.ts'
import { roundOf } from '../ledger/dso-reads.ts'
import { holdingFee } from '../ledger/holding-fee.ts'
import { disclosedFrom, type Json } from '../ledger/participant.ts'
import { templates } from '../ledger/templates.ts'
import { checkFields, type Fields } from '../serving/request-fields.ts'
import { badRequest, notFound, type Route, type ValidatorContext } from '../serving/route.ts'
import { prepare, submitSigned } from './external-submissions.ts'

const base = '/api/validator/v0/admin/external-party'

export const externalTransferRoutes: readonly Route<ValidatorContext>[] = [
  {
    method: 'POST',
    path: `${base}/transfer-preapproval/prepare-send`,
    access: 'operator',
    answer: (context, { body }) => prepareSend(context, body),
  },
  {
    method: 'POST',
    path: `${base}/transfer-preapproval/submit-send`,
    access: 'operator',
    answer: async (context, { body }) => ({ update_id: await submitSigned(context, body.submission) }),
  },
  {
    method: 'GET',
    path: `${base}/balance`,
    access: 'operator',
    answer: (context, { query }) => balanceOf(context, query.get('party_id') ?? ''),
  },
]

const sendFields: Fields = {
  required: {
    sender_party_id: 'String',
    receiver_party_id: 'String',
    amount: 'BigDecimal',
    expires_at: 'String',
    nonce: 'Long',
  },
  optional: { verbose_hashing: 'Boolean', description: 'String' },
}

async function prepareSend(context: ValidatorContext, body: Json): Promise<object> {
  checkFields(body, sendFields)
  const { sender_party_id: sender, receiver_party_id: receiver, amount, expires_at: expiresAt, nonce } = body
  const { dso, validator, network } = context
  const approved = (await dso.all(templates.transferPreapproval)).some(({ payload }) => payload.receiver === receiver)
  if (!approved) throw badRequest(`Receiver ${receiver} does not have a TransferPreapproval`)
  const rules = (await dso.only(templates.externalPartyAmuletRules))!
  const choiceArgument = {
    sender,
    receiver,
    delegate: validator.party,
    amount: String(amount),
    expiresAt,
    nonce: String(nonce),
    ...(body.description && { description: body.description }),
    expectedDso: network.dso,
  }
  const { contractId } = rules
  const choice = 'ExternalPartyAmuletRules_CreateTransferCommand'
  const prepared = await prepare(context, {
    party: sender,
    command: {
      ExerciseCommand: { templateId: templates.externalPartyAmuletRules, contractId, choice, choiceArgument },
    },
    disclosed: [disclosedFrom(rules)],
    verboseHashing: body.verbose_hashing ?? false,
  })
  return { ...prepared, transfer_command_contract_id_prefix: createdIn(prepared.transaction) }
}

/** The id of the first contract that a prepared transaction creates; the ledger completes it. */
function createdIn(transaction: string): string | undefined {
  const { nodes } = decodePreparedTransaction(Buffer.from(transaction, 'base64')).transaction!
  for (const { v1: node } of nodes) if (node?.kind === 'create') return node.value.contractId
  return undefined
}

/** As of the earliest round that is open. */
async function balanceOf({ dso, validator }: ValidatorContext, party: string): Promise<object> {
  const { participant, party: host } = validator
  const rights = await participant.contracts(templates.validatorRight, [host])
  if (!rights.some(({ payload }) => payload.user === party)) throw notFound(`No wallet for external party ${party}`)
  const rounds = (await dso.all(templates.openMiningRound)).map(roundOf)
  if (rounds.length === 0) throw notFound('No open mining round found')
  const round = Math.min(...rounds)
  const amulets = await participant.contracts(templates.amulet, [party])
  const locked = await participant.contracts(templates.lockedAmulet, [party])
  const free = totalOf(
    amulets.map(({ payload }) => payload).filter(({ owner }) => owner === party),
    round,
  )
  const kept = totalOf(
    locked.map(({ payload }) => payload.amulet).filter(({ owner }) => owner === party),
    round,
  )
  return {
    party_id: party,
    total_unlocked_coin: decimalFrom(free.units),
    total_locked_coin: decimalFrom(kept.units),
    total_coin_holdings: decimalFrom(free.units + kept.units),
    accumulated_holding_fees_unlocked: decimalFrom(free.fees),
    accumulated_holding_fees_locked: decimalFrom(kept.fees),
    accumulated_holding_fees_total: decimalFrom(free.fees + kept.fees),
    total_available_coin: decimalFrom(free.units - free.fees),
    computed_as_of_round: round,
  }
}

function totalOf(amulets: readonly Json[], round: number): { readonly units: bigint; readonly fees: bigint } {
  let [units, fees] = [0n, 0n]
  for (const { amount } of amulets) {
    units += unitsFrom(amount.initialAmount)!
    fees += holdingFee(amount, round)
  }
  return { units, fees }
}
