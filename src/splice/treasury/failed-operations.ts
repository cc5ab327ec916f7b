// Operations that the Daml code of Amulet refuses for a reason that it names, such as missing funds. Splice's TreasuryService makes
// the same of them.
import { ParticipantRefusal } from '../ledger/participant.ts'

/** Why, by the names of Splice's InvalidTransferReason. */
export type FailureReason =
  | { readonly tag: 'ITR_InsufficientFunds'; readonly missingAmount: string }
  | { readonly tag: 'ITR_UnknownSynchronizer'; readonly synchronizerId: string }
  | { readonly tag: 'ITR_InsufficientTopupAmount'; readonly requested: string; readonly minimum: string }
  | { readonly tag: 'ITR_Other'; readonly description: string }

export class AmuletOperationFailed extends Error {
  readonly reason: FailureReason

  constructor(reason: FailureReason) {
    const { tag, ...fields } = reason
    const values = Object.values(fields).join(', ')
    super(`the amulet operation failed with a Daml exception: COO_Error(${tag}(${values})).`)
    this.reason = reason
  }
}

const prefix = 'splice.lfdecentralizedtrust.org/'

/** The error as it is, unless it has one of these reasons. */
export function failedOperation(error: unknown): unknown {
  if (!(error instanceof ParticipantRefusal)) return error
  const { metadata = {}, description = error.message } = error.details
  const id = metadata.error_id
  if (id === undefined || !id.startsWith(prefix)) return error
  const reason = reasonFrom(id.slice(prefix.length), metadata, description)
  return reason === undefined ? error : new AmuletOperationFailed(reason)
}

function reasonFrom(
  id: string,
  metadata: Readonly<Record<string, string>>,
  description: string,
): FailureReason | undefined {
  const { requiredAmount, synchronizerId, requestedTopupAmount: requested, minTopupAmount: minimum } = metadata
  if (id === 'insufficient-funds' && requiredAmount !== undefined) {
    return { tag: 'ITR_InsufficientFunds', missingAmount: requiredAmount }
  }
  if (id === 'unknown-synchronizer' && synchronizerId !== undefined) {
    return { tag: 'ITR_UnknownSynchronizer', synchronizerId }
  }
  if (id === 'insufficient-topup-amount' && requested !== undefined && minimum !== undefined) {
    return { tag: 'ITR_InsufficientTopupAmount', requested, minimum }
  }
  const isTooLarge = id === 'maximum-inputs-exceeded' || id === 'maximum-outputs-exceeded'
  return isTooLarge ? { tag: 'ITR_Other', description } : undefined
}

/** In the words in which Splice's automation ends a request that it cannot pay. */
export function wordsFor(reason: FailureReason): string {
  switch (reason.tag) {
    case 'ITR_InsufficientFunds':
      return `out of funds (missing ${reason.missingAmount} CC)`
    case 'ITR_UnknownSynchronizer':
      return `unknown synchronizerId ${reason.synchronizerId}`
    case 'ITR_InsufficientTopupAmount':
      return `not enough traffic requested (trafficAmount ${reason.requested} < minTopupAmount ${reason.minimum})`
    case 'ITR_Other':
      return reason.description
  }
}
