// Interpretation in threads: the cost of the round trip to a thread, of a question to the ledger on top, and the
// latency of small requests beside one that uses up its whole budget.
import { readFileSync } from 'node:fs'
import { wallClock } from '../src/base/clock.ts'
import { createInterpreter, type InterpretationRequest } from '../src/engine/interpreter.ts'
import { type EnginePool, openEnginePool } from '../src/engine/pool/pool.ts'
import { decodeDar } from '../src/lf/dar/dar.ts'
import { hostilePackage } from '../test/support/engine/hostile-package.ts'
import { ledgerOf } from '../test/support/engine/ledger.ts'
import { createdBy, iouWith, requestOf } from '../test/support/engine/requests.ts'
import { median } from './processes.ts'

const settings = { stackMb: 64, heapMb: 512, queueMax: 1000, clock: wallClock }
const rounds = 5
const perRound = 4_000
const inFlight = 16
const { main, packages } = decodeDar(readFileSync(new URL('../packages/quickstart/quickstart.dar', import.meta.url)))
const ledger = ledgerOf({ dalfs: packages })

const create = { kind: 'create', templateId: `${main.package.id}:Iou:Iou`, createArguments: iouWith() } as const
const split = { ...create, kind: 'create-and-exercise', choice: 'Iou_Split', choiceArgument: { amount: '40' } } as const
const splits: InterpretationRequest = requestOf({ commands: [split] })

/** Requests per second of a CreateAndExercise with four nodes: through the pool, and in this process. */
export async function throughPool(threads: number) {
  await using pool = openEnginePool({ ...settings, ledger, threads, stepsMax: 1e8, wallClockMs: 10_000 })
  const interpreter = createInterpreter(ledger)
  return await compared(
    () => inParallel(pool, splits),
    async () => {
      for (let count = 0; count < perRound; count += 1) interpreter.interpret(splits, { stepsMax: 1e8 })
    },
  )
}

/** Requests per second of an exercise whose contract the thread must ask for, and of one that includes it. */
export async function askingFirst(threads: number) {
  const [iou] = createdBy(createInterpreter(ledger).interpret(requestOf({ commands: [create] }), { stepsMax: 1e8 }))
  const contracts = [iou!]
  const asked = ledgerOf({ dalfs: packages, contracts })
  await using pool = openEnginePool({ ...settings, ledger: asked, threads, stepsMax: 1e8, wallClockMs: 10_000 })
  const { templateId, choice, choiceArgument } = split
  const commands = [{ kind: 'exercise', templateId, contractId: iou!.id, choice, choiceArgument } as const]
  return await compared(
    () => inParallel(pool, requestOf({ commands })),
    () => inParallel(pool, requestOf({ commands, contracts })),
  )
}

async function compared(our: () => Promise<void>, their: () => Promise<void>) {
  const results: [number, number][] = []
  for (let round = 0; round <= rounds; round += 1) results.push([await perSecond(our), await perSecond(their)])
  const measured = results.slice(1) // The first round warms up.
  const [a, b] = [median(measured.map(([one]) => one)), median(measured.map(([, other]) => other))]
  return { ours: Math.round(a), theirs: Math.round(b), unit: 'interpretations/s', ratio: a / b }
}

/** The 99th percentile of sequential small requests while another uses up its budget. */
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

async function inParallel(pool: EnginePool, request: InterpretationRequest): Promise<void> {
  let left = perRound
  const worker = async () => {
    while (left > 0) {
      left -= 1
      await pool.interpret(request)
    }
  }
  await Promise.all(Array.from({ length: inFlight }, worker))
}

async function perSecond(run: () => Promise<void>): Promise<number> {
  const startedMs = performance.now()
  await run()
  return (perRound / (performance.now() - startedMs)) * 1000
}
