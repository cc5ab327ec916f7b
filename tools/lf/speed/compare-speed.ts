// Compares the speed of our engine with the reference's, in turns: ours in this process, the reference in another, each in
// CPU time of one thread. Prints the best round of each, the ratio and the aim.
//
//   node tools/lf/speed/compare-speed.ts FOLDER CLASSPATH [NAME] [DAR]…   the script `run` calls it
import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { createEngine } from '../../../src/engine/engine.ts'
import { createInterpreter } from '../../../src/engine/interpreter.ts'
import { checkDar } from '../../../src/lf/checking/check-dar.ts'
import { createPackageChecker } from '../../../src/lf/checking/check-package.ts'
import { decodeDar, openDar } from '../../../src/lf/dar/dar.ts'
import type { Package, Type } from '../../../src/lf/syntax/ast.ts'
import { type Loaded, load } from '../../../test/differential/load.ts'
import { type Recorded, readRecorded } from '../../../test/differential/recorded-values.ts'
import { submissionOf } from '../../../test/differential/replay-submissions.ts'
import { ledgerOf } from '../../../test/support/engine/ledger.ts'
import { iouWith, requestOf } from '../../../test/support/engine/requests.ts'
import { settings } from '../cases/case.ts'
import { builtinRows, fromJson, generated, interpretationAim, interpreted, type SpeedRow, tokenRows } from './rows.ts'

/** Many short rounds: on a busy machine a few of them are undisturbed. The first ones warm both sides up. */
const rounds = Number(process.env.ROUNDS ?? 50)
const roundMs = 50
/** Between two looks at the clock, which takes as long as a tenth of a small command. */
const runsAtOnce = 20
const checkAim = 3

const [folder, classPath, wanted = '', ...dars] = process.argv.slice(2) as [string, string, string?, ...string[]]
const quickstart = 'packages/quickstart/quickstart.dar'
const generatedFile = `${folder}/generated.dar`
writeFileSync(generatedFile, generated(50).bytes)

const { recording } = load('quickstart')
const commandRows = interpreted.map(
  (name): SpeedRow => ({
    name: `quickstart: ${name}`,
    case: recording.cases.find((one: Recorded) => one.name === name),
    operations: 1,
    aim: interpretationAim,
  }),
)
const darRow = (name: string, dar: string): SpeedRow => ({
  name: `decode and check ${name}`,
  case: { dar },
  operations: 1,
  aim: checkAim,
})
const allRows: SpeedRow[] = [
  ...commandRows,
  ...tokenRows,
  fromJson,
  ...builtinRows,
  darRow('a generated DAR of 50 packages', generatedFile),
  ...dars.map((dar) => darRow(dar.split('/').at(-1)!, dar)),
]
const needed = new Set(
  allRows.filter(({ name }) => name.includes(wanted)).flatMap(({ name, without }) => [name, without]),
)
const rows = allRows.filter(({ name }) => needed.has(name))

const input = { ...settings, dars: [quickstart, `${folder}/speed.dar`], cases: rows.map((row) => row.case) }
writeFileSync(`${folder}/cases.json`, JSON.stringify(input))
const reference = await startReference()
const loaded = loadSpeed()
const ours = rows.map(ourRun)
const best = new Map<string, { ours: number; reference: number }>()
for (let round = 0; round < rounds; round += 1) {
  for (const [index, { name, operations }] of rows.entries()) {
    const nanos = { ours: ourNanos(ours[index]!), reference: await reference.nanos(index) }
    const known = best.get(name)
    best.set(name, {
      ours: Math.min(known?.ours ?? Infinity, nanos.ours / operations),
      reference: Math.min(known?.reference ?? Infinity, nanos.reference / operations),
    })
  }
}
reference.end()
for (const row of rows) print(row)

