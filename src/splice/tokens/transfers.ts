// What senders and receivers do with instruments of one's own, by the token standard: transfers, and the offers that they begin with.
import type { Contract, Json, Participant } from '../ledger/participant.ts'
import { isOf, tokenContracts } from './instruments.ts'
import type { TokenReads } from './token-reads.ts'
import { transferFactory as factoryOf } from './token-registry.ts'
import { tokenTemplates, transferFactory, transferInstruction } from './token-templates.ts'

export type TransferOrder = {
  readonly instrument: { readonly admin: string; readonly id: string }
  readonly sender: string
  readonly receiver: string
  readonly amount: string
  /** How long the receiver may accept it. */
  readonly lifetimeMs: number
  readonly description: string
}

/** Inputs of one command. */
const inputsMax = 100

/** The result of the choice. The sender is on this participant; instruments and preapprovals may be known to others only. */
export async function transfer(participant: Participant, tokens: TokenReads, order: TransferOrder): Promise<Json> {
  const { instrument, sender, receiver, amount, lifetimeMs, description } = order
  const now = await tokens.now()
  const held = await tokenContracts(participant, tokenTemplates.holding, [sender])
  const own = held.filter(
    ({ payload }) => payload.owner === sender && !payload.lock && isOf(instrument, payload.instrument),
  )
  const terms = {
    sender,
    receiver,
    amount,
    instrumentId: { admin: instrument.admin, id: instrument.id },
    requestedAt: new Date(now - 1).toISOString(),
    executeBefore: new Date(now + lifetimeMs).toISOString(),
    inputHoldingCids: own.slice(0, inputsMax).map(({ contractId }) => contractId),
    meta: { values: description === '' ? {} : { [reasonKey]: description } },
  }
  const request = { choiceArguments: { transfer: terms }, excludeDebugFields: true }
  const { factoryId, choiceContext } = await factoryOf(
    { tokens },
    { params: { admin: instrument.admin }, body: request },
  )
  const extraArgs = { context: choiceContext.choiceContextData, meta: { values: {} } }
  return exercise(
    participant,
    sender,
    [transferFactory, factoryId, 'TransferFactory_Transfer'],
    { expectedAdmin: instrument.admin, transfer: terms, extraArgs },
    choiceContext.disclosedContracts,
  )
}

/** Where the token standard keeps what people write about a transfer. */
const reasonKey = 'splice.lfdecentralizedtrust.org/reason'

/** Offers of an instrument that are known to this participant. */
export async function offersOf(participant: Participant, instrument: TransferOrder['instrument']): Promise<Contract[]> {
  const offers = await tokenContracts(participant, tokenTemplates.transferOffer)
  return offers.filter(({ payload }) => isOf(instrument, payload.transfer.instrumentId))
}

/** The receiver accepts or rejects, the sender withdraws. The result of the choice. */
export async function decide(
  participant: Participant,
  { contractId, payload }: Contract,
  decision: 'Accept' | 'Reject' | 'Withdraw',
): Promise<Json> {
  const { sender, receiver } = payload.transfer
  const extraArgs = { context: { values: {} }, meta: { values: {} } }
  return exercise(
    participant,
    decision === 'Withdraw' ? sender : receiver,
    [transferInstruction, contractId, `TransferInstruction_${decision}`],
    { extraArgs },
  )
}

async function exercise(
  participant: Participant,
  actor: string,
  [templateId, contractId, choice]: readonly [interfaceId: string, contractId: string, choice: string],
  choiceArgument: object,
  disclosed: readonly object[] = [],
): Promise<Json> {
  const command = { ExerciseCommand: { templateId, contractId, choice, choiceArgument } }
  const transaction = await participant.submit({ actAs: [actor], commands: [command], disclosed })
  return transaction.events[0].ExercisedEvent.exerciseResult
}
