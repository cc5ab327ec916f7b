// Interpretation in threads: what the way to a thread and back costs, and how long small requests take beside one that
// burns its whole budget.
import { readFileSync } from 'node:fs'
import { wallClock } from '../src/base/clock.ts'
import { createInterpreter, type InterpretationRequest } from '../src/engine/interpreter.ts'
import { type EnginePool, openEnginePool } from '../src/engine/pool.ts'
import { hostilePackage } from '../src/engine/testing/hostile-package.ts'
import { ledgerOf } from '../src/engine/testing/ledger.ts'
import { iouWith, requestOf } from '../src/engine/testing/requests.ts'
import { decodeDar } from '../src/lf/dar.ts'
import { median } from './processes.ts'

const settings = { stackMb: 64, heapMb: 512, queueMax: 1000, clock: wallClock }
const rounds = 5
const perRound = 4_000
const inFlight = 16
const { main, packages } = decodeDar(readFileSync(new URL('../packages/quickstart/quickstart.dar', import.meta.url)))
const ledger = ledgerOf({ dalfs: packages })

const splits: InterpretationRequest = requestOf({
  commands: [
    {
      kind: 'create-and-exercise',
      templateId: `${main.package.id}:Iou:Iou`,
      createArguments: iouWith(),
      choice: 'Iou_Split',
      choiceArgument: { amount: '40' },
    },
  ],
})

/** Requests per second of a CreateAndExercise with four nodes: through the pool, and in the process. */
export async function throughPool(threads: number) {
  await using pool = openEnginePool({ ...settings, ledger, threads, stepsMax: 1e8, wallClockMs: 10_000 })
  const interpreter = createInterpreter(ledger)
  const results: [number, number][] = []
  for (let round = 0; round <= rounds; round += 1) {
    const ours = await perSecond(() => inParallel(pool))
    const theirs = await perSecond(async () => {
      for (let count = 0; count < perRound; count += 1) interpreter.interpret(splits, { stepsMax: 1e8 })
    })
    results.push([ours, theirs])
  }
  const measured = results.slice(1) // The first round warms up.
  const [a, b] = [median(measured.map(([one]) => one)), median(measured.map(([, other]) => other))]
  return { ours: Math.round(a), theirs: Math.round(b), unit: 'interpretations/s', ratio: a / b }
}

/** The 99th percentile of one small request after the other, while another burns. */
export async function besideBurning() {
  const aimMs = 50
  const hostile = hostilePackage()
  const ledger = ledgerOf({ dalfs: [...packages, { bytes: hostile.dalf }] })
  await using pool = openEnginePool({ ...settings, ledger, threads: 2, stepsMax: 1e15, wallClockMs: 3_000 })
  for (let count = 0; count < 2_000; count += 1) await pool.interpret(splits)
  let isBurning = true
  const burning = pool
    .interpret(requestOf({ commands: [hostile.command('Loop')], actAs: ['Alice'] }))
    .catch(() => (isBurning = false))
  const tookMs: number[] = []
  while (isBurning) {
    const startedMs = performance.now()
    await pool.interpret(splits)
    tookMs.push(performance.now() - startedMs)
  }
  await burning
  const p99 = tookMs.sort((x, y) => x - y)[Math.floor(tookMs.length * 0.99)]!
  return { ours: Number(p99.toFixed(2)), theirs: aimMs, unit: 'ms', ratio: p99 / aimMs }
}

async function inParallel(pool: EnginePool): Promise<void> {
  let left = perRound
  const worker = async () => {
    while (left > 0) {
      left -= 1
      await pool.interpret(splits)
    }
  }
  await Promise.all(Array.from({ length: inFlight }, worker))
}

async function perSecond(run: () => Promise<void>): Promise<number> {
  const startedMs = performance.now()
  await run()
  return (perRound / (performance.now() - startedMs)) * 1000
}
