// Kills, stops, pauses, disconnects, delays, makes read-only or fails over PostgreSQL under a working node. The faults
// are rows of test/fixtures/database-faults.ts.
import assert from 'node:assert/strict'
import { checkUntilKept, resubmit, untilStill } from '../../test/fixtures/crash-checks.ts'
import { createWitness, type Witness, workUntilDeath } from '../../test/fixtures/crash-load.ts'
import {
  cutOffFailover,
  type DatabaseFault,
  type FaultSetting,
  failover,
  faults,
  listedFailover,
  openFailoverPlace,
} from '../../test/fixtures/database-faults.ts'
import { createDice } from '../../test/fixtures/dice.ts'
import { openFlakyProxy } from '../../test/fixtures/flaky-proxy.ts'
import { createLedgerClient, partyNamed } from '../../test/fixtures/ledger-client.ts'
import { startTestNode } from '../../test/fixtures/node.ts'
import { createTestDatabase, type PostgresServer, startPostgres } from '../../test/fixtures/postgres.ts'
import type { Campaign } from '../campaign.ts'
import { runRounds } from '../rounds.ts'
import { pause } from '../target/besieged.ts'

/** Short timeouts for short rounds; the code that handles them is the same. */
const times = { postgresConnectTimeoutMs: 2_000, postgresQueryTimeoutMs: 1_500, postgresWatchMs: 100 }
const warmAnswers = 40
const answerMsMax = 40_000

/** The node finds the promoted server in its list of hosts. */
const listed = [listedFailover, cutOffFailover]
const all = [...faults, failover, ...listed]

export const postgresFaults: Campaign = {
  name: 'PostgreSQL faults',
  attack: all.map(({ name }) => name).join('; '),
  invariant: 'What was answered is true afterwards, each command once; the node goes on by itself',
  unit: 'faults',
  full: 5 * all.length,
  short: 1,
  async run(plan) {
    const server = await startPostgres()
    let commands = 0
    const round = async (seed: number) => {
      const witness = createWitness()
      try {
        return await endure({ server, seed, witness, chosen: plan.isShort ? faults : all })
      } finally {
        commands += witness.sent.size
      }
    }
    try {
      return { ...(await runRounds(plan, round, { failureKind: 'lost' })), note: `${commands} commands` }
    } finally {
      await server.stop()
    }
  },
}

type Task = {
  readonly server: PostgresServer
  readonly seed: number
  readonly chosen: readonly DatabaseFault[]
  readonly witness: Witness
}

async function endure({ server, seed, chosen, witness }: Task): Promise<number> {
  const fault = chosen[seed % chosen.length]!
  const dice = createDice(seed)
  const isFailover = fault === failover || listed.includes(fault)
  await using place = isFailover ? await openFailoverPlace() : await placeOn(server)
  await using proxy = await openFlakyProxy(place.databaseUrl)
  await using node = await startTestNode({
    store: 'postgres',
    postgresUrl: (listed.includes(fault) && place.listUrl) || proxy.url,
    settings: { store: times, auth: { mode: 'off' } },
  })
  const client = createLedgerClient(node.url)
  const owner = await partyNamed(client, 'owner')
  const observer = await partyNamed(client, 'observer')
  let isOver = false
  const work = workUntilDeath({ client, witness, dice, owner, observer, outages: { isOver: () => isOver } })
  work.catch(() => undefined) // Awaited below.
  try {
    await answersAfter(witness)
    await fault.run({ ...place, proxy, lastsMs: 100 + dice(1_500) })
    await answersAfter(witness)
  } catch (error) {
    throw new Error(fault.name, { cause: error })
  } finally {
    isOver = true
  }
  await work
  await untilStill([client])
  await checkUntilKept(client, witness)
  await resubmit(client, witness, dice)
  return 1
}

type Place = AsyncDisposable & Omit<FaultSetting, 'proxy' | 'lastsMs'> & { readonly listUrl?: string }

async function placeOn(server: PostgresServer): Promise<Place> {
  const database = await createTestDatabase(server.url)
  return { databaseUrl: database.url, server, [Symbol.asyncDispose]: () => database[Symbol.asyncDispose]() }
}

async function answersAfter(witness: Witness): Promise<void> {
  const wanted = witness.answers + warmAnswers
  const untilMs = performance.now() + answerMsMax
  while (witness.answers < wanted) {
    assert.ok(performance.now() < untilMs, `the node answers again; ${JSON.stringify(witness.surprises)}`)
    await pause(5)
  }
}
