// What a route answers when it fails: the statuses and bodies of Splice's HttpErrorHandler.
import { isStoreUnavailable } from '../../base/errors.ts'
import { ParticipantRefusal } from '../ledger/participant.ts'
import { AmuletOperationFailed } from '../treasury/failed-operations.ts'
import { WalletBusy } from '../treasury/wallet-turns.ts'
import { MalformedRequest, RouteRefusal } from './route.ts'

export type RefusalAnswer = { readonly status: number; readonly body?: object; readonly text?: string }

/** Undefined for an error that nobody expects. */
export function refusalOf(error: unknown): RefusalAnswer | undefined {
  if (error instanceof MalformedRequest) return { status: error.status, text: error.message }
  if (error instanceof RouteRefusal) return { status: error.status, body: error.body }
  if (error instanceof AmuletOperationFailed) return { status: 400, body: { error: error.message } }
  if (error instanceof WalletBusy) return { status: 429, body: { error: error.message } }
  if (error instanceof ParticipantRefusal) {
    return { status: statusOf(error), body: { error: error.details.description ?? error.message } }
  }
  if (isStoreUnavailable(error)) return { status: 503, body: { error: (error as Error).message } }
  return undefined
}

const statusOfGrpc: ReadonlyMap<number, number> = new Map([
  [3, 400],
  [5, 404],
  [6, 409],
  [9, 400],
  [10, 429],
  [12, 400],
  [14, 503],
])

function statusOf({ status, code, details }: ParticipantRefusal): number {
  if (details.grpcCode === undefined) return status
  return conflicts.has(code) ? 409 : (statusOfGrpc.get(details.grpcCode) ?? 500)
}

/** Failed preconditions that Splice calls conflicts. */
const conflicts: ReadonlySet<string> = new Set([
  'DAML_INTERPRETATION_ERROR',
  'UNHANDLED_EXCEPTION',
  'INTERPRETATION_USER_ERROR',
  'TEMPLATE_PRECONDITION_VIOLATED',
  'NOT_CONNECTED_TO_ANY_SYNCHRONIZER',
  'NOT_CONNECTED_TO_SYNCHRONIZER',
  'UNKNOWN_CONTRACT_SYNCHRONIZERS',
])