function print({ name, without, aim }: SpeedRow): void {
  const loop = without === undefined ? { ours: 0, reference: 0 } : best.get(without)!
  const { ours, reference } = best.get(name)!
  // A builtin that costs next to nothing disappears in what its loop costs: both then count as a nanosecond.
  const [a, b] = [Math.max(1, ours - loop.ours), Math.max(1, reference - loop.reference)]
  const verdict = aim === undefined ? '' : `aim ${aim}: ${b / a >= aim ? 'met' : 'MISSED'}`
  const whole = without === undefined ? '' : `, ${(reference / ours).toFixed(2)} × with its loop`
  console.log(`${name.padEnd(68)} ${shown(a)} ${shown(b)} ${(b / a).toFixed(2).padStart(7)} × ${verdict}${whole}`)
}

function shown(nanos: number): string {
  return `${(nanos / 1000).toFixed(nanos < 1e5 ? 3 : 0)} µs`.padStart(14)
}

function ourNanos(run: () => void): number {
  const start = process.threadCpuUsage()
  const used = (): number => {
    const { user, system } = process.threadCpuUsage(start)
    return user + system
  }
  let runs = 0
  for (;;) {
    run()
    runs += 1
    if (runs <= runsAtOnce || runs % runsAtOnce === 0) {
      const micros = used()
      if (micros >= roundMs * 1000) return (micros * 1000) / runs
    }
  }
}

function ourRun({ case: one, isFromJson }: SpeedRow): () => void {
  if (typeof one.dar === 'string') {
    const { dar } = one
    return () => {
      const { problems } = checkDar(openDar(readFileSync(dar)), {
        isTrusted: () => false,
        createChecker: createPackageChecker,
      })
      if (problems[0] !== undefined) throw problems[0].error
    }
  }
  if (isFromJson) return jsonRun()
  if (one.commands !== undefined) {
    const submission = submissionOf(one, loaded)
    return () => void loaded.engine.interpret(submission)
  }
  const id = loaded.identifier(one.evaluate as string)
  const { type } = loaded.packages.get(id.packageId)!.modules.get(id.module)!.values.get(id.name)!
  const args = (one.arguments as Recorded[]).map((arg, index) => {
    return readRecorded(arg, parameters(type)[index]!, loaded.engine.dataTypes)
  })
  return () => void loaded.engine.evaluate(id, args, 1e9)
}

function jsonRun(): () => void {
  const { main, packages } = decodeDar(readFileSync(quickstart))
  const interpreter = createInterpreter(ledgerOf({ dalfs: packages }))
  const split = {
    kind: 'create-and-exercise',
    templateId: `${main.package.id}:Iou:Iou`,
    createArguments: iouWith(),
    choice: 'Iou_Split',
    choiceArgument: { amount: '40' },
  } as const
  return () => void interpreter.interpret(requestOf({ commands: [split] }), { stepsMax: 1e8 })
}

function parameters(type: Type): Type[] {
  return type.kind === 'builtin' && type.name === 'Arrow' ? [type.args[0]!, ...parameters(type.args[1]!)] : []
}

function loadSpeed(): Loaded {
  const packages = new Map<string, Package>()
  const ids = new Map<string, string>()
  for (const dar of input.dars) {
    const { main, packages: all } = decodeDar(readFileSync(dar))
    ids.set(main.package.name, main.package.id)
    for (const one of all) packages.set(one.package.id, one.package)
  }
  return {
    recording: { ...settings, packages: Object.fromEntries(ids) },
    packages,
    engine: createEngine(packages),
    identifier(text) {
      const [of, module, name] = text.split(':') as [string, string, string]
      return { packageId: of.startsWith('#') ? ids.get(of.slice(1))! : of, module, name }
    },
  }
}

async function startReference() {
  const main = 'com.digitalasset.daml.lf.tallystick.Main'
  const args = ['-Xmx4g', '-Xss64m', '-XX:+UseParallelGC', '-cp', classPath, main, 'speed', `${folder}/cases.json`]
  const child = spawn('java', args, { stdio: ['pipe', 'pipe', 'inherit'] })
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  const next = async (): Promise<string> => {
    const { value, done } = await lines.next()
    if (done) throw new Error('the reference ended')
    return /^(ready|\d+)$/.test(value) ? value : next() // Its log.
  }
  await next()
  return {
    async nanos(index: number): Promise<number> {
      child.stdin.write(`${index} ${roundMs}\n`)
      return Number(await next())
    },
    end: () => child.stdin.end(),
  }
}
