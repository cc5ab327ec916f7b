// Kills a network of three participants at work, while participants are disconnected, stopped and delayed and contracts
// move between synchronizers, and compares afterwards what each of them has: the same updates wherever they may be seen,
// in order, each once. On PostgreSQL one process runs all participants, or each participant has a process of its own, of
// which some are killed while the others go on.
import assert from 'node:assert/strict'
import { setTimeout } from 'node:timers/promises'
import { runHere } from '../../test/fixtures/command.ts'
import { createDice, type Dice } from '../../test/fixtures/dice.ts'
import { createLedgerClient, insisting, type Json, type LedgerClient } from '../../test/fixtures/ledger-client.ts'
import { createTestDatabase } from '../../test/fixtures/postgres.ts'
import { type Started, start, temporaryFolder } from '../../test/fixtures/process.ts'
import { until } from '../../test/fixtures/until.ts'
import type { Campaign } from '../campaign.ts'
import { runRounds } from '../rounds.ts'
import { check, heal, type Seen } from '../target/network-check.ts'
import { type Clients, createMemory, disturb, load, type Memory, type Name, names } from '../target/network-load.ts'

const attack = 'with participants that are disconnected, stopped and delayed, and contracts that move'
const invariant =
  'Every participant has every update that its parties may see, once, in order, and what clients were told'

export const networkKills: readonly Campaign[] = [
  {
    name: 'network kills',
    attack: `SIGKILL of a network at work, ${attack}`,
    ...{ invariant, unit: 'kills', full: 120, short: 1 },
    run: (plan) => runRounds(plan, onSqlite, { timesPerRound: 6, failureKind: 'lost' }),
  },
  {
    name: 'network kills on PostgreSQL',
    attack: `SIGKILL of a network over PostgreSQL, of one process or of some of those that have a participant each, ${attack}`,
    ...{ invariant, unit: 'kills', full: 60, short: 0, needsPostgres: true },
    run: (plan) => runRounds(plan, onPostgres, { timesPerRound: 6, failureKind: 'lost' }),
  },
]

/** Confirmations time out within a round, and what is left in transit is assigned. */
const environment = {
  TALLYSTICK_DEVELOPMENT: 'true',
  TALLYSTICK_LIMITS_CONFIRMATION_MS: '250',
  TALLYSTICK_LIMITS_ASSIGNMENT_EXCLUSIVITY_MS: '400',
}
const clientsPerParticipant = 3
const workMs = 900
/** A network that just started is slow; kills should hit one at work. */
const warmAnswers = 30

async function onSqlite(seed: number, count: number): Promise<number> {
  using folder = temporaryFolder()
  await killAgainAndAgain({ seed, count, options: ['--data', folder.path], hasProcessEach: false })
  const { code, output, errors } = await runHere(['check', '--data', folder.path])
  assert.equal(code, 0, output + errors)
  return count
}

async function onPostgres(seed: number, count: number): Promise<number> {
  await using database = await createTestDatabase()
  await killAgainAndAgain({ seed, count, options: ['--postgres', database.url], hasProcessEach: seed % 2 === 1 })
  const { code, output, errors } = await runHere(['check', '--postgres', database.url])
  assert.equal(code, 0, output + errors)
  return count
}

type Round = {
  readonly seed: number
  /** Of kills. */
  readonly count: number
  readonly options: readonly string[]
  readonly hasProcessEach: boolean
}

async function killAgainAndAgain(round: Round): Promise<void> {
  await using processes = createProcesses(round.options, round.hasProcessEach)
  // Clients would wait in vain for a process that ended by itself.
  await Promise.race([killProcesses(round, processes), processes.failed])
}

