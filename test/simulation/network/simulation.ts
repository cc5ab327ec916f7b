// Submits random commands at the participants of a network, one after the other, and then checks all that it shows.
import assert from 'node:assert/strict'
import type { Json } from '../../fixtures/ledger.ts'
import type { TestParticipant } from '../../fixtures/network.ts'
import type { EffectsNetwork } from '../../fixtures/network-effects.ts'
import {
  type Contract,
  consumedIn,
  createdIn,
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
  let worlds = 0
  let notes = 0
  let commands = 0

  async function partiesOf(): Promise<Party[]> {
    worlds += 1
    const parties: Party[] = []
    for (const [hint, participant, places] of hosted) {
      const ids = places.map((place) => network[place])
      const id = await participants[participant - 1]!.allocate(`${hint}${worlds}`, ...ids)
      parties.push({ id, hosts: [participant], places })
    }
    return parties
  }

  const ends = () => Promise.all(participants.map((at) => at.end()))

  async function submit(world: World, { submitter, place, roots }: Proposal): Promise<void> {
    const [participant] = submitter.hosts as [number]
    const commandId = `command-${++commands}`
    const foreign = [...usedIn(roots)].filter(({ stakeholders }) => !stakeholders.includes(submitter.id))
    const transaction = await submitted(participants[participant - 1]!, {
      commands: roots.map(commandOf),
      commandId,
      userId: 'u',
      actAs: [submitter.id],
      synchronizerId: network[place],
      disclosedContracts: foreign.map(({ id: contractId, templateId, blob: createdEventBlob }) => {
        return { contractId, templateId, createdEventBlob, synchronizerId: network[place] }
      }),
    })
    const { updateId: id, recordTime, effectiveAt } = transaction
    const own = { submitter: submitter.id, participant, place, roots, commandId }
    const update: Update = { ...own, id, recordTime, effectiveAt, ends: await ends() }
    for (const contract of createdIn(roots)) world.contracts.push(found(contract, transaction))
    for (const contract of consumedIn(roots)) contract.archivedBy = update
    world.updates.push(update)
  }

  /** From where it is to the place. */
  async function move(world: World, { submitter, place }: Proposal, contract: Contract): Promise<void> {
    const [participant] = submitter.hosts as [number]
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

async function submitted(at: TestParticipant, commands: object): Promise<Json> {
  const transactionFormat = {
    eventFormat: { filtersForAnyParty: { cumulative: [withBlobs] } },
    transactionShape: 'TRANSACTION_SHAPE_LEDGER_EFFECTS',
  }
  const answer = await at.post('/v2/commands/submit-and-wait-for-transaction', { commands, transactionFormat })
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
