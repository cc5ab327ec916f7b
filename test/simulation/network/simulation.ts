// Submits random commands at the participants of a network, one after the other, and then checks all that it shows.
import assert from 'node:assert/strict'
import type { Json } from '../../fixtures/ledger.ts'
import type { TestParticipant } from '../../fixtures/network.ts'
import type { EffectsNetwork } from '../../fixtures/network-effects.ts'
import { allocatePath } from '../../fixtures/onboarding.ts'
import { createSigner, type Signer } from '../../fixtures/signer.ts'
import { type ExternalParty, generated, runSigned } from '../../fixtures/signing-participants.ts'
import { until } from '../../fixtures/until.ts'
import {
  type Absence,
  type Contract,
  consumedIn,
  createdIn,
  givenTo,
  isHosted,
  type Move,
  type Party,
  type Place,
  publish,
  stateAfter,
  type Update,
  type World,
} from './model.ts'
import { checkReads } from './reads.ts'
import { followAll } from './streams.ts'
import type { Scene } from './view.ts'
import { commandOf, other, type Proposal, propose, usedIn } from './workload.ts'

/** The numbers that decide each command. */
export type Workload = readonly (readonly number[])[]

export type Simulation = {
  /** With parties of its own; throws if a read differs from the model. */
  run(workload: Workload): Promise<World>
}

const hosted: readonly [hint: string, participant: number, places: readonly Place[]][] = [
  ['alice', 1, ['s1', 's2']],
  ['dave', 1, ['s2']],
  ['bob', 2, ['s1', 's2']],
  ['erin', 2, ['s1', 's2']],
  ['carol', 3, ['s2']],
]

