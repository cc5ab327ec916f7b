// What the transports of the API share: HTTP, WebSockets and gRPC.
import type { Admit } from '../auth/admission.ts'
import type { Authenticator } from '../auth/authentication.ts'
import type { Clock } from '../base/clock.ts'
import type { Health } from '../base/health.ts'
import type { Log } from '../base/log.ts'
import type { Random } from '../base/random.ts'
import type { Settings } from '../base/settings.ts'
import type { Tracer } from '../base/tracer.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { HeldBytes } from './calls/held-bytes.ts'
import type { RequestsInFlight } from './calls/requests-in-flight.ts'
import type { RequestHints } from './errors/hints.ts'
import type { RefusalLog } from './errors/refusal-log.ts'
import type { Route } from './route.ts'
import type { Strangers } from './strangers.ts'
import type { OngoingAuthorization } from './streams/ongoing-authorization.ts'
import type { OpenStreams } from './streams/open-streams.ts'

export type SharedParts = {
  readonly settings: Settings
  readonly ledger: Ledger
  readonly routes: readonly Route[]
  readonly authenticate: Authenticator
  readonly admit: Admit
  readonly authorization: OngoingAuthorization
  readonly openStreams: OpenStreams
  readonly heldBytes: HeldBytes
  readonly inFlight: RequestsInFlight
  readonly strangers: Strangers
  readonly hints: RequestHints | undefined
  readonly refusals: RefusalLog
  readonly explainsErrors: boolean
  /** The participant's name, for error messages. */
  readonly participant: string
  readonly health: Health
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly tracer: Tracer | undefined
  readonly isClosing: () => boolean
}
