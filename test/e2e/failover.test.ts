// A PostgreSQL primary with a synchronous standby, both in the node's list of hosts. The standby loses touch for a
// while, so commits wait; then the primary dies and the standby is promoted. Nothing that was acknowledged is lost, and
// the command that waited finishes. Updates are read from the standby all the time, as far as it has them.
// `npm run attack -- 'PostgreSQL faults'` does this at random moments, again and again.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkUntilKept } from '../fixtures/crash-checks.ts'
import { createWitness, untilAnswered, workUntilDeath } from '../fixtures/crash-load.ts'
import { openFailoverPlace } from '../fixtures/database-faults.ts'
import { createDice } from '../fixtures/dice.ts'
import { createLedgerClient, insisting, partyNamed, userId } from '../fixtures/ledger-client.ts'
import { startTestNode } from '../fixtures/node.ts'
import { until } from '../fixtures/until.ts'

/** Short timeouts for a short test; the code that handles them is the same. */
const times = { postgresConnectTimeoutMs: 2_500, postgresQueryTimeoutMs: 2_500, postgresWatchMs: 100 }

test('a failover to a synchronous standby loses nothing that was acknowledged', async (t) => {
  await using place = await openFailoverPlace()
  const { server, standby, listUrl } = place
  const standbyUrl = new URL(place.databaseUrl)
  standbyUrl.port = String(standby.port)
  const settings = { store: { ...times, postgresReplicaUrl: standbyUrl.href }, auth: { mode: 'off' } } as const
  await using node = await startTestNode({ store: 'postgres', postgresUrl: listUrl, settings })
  const client = createLedgerClient(node.url)
  const [owner, observer] = [await partyNamed(client, 'owner'), await partyNamed(client, 'observer')]
  const witness = createWitness()
  let isOver = false
  const outages = { isOver: () => isOver }
  const work = workUntilDeath({ client, witness, dice: createDice(1), owner, observer, outages })
  work.catch(() => undefined) // Awaited below.
  try {
    await untilAnswered(witness, 40, work)
    await standby.cutOff()
    const waiting = insisting(client).post('/v2/commands/submit-and-wait', creation(owner))
    await until(async () => /\[-\] database failed/.test((await node.call('GET', '/readyz')).text))
    const killedMs = performance.now()
    await server.kill()
    await standby.promote()
    const promotedMs = performance.now()
    await untilAnswered(witness, 1, work)
    const [sinceKill, sincePromotion] = [killedMs, promotedMs].map((ms) => Math.round(performance.now() - ms))
    t.diagnostic(`first commit ${sinceKill} ms after the kill, ${sincePromotion} ms after the promotion`)
    const reply = await waiting
    assert.deepEqual([reply?.status, reply?.json.code], [200, undefined])
    await untilAnswered(witness, 40, work)
  } finally {
    isOver = true
  }
  await work
  await checkUntilKept(client, witness)
  assert.equal((await node.call('GET', '/readyz')).status, 200)
  assert.match((await node.call('GET', '/metrics')).text, /^tallystick_replica_reads_total{by="replica"} [1-9]/m)
})

function creation(owner: string): object {
  const createArguments = { issuer: owner, owner, amount: '1', currency: 'EUR', observers: [] }
  const create = { CreateCommand: { templateId: '#quickstart:Iou:Iou', createArguments } }
  return { commandId: 'waiting', userId, actAs: [owner], commands: [create] }
}