export function createSimulation(network: EffectsNetwork): Simulation {
  const participants = [network.v1, network.v2, network.v3]
  const earlier = new Set<string>()
  const signers = new Map<string, Signer>()
  let worlds = 0
  let notes = 0
  let commands = 0

  async function partiesOf(): Promise<Party[]> {
    worlds += 1
    const parties: Party[] = []
    for (const [hint, participant, places] of hosted) {
      const ids = places.map((place) => network[place])
      const id = await participants[participant - 1]!.allocate(`${hint}${worlds}`, ...ids)
      parties.push({ id, hosts: [participant], places, isExternal: false })
    }
    return [...parties, await externalParty()]
  }

  /** On the first participant and the third one. */
  async function externalParty(): Promise<Party> {
    const { v1, v3, s2: synchronizer } = network
    const signer = createSigner()
    const onboarding = await generated(v1, signer, {
      partyHint: `olga${worlds}`,
      synchronizer,
      otherConfirmingParticipantUids: [v3.participantId],
    })
    await v1.ask(allocatePath, { synchronizer, ...onboarding })
    const { partyId: id } = await v3.ask(allocatePath, { synchronizer, ...onboarding })
    signers.set(id, signer)
    return { id, hosts: [1, 3], places: ['s2'], isExternal: true }
  }

  const ends = () => Promise.all(participants.map((at) => at.end()))

  /** Begins the command; its transaction may come later. */
  function submit(world: World, { submitter, participant, place, roots }: Commanding) {
    const commandId = `command-${++commands}`
    // The submitter or its participant does not know these.
    const foreign = [...usedIn(roots)].filter((contract) => {
      const state = stateAfter(givenTo(world, participant), contract)
      const isKnown = isHosted(world, participant, contract.stakeholders) && state === place
      return !contract.stakeholders.includes(submitter.id) || !isKnown
    })
    const at = participants[participant - 1]!
    const signer = signers.get(submitter.id)
    const fields = {
      commandId,
      synchronizerId: network[place],
      disclosedContracts: foreign.map(({ id: contractId, templateId, blob: createdEventBlob }) => {
        return { contractId, templateId, createdEventBlob, synchronizerId: network[place] }
      }),
    }
    const transaction =
      signer === undefined
        ? submitted(at, { ...fields, commands: roots.map(commandOf), userId: 'u', actAs: [submitter.id] })
        : signed(at, { party: submitter.id, signer }, commandOf(roots[0]!), fields)
    return { transaction, own: { submitter: submitter.id, participant, place, roots, commandId } }
  }

  async function accept(world: World, { transaction, own }: ReturnType<typeof submit>): Promise<void> {
    const accepted = await transaction
    const { updateId: id, recordTime, effectiveAt } = accepted
    const update: Update = { ...own, id, recordTime, effectiveAt }
    for (const contract of createdIn(own.roots)) world.contracts.push(found(contract, accepted))
    for (const contract of consumedIn(own.roots)) contract.archivedBy = update
    publish(world, update)
  }

  async function move(world: World, proposal: Moving): Promise<void> {
    const { kind, submitter, participant, place, contract } = proposal
    const commandId = `command-${++commands}`
    const value =
      kind === 'unassign'
        ? { contractId: contract.id, source: network[place], target: network[other(place)] }
        : { reassignmentId: contract.transit!.reassignmentId, source: network[other(place)], target: network[place] }
    const command = kind === 'unassign' ? { UnassignCommand: { value } } : { AssignCommand: { value } }
    const reassignmentCommands = { commandId, userId: 'u', submitter: submitter.id, commands: [{ command }] }
    const path = '/v2/commands/submit-and-wait-for-reassignment'
    const body = { reassignmentCommands, eventFormat: { filtersForAnyParty: {} } }
    const { reassignment } = await participants[participant - 1]!.ask(path, body)
    const { updateId: id, recordTime, events } = reassignment
    const counter = world.updates.filter(
      ({ move }) => move?.contract === contract && move.kind === 'unassignment',
    ).length
    const half = kind === 'unassign' ? 'unassignment' : 'assignment'
    const moving: Move = { kind: half, contract, counter: kind === 'unassign' ? counter + 1 : counter }
    const own = { submitter: submitter.id, participant, place, roots: [], commandId }
    publish(world, { ...own, move: moving, id, recordTime, effectiveAt: undefined })
    if (kind === 'assign') Object.assign(contract, { place, transit: undefined })
    else {
      const { reassignmentId } = events[0].JsUnassignedEvent.value
      contract.transit = { reassignmentId, target: other(place), submitter: submitter.id }
    }
  }

  async function connect(participant: number, place: Place, isConnected: boolean): Promise<void> {
    const alias = place === 's1' ? 'synchronizer-1' : 'synchronizer-2'
    await participants[participant - 1]!.ask(`/v2/synchronizers/${alias}/${isConnected ? 'connect' : 'disconnect'}`, {})
  }

  /** How much of a synchronizer a participant has not been given. */
  async function waiting(participant: number, place: Place): Promise<number> {
    const { participants: all } = await network.v1.ask('/dev/network')
    return all[participant - 1].synchronizers.find(({ synchronizerId }: Json) => synchronizerId === network[place])
      .waiting
  }

  async function comeBack(world: World, absence: Absence): Promise<void> {
    const { participant, place, missed } = absence
    await connect(participant, place, true)
    await until(async () => (await waiting(participant, place)) === 0)
    world.away.splice(world.away.indexOf(absence), 1)
    world.given[participant - 1]!.push(...missed)
  }

  async function act(world: World, proposal: Proposal): Promise<void> {
    if (proposal.kind === 'command') await accept(world, submit(world, proposal))
    else if (proposal.kind === 'unassign' || proposal.kind === 'assign') await move(world, proposal)
    else if (proposal.kind === 'leave') {
      const { participant, place } = proposal
      await connect(participant, place, false)
      world.away.push({ participant, place, missed: [] })
    } else if (proposal.kind === 'return') {
      const { participant, place } = proposal
      await comeBack(world, world.away.find((one) => one.participant === participant && one.place === place)!)
    }
  }

  /** What is read while participants are away, and a command waits for one of them. */
  async function checkAbsence(world: World, scene: Scene): Promise<void> {
    const [absence] = world.away
    const proposal = world.away.length === 1 ? needing(world, absence!) : undefined
    const pending = proposal && submit(world, proposal)
    pending?.transaction.catch(() => undefined)
    if (proposal !== undefined) await until(async () => (await waiting(proposal.participant, proposal.place)) > 0)
    await checkReads(scene)
    while (world.away.length > 0) await comeBack(world, world.away[0]!)
    if (pending === undefined) return
    await accept(world, pending)
    const isCaughtUp = async () => (await waiting(absence!.participant, absence!.place)) === 0
    await until(isCaughtUp)
  }

  return {
    async run(workload) {
      const given = participants.map((): Update[] => [])
      const world: World = { parties: await partiesOf(), contracts: [], updates: [], given, away: [] }
      const scene = { network, world, begins: await ends(), earlier }
      await using followers = await followAll(scene)
      try {
        for (const numbers of workload)
          await act(
            world,
            propose(world, numbers, () => `<${++notes}>`),
          )
        if (world.away.length > 0) await checkAbsence(world, scene)
        await checkReads(scene)
        await followers.check()
      } finally {
        for (const { participant, place } of world.away) await connect(participant, place, true)
        for (const { id } of world.contracts) earlier.add(id)
      }
      return world
    },
  }
}

