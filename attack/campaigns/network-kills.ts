// Kills a network of three participants at work, while participants are disconnected, stopped and delayed, and compares
// afterwards what each of them has: the same updates wherever they may be seen, in order, each once.
import assert from 'node:assert/strict'
import { setTimeout } from 'node:timers/promises'
import { createDice, type Dice, pick } from '../../test/fixtures/dice.ts'
import { createLedgerClient, type Json, type LedgerClient } from '../../test/fixtures/ledger-client.ts'
import { run, type Started, start, temporaryFolder } from '../../test/fixtures/process.ts'
import { until } from '../../test/fixtures/until.ts'
import type { Campaign } from '../campaign.ts'
import { runRounds } from '../rounds.ts'

export const networkKills: Campaign = {
  name: 'network kills',
  attack: 'SIGKILL of a network at work, with participants that are disconnected, stopped and delayed',
  invariant: 'Every participant has every update that its parties may see, once, in order, and what clients were told',
  unit: 'kills',
  full: 120,
  short: 2,
  run: (plan) => runRounds(plan, killAgainAndAgain, { timesPerRound: 6, failureKind: 'lost' }),
}

const names = ['v1', 'v2', 'v3'] as const
type Name = (typeof names)[number]
const synchronizersOf: Record<Name, readonly string[]> = {
  v1: ['global', 'private'],
  v2: ['global', 'private'],
  v3: ['private'],
}
/** Confirmations time out within a round. */
const environment = { TALLYSTICK_LIMITS_CONFIRMATION_MS: '250' }
const clientsPerParticipant = 3
const workMs = 900
/** A network that just started is slow; kills should hit one at work. */
const warmAnswers = 30
const actions = ['disconnect', 'connect', 'stop', 'resume', 'delay'] as const

type Clients = Readonly<Record<Name, LedgerClient>>

/** The answers that clients got, and the updates that the last check found. */
type Known = {
  /** The party of each participant. */
  readonly parties: Map<Name, string>
  /** By command id: the participant, and the update, or undefined for a refusal. */
  readonly outcomes: Map<string, { readonly at: Name; readonly updateId: string | undefined }>
  /** Contracts that clients may use: proposals and IOUs, with their template. */
  readonly contracts: { readonly contractId: string; readonly template: string; readonly synchronizerId: string }[]
  readonly seen: Map<Name, ReadonlyMap<string, Update>>
  commands: number
}

type Update = {
  readonly offset: number
  readonly recordTime: string
  readonly synchronizerId: string
  readonly witnesses: readonly string[]
  readonly activated: readonly string[]
  readonly deactivated: readonly string[]
}

async function killAgainAndAgain(seed: number, count: number): Promise<number> {
  using folder = temporaryFolder()
  const dice = createDice(seed)
  const clientDice = createDice(~seed)
  const known: Known = { parties: new Map(), outcomes: new Map(), contracts: [], seen: new Map(), commands: 0 }
  const operands = names.map((name) => (name === 'v3' ? 'v3@private' : name))
  const options = ['--data', folder.path, '--auth', 'off', '--log-level', 'warn']
  for (let killed = 0; ; killed += 1) {
    await using node = await start([...operands, ...options], environment, 'network')
    const clients = clientsOf(node)
    await heal(clients)
    for (const name of names) await allocate(clients, name, known)
    await check(clients, known)
    if (killed === count) {
      assert.equal(await node.stop('SIGTERM'), 0)
      break
    }
    const death = new AbortController()
    const answers = known.outcomes.size + warmAnswers
    const work = Promise.all(
      names.flatMap((name) =>
        Array.from({ length: clientsPerParticipant }, () => load(name, clients, known, clientDice, death.signal)),
      ),
    )
    work.catch(() => undefined) // Awaited below, after the kill.
    await Promise.race([work, until(() => known.outcomes.size >= answers)])
    const trouble = disturb(clients, clientDice, death.signal)
    await setTimeout(dice(workMs))
    await node.stop('SIGKILL')
    death.abort()
    await Promise.all([work, trouble])
    assert.doesNotMatch(node.errors, /"level":(50|60)/, `something went wrong inside: ${node.errors}`)
  }
  const { code, output, errors } = await run(['check', '--data', folder.path])
  assert.equal(code, 0, output + errors)
  return count
}

