// How long a development node takes for a snapshot and for restoring it, and the test kit for another node.
import { existsSync } from 'node:fs'
import { large } from './large-ledger.ts'
import type { BenchLedger } from './ledger.ts'
import { median, temporaryFolder } from './processes.ts'
import { startFilled } from './reading.ts'

const smallUpdates = 1_000
const rounds = 7

export async function snapshots(what: 'take' | 'restore', size: 'small' | 'large') {
  const aimMs = size === 'large' ? 2_000 : what === 'take' ? 20 : 50
  using own = temporaryFolder()
  await using ledger = size === 'large' ? await large() : await startFilled(own.path, smallUpdates)
  const ms = await timed(what, ledger)
  return { ours: Math.round(ms * 10) / 10, theirs: aimMs, unit: 'ms', ratio: ms / aimMs }
}

async function timed(what: 'take' | 'restore', { call }: BenchLedger): Promise<number> {
  await call('POST', '/dev/snapshots', { name: 'bench' })
  const tookMs: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    if (what === 'take') await call('DELETE', '/dev/snapshots/bench')
    const startedMs = performance.now()
    if (what === 'take') await call('POST', '/dev/snapshots', { name: 'bench' })
    else await call('POST', '/dev/snapshots/bench/restore')
    tookMs.push(performance.now() - startedMs)
  }
  await call('DELETE', '/dev/snapshots/bench')
  return median(tookMs)
}

/** Of the bundle, as applications load it. */
async function kit(): Promise<typeof import('../src/kit/start-node.ts')> {
  const bundled = new URL('../dist/index.mjs', import.meta.url)
  return import(existsSync(bundled) ? bundled.href : '../src/kit/start-node.ts')
}

/** From the call until the first request could be sent, against the aim. */
export async function furtherNode() {
  const aimMs = 40
  const { startNode } = await kit()
  await using nodes = new AsyncDisposableStack()
  const start = async () => {
    const startedMs = performance.now()
    nodes.use(await startNode())
    return performance.now() - startedMs
  }
  await start()
  const tookMs: number[] = []
  for (let count = 0; count < 30; count += 1) tookMs.push(await start())
  const ms = median(tookMs)
  return { ours: Math.round(ms), theirs: aimMs, unit: 'ms', ratio: ms / aimMs }
}

/** Between two tests, in memory, with a thousand contracts. */
export async function restoreInProcess() {
  const aimMs = 20
  const { startNode } = await kit()
  await using node = await startNode()
  const owner = await node.party('owner')
  const createArguments = { issuer: owner, owner, amount: '1', currency: 'EUR', observers: [] }
  const create = { CreateCommand: { templateId: '#quickstart:Iou:Iou', createArguments } }
  await node.submit(Array(1_000).fill(create), { actAs: owner })
  const name = await node.snapshot()
  const tookMs: number[] = []
  for (let count = 0; count < 30; count += 1) {
    const startedMs = performance.now()
    await node.restore(name)
    tookMs.push(performance.now() - startedMs)
  }
  const ms = median(tookMs)
  return { ours: Math.round(ms * 10) / 10, theirs: aimMs, unit: 'ms', ratio: ms / aimMs }
}
