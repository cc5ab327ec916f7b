// The registry of our tokens on a port of its own, beside any participants: these stay as they are.
import type { Log } from '../../base/log.ts'
import type { Participant } from '../ledger/participant.ts'
import { openListeners } from '../serving/listeners.ts'
import { createRouteHandler, routeTable } from '../serving/routing.ts'
import { createTokenReads } from './token-reads.ts'
import { tokenRegistryRoutes } from './token-registry.ts'

export type TokenRegistryParts = {
  /** Their users may read as any party. */
  readonly participants: readonly Participant[]
  readonly host: string
  /** 0 for one that the system chooses. */
  readonly port: number
  readonly log: Log
}

export type TokenRegistry = AsyncDisposable & { readonly url: string }

export async function openTokenRegistry(parts: TokenRegistryParts): Promise<TokenRegistry> {
  const { participants, host, port, log } = parts
  const tokens = createTokenReads(participants)
  const handle = createRouteHandler([routeTable(tokenRegistryRoutes, { tokens })], log)
  const opened = await openListeners([{ port, name: 'token registry', handle }], host)
  const shownHost = host.includes(':') ? `[${host}]` : host
  return { url: `http://${shownHost}:${opened.ports[0]}`, [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose]() }
}
