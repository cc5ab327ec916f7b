// What is behind each port of LocalNet: a table of every listener, and the routes of its requests.
import type { Log } from '../base/log.ts'
import type { Handler } from '../http/plain-service.ts'
import type { Issuer } from '../issuer/issuer.ts'
import { participantProfiles, portsOf, scanPort, svPort } from './profile/participants.ts'
import { oidcPort } from './profile/realms.ts'
import { registryRoutes } from './registry/registry-routes.ts'
import { scanRoutes } from './scan/scan-routes.ts'
import type { GrpcListener, RouteListener } from './serving/listeners.ts'
import type { RouteContext } from './serving/route.ts'
import { createRouteHandler, type RouteTable, routeTable } from './serving/routing.ts'
import { statusRoutes } from './serving/status-routes.ts'
import { createTokenReads } from './tokens/token-reads.ts'
import { tokenRegistryRoutes } from './tokens/token-registry.ts'
import { isOperator } from './validator/operators.ts'
import { validatorRoutes } from './validator/validator-routes.ts'
import { walletRoutes } from './wallet/wallet-routes.ts'

export type RunningParticipant = {
  readonly name: string
  readonly url: string
  readonly grpcUrl: string | undefined
}

export type ServedPorts = {
  readonly listeners: readonly (RouteListener | GrpcListener)[]
  /** From now on requests are answered over this network. */
  leadTo(context: RouteContext): void
  /** From now on they are answered by 503, as before the first network. */
  hold(): void
}

type Parts = {
  readonly participants: readonly RunningParticipant[]
  readonly portOffset: number
  /** Of further tokens, if there is one. */
  readonly issuer: Issuer | undefined
  readonly log: Log
}

/** Virtual hosts that lead to the JSON Ledger API; the second is an old name of it. */
const ledgerApiHosts = ['json-ledger-api', 'canton']

/** They listen before there is a network, so that a port that is taken is found before anything is founded. */
export function createServedPorts({ participants, portOffset, issuer, log }: Parts): ServedPorts {
  const handlers = new Map<string, Handler>()
  const handlerOf =
    (name: string): Handler =>
    (request, response) =>
      (handlers.get(name) ?? notReady)(request, response)

  const ofParticipants = participantProfiles.flatMap((profile): (RouteListener | GrpcListener)[] => {
    const { name } = profile
    const { url, grpcUrl } = participants.find((one) => one.name === name)!
    const ports = portsOf(profile, portOffset)
    const relayed = { hosts: ledgerApiHosts, url }
    return [
      { port: ports.ui, name: `virtual hosts of ${name}`, handle: handlerOf(`ui ${name}`), relayed, grpcUrl },
      { port: ports.validator, name: `validator of ${name}`, handle: handlerOf(`validator ${name}`) },
      { port: ports.httpHealth, name: `health of ${name}`, handle: handlerOf(`health ${name}`) },
      ...(grpcUrl === undefined ? [] : [{ port: ports.grpcHealth, name: `gRPC health of ${name}`, grpcUrl }]),
    ]
  })
  const ofDso: readonly RouteListener[] = [
    { port: scanPort + portOffset, name: 'scan', handle: handlerOf('dso') },
    { port: svPort + portOffset, name: 'sv', handle: handlerOf('dso') },
  ]

  const ofIssuer: readonly RouteListener[] =
    issuer === undefined ? [] : [{ port: oidcPort + portOffset, name: 'OIDC issuer', handle: issuer.handle }]

  function lead(name: string, tables: readonly RouteTable[]): void {
    handlers.set(name, createRouteHandler(tables, log, issuer))
  }

  return {
    listeners: [...ofParticipants, ...ofDso, ...ofIssuer],
    leadTo(context) {
      const dsoTable = routeTable([...scanRoutes, ...registryRoutes, ...statusRoutes('sv')], context)
      const tokens = createTokenReads(context.network.validators.map(({ participant }) => participant))
      const tokenTable = routeTable(tokenRegistryRoutes, { tokens })
      lead('dso', [dsoTable, tokenTable])
      for (const validator of context.network.validators) {
        const { name } = validator.profile
        const table = routeTable([...validatorRoutes, ...walletRoutes], { ...context, validator }, (user) =>
          isOperator(validator, user),
        )
        lead(`validator ${name}`, [table])
        lead(`ui ${name}`, name === 'sv' ? [table, dsoTable, tokenTable] : [table])
        lead(`health ${name}`, [healthTable])
      }
    },
    hold: () => handlers.clear(),
  }
}

/** As Canton's health server. */
const healthTable = routeTable(
  [{ method: 'GET', path: '/health', access: 'anyone', answer: async () => 'healthy' }],
  undefined,
)

const notReady: Handler = (_, response) => {
  response.writeHead(503, { 'content-type': 'application/json' }).end('{"error":"The network is being founded"}')
}
