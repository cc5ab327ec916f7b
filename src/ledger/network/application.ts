// Writes updates into the tables of a participant later than, or elsewhere than, they were decided: with its own offsets, names and contract
// numbers, and the same update ids, contract ids and record times as everywhere.
import type { CompletionFacts } from '../../events/format/stored-completion.ts'
import { topologyName, updateIdKey } from '../../events/format/stored-update.ts'
import type { ContractState } from '../../store/core/contract-records.ts'
import type { TransactionRecords } from '../../store/core/store.ts'
import { moved, numberNames, recordTimesIn } from '../commit/commit.ts'
import type { Accepted, AcceptedTransaction, CommitItem, DecidedItem } from '../commit/commit-item.ts'
import { completionWith, statusOf } from '../commit/completion.ts'
import { changesOf } from '../commit/deduplication.ts'
import type { DeliveredHosting, Given, Written } from '../commit/other-participants.ts'
import { emptyRows, type Rows, writeRows } from '../commit/rows.ts'
import { addTransaction } from '../commit/transaction-rows.ts'
import { listed } from '../model/name-numbers.ts'
import { learnHosts } from './hosting-delivery.ts'
import type { Member } from './member.ts'
import { addDelivered } from './reassignment-delivery.ts'

/** What one participant sees of something that was sequenced. */
export type Part = Accepted | HostingPart | OwnPart

type HostingPart = DeliveredHosting & { readonly kind: 'hosting' }

/** What this participant itself submitted, decided and published later. */
export type OwnPart = {
  readonly kind: 'own'
  readonly item: CommitItem
  readonly recordTime: bigint
  /** Undefined for a rejection. */
  readonly accepted: Accepted | undefined
  readonly outcome: CompletionFacts['outcome']
  readonly deduplicationOffset: bigint | undefined
}

export function ownPartOf(decided: DecidedItem): OwnPart {
  const { item, recordTime, decision } = decided
  const { deduplicationOffset } = decision
  const outcome =
    decision.kind === 'accepted' ? { updateId: decision.updateId } : { status: statusOf(item, decision.error) }
  const accepted = decided.kind === 'rejected' ? undefined : decided
  return { kind: 'own', item, recordTime, accepted, outcome, deduplicationOffset }
}

export function synchronizerOf(part: Part): bigint {
  return part.kind === 'hosting' ? part.synchronizer : part.item.synchronizer.number
}

/**
 * What waited, one after the other, because it may depend on what waited before it. Contracts that came meanwhile by an
 * assignment are known already when their creation comes.
 */
export async function applyInTurn(member: Member, parts: readonly Part[], written: Written): Promise<Given> {
  let given = await applyParts(member, [], written)
  for (const part of parts) {
    const next = await applyParts(member, [await withoutKnown(part, written.records.of(member.number))], written)
    given = { ...next, names: [...given.names, ...next.names], parties: [...given.parties, ...next.parties] }
  }
  return given
}

async function withoutKnown(part: Part, { contracts }: TransactionRecords): Promise<Part> {
  if (part.kind !== 'transaction' || part.item.effects.created.length === 0) return part
  const { effects } = part.item
  const states = await contracts.states(effects.created.map(({ contractId }) => contractId))
  const known = new Set(states.map(({ contractId }) => contractId))
  if (known.size === 0) return part
  const created = effects.created.filter(({ contractId }) => !known.has(contractId))
  return { ...part, item: { ...part.item, effects: { ...effects, created } } }
}

/** In this order, with the next offsets of the participant. */
export async function applyParts(
  member: Member,
  parts: readonly Part[],
  { records, publishedAt }: Written,
): Promise<Given> {
  const own = records.of(member.number)
  const [before, last] = await Promise.all([own.state.get(), recordTimesIn(own)])
  const { numbers, added } = await numberNames(new Set(parts.flatMap(namesIn)), own, member.names, before.lastName)
  const rows = emptyRows()
  const recordTimes = new Map<bigint, bigint>()
  const parties: string[] = []
  let { end, lastContract } = before
  for (const part of parts) {
    end += 1n
    const update = part.kind === 'own' ? part.accepted : part
    if (update?.kind === 'transaction') {
      const known = await own.contracts.states(update.item.effects.archived)
      lastContract = addTransaction(transactionAt(end, update, known, rows), numbers, lastContract, rows)
    } else if (update?.kind === 'hosting') parties.push(...(await addHosting(end, update, member, numbers, own, rows)))
    else if (update !== undefined) {
      lastContract = await addDelivered(update, { offset: end, own, numbers, lastContract, rows })
    }
    if (part.kind === 'own') addCompletion(end, part, publishedAt, rows)
    const synchronizer = synchronizerOf(part)
    recordTimes.set(synchronizer, latest(part.recordTime, recordTimes.get(synchronizer), last.get(synchronizer)))
  }
  await writeRows(rows, added, own)
  const lastName = before.lastName + BigInt(added.length)
  const state = { ...before, end, lastContract, lastName, publishedAt: latest(before.publishedAt, publishedAt) }
  await own.state.put(state)
  for (const [number, recordTime] of recordTimes) await own.synchronizers.setRecordTime(number, recordTime)
  return {
    kind: 'given',
    participant: member.number,
    state,
    recordTimes: moved(last, recordTimes),
    names: added,
    parties,
  }
}

/** What the participant has submitted: its completion, and that the change was accepted. */
function addCompletion(offset: bigint, part: OwnPart, publishedAt: bigint, rows: Rows): void {
  const { item, recordTime, accepted, outcome, deduplicationOffset } = part
  rows.completions.push(completionWith(outcome, item, { offset, deduplicationOffset }, recordTime))
  if (accepted?.kind !== 'transaction') return
  const { submissionId } = accepted.item
  for (const changeId of changesOf(accepted.item)) {
    rows.accepted.push({ changeId, offset, publishedAt, submissionId })
  }
}

function namesIn(part: Part): readonly string[] {
  if (part.kind === 'own') return part.accepted === undefined ? [] : namesIn(part.accepted)
  if (part.kind === 'hosting') return part.lists
  if (part.kind === 'transaction') return [...part.item.served.parties, ...part.item.served.templates]
  return part.item.contracts.flatMap(({ stakeholders, template }) => [...stakeholders, template])
}

/** Of the contracts that it archives, the participant may know some, by its own numbers. */
function transactionAt(
  offset: bigint,
  part: AcceptedTransaction,
  known: readonly ContractState[],
  { archives }: Rows,
): AcceptedTransaction {
  const earlier = new Set(archives.map(({ number }) => number))
  const archived = known.filter(({ number, archivedOffset }) => archivedOffset === undefined && !earlier.has(number))
  return { ...part, decision: { ...part.decision, offset }, archived }
}

/** Returns the parties whose hosts change. */
async function addHosting(
  offset: bigint,
  hosting: DeliveredHosting,
  { participantId }: Member,
  numbers: ReadonlyMap<string, bigint>,
  records: TransactionRecords,
  rows: Rows,
): Promise<readonly string[]> {
  const { updateId, meta, lists, hosts } = hosting
  const templates = listed([numbers.get(topologyName)!])
  rows.updates.push({ offset, idKey: updateIdKey(updateId), templates, meta, body: new Uint8Array() })
  for (const name of lists) rows.seen.push({ party: numbers.get(name)!, offset, templates })
  await learnHosts(participantId, hosting, records)
  return hosts.map(({ party }) => party)
}

function latest(first: bigint, ...others: readonly (bigint | undefined)[]): bigint {
  return others.reduce<bigint>((most, other) => (other !== undefined && other > most ? other : most), first)
}
