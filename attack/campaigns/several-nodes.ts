// Three nodes over one PostgreSQL database, with clocks a minute apart, while clients load all of them: nodes are killed
// and started again, paused past their lease, and their connections are cut, dropped and delayed. In the long form the
// primary of each round is killed and its synchronous standby promoted, while one node is paused and the connections of
// another are slow. A client follows the ledger on each node, and one reads on another node what it was answered by the
// first. Then nodes start at once over another empty database, and what each of them answers is read and used on others.
import assert from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { checkLedger, checkUntilKept, resubmit, untilStill } from '../../test/fixtures/crash-checks.ts'
import { createWitness, type Witness, workUntilDeath } from '../../test/fixtures/crash-load.ts'
import { type FailoverPlace, openFailoverPlace } from '../../test/fixtures/database-faults.ts'
import { createDice, type Dice, pick } from '../../test/fixtures/dice.ts'
import { type FlakyProxy, openFlakyProxy } from '../../test/fixtures/flaky-proxy.ts'
import {
  answered,
  createLedgerClient,
  type History,
  type LedgerClient,
  nextCompletions,
  nextUpdates,
  partyNamed,
} from '../../test/fixtures/ledger-client.ts'
import { createTestDatabase } from '../../test/fixtures/postgres.ts'
import type { Campaign } from '../campaign.ts'
import { runRounds } from '../rounds.ts'
import { agree, createTally, type StartedNode, startProcess, tallyText } from '../target/agreeing-nodes.ts'
import { pause } from '../target/besieged.ts'

const skewsMs = [0, 60_000, -60_000]
/** Longer than the lease of skewed-node.ts. */
const pausedMs = 4_000
const warmAnswers = 20
/** Clients of all nodes and of a database share a machine, in the short form with other tests. */
const loads = { full: { clients: 4, paceMs: 20 }, short: { clients: 1, paceMs: 50 } } as const
/** Less than a test may take. A node that was cut off needs several times its lease on a slow machine. */
const answerMsMax = 200_000

const faults = ['kill', 'pause', 'cut', 'drop', 'delay', 'kill two', 'pause and cut'] as const
/** Once in a round: the promoted server has no standby. */
const failover = 'kill the primary'
type Fault = (typeof faults)[number] | typeof failover

export const severalNodes: Campaign = {
  name: 'several nodes',
  attack:
    'SIGKILL, SIGSTOP past the lease, cut, dropped and delayed connections, of three nodes with clocks a minute apart; the primary is killed and its standby promoted',
  invariant:
    'What any node answered is true on all of them, each command once, and can be read and used there at once; offsets have no gap, and every stream is complete and in order',
  unit: 'faults',
  full: 60,
  short: 0, // Its three processes wait for leases for most of a minute; test/e2e/several-nodes.test.ts has two nodes in one.
  needsPostgres: true,
  async run(plan) {
    let commands = 0
    const tally = createTally()
    const round = async (seed: number, count: number) => {
      await using servers = plan.isShort ? await createTestDatabase() : await openFailoverPlace()
      const witness = createWitness()
      const nodes = plan.isShort ? 2 : 3
      const load = plan.isShort ? loads.short : loads.full
      try {
        const faults = await endure({ seed, count, servers, witness, nodes, load })
        await using empty = await createTestDatabase()
        await agree({ url: empty.url, seed, skewsMs: skewsMs.slice(0, nodes), writes: plan.isShort ? 6 : 120, tally })
        return faults
      } finally {
        commands += witness.sent.size
      }
    }
    const outcome = await runRounds(plan, round, { timesPerRound: 6, failureKind: 'lost' })
    return { ...outcome, note: `${commands} commands; ${tallyText(tally)}` }
  },
}

type Servers = { readonly url: string } | FailoverPlace

/** One of the nodes, with its proxy and the clients at work on it. */
type Place = {
  readonly name: string
  readonly proxy: FlakyProxy
  readonly skewMs: number
  /** Its own view: what clients know is shared, what they count is not. */
  readonly view: Witness
  readonly follower: Follower
  process: ChildProcess
  client: LedgerClient
  work: Promise<void>
}

type Follower = { readonly updates: number[]; readonly completions: number[] }

