// A ledger of three synchronizers with random creates, archives and moves; and its active contracts, computed by
// replaying its updates as a client would.
import type { EventFormat } from '../../../src/ledger/reading/requests/queries.ts'
import { delta } from './sample-formats.ts'
import { collect, type createSampleReading, type Json, never } from './sample-reading.ts'

/** A whole number from 0 up to, but not including, `sides`. */
type Dice = (sides: number) => number

type Reading = ReturnType<typeof createSampleReading>

type Known = {
  readonly contract: string
  readonly template: string
  readonly signatories: readonly string[]
  readonly observers: readonly string[]
  /** Undefined while it is in transit. */
  place: bigint | undefined
}

const people = ['alice', 'bob', 'carol']
const synchronizers = [1n, 2n, 3n]

export async function playRandomly({ ledger, unassign, assign }: Reading, dice: Dice, steps: number): Promise<void> {
  const known: Known[] = []
  const moving: { id: string; contracts: readonly Known[]; target: bigint }[] = []

  async function create(step: number): Promise<void> {
    const synchronizer = pick(dice, synchronizers)
    const created = Array.from({ length: 1 + dice(3) }, (_, index): Known => {
      const signatories = [pick(dice, people)]
      const observers = people.filter((party) => !signatories.includes(party) && dice(3) === 0)
      const template = dice(3) === 0 ? 'Main:Asset' : 'Main:Iou'
      return { contract: `c${step}-${index}`, template, signatories, observers, place: synchronizer }
    })
    const nodes = created.map((contract) => ({ ...contract, kind: 'create' as const }))
    await ledger.commit({ synchronizer, workflowId: `create-${step}`, nodes })
    known.push(...created)
  }

  async function archive(): Promise<void> {
    const settled = known.filter(({ place }) => place !== undefined)
    if (settled.length === 0) return void ledger.skip()
    const contract = pick(dice, settled)
    known.splice(known.indexOf(contract), 1)
    const node = { ...contract, kind: 'exercise' as const, isConsuming: true, actors: contract.signatories }
    await ledger.commit({ synchronizer: contract.place!, nodes: [node] })
  }

  async function leave(step: number): Promise<void> {
    const source = pick(dice, synchronizers)
    const contracts = known.filter(({ place }) => place === source && dice(2) === 0).slice(0, 3)
    if (contracts.length === 0) return void ledger.skip()
    const target = pick(
      dice,
      synchronizers.filter((other) => other !== source),
    )
    const id = await unassign({
      contracts: contracts.map(({ contract }) => contract),
      target,
      submitter: contracts[0]!.signatories[0]!,
      workflowId: `leave-${step}`,
    })
    for (const contract of contracts) contract.place = undefined
    moving.push({ id, contracts, target })
  }

  async function arrive(step: number): Promise<void> {
    if (moving.length === 0) return void ledger.skip()
    const [{ id, contracts, target }] = moving.splice(dice(moving.length), 1) as [(typeof moving)[0]]
    await assign(id, { submitter: contracts[0]!.signatories[0]!, workflowId: `arrive-${step}` })
    for (const contract of contracts) contract.place = target
  }

  for (let step = 1; step <= steps; step++) {
    const chance = dice(10)
    if (chance < 2) await create(step)
    else if (chance < 3) await archive()
    else if (chance < 7) await leave(step)
    else await arrive(step)
  }
}

function pick<T>(dice: Dice, values: readonly T[]): T {
  return values[dice(values.length)]!
}

/** Entries by contract id. */
export type ActiveSet = ReadonlyMap<string, Json>

/** The active contracts at each offset, starting at 0. */
export async function replay({ updates, ledger }: Reading, format: EventFormat): Promise<ActiveSet[]> {
  const end = ledger.end.current().offset
  const query = { beginExclusive: 0n, endInclusive: end, descending: false, form: 'transaction' } as const
  const wanted = { transactions: delta(format), reassignments: format, topology: undefined }
  const elements = await collect(updates.stream({ ...query, format: wanted }, never))
  const sets: ActiveSet[] = [new Map()]
  for (const { update } of elements) {
    const [[kind, { value }]] = Object.entries(update) as [[string, Json]]
    while (sets.length < value.offset) sets.push(sets.at(-1)!)
    const next = new Map(sets.at(-1)!)
    for (const event of value.events) apply(next, event, kind, value)
    sets.push(next)
  }
  while (sets.length <= Number(end)) sets.push(sets.at(-1)!)
  return sets
}

function apply(active: Map<string, Json>, wrapped: Json, kind: string, update: Json): void {
  const { workflowId, synchronizerId } = update
  const { CreatedEvent, ArchivedEvent, JsUnassignedEvent, JsAssignmentEvent } = wrapped
  if (ArchivedEvent !== undefined) active.delete(ArchivedEvent.contractId)
  else if (JsUnassignedEvent !== undefined) {
    const unassignedEvent = JsUnassignedEvent.value
    const { createdEvent } = active.get(unassignedEvent.contractId).contractEntry.JsActiveContract
    const contractEntry = { JsIncompleteUnassigned: { createdEvent, unassignedEvent } }
    active.set(unassignedEvent.contractId, { workflowId, contractEntry })
  } else {
    const createdEvent = kind === 'Transaction' ? CreatedEvent : JsAssignmentEvent.createdEvent
    const reassignmentCounter = kind === 'Transaction' ? 0 : JsAssignmentEvent.reassignmentCounter
    const contractEntry = { JsActiveContract: { createdEvent, synchronizerId, reassignmentCounter } }
    active.set(createdEvent.contractId, { workflowId, contractEntry })
  }
}

/** The contracts listed as active at an offset. */
export async function listActive(
  { activeContracts }: Reading,
  format: EventFormat,
  offset: number,
): Promise<ActiveSet> {
  const query = { activeAtOffset: BigInt(offset), format, continuationToken: '' }
  return byContract(await collect(activeContracts.stream(query, never)))
}

export async function pageThroughActive(
  { activeContracts }: Reading,
  format: EventFormat,
  offset: number,
  maxPageSize: number,
): Promise<ActiveSet> {
  const elements: Json[] = []
  let pageToken: string | null = ''
  while (pageToken !== null) {
    const query = { activeAtOffset: BigInt(offset), format, maxPageSize, pageToken }
    const page: Json = JSON.parse((await activeContracts.page(query)).toString())
    elements.push(...page.activeContracts)
    pageToken = page.nextPageToken
  }
  return byContract(elements)
}

function byContract(elements: readonly Json[]): ActiveSet {
  const entries = elements.map(({ workflowId, contractEntry }): [string, Json] => {
    const [{ createdEvent }] = Object.values(contractEntry) as [Json]
    return [createdEvent.contractId, { workflowId, contractEntry }]
  })
  const found = new Map(entries)
  if (found.size < entries.length) throw new Error('a contract is listed twice')
  return found
}
