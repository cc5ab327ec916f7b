// A node's membership among the nodes over one PostgreSQL database. It shows a sign of life at an interval; others take a
// node for dead that shows none for the time of its lease, and end its connections. Its epoch, which every transaction
// compares, is then gone: whatever it still sends fails, until it has noticed, forgotten what it remembered, and claimed
// its membership again. The same connection brings the notifications of other nodes' commits.
import type pg from 'pg'
import { backoffMs } from '../../base/backoff.ts'
import { type Clock, settlesWithin, wallClock } from '../../base/clock.ts'
import { StartError } from '../../base/errors.ts'
import type { Health } from '../../base/health.ts'
import type { Log } from '../../base/log.ts'
import { systemRandom } from '../../base/random.ts'
import type { Sharing } from '../core/sharing.ts'
import { type Connections, closeTimeoutMs, type PostgresTimes, signOfLifeTimeoutMs } from './connections.ts'
import { DatabaseUnfit, meaningOf, reasonOf } from './errors.ts'
import { beat, claim, endConnectionsOf, epochOf, leave, type Me, olderThan, tellMembers, update } from './members.ts'
import type { Look } from './poll-shared-state.ts'
import { channel, membersChanged } from './shared-state.ts'

export type Membership = AsyncDisposable & {
  /** SQL whose row every transaction checks; run it while holding the writers' lock. */
  epochQuery(): string
  /** Throws if others have taken this node for dead, or another version of the software has migrated the database. */
  check(row: pg.QueryResultRow | undefined): void
  /** Whether notifications reach other nodes. */
  notifies(): boolean
  readonly sharing: Sharing
}

type Parts = {
  readonly connections: Connections
  readonly look: Look
  readonly times: PostgresTimes
  readonly leaseMs: number
  readonly isAlone: boolean
  readonly health: Health
  readonly log: Log
  readonly clock?: Clock
}

const claimAttempts = 20
const claimPauseMs = 100
const takenForDead = 'this node showed no sign of life for longer than its lease; it claims its place again'
/** What databases without notifications answer: syntax_error, feature_not_supported. */
const unknownStatements: ReadonlySet<string> = new Set(['42601', '0A000'])

