// Applies an update of the original to a fork that follows it: the same offset, update id, events and contracts. Unlike a commit,
// it decides nothing, because the original has.
import {
  listsOf,
  type StoredTopology,
  topologyName,
  topologyToText,
  updateIdKey,
} from '../../events/format/stored-update.ts'
import { type EventNode, writeCreated, writeTransaction } from '../../events/format/transaction-writing.ts'
import { instantToText } from '../../lf/codec/time-text.ts'
import type { ContractState, StoredContractRow } from '../../store/core/contract-records.ts'
import type { TransactionRecords } from '../../store/core/store.ts'
import { moved, numberNames, recordTimesIn } from '../commit/commit.ts'
import type { AcceptedReassignment, MovingContract } from '../commit/commit-item.ts'
import type { Given } from '../commit/other-participants.ts'
import { emptyRows, type NewName, type Rows, writeRows } from '../commit/rows.ts'
import { addTransaction } from '../commit/transaction-rows.ts'
import { listed, type Names, numbersIn } from '../model/name-numbers.ts'
import type { Synchronizer, Synchronizers } from '../model/synchronizers.ts'
import { addDelivered } from '../network/reassignment-delivery.ts'
import { hostAmong } from './fill.ts'
import { readContract } from './imported-contracts.ts'
import {
  type OriginalCreated,
  type OriginalExercised,
  OriginalLost,
  type OriginalReassignment,
  type OriginalTopology,
  type OriginalTransaction,
  type OriginalUpdate,
} from './original.ts'

export type ApplyingParts = {
  readonly names: Names
  readonly synchronizers: Pick<Synchronizers, 'all'>
  /** Microseconds since 1970. */
  readonly now: bigint
}

/** Writes the update and the end of the ledger. Returns what has to be published. */
export async function applyUpdate(
  update: OriginalUpdate,
  records: TransactionRecords,
  parts: ApplyingParts,
): Promise<Given> {
  const before = await records.state.get()
  const last = await recordTimesIn(records)
  const synchronizer = synchronizerOf(update.synchronizerId, parts)
  const applying: Applying = { ...parts, records, synchronizer, rows: emptyRows(), added: [], ...before }
  const parties = await addUpdate(update, applying)
  await writeRows(applying.rows, applying.added, records)
  await hostAmong(parties, records, parts.synchronizers)
  const state = {
    ...before,
    end: BigInt(update.offset),
    lastContract: applying.lastContract,
    lastName: applying.lastName,
    publishedAt: before.publishedAt > parts.now ? before.publishedAt : parts.now,
  }
  await records.state.put(state)
  const recordTimes = new Map([[synchronizer.number, update.recordTime]])
  await records.synchronizers.setRecordTime(synchronizer.number, update.recordTime)
  const names = applying.added
  return { kind: 'given', participant: 1, state, recordTimes: moved(last, recordTimes), names, parties }
}

type Applying = ApplyingParts & {
  readonly records: TransactionRecords
  readonly synchronizer: Synchronizer
  readonly rows: Rows
  added: readonly NewName[]
  lastContract: bigint
  lastName: bigint
}

/** Returns the parties that it concerns. */
function addUpdate(update: OriginalUpdate, applying: Applying): Promise<readonly string[]> {
  switch (update.kind) {
    case 'transaction':
      return addOriginalTransaction(update, applying)
    case 'topology':
      return addTopology(update, applying)
    default:
      return addReassignmentOf(update, applying)
  }
}

function synchronizerOf(id: string, { synchronizers }: ApplyingParts): Synchronizer {
  const found = synchronizers.all().find((one) => one.id === id)
  if (found === undefined)
    throw new OriginalLost(`it is connected to a synchronizer that the fork does not have: ${id}`)
  return found
}

async function numbersOf(needed: Iterable<string>, applying: Applying): Promise<ReadonlyMap<string, bigint>> {
  const { records, names, lastName } = applying
  const { numbers, added } = await numberNames(new Set(needed), records, names, lastName)
  applying.added = [...applying.added, ...added]
  applying.lastName += BigInt(added.length)
  return numbers
}

async function addOriginalTransaction(update: OriginalTransaction, applying: Applying): Promise<readonly string[]> {
  const { records, rows, synchronizer } = applying
  const { offset, effectiveAt, recordTime, events, externalTransactionHash: hash } = update
  const used = events.flatMap((event) => (event.kind === 'exercised' && event.isConsuming ? [event.contractId] : []))
  const states = await records.contracts.states([...new Set(used)])
  const nodes = nodesOf(events, await stakeholdersOf(states, applying))
  const { served, created } = writeTransaction(nodes, Number(effectiveAt))
  const numbers = await numbersOf([...served.parties, ...served.templates], applying)
  const onlySeen = new Set(
    events.flatMap((event) => (event.kind === 'created' && !event.isDelta ? [event.contract.contractId] : [])),
  )
  const item = {
    ...update,
    served,
    // What no party of the fork has a stake in has no row; what was created and archived at once has one.
    effects: { created: created.filter((one) => one.isTransient || !onlySeen.has(one.contractId)) },
    synchronizer,
    commandId: '', // Nobody here has submitted it.
    actAs: [],
    ledgerTime: effectiveAt,
    ...(hash !== undefined && { signed: { hash } }),
  }
  const archived = states.filter(({ archivedOffset }) => archivedOffset === undefined)
  const accepted = { item, decision: { offset: BigInt(offset) }, recordTime, archived }
  applying.lastContract = addTransaction(accepted, numbers, applying.lastContract, rows)
  return served.parties
}