type Commanding = Proposal & { readonly kind: 'command' }
type Moving = Proposal & { readonly kind: 'unassign' | 'assign' }

/** The use of a contract that a party of the absent participant has signed. */
function needing(world: World, { participant: absent, place }: Absence): Commanding | undefined {
  for (const contract of world.contracts) {
    const { key, stakeholders, signatories } = contract
    if (key !== undefined || stateAfter(world.updates, contract) !== place) continue
    if (!isHosted(world, absent, signatories)) continue
    const submitter = world.parties.find(({ id, hosts, isExternal }) => {
      return stakeholders.includes(id) && !isExternal && !hosts.includes(absent)
    })
    if (submitter === undefined) continue
    const node = {
      kind: 'exercise',
      contract,
      choice: 'Keep',
      actors: [submitter.id],
      observers: [],
      children: [],
    } as const
    const roots = [{ ...node, isOnNewest: false }]
    return { kind: 'command', submitter, participant: submitter.hosts[0]!, place, roots }
  }
  return undefined
}

const withBlobs = { identifierFilter: { WildcardFilter: { value: { includeCreatedEventBlob: true } } } }

const everything = {
  eventFormat: { filtersForAnyParty: { cumulative: [withBlobs] } },
  transactionShape: 'TRANSACTION_SHAPE_LEDGER_EFFECTS',
}

async function signed(at: TestParticipant, who: ExternalParty, command: object, fields: object): Promise<Json> {
  const answer = await runSigned(at, [who], command, fields)
  assert.equal(answer.status, 200, `${JSON.stringify(command)}: ${answer.text}`)
  const { updateId } = answer.json.transaction
  const body = { updateId, updateFormat: { includeTransactions: everything } }
  return (await at.ask('/v2/updates/update-by-id', body)).update.Transaction.value
}

async function submitted(at: TestParticipant, commands: object): Promise<Json> {
  const answer = await at.post('/v2/commands/submit-and-wait-for-transaction', {
    commands,
    transactionFormat: everything,
  })
  assert.equal(answer.status, 200, `${JSON.stringify(commands)}: ${answer.text}`)
  return answer.json.transaction
}

/** The contract, with what only the ledger knows of it. */
function found(contract: Contract, { events }: Json): Contract {
  const created = events.find(
    ({ CreatedEvent }: Json) => CreatedEvent?.createArgument.note === contract.note,
  )?.CreatedEvent
  assert(created !== undefined, `${contract.note} was not created`)
  contract.id = created.contractId
  contract.templateId = created.templateId
  contract.blob = created.createdEventBlob
  return contract
}