function clientsOf({ url, output }: Started): Clients {
  const urlOf = (name: Name) => (name === 'v1' ? url : new RegExp(`^ {2}${name} +(http\\S+)$`, 'm').exec(output)![1]!)
  return Object.fromEntries(names.map((name) => [name, createLedgerClient(urlOf(name))])) as Clients
}

/** Connects all, and waits until nobody is behind. */
async function heal({ v1 }: Clients): Promise<void> {
  for (const participant of names) await v1.post('/dev/network', { participant, action: 'connect' })
  await until(async () => {
    const { participants } = (await v1.get('/dev/network'))!.json
    return participants.every(({ synchronizers }: Json) => synchronizers.every(({ waiting }: Json) => waiting === 0))
  })
}

async function allocate(clients: Clients, name: Name, { parties }: Known): Promise<void> {
  if (parties.has(name)) return
  const { connectedSynchronizers } = (await clients[name].get('/v2/state/connected-synchronizers'))!.json
  for (const { synchronizerId } of connectedSynchronizers) {
    const reply = await clients[name].post('/v2/parties', { partyIdHint: `party-${name}`, synchronizerId })
    parties.set(name, reply!.json.partyDetails.party)
  }
}

async function load(name: Name, clients: Clients, known: Known, dice: Dice, signal: AbortSignal): Promise<void> {
  const party = known.parties.get(name)!
  const { connectedSynchronizers } = (await clients[name].get('/v2/state/connected-synchronizers'))?.json ?? {}
  while (!signal.aborted) {
    known.commands += 1
    const commandId = `command-${known.commands}`
    const { command, synchronizerId } = commandFor(name, known, dice, connectedSynchronizers ?? [])
    const commands = { commands: [command], commandId, userId: 'crash', actAs: [party], synchronizerId }
    const reply = await clients[name].post('/v2/commands/submit-and-wait-for-transaction', { commands })
    if (reply === undefined) continue // The node is dead.
    const { transaction } = reply.json
    if (reply.status === 200) known.outcomes.set(commandId, { at: name, updateId: transaction.updateId })
    else if (reply.status !== 503) known.outcomes.set(commandId, { at: name, updateId: undefined })
    for (const { CreatedEvent } of transaction?.events ?? []) {
      if (CreatedEvent === undefined) continue
      const { contractId, templateId } = CreatedEvent
      known.contracts.push({ contractId, template: templateId.split(':')[2], synchronizerId })
    }
    await setTimeout(dice(4))
  }
}

function commandFor(name: Name, { parties, contracts }: Known, dice: Dice, connected: Json[]) {
  const used = contracts.length > 0 && dice(3) > 0 ? contracts.at(-1 - dice(Math.min(20, contracts.length))) : undefined
  if (used !== undefined) {
    const { contractId, template, synchronizerId } = used
    const [choice, choiceArgument] =
      template === 'IouProposal' ? ['IouProposal_Accept', {}] : ['Iou_Split', { amount: '1.0' }]
    const templateId = `#quickstart:Iou:${template}`
    return { command: { ExerciseCommand: { templateId, contractId, choice, choiceArgument } }, synchronizerId }
  }
  const owner = parties.get(pick(dice, names))!
  const iou = { issuer: parties.get(name)!, owner, amount: '100.0', currency: 'EUR', observers: [] }
  const command = { CreateCommand: { templateId: '#quickstart:Iou:IouProposal', createArguments: { iou } } }
  return { command, synchronizerId: connected.length === 0 ? '' : pick(dice, connected).synchronizerId }
}

async function disturb({ v1 }: Clients, dice: Dice, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const participant = pick(dice, names)
    const action = pick(dice, actions)
    const isConnection = action === 'connect' || action === 'disconnect'
    await v1.post('/dev/network', {
      participant,
      action,
      ...(isConnection && { synchronizerAlias: pick(dice, synchronizersOf[participant]) }),
      ...(action === 'delay' && { delayMs: dice(2) * dice(60) }),
    })
    await setTimeout(dice(80))
  }
}

