// Decides a batch of interpreted commands, one after the other, and writes all of it in one transaction of the store.
// Interpretation read what was committed then; here the inputs are checked against what is committed now, so that of
// two commands that archive one contract exactly one is accepted. Nobody else writes meanwhile.
import { instantToText } from '../../lf/codec/time-text.ts'
import type {
  AcceptedChange,
  CompletionRecord,
  ContractPosition,
  ContractRecord,
  ContractState,
  LedgerState,
  Records,
  SeenUpdate,
  UpdateRecord,
} from '../../store/store.ts'
import type { Names } from '../names.ts'
import { metaToText, updateIdKey } from '../stored-update.ts'
import type { InterpretedCommand } from '../submission/interpreted-command.ts'
import { type Decision, decide, type Judged } from './commit-decision.ts'
import { completionOf } from './completion.ts'

export type Committed = {
  readonly decisions: readonly Decision[]
  readonly state: LedgerState
  /** By the number of the synchronizer, for those that took part. */
  readonly recordTimes: ReadonlyMap<bigint, bigint>
  /** New in this commit. */
  readonly names: readonly { readonly name: string; readonly number: bigint }[]
}

type Rules = {
  readonly names: Names
  /** Microseconds since 1970. */
  readonly now: bigint
  readonly ledgerTimeTolerance: bigint
}

/** Party 0 of the index of active contracts. */
const anybody = 0n

export async function commit(batch: readonly InterpretedCommand[], records: Records, rules: Rules): Promise<Committed> {
  const before = await records.state.get()
  const publishedAt = before.publishedAt > rules.now ? before.publishedAt : rules.now
  const recordTimes = await recordTimesFor(batch, records, rules.now)
  const judged = await decide(batch, records, { ...rules, before, publishedAt, recordTimes })
  const accepted = judged.filter((one) => one.decision.kind === 'accepted')
  const { numbers, added } = await numberNames(accepted, records, rules.names, before.lastName)

  const rows = emptyRows()
  let lastContract = before.lastContract
  for (const one of accepted) lastContract = addTransaction(one, numbers, lastContract, rows)
  for (const { submission, decision, recordTime } of judged) {
    rows.completions.push(await completionOf(submission, decision, recordTime))
    if (decision.kind === 'accepted') {
      const { changeId, submissionId } = submission
      rows.accepted.push({ changeId, offset: decision.offset, publishedAt, submissionId })
    }
  }
  await write(rows, added, records)

  const state = {
    ...before,
    end: judged.at(-1)!.decision.offset,
    lastContract,
    lastName: before.lastName + BigInt(added.length),
    publishedAt,
  }
  await records.state.put(state)
  for (const [number, recordTime] of recordTimes) await records.synchronizers.setRecordTime(number, recordTime)
  return { decisions: judged.map(({ decision }) => decision), state, recordTimes, names: added }
}

/** Where record times of the synchronizers of a batch stand; `decide` moves them on. */
async function recordTimesFor(
  batch: readonly InterpretedCommand[],
  records: Records,
  now: bigint,
): Promise<Map<bigint, bigint>> {
  const wanted = new Set(batch.map(({ synchronizer }) => synchronizer.number))
  const known = await records.synchronizers.list()
  const concerned = known.filter(({ number }) => wanted.has(number))
  return new Map(concerned.map(({ number, recordTime }) => [number, recordTime >= now ? recordTime : now - 1n]))
}

// ── Rows

type Rows = {
  readonly updates: UpdateRecord[]
  readonly seen: (SeenUpdate & { party: bigint })[]
  readonly contracts: ContractRecord[]
  readonly activated: (ContractPosition & { party: bigint })[]
  readonly deactivated: (ContractPosition & { party: bigint })[]
  readonly archives: { number: bigint; offset: bigint }[]
  readonly newKeys: { number: bigint; keyHash: string; since: bigint }[]
  readonly oldKeys: { number: bigint; keyHash: string }[]
  readonly completions: CompletionRecord[]
  readonly accepted: AcceptedChange[]
}

function emptyRows(): Rows {
  return {
    updates: [],
    seen: [],
    contracts: [],
    activated: [],
    deactivated: [],
    archives: [],
    newKeys: [],
    oldKeys: [],
    completions: [],
    accepted: [],
  }
}

