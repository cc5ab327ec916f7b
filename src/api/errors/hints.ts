// Hints for developers, next to an error and never in its cause: what the ledger knows about names in the request, and
// what to do about this node's limits and routes.
import { LedgerError } from '../../base/errors.ts'
import type { Log } from '../../base/log.ts'
import { nearest } from '../../base/nearest.ts'
import type { Settings } from '../../base/settings.ts'
import type { Hints } from '../../ledger/inspection/hints.ts'
import type { Route } from '../route.ts'
import { DecodeError } from '../wire/decode.ts'

export type RequestHints = {
  /** `reads` says whether the caller may read as a party; without it, there is no hint about the ledger. */
  forError(error: unknown, reads: ((party: string) => boolean) | undefined): Promise<string | undefined>
  /** For a request that was refused before it reached its route. */
  forUnread(error: unknown): string | undefined
  /** For a path that exists with other methods only. */
  forMethod(path: string, methods: readonly string[]): string
  forPath(path: string): string | undefined
}

type Parts = {
  readonly hints: Hints
  readonly routes: readonly Route[]
  readonly settings: Settings
  readonly log: Log
}

export function createRequestHints({ hints, routes, settings, log }: Parts): RequestHints {
  const paths = [
    ...new Set([...routes.map(({ path }) => path), '/docs', '/docs/openapi', '/livez', '/readyz', '/metrics']),
  ]
  const fixedPaths = paths.filter((path) => !path.includes('{'))
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

  return {
    async forError(error, reads) {
      const known = aboutLimits(error)
      if (known !== undefined || reads === undefined || !(error instanceof LedgerError)) return known
      try {
        return await hints.for(error, reads)
      } catch (problem) {
        log.debug({ reason: String(problem) }, 'a hint could not be found')
        return undefined
      }
    },
    forUnread: aboutLimits,
    forMethod: (path, methods) => `${path} takes ${[...new Set(methods)].join(' and ')}`,
    forPath(path) {
      const meant = nearest(path, fixedPaths) ?? nearest(`/v2${path}`, fixedPaths)
      return meant === undefined ? 'GET /docs lists all paths' : `did you mean ${meant}?`
    },
  }
}
