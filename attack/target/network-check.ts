// What the participants of a network have after an attack: the same updates wherever they may be seen, in the order of
// each synchronizer, each once, and what clients were answered.
import assert from 'node:assert/strict'
import type { Json, LedgerClient } from '../../test/fixtures/ledger-client.ts'
import { until } from '../../test/fixtures/until.ts'
import { type Clients, type Memory, type Name, names, userId } from './network-load.ts'

/** The updates that an earlier check found. */
export type Seen = Map<Name, ReadonlyMap<string, Update>>

type Update = {
  readonly offset: number
  readonly recordTime: string
  readonly synchronizerId: string
  readonly witnesses: readonly string[]
  /** How contracts become active and stop being active, with the number of the move. */
  readonly changes: readonly Change[]
}

type Change = { readonly contractId: string; readonly kind: string; readonly isIn: boolean }

/** Connects and resumes all, and waits until nobody is behind and nothing is in transit. */
export async function heal(controls: readonly LedgerClient[], clients: Clients): Promise<void> {
  for (const control of controls) {
    for (const participant of names) {
      for (const action of ['connect', 'resume', 'delay']) {
        await control.post('/dev/network', { participant, action, ...(action === 'delay' && { delayMs: 0 }) })
      }
    }
  }
  await until(async () => {
    const answer = await controls[0]!.get('/dev/network')
    if (answer === undefined) return false // On a starved machine, a connection may end as a request is sent on it.
    const { participants } = answer.json
    const isBehind = participants.some(({ synchronizers }: Json) =>
      synchronizers.some(({ waiting }: Json) => waiting > 0),
    )
    return !isBehind && (await isStill(clients.v1)) && (await isStill(clients.v2))
  })
}

export async function check(clients: Clients, memory: Memory, seen: Seen): Promise<void> {
  const found: Seen = new Map()
  for (const name of names) found.set(name, await updatesAt(clients[name]))
  const hostOf = new Map([...memory.parties].map(([name, party]) => [party, name]))
  for (const [name, updates] of found) {
    for (const [id, update] of seen.get(name) ?? []) assert.deepEqual(updates.get(id), update, `${name} keeps ${id}`)
    const times = new Map<string, string>()
    for (const [id, update] of updates) {
      const { recordTime, synchronizerId, witnesses } = update
      assert.ok(recordTime > (times.get(synchronizerId) ?? ''), `${name} has ${id} in order`)
      times.set(synchronizerId, recordTime)
      for (const party of witnesses) {
        const host = hostOf.get(party)
        const there = host && found.get(host)!.get(id)
        assert.ok(
          host === undefined || there,
          `${host} has ${id} for ${party}, as ${name} has: ${JSON.stringify(update)}`,
        )
        assert.equal(there?.recordTime ?? recordTime, recordTime)
      }
    }
    assert.deepEqual(await activeAt(clients[name]), activeAfter(updates, name), `contracts of ${name}`)
  }
  for (const [commandId, { at, updateId }] of memory.outcomes) {
    assert.ok(updateId === undefined || found.get(at)!.has(updateId), `${commandId} was accepted at ${at}`)
  }
  for (const name of names) await checkCompletions(name, clients[name], memory, found.get(name)!)
  for (const [name, updates] of found) seen.set(name, updates)
}

/** A participant that was away from a synchronizer sees what happened there after what happened elsewhere. */
function activeAfter(updates: ReadonlyMap<string, Update>, name: Name): string[] {
  const counts = new Map<string, number>()
  const once = new Set<string>()
  for (const [id, { changes }] of updates) {
    for (const { contractId, kind, isIn } of changes) {
      assert.ok(!once.has(`${contractId} ${kind}`), `${name} has ${kind} of ${contractId} once, and again in ${id}`)
      once.add(`${contractId} ${kind}`)
      counts.set(contractId, (counts.get(contractId) ?? 0) + (isIn ? 1 : -1))
    }
  }
  for (const [contractId, count] of counts) assert.ok(count === 0 || count === 1, `${contractId} at ${name}: ${count}`)
  return [...counts].flatMap(([contractId, count]) => (count === 1 ? [contractId] : [])).toSorted()
}

