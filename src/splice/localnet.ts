// LocalNet over the participants of a node: founds the network, serves Splice's APIs on LocalNet's ports, and runs what Splice's
// applications would do on their own. It uses the participants only through their Ledger API.
import type { Clock } from '../base/clock.ts'
import { StartError } from '../base/errors.ts'
import type { Log } from '../base/log.ts'
import type { Random } from '../base/random.ts'
import type { Issuer } from '../issuer/issuer.ts'
import { automations } from './automation/all.ts'
import { runAutomations, runSteps } from './automation/automation.ts'
import { advanceRounds } from './automation/rounds.ts'
import { watchLedger } from './automation/watching.ts'
import { isNew, keepFounded, restoreFounded } from './founding/founded-snapshot.ts'
import { found, type LocalNetwork } from './founding/founding.ts'
import { foundOidcUsers } from './founding/oidc-users.ts'
import type { SplicePackages } from './founding/packages.ts'
import { letOperatorReadAsAnyParty, type ValidatorPlace } from './founding/parties.ts'
import { createDsoReads } from './ledger/dso-reads.ts'
import { createParticipant, ParticipantRefusal } from './ledger/participant.ts'
import { operatorUser, participantProfiles } from './profile/participants.ts'
import { oidcHost, oidcPort, realms } from './profile/realms.ts'
import { audience, tokenOf } from './profile/tokens.ts'
import { createServedPorts, type RunningParticipant } from './served-ports.ts'
import { openListeners } from './serving/listeners.ts'

export type LocalnetParts = {
  readonly participants: readonly RunningParticipant[]
  /** Address to listen on. */
  readonly host: string
  readonly portOffset: number
  /** `company-role-number`: part of the names of the validators' parties. */
  readonly partyHint: string
  /** Undefined for participants, parties and users alone. */
  readonly splice: SplicePackages | undefined
  /** Where the founded ledger is kept for new ledgers like it; undefined for nowhere. */
  readonly foundedFile: string | undefined
  /** An OIDC issuer: where it keeps its key, if anywhere, and files with realms beside quickstart's. Undefined for none. */
  readonly oidc: { readonly folder: string | undefined; readonly realmFiles: readonly string[] } | undefined
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
}

export type Localnet = AsyncDisposable & { readonly network: LocalNetwork }

/** Settles when the network is founded and its APIs are ready; until then they answer 503. */
export async function openLocalnet(parts: LocalnetParts): Promise<Localnet> {
  const { host, log } = parts
  await using open = new AsyncDisposableStack()
  const issuer = await issuerOf(parts)
  const ports = createServedPorts({ ...parts, issuer })
  open.use(await openListeners(ports.listeners, host))
  const places = await placesOf(parts)

  /** Each ledger that takes the place of another is founded, if it has to be, and served. */
  async function run(): Promise<Localnet> {
    const running = await runNetwork(parts, places, () => {
      ports.hold()
      current = current
        .then((old) => old[Symbol.asyncDispose]())
        .then(run)
        .catch((error: Error) => {
          log.error({ reason: error.message }, 'the network could not be founded again')
          return running
        })
    })
    ports.leadTo(running.context)
    return running
  }

  let current: Promise<Localnet> = run()
  const { network } = await current.catch(explain)
  const opened = open.move()
  return {
    network,
    async [Symbol.asyncDispose]() {
      await (await current)[Symbol.asyncDispose]()
      await opened.disposeAsync()
    },
  }
}

/** The automations of one ledger, and what routes need of it. */
async function runNetwork(parts: LocalnetParts, places: readonly ValidatorPlace[], onReplaced: () => void) {
  const { splice, clock, log } = parts
  const network = splice === undefined ? await found(places, parts.partyHint, splice) : await foundOnce(parts, places)
  if (parts.oidc !== undefined) await foundOidcUsers(network)
  const { participant } = network.sv
  await Promise.all(network.validators.map((validator) => letOperatorReadAsAnyParty(validator.participant)))
  const dso = createDsoReads(participant, network.dso, splice !== undefined)
  await using open = new AsyncDisposableStack()
  const steps = splice === undefined ? [] : automations
  // An old ledger has no round for its first clients. What fails here is tried again by the automations.
  if (splice !== undefined) await runSteps(advanceRounds, { network, dso, log }).catch(() => undefined)
  const running = open.use(runAutomations({ network, dso, automations: steps, clock, log }))
  open.use(watchLedger(network, { onUpdate: running.wake, onReplaced }, clock))
  const opened = open.move()
  return {
    network,
    context: { network, dso, now: async () => Date.parse(await participant.time()) },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}

/** A new ledger begins as the founded one, if that was kept; else it is founded, and kept. */
async function foundOnce({ partyHint, splice, foundedFile, log }: LocalnetParts, places: readonly ValidatorPlace[]) {
  const [first] = places
  const isUnfounded = (await isNew(places)) && !(await restoreFounded(first!, foundedFile))
  const network = await found(places, partyHint, splice)
  if (isUnfounded) {
    await keepFounded(first!.participant, foundedFile).catch((error: Error) =>
      log.warn({ reason: error.message }, 'the founded network could not be kept as a snapshot'),
    )
  }
  return network
}

async function issuerOf({ oidc, portOffset, clock, random, log }: LocalnetParts): Promise<Issuer | undefined> {
  if (oidc === undefined) return undefined
  const { openIssuer } = await import('../issuer/issuer.ts')
  const { readRealms } = await import('../issuer/realm-export.ts')
  const own = readRealms(oidc.realmFiles, audience, random)
  const others = realms.filter(({ name }) => !own.some((one) => one.name === name))
  const url = `http://${oidcHost}:${oidcPort + portOffset}`
  return openIssuer({ realms: [...others, ...own], url, folder: oidc.folder, clock, random, log })
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