/** Answers the number of the last contract it created. */
function addTransaction(
  { submission, decision, recordTime, archived }: Judged,
  numbers: ReadonlyMap<string, bigint>,
  lastContract: bigint,
  rows: Rows,
): bigint {
  const { served, effects, synchronizer, workflowId } = submission
  const { offset } = decision
  const parties = served.parties.map((party) => numbers.get(party)!)
  const templates = served.templates.map((template) => numbers.get(template)!)
  rows.updates.push(updateOf(submission, offset, recordTime, listed(templates)))
  for (const [index, party] of parties.entries()) {
    rows.seen.push({ party, offset, templates: listed(served.seen[index]!.map((template) => templates[template]!)) })
  }

  let number = lastContract
  for (const contract of effects.created) {
    number += 1n
    const { contractId, nodeId, keyHash, blob } = contract
    const [start, cut, end] = contract.pieces
    const stakeholders = contract.stakeholders.map((index) => parties[index]!)
    const template = templates[contract.template]!
    rows.contracts.push({
      number,
      contractId,
      template,
      createdOffset: offset,
      nodeId,
      synchronizer: synchronizer.number,
      workflowId,
      stakeholders: listed(stakeholders),
      keyHash,
      event: served.body.subarray(start, end),
      eventCut: cut - start,
      blob,
    })
    if (!contract.isTransient) {
      for (const party of [anybody, ...stakeholders]) rows.activated.push({ party, template, number })
      if (keyHash !== undefined) rows.newKeys.push({ number, keyHash, since: offset })
    } else rows.archives.push({ number, offset }) // It lived only inside the transaction.
  }
  for (const contract of archived) deactivate(contract, offset, rows)
  return number
}

function deactivate(contract: ContractState, offset: bigint, rows: Rows): void {
  const { number, template, keyHash } = contract
  const stakeholders = contract.stakeholders.split(',').filter((text) => text !== '')
  for (const party of [anybody, ...stakeholders.map(BigInt)]) rows.deactivated.push({ party, template, number })
  rows.archives.push({ number, offset })
  if (keyHash !== undefined) rows.oldKeys.push({ number, keyHash })
}

function updateOf(submission: InterpretedCommand, offset: bigint, recordTime: bigint, templates: string): UpdateRecord {
  const { served, updateId, commandId, workflowId, actAs, ledgerTime, synchronizer, traceContext } = submission
  const facts = {
    kind: 'transaction' as const,
    updateId,
    commandId,
    workflowId,
    submitters: actAs,
    effectiveAt: instantToText(ledgerTime),
    recordTime: instantToText(recordTime),
    synchronizerId: synchronizer.id,
    traceContext,
  }
  return {
    offset,
    idKey: updateIdKey(updateId),
    templates,
    meta: metaToText(facts, served.facts),
    body: served.body,
  }
}

function listed(numbers: Iterable<bigint>): string {
  return `,${[...numbers].join(',')},`
}

/** Numbers of all parties and templates of the accepted ones; those that have none yet get the next. */
async function numberNames(accepted: readonly Judged[], records: Records, names: Names, last: bigint) {
  const needed = new Set<string>()
  for (const { submission } of accepted) {
    for (const name of submission.served.parties) needed.add(name)
    for (const name of submission.served.templates) needed.add(name)
  }
  const numbers = await names.numbers([...needed], records.names)
  const added: { name: string; number: bigint }[] = []
  for (const name of needed) {
    if (numbers.has(name)) continue
    const number = last + BigInt(added.length) + 1n
    added.push({ name, number })
    numbers.set(name, number)
  }
  return { numbers, added }
}

async function write(rows: Rows, added: Committed['names'], records: Records): Promise<void> {
  await records.names.insert(added)
  await records.updates.insert(rows.updates, rows.seen)
  await records.contracts.insert(rows.contracts)
  await records.contracts.activate(rows.activated)
  await records.contracts.addKeys(rows.newKeys)
  await records.contracts.deactivate(rows.deactivated)
  await records.contracts.removeKeys(rows.oldKeys)
  await records.contracts.archive(rows.archives)
  await records.completions.insert(rows.completions)
  await records.acceptedChanges.put(rows.accepted)
}