type Round = {
  readonly owner: string
  readonly observer: string
  readonly witness: Witness
  readonly dice: Dice
  readonly load: ClientLoad
  isOver: boolean
}

/** Of each kind on each node, and what each of them waits between two requests. */
type ClientLoad = { readonly clients: number; readonly paceMs: number }

type Task = {
  readonly seed: number
  /** Of faults. */
  readonly count: number
  readonly nodes: number
  readonly load: ClientLoad
  readonly servers: Servers
  readonly witness: Witness
}

async function endure({ seed, count, nodes, load, servers, witness }: Task): Promise<number> {
  const dice = createDice(seed)
  await using parts = new AsyncDisposableStack()
  const url = 'url' in servers ? servers.url : servers.databaseUrl
  const failoverAt = 'url' in servers ? -1 : dice(count)
  const places: Place[] = []
  parts.defer(() => {
    for (const place of places) place.process.kill('SIGKILL')
  })
  // All at once, over an empty database.
  const started = await Promise.all(
    skewsMs.slice(0, nodes).map(async (skewMs, index) => {
      const proxy = parts.use(await openFlakyProxy(url))
      return { proxy, skewMs, index, ...client(await startProcess(proxy.url, skewMs)) }
    }),
  )
  const [first] = started
  const round: Round = {
    owner: await partyNamed(first!.client, 'owner'),
    observer: await partyNamed(first!.client, 'observer'),
    ...{ witness, dice: createDice(~seed), load, isOver: false },
  }
  for (const { index, ...one } of started) {
    const view = { ...witness, partiesAsked: 1_000_000 * (index + 1) }
    const place: Place = {
      ...{ ...one, name: `node ${index}`, view, follower: { updates: [], completions: [] } },
      work: Promise.resolve(),
    }
    places.push(place)
    place.work = work(place, round)
  }
  const crossing = readElsewhere(places, round)
  crossing.catch(() => undefined)
  const tried: string[] = []
  try {
    await answersOf(places)
    for (let made = 0; made < count; made += 1) {
      const fault = made === failoverAt ? failover : pick(dice, faults)
      tried.push(fault)
      if (fault === failover) await failOver(servers as FailoverPlace, places, dice)
      else await cause(fault, places, dice, round)
      await answersOf(places)
    }
  } catch (error) {
    throw new Error(`${tried.join(', ')}: ${JSON.stringify(places.map(({ view }) => view.surprises.slice(0, 3)))}`, {
      cause: error,
    })
  } finally {
    round.isOver = true
  }
  await Promise.all([crossing, ...places.map((place) => place.work)])
  await untilStill(places.map(({ client }) => client))
  const isKept = !tried.some((fault) => fault === 'kill' || fault === 'kill two')
  if (isKept) await checkUntilKept(places[0]!.client, witness)
  let history: History | undefined
  for (const { client } of places) history = await checkLedger(client, witness)
  for (const place of places) await checkFollower(place, round, history!)
  await resubmit(pick(dice, places).client, witness, dice)
  return count
}

function client({ process, url }: StartedNode): Pick<Place, 'process' | 'client'> {
  return { process, client: createLedgerClient(url) }
}

async function work(place: Place, round: Round): Promise<void> {
  const { client, view: witness, follower } = place
  const { owner, observer, dice, load } = round
  const isOver = () => round.isOver
  await Promise.all([
    workUntilDeath({ client, witness, dice, owner, observer, outages: { isOver }, ...load }),
    follow(follower.updates, (after) => nextUpdates(client, after, 50), isOver),
    follow(follower.completions, (after) => nextCompletions(client, after, 50, owner), isOver),
  ])
}

/** Goes on where the same client stopped, on the same node. */
async function follow(
  seen: number[],
  next: (after: number) => ReturnType<typeof nextUpdates>,
  isOver: () => boolean,
): Promise<void> {
  while (!isOver()) {
    const elements = await next(seen.at(-1) ?? 0)
    if (elements === undefined) return // The node is gone.
    if (!Array.isArray(elements)) await pause(50)
    else for (const { offset } of elements) seen.push(offset)
  }
}

