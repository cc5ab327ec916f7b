// What an admin does with its instruments: creates them, mints and burns.
import { wallClock } from '../../base/clock.ts'
import { StartError } from '../../base/errors.ts'
import { decimalFrom, unitsFrom } from '../ledger/decimals.ts'
import { type Contract, type Json, type Participant, ParticipantRefusal } from '../ledger/participant.ts'
import { tokenTemplates, transferFactory } from './token-templates.ts'

export type Instrument = {
  readonly contractId: string
  readonly admin: string
  readonly id: string
  readonly name: string
  readonly symbol: string
  readonly decimals: number
}

export type InstrumentTerms = Omit<Instrument, 'contractId'>

/** Milliseconds since 1970. A participant of another kind tells no time: it follows the wall clock. */
export async function ledgerTimeOf(participant: Participant): Promise<number> {
  try {
    return Date.parse(await participant.time())
  } catch (error) {
    if (error instanceof ParticipantRefusal && error.status === 404) return wallClock.nowMs()
    throw error
  }
}

/** Inputs of one command. */
const inputsMax = 100

/** None where nobody has uploaded the package. */
export async function tokenContracts(
  participant: Participant,
  template: string,
  parties: readonly string[] | 'anybody' = 'anybody',
  offset?: number,
): Promise<Contract[]> {
  try {
    return await participant.contracts(template, parties, offset)
  } catch (error) {
    if (error instanceof ParticipantRefusal && error.status === 404) return []
    throw error
  }
}

export function instrumentFrom({ contractId, payload }: Contract): Instrument {
  const { admin, id, name, symbol, decimals } = payload
  return { contractId, admin, id, name, symbol, decimals: Number(decimals) }
}

/** In the order of their ids. */
export async function listInstruments(participant: Participant): Promise<Instrument[]> {
  const contracts = await tokenContracts(participant, tokenTemplates.instrument)
  return contracts.map(instrumentFrom).sort((one, other) => (one.id < other.id ? -1 : 1))
}

/** Throws if the admin has one with this id. What is minted of it is on the same synchronizer. */
export async function createInstrument(
  participant: Participant,
  terms: InstrumentTerms,
  synchronizerId?: string,
): Promise<string> {
  const { admin, id } = terms
  const others = await listInstruments(participant)
  if (others.some((one) => one.admin === admin && one.id === id)) {
    throw new StartError(`${admin} has an instrument ${id} already`)
  }
  const transaction = await participant.submit({
    actAs: [admin],
    ...(synchronizerId !== undefined && { synchronizerId }),
    commands: [
      {
        CreateCommand: {
          templateId: tokenTemplates.instrument,
          createArguments: { ...terms, decimals: String(terms.decimals) },
        },
      },
    ],
  })
  return transaction.events[0].CreatedEvent.contractId
}

/** What became of it: the receiver has the amount, or it waits for the receiver's acceptance. */
export type Minted = { readonly kind: 'received' } | { readonly kind: 'offered'; readonly transferInstruction: string }

/** The receiver signs, if the participant can sign for it, or has preapproved; else it gets an offer. */
export async function mint(
  participant: Participant,
  instrument: Instrument,
  receiver: string,
  amount: string,
): Promise<Minted> {
  const { admin } = instrument
  const preapprovals = await tokenContracts(participant, tokenTemplates.preapproval, [admin])
  const preapproval = preapprovals.find(({ payload }) => payload.receiver === receiver)?.contractId
  if (preapproval !== undefined) {
    await issue(participant, instrument, [admin], { receiver, amount, preapproval })
    return { kind: 'received' }
  }
  if ((await isHosted(participant, receiver)) && (await issueTo(participant, instrument, receiver, amount))) {
    return { kind: 'received' }
  }
  const { receiverHoldingCid } = await issue(participant, instrument, [admin], { receiver: admin, amount })
  return offer(participant, instrument, receiver, amount, receiverHoldingCid)
}

/** False if the receiver has a key of its own. Only the attempt tells. */
async function issueTo(
  participant: Participant,
  instrument: Instrument,
  receiver: string,
  amount: string,
): Promise<boolean> {
  try {
    await issue(participant, instrument, [...new Set([instrument.admin, receiver])], { receiver, amount })
    return true
  } catch (error) {
    if (error instanceof ParticipantRefusal && error.code === 'NO_SYNCHRONIZER_ON_WHICH_ALL_SUBMITTERS_CAN_SUBMIT')
      return false
    throw error
  }
}

async function issue(participant: Participant, instrument: Instrument, actAs: readonly string[], argument: object) {
  return exercise(participant, actAs, tokenTemplates.instrument, instrument.contractId, 'Instrument_Mint', argument)
}

/** How long a receiver has to accept. */
const offerDays = 30

async function offer(
  participant: Participant,
  { contractId, admin, id }: Instrument,
  receiver: string,
  amount: string,
  holding: string,
): Promise<Minted> {
  const now = await ledgerTimeOf(participant)
  const transfer = {
    sender: admin,
    receiver,
    amount,
    instrumentId: { admin, id },
    requestedAt: new Date(now - 1).toISOString(),
    executeBefore: new Date(now + offerDays * 86_400_000).toISOString(),
    inputHoldingCids: [holding],
    meta: { values: {} },
  }
  const extraArgs = { context: { values: {} }, meta: { values: {} } }
  const argument = { expectedAdmin: admin, transfer, extraArgs }
  const result = await exercise(participant, [admin], transferFactory, contractId, 'TransferFactory_Transfer', argument)
  return { kind: 'offered', transferInstruction: result.output.value.transferInstructionCid }
}

/** Throws unless the owner has as much that is not locked. */
export async function burn(
  participant: Participant,
  instrument: Instrument,
  owner: string,
  amount: string,
): Promise<void> {
  const { admin, id, contractId } = instrument
  const held = await tokenContracts(participant, tokenTemplates.holding, [owner])
  const own = held.filter(
    ({ payload }) => payload.owner === owner && !payload.lock && isOf(instrument, payload.instrument),
  )
  const wanted = unitsFrom(amount)!
  const inputs: string[] = []
  let sum = 0n
  for (const { contractId: holding, payload } of own.slice(0, inputsMax)) {
    if (sum >= wanted) break
    sum += unitsFrom(payload.amount)!
    inputs.push(holding)
  }
  if (sum < wanted) throw new StartError(`${owner} has ${decimalFrom(sum)} ${id} that is not locked, not ${amount}`)
  await exercise(participant, [...new Set([admin, owner])], tokenTemplates.instrument, contractId, 'Instrument_Burn', {
    owner,
    amount,
    inputHoldingCids: inputs,
  })
}

export function isOf({ admin, id }: Pick<Instrument, 'admin' | 'id'>, instrumentId: Json): boolean {
  return instrumentId.admin === admin && instrumentId.id === id
}

async function isHosted(participant: Participant, party: string): Promise<boolean> {
  const { partyDetails } = await participant.call('GET', `/v2/parties/${encodeURIComponent(party)}`)
  return partyDetails.some((details: Json) => details.isLocal)
}

async function exercise(
  participant: Participant,
  actAs: readonly string[],
  templateId: string,
  contractId: string,
  choice: string,
  choiceArgument: object,
): Promise<Json> {
  const command = { ExerciseCommand: { templateId, contractId, choice, choiceArgument } }
  const transaction = await participant.submit({ actAs, commands: [command] })
  return transaction.events[0].ExercisedEvent.exerciseResult
}