async function killProcesses({ seed, count }: Round, processes: Processes): Promise<void> {
  const dice = createDice(seed)
  const clientDice = createDice(~seed)
  const memory = createMemory()
  const seen: Seen = new Map()
  for (let killed = 0; ; ) {
    await processes.startMissing()
    const { clients } = processes
    const { v1, v2, v3 } = clients
    const insistent = { v1: insisting(v1), v2: insisting(v2), v3: insisting(v3) }
    await heal(processes.controls(), insistent)
    for (const name of names) await allocate(clients[name], name, memory)
    await check(insistent, memory, seen)
    if (killed === count) break
    const death = new AbortController()
    const answers = memory.outcomes.size + warmAnswers
    const work = Promise.all(
      names.flatMap((name) =>
        Array.from({ length: clientsPerParticipant }, () =>
          load(name, () => clients[name], memory, clientDice, death.signal),
        ),
      ),
    )
    work.catch(() => undefined) // Awaited below, after the kill.
    await Promise.race([work, until(() => memory.outcomes.size >= answers)])
    const trouble = disturb(processes.controls, clientDice, death.signal)
    trouble.catch(() => undefined)
    await setTimeout(dice(workMs))
    await processes.killSome(dice)
    killed += 1
    if (processes.controls().length > 0) await setTimeout(dice(workMs)) // Some go on without the others.
    death.abort()
    await Promise.all([work, trouble])
  }
  await processes.stop()
}

type Processes = AsyncDisposable & {
  readonly clients: Clients
  /** One client of each process that runs. */
  controls(): readonly LedgerClient[]
  startMissing(): Promise<void>
  /** At least one. */
  killSome(dice: Dice): Promise<void>
  stop(): Promise<void>
  /** Rejects when a process ends that nobody killed. */
  readonly failed: Promise<never>
}

function createProcesses(options: readonly string[], hasProcessEach: boolean): Processes {
  const operands = names.map((name) => (name === 'v3' ? 'v3@private' : name))
  const places: readonly (readonly Name[])[] = hasProcessEach ? names.map((name) => [name]) : [names]
  const running = new Map<readonly Name[], Started>()
  const clients = {} as Record<Name, LedgerClient>
  const { promise: failed, reject } = Promise.withResolvers<never>()
  failed.catch(() => undefined)

  async function startAt(served: readonly Name[]): Promise<void> {
    const serves = hasProcessEach ? { TALLYSTICK_NETWORK_SERVES: served.join(',') } : {}
    const args = [...operands, ...options, '--auth', 'off', '--log-level', 'warn']
    const started = await start(args, { ...environment, ...serves }, 'network')
    running.set(served, started)
    void started.ended.then((code) => {
      if (running.get(served) === started)
        reject(new Error(`${served} ended by itself with ${code}: ${started.errors}`))
    })
    for (const name of served) clients[name] = createLedgerClient(urlOf(name, served, started))
  }

  return {
    clients,
    failed,
    controls: () => [...running.keys()].map(([name]) => clients[name!]),
    async startMissing() {
      await Promise.all(places.filter((served) => !running.has(served)).map(startAt))
    },
    async killSome(dice) {
      const all = [...running]
      const first = dice(all.length)
      const killed = all.filter((_, index) => index === first || dice(3) === 0)
      for (const [served] of killed) running.delete(served)
      for (const [, started] of killed) {
        await started.stop('SIGKILL')
        assert.doesNotMatch(started.errors, /"level":(50|60)/, `something went wrong inside: ${started.errors}`)
      }
    },
    async stop() {
      for (const [served, started] of running) {
        running.delete(served)
        assert.equal(await started.stop('SIGTERM'), 0, started.errors)
        assert.doesNotMatch(started.errors, /"level":(50|60)/, `something went wrong inside: ${started.errors}`)
      }
    },
    async [Symbol.asyncDispose]() {
      const left = [...running.values()]
      running.clear()
      for (const started of left) await started[Symbol.asyncDispose]()
    },
  }
}

/** The first that a process serves is its URL; others are listed below. */
function urlOf(name: Name, [first]: readonly Name[], { url, output }: Started): string {
  return name === first ? url : new RegExp(`^ {2}${name} +(http\\S+)$`, 'm').exec(output)![1]!
}

async function allocate(client: LedgerClient, name: Name, { parties }: Memory): Promise<void> {
  if (parties.has(name)) return
  const { connectedSynchronizers } = (await client.get('/v2/state/connected-synchronizers'))!.json
  for (const { synchronizerId } of connectedSynchronizers) {
    const reply = await client.post('/v2/parties', { partyIdHint: `party-${name}`, synchronizerId })
    parties.set(name, (reply!.json as Json).partyDetails.party)
  }
}
