// Says why a call failed: to its client as a refusal, and to the log. A bug is explained only to the log.
import type { Log } from '../../base/log.ts'
import { type Random, randomUuid } from '../../base/random.ts'
import type { Trace } from '../calls/trace.ts'
import type { ErrorSetting } from './error-response.ts'
import type { RefusalLog } from './refusal-log.ts'
import { serviceContextOf } from './service-contexts.ts'

/** A failed request, as far as it was known when it failed. */
export type Circumstances = {
  readonly operation: string
  readonly trace: Trace
  /** The JSON operation whose services find the error, if that is another one. */
  readonly service?: string
  readonly userId?: string | undefined
  readonly hint?: string | undefined
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, unknown>>
  /** Decoded; undefined if it was not. */
  readonly body?: unknown
}

/** How a transport writes errors. */
export type ErrorForm<Answer> = {
  /** Undefined for a bug. */
  refusal(error: unknown, setting: ErrorSetting): Answer | undefined
  bug(setting: ErrorSetting): Answer
  statusOf(answer: Answer): number
}

export type Failures = {
  /** The answer for the client; logs the failure. */
  explain<Answer>(error: unknown, circumstances: Circumstances, form: ErrorForm<Answer>): Answer
}

type Parts = {
  readonly explainsErrors: boolean
  /** The participant's name, for error messages. */
  readonly participant: string
  readonly refusals: RefusalLog
  readonly random: Random
  readonly log: Log
}

export function createFailures({ explainsErrors, participant, refusals, random, log }: Parts): Failures {
  const newUuid = () => randomUuid(random)

  function settingOf({ operation, trace, service, hint, params = {}, query = {}, body }: Circumstances): ErrorSetting {
    const found = serviceContextOf(service ?? operation, { params, query, body, newUuid })
    return { traceId: trace.id, explains: explainsErrors, participant, service: found, hint }
  }

  return {
    explain(error, circumstances, form) {
      const { operation, userId } = circumstances
      const setting = settingOf(circumstances)
      const { traceId } = setting
      const refusal = form.refusal(error, setting)
      if (refusal !== undefined) {
        refusals.refused(error, { operation, status: form.statusOf(refusal), traceId, userId })
        return refusal
      }
      log.error({ operation, traceId, stack: (error as Error).stack }, 'a request failed')
      return form.bug(setting)
    },
  }
}
