// The API over one ledger, without a transport: HTTP, WebSockets and gRPC share its routes, its limits and its pipeline.

import { createAdmission } from '../auth/admission.ts'
import type { Authenticator, ClaimsCheck } from '../auth/authentication.ts'
import { type Clock, settlesWithin } from '../base/clock.ts'
import type { LedgerError } from '../base/errors.ts'
import type { Health } from '../base/health.ts'
import { bodyValuesMax } from '../base/limits.ts'
import type { Log } from '../base/log.ts'
import type { Metrics } from '../base/metrics.ts'
import type { Random } from '../base/random.ts'
import type { SecondLook } from '../base/second-look.ts'
import { isDevelopment, type Settings, servesExplorer } from '../base/settings.ts'
import type { Tracer } from '../base/tracer.ts'
import { createTurns } from '../base/turns.ts'
import type { Hints } from '../ledger/inspection/hints.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { createHeldBytes, type HeldBytes } from './calls/held-bytes.ts'
import { createRequestsInFlight, type RequestsInFlight } from './calls/requests-in-flight.ts'
import { createFailures, type Failures } from './errors/failures.ts'
import { createRequestHints, type RequestHints } from './errors/hints.ts'
import { createRefusalLog, type RefusalLog } from './errors/refusal-log.ts'
import { createPipeline, type Pipeline } from './pipeline.ts'
import type { Decoding, Route } from './route.ts'
import { allRoutes } from './routes/all.ts'
import type { Strangers } from './strangers.ts'
import { type AccessChanges, createOngoingAuthorization } from './streams/ongoing-authorization.ts'
import { createOpenStreams, createStreamMetrics, shutDown } from './streams/open-streams.ts'

export type Api = {
  readonly settings: Settings
  readonly ledger: Ledger
  readonly routes: readonly Route[]
  readonly authenticate: Authenticator
  readonly run: Pipeline['run']
  readonly failures: Failures
  readonly refusals: RefusalLog
  /** Undefined if the clients are not developers. */
  readonly hints: RequestHints | undefined
  readonly decoding: Decoding
  readonly heldBytes: HeldBytes
  readonly inFlight: RequestsInFlight
  readonly strangers: Strangers
  readonly health: Health
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly tracer: Tracer | undefined
  readonly isClosing: () => boolean
  /** The refusal while a developer has stopped the participant: only what resumes it is served then. */
  readonly stopped: () => LedgerError | undefined
  /** Ends the open streams and the calls under way with a refusal, except those that stop and resume participants. */
  endAll(refusal: LedgerError): void
  /** Ends the open streams with a refusal; new ones can be opened. */
  endStreams(refusal: LedgerError): void
  /**
   * The ledger is about to be replaced. Ends the streams with the refusal, soon also the lists that wait, after
   * `withinMs` all other requests that wait, and settles when all requests in flight are answered, or after twice the
   * time.
   */
  retire(refusal: LedgerError, withinMs: number): Promise<void>
  /** Answers pending requests, refuses new ones, and ends within the time given. */
  close(withinMs: number): Promise<void>
}

export type ApiParts = {
  readonly settings: Settings
  readonly ownVersion: string
  readonly ledger: Ledger
  /** Adds hints to errors; undefined if the clients are not developers. */
  readonly hints?: Hints | undefined
  readonly authenticate: Authenticator
  /** For rights that another node may have granted; undefined if there can be none. */
  readonly secondLook?: SecondLook | undefined
  readonly stopped?: () => LedgerError | undefined
  /** Whether the reader of a stream, or of a waiting list, may still read it. */
  readonly stillMay: ClaimsCheck
  readonly accessChanges: AccessChanges
  readonly metrics: Metrics
  readonly health: Health
  readonly strangers: Strangers
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly tracer?: Tracer | undefined
}

/** Where participants are stopped and resumed. */
export const controlPath = '/dev/network'

/** A list that is being read ends within this time; one that waits for updates may wait forever. */
const listsWithinMs = 50

export function createApi(parts: ApiParts): Api {
  const { settings, ownVersion, ledger, authenticate, secondLook, stillMay, accessChanges } = parts
  const { metrics, health, strangers, clock, random, log, tracer } = parts
  const { limits } = settings
  const { participantId } = ledger.parties
  const routes = allRoutes(ownVersion, ledger.development !== undefined, servesExplorer(settings))
  const refusals = createRefusalLog(log, settings.log.causes ?? isDevelopment(settings))
  const failures = createFailures({
    explainsErrors: isDevelopment(settings),
    participant: participantId.slice(0, participantId.indexOf('::')),
    refusals,
    random,
    log,
  })
  const inFlight = createRequestsInFlight()
  const authorization = createOngoingAuthorization({ limits, clock, stillMay, accessChanges, log })
  const openStreams = createOpenStreams({ limits, clock, metrics: createStreamMetrics(metrics), authorization })
  let closing = false
  const isClosing = () => closing
  const pipeline = createPipeline({
    ledger,
    authenticate,
    admit: createAdmission({ authenticate, participantId, secondLook }),
    authorization,
    openStreams,
    inFlight,
    limits,
    clock,
    isClosing,
  })

  return {
    settings,
    ledger,
    routes,
    authenticate,
    run: pipeline.run,
    failures,
    refusals,
    hints:
      parts.hints &&
      createRequestHints({ hints: parts.hints, routes, settings, onHint: ledger.development?.rejections.hinted, log }),
    decoding: {
      compatibility: ledger.compatibility,
      isLenient: settings.lenient,
      valuesMax: bodyValuesMax,
      turn: createTurns().next,
    },
    heldBytes: createHeldBytes(limits),
    inFlight,
    strangers,
    health,
    clock,
    random,
    log,
    tracer,
    isClosing,
    endStreams: openStreams.interrupt,
    stopped: parts.stopped ?? (() => undefined),
    endAll(refusal) {
      openStreams.interrupt(refusal)
      pipeline.abandonCalls(refusal, ({ operation }) => !operation.endsWith(` ${controlPath}`))
    },
    async retire(refusal, withinMs) {
      openStreams.end(refusal)
      const settled = (ms: number) => settlesWithin(inFlight.settled(), ms, clock)
      if (!(await settled(listsWithinMs))) {
        pipeline.endCalls(refusal, ({ isList }) => isList)
        if (!(await settled(withinMs))) {
          pipeline.endCalls(refusal, () => true)
          await settled(withinMs)
        }
      }
      pipeline.retire(refusal)
      authorization.close()
      pipeline.close()
    },
    async close(withinMs) {
      closing = true
      openStreams.end(shutDown())
      authorization.close()
      await settlesWithin(inFlight.settled(), withinMs, clock)
      pipeline.close()
    },
  }
}
