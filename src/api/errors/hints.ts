// Hints for developers, next to an error and never in its cause. In this order: what the ledger knows about names in the
// request, what is wrong with its body, and what to do about an error in general. Nothing here runs for a request that
// succeeds.
import type { TSchema } from 'typebox'
import { type Claims, readsAs } from '../../auth/claims.ts'
import { LedgerError } from '../../base/errors.ts'
import type { Log } from '../../base/log.ts'
import type { Settings } from '../../base/settings.ts'
import type { Hints } from '../../ledger/inspection/hints.ts'
import type { HintReader } from '../../ledger/inspection/party-hints.ts'
import type { BodyKind, Route } from '../route.ts'
import { DecodeError } from '../wire/decode.ts'
import { adviceFor } from './advice.ts'
import { bodyCharactersMax, ignoredFieldHint, refusedBodyHint } from './body-hints.ts'
import { createPathHints, type PathHints } from './path-hints.ts'

/** A request that was refused. */
export type RefusedRequest = {
  /** Undefined if no token was accepted: then there is no hint about the ledger. */
  readonly claims: Claims | undefined
  /** JSON as it came, with what it should have been. */
  readonly json?: { readonly kind: BodyKind | undefined; readonly text: string | Buffer | undefined } | undefined
  /** The header of this name. */
  readonly authorization?: string | undefined
}

export type RequestHints = PathHints & {
  forError(error: unknown, request: RefusedRequest): Promise<string | undefined>
  /** For a request that was refused before it reached its route. */
  forUnread(error: unknown): string | undefined
}

type Parts = {
  readonly hints: Hints
  readonly routes: readonly Route[]
  readonly settings: Settings
  /** Hears of each hint about a refusal. */
  readonly onHint: ((error: LedgerError, hint: string) => void) | undefined
  readonly log: Log
}

export function createRequestHints({ hints, routes, settings, onHint, log }: Parts): RequestHints {
  const { listElementsMax, bodyBytesMax } = settings.limits
  const tooManyElements =
    `ask for fewer elements (limit), read page by page (POST /v2/updates/get-updates-page, POST ` +
    `/v2/state/active-contracts-page), take lines (Accept: application/x-ndjson) or a WebSocket, or raise ` +
    `limits.listElementsMax (${listElementsMax})`
  const tooLargeBody = `limits.bodyBytesMax (${bodyBytesMax}) is the largest body; TALLYSTICK_LIMITS_BODY_BYTES_MAX sets it`
  const noUser = 'name a userId in the request, or start the node with --user-id ID (auth.userId)'

  function aboutLimits(error: unknown): string | undefined {
    if (error instanceof DecodeError) return error.status === 413 ? tooLargeBody : undefined
    if (!(error instanceof LedgerError)) return undefined
    if (error.code === 'JSON_API_MAXIMUM_LIST_ELEMENTS_NUMBER_REACHED') return tooManyElements
    return error.code === 'INVALID_TOKEN' && settings.auth.mode === 'off' ? noUser : undefined
  }

  async function aboutLedger(error: Pick<LedgerError, 'code' | 'details'>, { claims }: RefusedRequest) {
    if (claims === undefined) return undefined
    try {
      return await hints.for(error, readerWith(claims))
    } catch (problem) {
      log.debug({ reason: String(problem) }, 'a hint could not be found')
      return undefined
    }
  }

  async function aboutUndecodable({ message }: DecodeError, request: RefusedRequest): Promise<string | undefined> {
    const [, parameter] = /^Invalid value for: query parameter (\S+)/.exec(message) ?? []
    if (parameter !== undefined) return `GET /docs says what \`${parameter}\` may be`
    if (message === 'Not Acceptable') return 'accept application/json, or leave out the header Accept'
    if (message.endsWith('header Authorization')) return 'send one header Authorization: Bearer TOKEN'
    const json = jsonOf(request)
    if (json === undefined || !message.startsWith('Invalid value for: body')) return undefined
    const hint = refusedBodyHint(json.schema, json.text)
    if (hint?.type === undefined) return hint?.text
    const about = { kind: 'types', names: [hint.type] } as const
    return (await aboutLedger({ code: 'INVALID_ARGUMENT', details: { about } }, request)) ?? hint.text
  }

  async function hintFor(error: unknown, request: RefusedRequest): Promise<string | undefined> {
    const known = aboutLimits(error)
    if (known !== undefined) return known
    if (error instanceof DecodeError) return aboutUndecodable(error, request)
    if (!(error instanceof LedgerError)) return undefined
    const { authorization } = request
    if (error.code === 'UNAUTHENTICATED' && authorization !== undefined && !/^bearer\s/i.test(authorization)) {
      return 'write Bearer before the token: Authorization: Bearer TOKEN'
    }
    return (await aboutLedger(error, request)) ?? aboutIgnoredField(error, request) ?? adviceFor(error)
  }

  return {
    ...createPathHints([...routes.map(({ path }) => path), '/docs', '/docs/openapi', '/livez', '/readyz', '/metrics']),
    async forError(error, request) {
      const hint = await hintFor(error, request)
      if (hint !== undefined && error instanceof LedgerError) onHint?.(error, hint)
      return hint
    },
    forUnread: aboutLimits,
  }
}

/** Only where the request itself is at fault. */
function aboutIgnoredField({ code, category }: LedgerError, request: RefusedRequest): string | undefined {
  const isWrong = category.grpc === invalidArgument || code === 'PERMISSION_DENIED'
  const json = isWrong ? jsonOf(request) : undefined
  return json && ignoredFieldHint(json.schema, json.text)
}

const invalidArgument = 3

function jsonOf({ json }: RefusedRequest): { readonly schema: TSchema; readonly text: string } | undefined {
  if (json === undefined || json.kind === undefined || typeof json.kind === 'string') return undefined
  const { kind: schema, text = '' } = json
  return text.length > bodyCharactersMax ? undefined : { schema, text: text.toString() }
}

function readerWith(claims: Claims): HintReader {
  const { userId, isParticipantAdmin, isIdentityProviderAdmin, actAs, readAs, executeAs } = claims
  return {
    userId,
    reads: (party) => readsAs(claims, party),
    listsParties: isParticipantAdmin || isIdentityProviderAdmin,
    get parties() {
      return new Set([...actAs, ...readAs, ...executeAs])
    },
  }
}