/** What one node has answered, another has; whatever happens to the first meanwhile. */
async function readElsewhere(places: readonly Place[], round: Round): Promise<void> {
  let known = 0
  while (!round.isOver) {
    const reply = await pick(round.dice, places).client.get('/v2/state/ledger-end')
    if (reply?.status !== 200) {
      await pause(50)
      continue
    }
    const { offset } = answered(reply)
    assert.ok(offset >= known, `a node ends at ${offset} after another ended at ${known}`)
    known = offset
    await pause(round.load.paceMs)
  }
}

async function cause(
  fault: Exclude<Fault, typeof failover>,
  places: readonly Place[],
  dice: Dice,
  round: Round,
): Promise<void> {
  const place = pick(dice, places)
  const { proxy } = place
  await pause(dice(300))
  switch (fault) {
    case 'kill':
      return restart(place, round)
    case 'kill two':
      await Promise.all(places.filter((other) => other !== place).map((other) => restart(other, round)))
      return
    case 'pause and cut':
    case 'pause':
      place.process.kill('SIGSTOP')
      await pause(pausedMs)
      if (fault === 'pause and cut') proxy.cut()
      place.process.kill('SIGCONT')
      return
    case 'cut':
      proxy.cut()
      return
    case 'drop':
      proxy.drop()
      await pause(500 + dice(3_000))
      proxy.restore()
      return
    case 'delay':
      proxy.delay(1 + dice(200))
      await pause(500 + dice(1_000))
      proxy.restore()
  }
}

/** While one node is paused past its lease and the connections of another are slow. */
async function failOver({ server, standby }: FailoverPlace, places: readonly Place[], dice: Dice): Promise<void> {
  const paused = pick(dice, places)
  const slow = pick(
    dice,
    places.filter((place) => place !== paused),
  )
  const delayMs = 1 + dice(100)
  paused.process.kill('SIGSTOP')
  slow.proxy.delay(delayMs)
  await pause(dice(1_000))
  for (const { proxy } of places) proxy.refuse()
  await server.kill()
  for (const { proxy } of places) {
    proxy.retarget(standby.port)
    proxy.restore() // It is still a standby and accepts no writes.
  }
  slow.proxy.delay(delayMs)
  await pause(dice(1_500))
  await standby.promote()
  await pause(pausedMs)
  paused.process.kill('SIGCONT')
  slow.proxy.restore()
}

async function restart(place: Place, round: Round): Promise<void> {
  const exited = once(place.process, 'exit')
  place.process.kill('SIGKILL')
  await exited
  await place.work
  Object.assign(place, client(await startProcess(place.proxy.url, place.skewMs)))
  place.view.end = 0
  place.work = work(place, round)
}

/** Waits until clients of every node were answered a number of times. */
async function answersOf(places: readonly Place[]): Promise<void> {
  const untilMs = performance.now() + answerMsMax
  const wanted = places.map(({ view }) => view.answers + warmAnswers)
  while (places.some(({ view }, index) => view.answers < wanted[index]!)) {
    for (const { work } of places) await Promise.race([work, pause(0)]) // A failed assertion of a client.
    const answers = places.map(({ name, view }) => `${name}: ${view.answers} answers, ${view.refusals} refusals`)
    assert.ok(performance.now() < untilMs, `a node does not answer again; ${answers.join('; ')}`)
    await pause(5)
  }
}

/** Once they have read up to the end, the clients that follow a node have seen everything, in order and once. */
async function checkFollower({ name, client, follower }: Place, { owner }: Round, history: History): Promise<void> {
  const read: [seen: number[], all: number[], next: (after: number) => ReturnType<typeof nextUpdates>][] = [
    [follower.updates, [...history.updates.keys()], (after) => nextUpdates(client, after, 50)],
    [follower.completions, [...history.completions.keys()], (after) => nextCompletions(client, after, 50, owner)],
  ]
  for (const [seen, all, next] of read) {
    const untilMs = performance.now() + answerMsMax
    await follow(seen, next, () => (seen.at(-1) ?? 0) >= (all.at(-1) ?? 0) || performance.now() > untilMs)
    assert.deepEqual(seen, all, `a stream of ${name} is complete and in order`)
  }
}