/** By contract id. */
async function stakeholdersOf(
  states: readonly ContractState[],
  { names, records }: Applying,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const texts = await names.texts([...new Set(states.flatMap((one) => numbersIn(one.stakeholders)))], records.names)
  return new Map(
    states.map(({ contractId, stakeholders }) => [contractId, numbersIn(stakeholders).map((one) => texts.get(one)!)]),
  )
}

/** Stakeholders see their contracts created and archived, whichever parties the fork was made for. */
function nodesOf(
  events: readonly (OriginalCreated | OriginalExercised)[],
  known: ReadonlyMap<string, readonly string[]>,
): EventNode[] {
  const stakeholders = new Map(known)
  return events.map((event): EventNode => {
    if (event.kind === 'created') {
      const { node } = readContract(event.contract)
      stakeholders.set(node.contractId, node.stakeholders)
      return { ...node, witnesses: inOrder([...event.witnesses, ...(event.isDelta ? node.stakeholders : [])]) }
    }
    const concerned = stakeholders.get(event.contractId) ?? []
    return {
      ...event,
      kind: 'exercise',
      id: event.nodeId,
      signatories: [],
      stakeholders: inOrder(concerned),
      key: undefined,
      witnesses: inOrder([...event.witnesses, ...(event.isConsuming ? concerned : [])]),
      actors: inOrder(event.actors),
    }
  })
}

const inOrder = (parties: readonly string[]): string[] => [...new Set(parties)].sort()

async function addReassignmentOf(update: OriginalReassignment, applying: Applying): Promise<readonly string[]> {
  const { records, rows } = applying
  const offset = BigInt(update.offset)
  const ids = update.contracts.map(({ contractId }) => contractId)
  const known = new Map((await records.contracts.find(ids)).map((row) => [row.contractId, row]))
  const contracts: MovingContract[] = []
  for (const { contractId, counter, contract } of update.contracts) {
    const row = known.get(contractId)
    if (update.kind === 'assignment') contracts.push(arriving(contract!, BigInt(counter)))
    else if (row !== undefined) contracts.push(await leaving(row, BigInt(counter), applying))
  }
  if (contracts.length === 0) return []
  const numbers = await numbersOf(
    contracts.flatMap(({ stakeholders, template }) => [...stakeholders, template]),
    applying,
  )
  const part = acceptedFrom(update, contracts, applying)
  applying.lastContract = await addDelivered(part, {
    ...{ offset, own: records, numbers, lastContract: applying.lastContract, rows },
  })
  return [...new Set(contracts.flatMap(({ stakeholders }) => stakeholders))]
}

/** Its rows are those that the fork has, or gets. */
function arriving(contract: Parameters<typeof readContract>[0], counter: bigint): MovingContract {
  const { node, template, createdAt } = readContract(contract)
  const row: StoredContractRow = {
    number: 0n,
    contractId: node.contractId,
    template: 0n,
    createdOffset: 0n,
    nodeId: 0,
    synchronizer: 0n,
    workflowId: '',
    stakeholders: '',
    keyHash: node.key?.hash,
    ...writeCreated(node, createdAt),
    blob: node.blob,
    location: 0n,
    counter,
    archivedOffset: undefined,
  }
  return { row, stakeholders: node.stakeholders, template }
}

/** The counter of the row is the one before. */
async function leaving(row: StoredContractRow, counter: bigint, { names, records }: Applying): Promise<MovingContract> {
  const parties = numbersIn(row.stakeholders)
  const texts = await names.texts([...parties, row.template], records.names)
  const stakeholders = parties.map((one) => texts.get(one)!)
  return { row: { ...row, counter: counter - 1n }, stakeholders, template: texts.get(row.template)! }
}

function acceptedFrom(
  update: OriginalReassignment,
  contracts: readonly MovingContract[],
  applying: Applying,
): AcceptedReassignment {
  const { reassignmentId, submitter, workflowId, traceContext, updateId, exclusiveUntil, recordTime } = update
  const [source, target] = [update.source, update.target].map((id) => synchronizerOf(id, applying)) as [
    Synchronizer,
    Synchronizer,
  ]
  const offset = BigInt(update.offset)
  const command = { userId: '', commandId: '', submissionId: '', workflowId, submitter }
  const item = { ...command, isDelivered: true, traceContext, updateId, source, target, contracts } as const
  const reassignment = {
    ...{ unassignedOffset: offset, id: reassignmentId, source: source.number, target: target.number },
    ...{ submitter, exclusiveUntil, userId: '', commandId: '', workflowId, assigned: undefined },
  }
  const decision = { kind: 'accepted', offset, updateId, deduplicationOffset: undefined } as const
  const common = { decision, recordTime, reassignment }
  return update.kind === 'unassignment'
    ? { ...common, kind: 'unassignment', item: { ...item, kind: 'unassignment', synchronizer: source } }
    : { ...common, kind: 'assignment', item: { ...item, kind: 'assignment', synchronizer: target, reassignmentId } }
}

async function addTopology(update: OriginalTopology, applying: Applying): Promise<readonly string[]> {
  const { updateId, synchronizerId, traceContext, events } = update
  if (events.length === 0) return []
  const recordTime = instantToText(Number(update.recordTime))
  const stored: StoredTopology = { kind: 'topology', updateId, recordTime, synchronizerId, traceContext, events }
  const numbers = await numbersOf(listsOf(stored), applying)
  const templates = listed([numbers.get(topologyName)!])
  const offset = BigInt(update.offset)
  const meta = topologyToText(stored)
  applying.rows.updates.push({ offset, idKey: updateIdKey(updateId), templates, meta, body: new Uint8Array() })
  for (const name of listsOf(stored)) applying.rows.seen.push({ party: numbers.get(name)!, offset, templates })
  return events.map(({ party }) => party)
}
