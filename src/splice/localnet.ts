// LocalNet over the participants of a node: founds the network, serves Splice's APIs on LocalNet's ports, and runs what Splice's
// applications would do on their own. It uses the participants only through their Ledger API.
import type { Clock } from '../base/clock.ts'
import { StartError } from '../base/errors.ts'
import type { Log } from '../base/log.ts'
import type { Random } from '../base/random.ts'
import { automations } from './automation/all.ts'
import { runAutomations } from './automation/automation.ts'
import { watchLedgers } from './automation/watching.ts'
import { found, type LocalNetwork } from './founding/founding.ts'
import type { SplicePackages } from './founding/packages.ts'
import type { ValidatorPlace } from './founding/parties.ts'
import { createDsoReads } from './ledger/dso-reads.ts'
import { createParticipant, ParticipantRefusal } from './ledger/participant.ts'
import { operatorUser, participantProfiles, portsOf, scanPort, svPort } from './profile/participants.ts'
import { tokenOf } from './profile/tokens.ts'
import { registryRoutes } from './registry/registry-routes.ts'
import { scanRoutes } from './scan/scan-routes.ts'
import { type Door, type GrpcDoor, openDoors } from './serving/doors.ts'
import type { RouteContext } from './serving/route.ts'
import { createRouteHandler, type Handler, type RouteTable, routeTable } from './serving/routing.ts'
import { statusRoutes } from './serving/status-routes.ts'
import { validatorRoutes } from './validator/validator-routes.ts'
import { walletRoutes } from './wallet/wallet-routes.ts'

export type RunningParticipant = {
  readonly name: string
  readonly url: string
  readonly grpcUrl: string | undefined
}

export type LocalnetParts = {
  readonly participants: readonly RunningParticipant[]
  /** Address to listen on. */
  readonly host: string
  readonly portOffset: number
  /** `company-role-number`: part of the names of the validators' parties. */
  readonly partyHint: string
  /** Undefined for participants, parties and users alone. */
  readonly splice: SplicePackages | undefined
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
}

export type Localnet = AsyncDisposable & { readonly network: LocalNetwork }

/** Settles when the network is founded and its APIs are ready; until then they answer 503. */
export async function openLocalnet(parts: LocalnetParts): Promise<Localnet> {
  const { host, partyHint, splice, clock, log } = parts
  await using open = new AsyncDisposableStack()
  const entrances = createEntrances(parts)
  open.use(await openDoors(entrances.doors, host))
  const places = await placesOf(parts)
  const network = await found(places, partyHint, splice).catch(explain)
  entrances.lead(network)

  const dso = createDsoReads(network.sv.participant, network.dso, splice !== undefined)
  const running = runAutomations({ network, dso, automations: splice === undefined ? [] : automations, clock, log })
  open.use(running)
  const foundAgain = () =>
    found(places, partyHint, splice)
      .then(running.wake)
      .catch((error: Error) => log.error({ reason: error.message }, 'the network could not be founded again'))
  open.use(watchLedgers(network, { onUpdate: running.wake, onReplaced: foundAgain }, clock))
  const opened = open.move()
  return { network, [Symbol.asyncDispose]: () => opened.disposeAsync() }
}

function explain(error: unknown): never {
  if (!(error instanceof ParticipantRefusal)) throw error
  throw new StartError(`the network cannot be founded: ${error.message}`)
}

function placesOf({ participants, clock, random }: LocalnetParts): Promise<ValidatorPlace[]> {
  return Promise.all(
    participantProfiles.map(async (profile) => {
      const { url } = participants.find(({ name }) => name === profile.name)!
      const token = await tokenOf(operatorUser, clock.nowMs())
      return { profile, participant: createParticipant({ url, userId: operatorUser, token, random }) }
    }),
  )
}

/** Virtual hosts that lead to the JSON Ledger API; the second is an old name of it. */
const ledgerApiHosts = ['json-ledger-api', 'canton']

/** The doors are open before there is a network, so that a port that is taken is found before anything is founded. */
function createEntrances({ participants, portOffset, splice, log }: LocalnetParts) {
  const handlers = new Map<string, Handler>()
  const handlerOf =
    (name: string): Handler =>
    (request, response) =>
      (handlers.get(name) ?? notReady)(request, response)

  const doors = participantProfiles.flatMap((profile): (Door | GrpcDoor)[] => {
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

  function lead(network: LocalNetwork): void {
    const { sv, dso } = network
    const context: RouteContext = {
      network,
      dso: createDsoReads(sv.participant, dso, splice !== undefined),
      now: async () => Date.parse(await sv.participant.time()),
    }
    const dsoTables = [
      routeTable(scanRoutes, context),
      routeTable(registryRoutes, context),
      routeTable(statusRoutes('sv'), context),
    ]
    const lead = (name: string, tables: readonly RouteTable[]) => handlers.set(name, createRouteHandler(tables, log))
    for (const validator of network.validators) {
      const { name } = validator.profile
      const table = routeTable([...validatorRoutes, ...walletRoutes], { ...context, validator })
      lead(`validator ${name}`, [table])
      lead(`ui ${name}`, name === 'sv' ? [table, ...dsoTables] : [table])
      lead(`health ${name}`, [healthTable])
    }
    lead('dso', dsoTables)
  }

  const dsoDoors: Door[] = [
    { port: scanPort + portOffset, name: 'scan', handle: handlerOf('dso') },
    { port: svPort + portOffset, name: 'sv', handle: handlerOf('dso') },
  ]
  return { doors: [...doors, ...dsoDoors], lead }
}

/** As Canton's health server. */
const healthTable = routeTable(
  [{ method: 'GET', path: '/health', access: 'anyone', answer: async () => 'healthy' }],
  undefined,
)

const notReady: Handler = (_, response) => {
  response.writeHead(503, { 'content-type': 'application/json' }).end('{"error":"The network is being founded"}')
}
