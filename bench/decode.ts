// Speed and memory of decoding, for DAR files given on the command line:
//   node --expose-gc bench/decode.ts FILE.dar …
// It prints the packages, MB of dalf per second (each package once, best of five rounds), the retained heap, and the
// time to compile everything that templates and interfaces reach.
import { readFileSync } from 'node:fs'
import { createEngine } from '../src/engine/engine.ts'
import { decodeArchive } from '../src/lf/archive/archive.ts'
import { bodiesIn, type DecodedPackage } from '../src/lf/archive/package.ts'
import { decodeDar } from '../src/lf/dar/dar.ts'

const rounds = 5
const files = process.argv.slice(2)
const dalfs = new Map<string, Uint8Array>()
let packages = 0

const darMs = time(() => {
  for (const file of files) {
    for (const entry of decodeDar(readFileSync(file)).packages) {
      packages++
      if (!dalfs.has(entry.package.id)) dalfs.set(entry.package.id, Buffer.from(entry.bytes))
    }
  }
})
const megabytes = [...dalfs.values()].reduce((sum, dalf) => sum + dalf.length, 0) / 1e6
console.log(`${files.length} DARs, ${packages} packages, ${dalfs.size} unique (${megabytes.toFixed(1)} MB), ids match`)
console.log(`DARs unzipped, decoded and checked, first and only round: ${darMs.toFixed(0)} ms`)

const best = { open: Infinity, check: Infinity, read: Infinity }
for (let round = 0; round < rounds; round++) {
  let opened: DecodedPackage[] = []
  best.open = Math.min(
    best.open,
    time(() => (opened = [...dalfs.values()].map((dalf) => decodeArchive(dalf)))),
  )
  best.check = Math.min(
    best.check,
    time(() => opened.forEach(({ checkBodies }) => void checkBodies())),
  )
  best.read = Math.min(
    best.read,
    time(() => opened.forEach(readBodies)),
  )
}
report('open (tables, types, definitions)', best.open)
report('check (every expression once)', best.check)
report('open and check', best.open + best.check)
report('read every body', best.read)

if (globalThis.gc) {
  const before = heapMegabytes()
  const kept = [...dalfs.values()].map((dalf) => decodeArchive(dalf).package)
  console.log(`heap for ${kept.length} open packages: ${(heapMegabytes() - before).toFixed(1)} MB beside their bytes`)
}

const engine = createEngine(new Map([...dalfs].map(([id, dalf]) => [id, decodeArchive(dalf).package])))
const compileMs = time(() => [...dalfs.keys()].forEach((id) => void engine.code.compileAhead(id)))
console.log(`everything reachable compiled, first and only round: ${compileMs.toFixed(0)} ms`)

function readBodies({ package: { modules } }: DecodedPackage): void {
  for (const module of modules.values()) for (const body of bodiesIn(module)) body()
}

function report(what: string, ms: number): void {
  console.log(`${what}: ${ms.toFixed(0)} ms, ${((megabytes / ms) * 1000).toFixed(1)} MB/s`)
}

function time(action: () => void): number {
  const start = performance.now()
  action()
  return performance.now() - start
}

function heapMegabytes(): number {
  globalThis.gc?.()
  return process.memoryUsage().heapUsed / 1e6
}
