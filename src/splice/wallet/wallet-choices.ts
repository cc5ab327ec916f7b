// Exercises choices of a user's WalletAppInstall, as its validator.
import type { Json } from '../ledger/participant.ts'
import { templates } from '../ledger/templates.ts'
import type { WalletContext } from './wallet-route.ts'

type Options = { readonly disclosed?: readonly object[]; readonly commandId?: string }

/** The result of the choice. */
export async function exerciseWallet(
  { validator, party, wallet }: WalletContext,
  choice: string,
  choiceArgument: object,
  options: Options = {},
): Promise<Json> {
  const { contractId } = wallet
  const transaction = await validator.participant.submit({
    actAs: [validator.party],
    readAs: party === validator.party ? [] : [party],
    commands: [{ ExerciseCommand: { templateId: templates.walletAppInstall, contractId, choice, choiceArgument } }],
    ...options,
  })
  return transaction.events[0].ExercisedEvent.exerciseResult
}

/** Requests have microseconds since 1970. */
export function timeFromMicros(micros: unknown): string {
  return new Date(Number(micros) / 1000).toISOString()
}

export const noMetadata = { values: {} }

/** Where the token standard keeps what people write about a transfer. */
export function reasonMetadata(description: unknown): object {
  return { values: { 'splice.lfdecentralizedtrust.org/reason': String(description ?? '') } }
}