/** A command is accepted once, where it was submitted, and not if its client was told that it is refused. */
async function checkCompletions(
  name: Name,
  client: LedgerClient,
  { parties, outcomes }: Memory,
  updates: ReadonlyMap<string, Update>,
): Promise<void> {
  const accepted = new Set<string>()
  for (let beginExclusive = 0; ; ) {
    const body = { userId, parties: [parties.get(name)], beginExclusive }
    const page: Json[] = (await client.post('/v2/commands/completions?limit=200&stream_idle_timeout_ms=300', body))!
      .json
    const completions = page.flatMap(({ completionResponse: { Completion } }) => (Completion ? [Completion.value] : []))
    for (const { commandId, status, updateId } of completions) {
      if (status.code !== 0) continue
      assert.ok(updates.has(updateId), `${commandId} has its update`)
      const changes = updates.get(updateId)!.changes
      // A participant that assigns what a client has left in transit does it under the client's command, and so does one
      // that moves the contracts of a command to its synchronizer.
      const isMove = changes.some(({ kind }) => /^(un)?assignment/.test(kind))
      const isAssigned = changes.some(({ isIn }) => isIn)
      const isAutomatic = isMove && (commandId.startsWith('command') || (commandId.startsWith('leave') && isAssigned))
      if (isAutomatic) continue
      assert.ok(!accepted.has(commandId), `${commandId} is accepted once`)
      accepted.add(commandId)
      const outcome = outcomes.get(commandId)
      assert.equal(outcome === undefined ? updateId : outcome.updateId, updateId, `${commandId} at ${name}`)
    }
    if (completions.length === 0) break
    beginExclusive = completions.at(-1).offset
  }
}

async function updatesAt(client: LedgerClient): Promise<ReadonlyMap<string, Update>> {
  const updates = new Map<string, Update>()
  const end = (await client.get('/v2/state/ledger-end'))!.json.offset
  const eventFormat = { filtersForAnyParty: {}, verbose: false }
  const updateFormat = {
    includeTransactions: { eventFormat, transactionShape: 'TRANSACTION_SHAPE_LEDGER_EFFECTS' },
    includeReassignments: eventFormat,
  }
  for (let beginExclusive = 0; beginExclusive < end; ) {
    const body = { beginExclusive, endInclusive: end, updateFormat }
    const page: Json[] = (await client.post('/v2/updates?limit=200&stream_idle_timeout_ms=20000', body))!.json
    const values = page.flatMap(
      ({ update: { Transaction, Reassignment } }) => (Transaction ?? Reassignment)?.value ?? [],
    )
    for (const { updateId, offset, recordTime, synchronizerId, events } of values) {
      assert.ok(!updates.has(updateId), `${updateId} is there once`)
      updates.set(updateId, { offset, recordTime: microsOf(recordTime), synchronizerId, ...effectsOf(events) })
    }
    if (values.length === 0) break
    beginExclusive = values.at(-1).offset
  }
  return updates
}

/** All have the same length, so that texts sort as times do. */
function microsOf(time: string): string {
  const [whole, fraction = ''] = time.slice(0, -1).split('.')
  return `${whole}.${fraction.padEnd(6, '0')}`
}

function effectsOf(events: readonly Json[]): Pick<Update, 'witnesses' | 'changes'> {
  const all = events.map(effectOf)
  return {
    witnesses: [...new Set(all.flatMap(({ witnesses }) => witnesses))],
    changes: all.flatMap(({ change }) => (change === undefined ? [] : [change])),
  }
}

function effectOf({
  CreatedEvent: created,
  ExercisedEvent: exercised,
  JsUnassignedEvent: left,
  JsAssignmentEvent: came,
}: Json): {
  readonly witnesses: readonly string[]
  readonly change: Change | undefined
} {
  if (left !== undefined) {
    const { contractId, witnessParties: witnesses, reassignmentCounter } = left.value ?? left
    return { witnesses, change: { contractId, kind: `unassignment ${reassignmentCounter}`, isIn: false } }
  }
  if (came !== undefined) {
    const { createdEvent, reassignmentCounter } = came.value ?? came
    const { contractId, witnessParties: witnesses } = createdEvent
    return { witnesses, change: { contractId, kind: `assignment ${reassignmentCounter}`, isIn: true } }
  }
  const { contractId, witnessParties: witnesses, acsDelta } = created ?? exercised
  const kind = created === undefined ? 'archive' : 'creation'
  return { witnesses, change: acsDelta ? { contractId, kind, isIn: created !== undefined } : undefined }
}

async function activeAt(client: LedgerClient): Promise<string[]> {
  const entries = await entriesAt(client)
  return entries.flatMap(({ JsActiveContract: active }) => (active ? [active.createdEvent.contractId] : [])).toSorted()
}

async function isStill(client: LedgerClient): Promise<boolean> {
  return (await entriesAt(client)).every(({ JsIncompleteUnassigned: leaving }) => leaving === undefined)
}

async function entriesAt(client: LedgerClient): Promise<Json[]> {
  const activeAtOffset = (await client.get('/v2/state/ledger-end'))!.json.offset
  const entries: Json[] = []
  let pageToken = ''
  do {
    const eventFormat = { filtersForAnyParty: {}, verbose: false }
    const body = { activeAtOffset, eventFormat, maxPageSize: 200, pageToken }
    const page = (await client.post('/v2/state/active-contracts-page', body))!.json
    entries.push(...page.activeContracts.map(({ contractEntry }: Json) => contractEntry))
    pageToken = page.nextPageToken ?? ''
  } while (pageToken !== '')
  return entries
}
