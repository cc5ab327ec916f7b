// Logs refused requests: the operation, the caller and the cause. A cause may quote the request, so it is logged only
// if the settings allow it. A cause that is redacted for the client is always logged, because the operator has no other
// way to learn it.
import { LedgerError } from '../../base/errors.ts'
import type { Log } from '../../base/log.ts'
import { DecodeError } from '../wire/decode.ts'
import { printable } from '../wire/printable.ts'

type Asked = {
  readonly operation: string
  readonly status: number
  readonly traceId: string
  readonly userId: string | undefined
}

export type RefusalLog = {
  /** A refusal by a route. */
  refused(error: unknown, asked: Asked): void
  /** A request without a route: an unknown path, or a method that the path does not have. */
  noRoute(method: string, path: string, status: number): void
  timedOut(method: string, path: string): void
}

export function createRefusalLog(log: Log, tellsCauses: boolean): RefusalLog {
  function reasonOf(error: unknown): string | undefined {
    if (error instanceof LedgerError) return tellsCauses || error.category.redact ? error.message : undefined
    return error instanceof DecodeError && tellsCauses ? error.message : undefined
  }

  return {
    refused(error, { operation, status, traceId, userId }) {
      const code = error instanceof LedgerError ? error.code : undefined
      log.info({ operation, status, code, reason: reasonOf(error), user: userId, traceId }, 'request refused')
      const suspect = error instanceof LedgerError ? error.details.suspect : undefined
      if (suspect !== undefined) log.warn({ operation, traceId, stack: suspect }, 'a refusal may hide a bug')
    },
    noRoute(method, path, status) {
      const asked = `${method} ${printable(path)}`
      const reason = status === 405 ? 'the path has other methods' : 'there is no such path'
      log.info({ status, reason, ...(tellsCauses && { asked }) }, 'request refused')
    },
    timedOut(method, path) {
      const asked = `${method} ${printable(path)}`
      log.warn({ status: 503, ...(tellsCauses && { asked }) }, 'a request took too long')
    },
  }
}
