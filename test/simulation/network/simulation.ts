// Submits random commands at the participants of a network, one after the other, and then checks all that it shows.
import assert from 'node:assert/strict'
import type { Json } from '../../fixtures/ledger.ts'
import type { TestParticipant } from '../../fixtures/network.ts'
import type { EffectsNetwork } from '../../fixtures/network-effects.ts'
import { allocatePath } from '../../fixtures/onboarding.ts'
import { createSigner, type Signer } from '../../fixtures/signer.ts'
import { type ExternalParty, generated, runSigned } from '../../fixtures/signing-participants.ts'
import {
  type Contract,
  consumedIn,
  createdIn,
  isHosted,
  type Move,
  type Party,
  type Place,
  type Update,
  type World,
} from './model.ts'
import { checkReads } from './reads.ts'
import { commandOf, type Proposal, propose, usedIn } from './workload.ts'

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

  async function submit(world: World, { submitter, participant, place, roots }: Proposal): Promise<void> {
    const commandId = `command-${++commands}`
    // The submitter or its participant does not know these.
    const foreign = [...usedIn(roots)].filter(
      ({ stakeholders }) => !stakeholders.includes(submitter.id) || !isHosted(world, participant, stakeholders),
    )
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
        ? await submitted(at, { ...fields, commands: roots.map(commandOf), userId: 'u', actAs: [submitter.id] })
        : await signed(at, { party: submitter.id, signer }, commandOf(roots[0]!), fields)
    const { updateId: id, recordTime, effectiveAt } = transaction
    const own = { submitter: submitter.id, participant, place, roots, commandId }
    const update: Update = { ...own, id, recordTime, effectiveAt, ends: await ends() }
    for (const contract of createdIn(roots)) world.contracts.push(found(contract, transaction))
    for (const contract of consumedIn(roots)) contract.archivedBy = update
    world.updates.push(update)
  }

  /** From where it is to the place. */
  async function move(world: World, { submitter, participant, place }: Proposal, contract: Contract): Promise<void> {
    const path = { source: network[contract.place], target: network[place] }
    const own = { submitter: submitter.id, participant, place, roots: [] }
    const reassign = async (kind: Move['kind'], command: object): Promise<Json> => {
      const commandId = `command-${++commands}`
      const reassignmentCommands = { commandId, userId: 'u', submitter: submitter.id, commands: [{ command }] }
      const { reassignment } = await participants[participant - 1]!.ask(
        '/v2/commands/submit-and-wait-for-reassignment',
        {
          reassignmentCommands,
          eventFormat: { filtersForAnyParty: {} },
        },
      )
      const { updateId: id, recordTime } = reassignment
      const done = { id, recordTime, effectiveAt: undefined, ends: await ends() }
      world.updates.push({ ...own, commandId, move: { kind, contract }, ...done })
      return reassignment
    }
    const value = { contractId: contract.id, ...path }
    const { events } = await reassign('unassignment', { UnassignCommand: { value } })
    const { reassignmentId } = events[0].JsUnassignedEvent.value
    await reassign('assignment', { AssignCommand: { value: { reassignmentId, ...path } } })
    contract.place = place
  }

  return {
    async run(workload) {
      const world: World = { parties: await partiesOf(), contracts: [], updates: [] }
      const begins = await ends()
      try {
        for (const numbers of workload) {
          const proposal = propose(world, numbers, () => `<${++notes}>`)
          if (proposal.moving === undefined) await submit(world, proposal)
          else await move(world, proposal, proposal.moving)
        }
        await checkReads({ network, world, begins, earlier })
      } finally {
        for (const { id } of world.contracts) earlier.add(id)
      }
      return world
    },
  }
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