async function check(clients: Clients, known: Known): Promise<void> {
  const found = new Map<Name, ReadonlyMap<string, Update>>()
  for (const name of names) found.set(name, await updatesAt(clients[name]))
  const hostOf = new Map([...known.parties].map(([name, party]) => [party, name]))
  for (const [name, updates] of found) {
    for (const [id, update] of known.seen.get(name) ?? [])
      assert.deepEqual(updates.get(id), update, `${name} keeps ${id}`)
    const times = new Map<string, string>()
    const active = new Set<string>()
    for (const [id, { recordTime, synchronizerId, witnesses, activated, deactivated }] of updates) {
      assert.ok(recordTime > (times.get(synchronizerId) ?? ''), `${name} has ${id} in order`)
      times.set(synchronizerId, recordTime)
      for (const contract of activated) active.add(contract)
      for (const contract of deactivated) assert.ok(active.delete(contract), `${name} archives ${contract} once`)
      for (const party of witnesses) {
        const host = hostOf.get(party)
        const there = host && found.get(host)!.get(id)
        assert.ok(host === undefined || there, `${host} has ${id} for ${party}, as ${name} has`)
        assert.equal(there?.recordTime ?? recordTime, recordTime)
      }
    }
    assert.deepEqual(await activeAt(clients[name]), [...active].toSorted(), `contracts of ${name}`)
  }
  for (const [commandId, { at, updateId }] of known.outcomes) {
    assert.ok(updateId === undefined || found.get(at)!.has(updateId), `${commandId} was accepted at ${at}`)
  }
  await checkCompletions(clients, known, found)
  for (const [name, updates] of found) known.seen.set(name, updates)
}

/** A command is accepted once, where it was submitted, and not if its client was told that it is refused. */
async function checkCompletions(clients: Clients, known: Known, found: ReadonlyMap<Name, ReadonlyMap<string, Update>>) {
  for (const name of names) {
    const accepted = new Set<string>()
    for (let beginExclusive = 0; ; ) {
      const body = { userId: 'crash', parties: [known.parties.get(name)], beginExclusive }
      const page: Json[] = (await clients[name].post(
        '/v2/commands/completions?limit=200&stream_idle_timeout_ms=100',
        body,
      ))!.json
      const completions = page.flatMap(({ completionResponse: { Completion } }) =>
        Completion ? [Completion.value] : [],
      )
      for (const { commandId, status, updateId } of completions) {
        if (status.code !== 0) continue
        assert.ok(!accepted.has(commandId), `${commandId} is accepted once`)
        accepted.add(commandId)
        assert.ok(found.get(name)!.has(updateId), `${commandId} has its update`)
        const outcome = known.outcomes.get(commandId)
        assert.equal(outcome === undefined ? updateId : outcome.updateId, updateId, `${commandId} at ${name}`)
      }
      if (completions.length === 0) break
      beginExclusive = completions.at(-1).offset
    }
  }
}

async function updatesAt(client: LedgerClient): Promise<ReadonlyMap<string, Update>> {
  const updates = new Map<string, Update>()
  const end = (await client.get('/v2/state/ledger-end'))!.json.offset
  const eventFormat = { filtersForAnyParty: {}, verbose: false }
  const updateFormat = { includeTransactions: { eventFormat, transactionShape: 'TRANSACTION_SHAPE_LEDGER_EFFECTS' } }
  for (let beginExclusive = 0; beginExclusive < end; ) {
    const body = { beginExclusive, endInclusive: end, updateFormat }
    const page: Json[] = (await client.post('/v2/updates?limit=200', body))!.json
    const values = page.flatMap(({ update: { Transaction } }) => (Transaction ? [Transaction.value] : []))
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

function effectsOf(events: readonly Json[]): Pick<Update, 'witnesses' | 'activated' | 'deactivated'> {
  const all = events.map(({ CreatedEvent, ExercisedEvent }) => ({ created: CreatedEvent, exercised: ExercisedEvent }))
  return {
    witnesses: [...new Set(all.flatMap(({ created, exercised }) => (created ?? exercised).witnessParties))],
    activated: all.flatMap(({ created }) => (created?.acsDelta ? [created.contractId] : [])),
    deactivated: all.flatMap(({ exercised }) => (exercised?.acsDelta ? [exercised.contractId] : [])),
  }
}

async function activeAt(client: LedgerClient): Promise<string[]> {
  const activeAtOffset = (await client.get('/v2/state/ledger-end'))!.json.offset
  const ids: string[] = []
  let pageToken = ''
  do {
    const body = {
      activeAtOffset,
      eventFormat: { filtersForAnyParty: {}, verbose: false },
      maxPageSize: 200,
      pageToken,
    }
    const page = (await client.post('/v2/state/active-contracts-page', body))!.json
    for (const { contractEntry } of page.activeContracts)
      ids.push(contractEntry.JsActiveContract.createdEvent.contractId)
    pageToken = page.nextPageToken ?? ''
  } while (pageToken !== '')
  return ids.toSorted()
}