/** Claims a membership or throws a StartError, in which `place` names the database. */
export async function joinMembers(parts: Parts, place: string): Promise<Membership> {
  const { connections, look, times, leaseMs, health, log, clock = wallClock } = parts
  const part = health.part('database', { stopsCommands: true })
  const stopped = new AbortController()
  const leading: (() => void)[] = []
  let me: Me = { id: connections.name, epoch: newEpoch(), url: '', isAlone: parts.isAlone, leaseMs }
  let holder: pg.Client | undefined = await connections.open()
  let notifies = true
  let leadsUntilMs = 0
  let nodes = 1
  let notifications = 0
  let claims = 1
  let wake: (() => void) | undefined
  /** Members came or went since the last turn began. */
  let isStirred = false
  try {
    await claimFirst(holder)
    await listen(holder)
    await beatOnce(holder)
    if (notifies) await tellMembers(holder)
  } catch (error) {
    void holder.end().catch(() => undefined)
    throw error
  }

  async function claimFirst(client: pg.Client): Promise<void> {
    // The server needs a moment to notice that a node was killed: `deadClientsNoticed` of hosts.ts.
    for (let attempt = 1; ; attempt += 1) {
      const refusal = await claim(client, me)
      if (refusal === undefined) return
      if (attempt < claimAttempts) await pause(claimPauseMs)
      else if (refusal === 'others run') {
        throw new StartError(`another node is already running over the database at ${place}; stop it first`)
      } else throw new StartError(`another node or command uses the database at ${place} alone; wait until it ends`)
    }
  }

  async function listen(client: pg.Client): Promise<void> {
    client.on('notification', ({ payload }) => {
      if (payload === me.id) return
      notifications += 1
      if (payload === membersChanged) {
        isStirred = true
        wake?.()
        return
      }
      void look.look().catch(() => undefined) // The next turn of `watch` reports it.
    })
    try {
      await client.query(`LISTEN ${channel}`)
    } catch (error) {
      if (!unknownStatements.has((error as { code?: string }).code ?? '')) throw error
      if (notifies) log.warn({}, 'the database has no notifications: nodes learn of each other by looking')
      notifies = false
    }
  }

  async function beatOnce(client: pg.Client): Promise<void> {
    const sentMs = clock.elapsedMs()
    const found = await beat(client, me, signOfLifeTimeoutMs(times))
    if (nodes !== found.nodes) log.info({ nodes: found.nodes }, 'the number of nodes over the database has changed')
    nodes = found.nodes
    if (found.expired.length > 0) {
      log.warn({ nodes: found.expired }, 'nodes over the database show no sign of life; their work is taken over')
      await endConnectionsOf(client, found.expired).catch(() => undefined)
    }
    if (!found.isMember) await claimAgain(client)
    lead(found.hasDuty ? sentMs + leaseMs : 0)
  }

  async function claimAgain(client: pg.Client): Promise<void> {
    lose()
    const next = { ...me, epoch: newEpoch() }
    if ((await claim(client, next)) !== undefined) {
      throw new DatabaseUnfit('another node or command uses the database alone')
    }
    await look.dropAll() // Others may have believed that this node remembers nothing any more.
    me = next
    claims += 1
    log.info({}, 'this node is a member again')
  }

  function lose(): void {
    part.fail(takenForDead)
    leadsUntilMs = 0
  }

  function lead(untilMs: number): void {
    const isNew = !leads() && untilMs > clock.elapsedMs()
    leadsUntilMs = untilMs
    if (isNew) for (const listener of leading) listener()
  }

  function leads(): boolean {
    return clock.elapsedMs() < leadsUntilMs
  }

  /** One turn: connects if necessary, shows that the node lives, and looks for what others did. */
  async function turn(): Promise<void> {
    isStirred = false
    if (holder === undefined) {
      const client = await connections.open()
      try {
        if (stopped.signal.aborted) throw new DatabaseUnfit('the node stops')
        await connections.endGhosts(client)
        await listen(client)
      } catch (error) {
        void client.end().catch(() => undefined)
        throw error
      }
      holder = client
    }
    await beatOnce(holder)
    await look.look()
  }

  async function watch(): Promise<void> {
    let failures = 0
    while (!stopped.signal.aborted) {
      try {
        await turn()
        failures = 0
        part.work()
      } catch (error) {
        failures += 1
        if (!stopped.signal.aborted) {
          part.fail(meaningOf(error)?.words ?? 'the database does not work', reasonOf(error))
        }
        drop()
      }
      const isBroken = await pause(failures === 0 ? times.watchMs : backoffMs(failures))
      if (isBroken) drop() // Reconnecting usually works at once.
    }
  }

  /** A session keeps the settings of its start, such as being read-only, so it is replaced. */
  function drop(): void {
    if (holder === undefined) return
    connections.giveUp(holder)
    void holder.end().catch(() => undefined)
    holder = undefined
  }

  /** Ends early if the node stops, is needed, or the connection breaks; returns whether it broke. */
  async function pause(delayMs: number): Promise<boolean> {
    if (stopped.signal.aborted || isStirred) return false
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const timer = clock.after(delayMs, () => resolve(false))
    const [onEnd, onStop] = [() => resolve(true), () => resolve(false)]
    const watched = holder
    wake = onStop
    watched?.once('end', onEnd)
    stopped.signal.addEventListener('abort', onStop)
    try {
      return await promise
    } finally {
      timer.cancel()
      wake = undefined
      watched?.off('end', onEnd)
      stopped.signal.removeEventListener('abort', onStop)
    }
  }

  async function leaveAndTell(client: pg.Client): Promise<void> {
    await leave(client, me)
    if (notifies) await tellMembers(client)
  }

  const watching = watch()
  return {
    epochQuery: () => epochOf(me),
    check(row) {
      if (row?.epoch === me.epoch) return look.checkSchema(row)
      lose() // The next turn claims again, or finds that a later turn than this transaction's beginning has.
      wake?.()
      throw new DatabaseUnfit(takenForDead)
    },
    notifies: () => notifies,
    sharing: {
      nodeId: me.id,
      follow: look.follow,
      look: look.look,
      changes: look.changes,
      olderNodes: (query) => olderThan(me, query),
      isCurrent: () => clock.elapsedMs() - look.lookedAtMs() < leaseMs,
      leads,
      onLead: (listener) => void leading.push(listener),
      announce(url) {
        me = { ...me, url }
        if (holder !== undefined) void update(holder, me).catch(() => undefined)
      },
      async open() {
        if (!me.isAlone) return
        me = { ...me, isAlone: false }
        await connections.query(`UPDATE members SET is_alone = false WHERE id = '${me.id}'`)
      },
      counts: () => ({
        nodes,
        notifications,
        claims,
        lookAgeMs: clock.elapsedMs() - look.lookedAtMs(),
        ...look.counts(),
      }),
    },
    async [Symbol.asyncDispose]() {
      stopped.abort()
      const client = holder
      if (client !== undefined) {
        await settlesWithin(
          leaveAndTell(client).catch(() => undefined),
          closeTimeoutMs(times),
          clock,
        )
      }
      void client?.end().catch(() => undefined)
      await settlesWithin(watching, closeTimeoutMs(times), clock)
    },
  }
}

function newEpoch(): bigint {
  return systemRandom.bytes(8).readBigInt64BE()
}
