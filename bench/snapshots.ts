// How long a development node takes for a snapshot and for restoring it, and the test kit for another node.
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { large } from './large-ledger.ts'
import type { BenchLedger } from './ledger.ts'
import { median, temporaryFolder } from './processes.ts'
import { startFilled } from './reading.ts'

const smallUpdates = 1_000
const rounds = 7

type Operation = 'take' | 'restore' | 'reset'

export async function snapshots(what: Operation, size: 'small' | 'large') {
  const aimMs = size === 'large' ? 2_000 : what === 'take' ? 20 : 50
  using own = temporaryFolder()
  await using ledger = size === 'large' ? await large() : await startFilled(own.path, smallUpdates)
  const ms = await timed(what, ledger)
  return { ours: Math.round(ms * 10) / 10, theirs: aimMs, unit: 'ms', ratio: ms / aimMs }
}

async function timed(what: Operation, { call }: BenchLedger): Promise<number> {
  await call('POST', '/dev/snapshots', { name: 'bench' })
  const tookMs: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    if (what === 'take') await call('DELETE', '/dev/snapshots/bench')
    const startedMs = performance.now()
    if (what === 'take') await call('POST', '/dev/snapshots', { name: 'bench' })
    else if (what === 'restore') await call('POST', '/dev/snapshots/bench/restore')
    else await call('POST', '/dev/reset')
    tookMs.push(performance.now() - startedMs)
    if (what === 'reset') await call('POST', '/dev/snapshots/bench/restore') // The other rows need it.
  }
  await call('DELETE', '/dev/snapshots/bench')
  return median(tookMs)
}

/** Of the bundle, as applications load it. */
function kitUrl(): string {
  const bundled = new URL('../dist/index.mjs', import.meta.url)
  return (existsSync(bundled) ? bundled : new URL('../src/kit/start-node.ts', import.meta.url)).href
}

async function kit(): Promise<typeof import('../src/kit/start-node.ts')> {
  return import(kitUrl())
}

/** A number that a program prints, in a process of its own. */
function measured(program: string): number {
  const source = `const { startNode } = await import(${JSON.stringify(kitUrl())})\n${program}\nprocess.exit(0)`
  return Number(execFileSync(process.execPath, ['--input-type=module', '--eval', source], { encoding: 'utf8' }))
}

/** From the call in a new process until the first request could be sent, against the aim. */
export async function firstNode() {
  const aimMs = 300
  const program = `const before = performance.now()
    await startNode()
    console.log(performance.now() - before)`
  const ms = median(Array.from({ length: rounds }, () => measured(program)))
  return { ours: Math.round(ms), theirs: aimMs, unit: 'ms', ratio: ms / aimMs }
}

/** Resident memory of a process with a hundred nodes, each of which has answered a request, against the aim. */
export async function hundredNodes() {
  const aimMb = 1024
  const mb = measured(`for (let count = 0; count < 100; count += 1) await (await startNode()).party('alice')
    console.log(process.memoryUsage.rss() / 1024 / 1024)`)
  return { ours: Math.round(mb), theirs: aimMb, unit: 'MB', ratio: mb / aimMb }
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
