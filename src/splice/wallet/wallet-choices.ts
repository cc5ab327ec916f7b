// Exercises choices of a user's WalletAppInstall, as its validator.
import { type Json, ParticipantRefusal } from '../ledger/participant.ts'
import { templates } from '../ledger/templates.ts'
import { badRequest, RouteRefusal } from '../serving/route.ts'
import { operate } from '../treasury/amulet-operations.ts'
import { inTurn } from '../treasury/wallet-turns.ts'
import type { WalletContext } from './wallet-route.ts'

type Options = {
  readonly disclosed?: readonly object[]
  readonly commandId?: string
  /** What to say when the ledger knows the command id already. */
  readonly duplicate?: string
}

/** The result of the choice. */
export async function exerciseWallet(
  { validator, party, wallet }: WalletContext,
  choice: string,
  choiceArgument: object,
  { duplicate, ...options }: Options = {},
): Promise<Json> {
  const { contractId } = wallet
  const submission = {
    actAs: [validator.party],
    readAs: party === validator.party ? [] : [party],
    commands: [{ ExerciseCommand: { templateId: templates.walletAppInstall, contractId, choice, choiceArgument } }],
    ...options,
  }
  const transaction = await validator.participant.submit(submission).catch((error: unknown) => {
    const isDuplicate = error instanceof ParticipantRefusal && error.code === 'DUPLICATE_COMMAND'
    throw isDuplicate && duplicate !== undefined ? new RouteRefusal(409, duplicate) : error
  })
  return transaction.events[0].ExercisedEvent.exerciseResult
}

/** What spends the user's Amulet waits for what does already. It may be called again, and chooses its Amulet each time. */
export function spendInTurn<T>({ validator, party }: WalletContext, spend: () => Promise<T>): Promise<T> {
  return inTurn(validator.participant, party, spend)
}

/** The result of one operation with the Amulet of the wallet. */
export async function operateWallet(context: WalletContext, tag: string, value: Json): Promise<Json> {
  const { network, dso, validator, wallet } = context
  const treasury = { network, dso, validator, nowMs: await context.now() }
  return (await operate(treasury, wallet, { tag, value })).value
}

/** Requests have microseconds since 1970. */
export function timeFromMicros(micros: unknown): string {
  const time = new Date(Number(micros) / 1000)
  if (micros === undefined || Number.isNaN(time.getTime()))
    throw badRequest(`Failed to decode: ${micros} is not a time`)
  return time.toISOString()
}

export const noMetadata = { values: {} }

/** Where the token standard keeps what people write about a transfer. */
export function reasonMetadata(description: unknown): object {
  return { values: { 'splice.lfdecentralizedtrust.org/reason': String(description ?? '') } }
}
