// Sends the commands of the benchmark to any participant and measures commands per second, the wait for one, its CPU
// and its memory. The participant runs already, requires no token, and is asked over the JSON Ledger API only.
//
//   node_modules/.bin/node bench/participant.ts URL PID [--connections 32]
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import autocannon from 'autocannon'
import { createAndExercise, quickstart } from './ledger.ts'
import { cpuMsOfTree, median } from './processes.ts'

const rounds = 3
const roundSeconds = 10
/** Both V8 and the JVM optimise only what has run ten thousand times. */
const warmSeconds = 60
const waits = 100
const userId = 'participant_admin'

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { connections: { type: 'string', default: '32' } },
})
const [url, pid] = positionals
if (url === undefined || pid === undefined) throw new Error('usage: bench/participant.ts URL PID [--connections 32]')
const connections = Number(values.connections)

const idleMb = residentMb()
await call('/v2/packages', readFileSync(quickstart), 'application/octet-stream')
const run = Math.random().toString(36).slice(2)
const parties = [await allocated(`issuer-${run}`), await allocated(`owner-${run}`)] as const
let number = 0
let refused = 0

await load(warmSeconds)
refused = 0
const rates: number[] = []
const [numberBefore, cpuMsBefore] = [number, cpuMsOfTree(Number(pid))]
for (let round = 0; round < rounds; round += 1) rates.push(await load(roundSeconds))
const cpuMs = (cpuMsOfTree(Number(pid)) - cpuMsBefore) / (number - numberBefore)
print(
  `commands  ${rates.map(Math.round).join(', ')} per s (submit-and-wait, ${connections} connections; ${refused} refused)`,
)
print(`CPU       ${cpuMs.toFixed(2)} ms for each`)
print(`memory    ${idleMb} MB before the first command, ${residentMb()} MB after ${number}`)
const waitsMs: number[] = []
for (let turn = 0; turn < waits; turn += 1) {
  const startedMs = performance.now()
  await call('/v2/commands/submit-and-wait', nextCommand())
  waitsMs.push(performance.now() - startedMs)
}
print(`wait      ${median(waitsMs).toFixed(1)} ms (one connection)`)

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}

function nextCommand(): string {
  number += 1
  return JSON.stringify({ ...createAndExercise(parties, `${run}-${number}`), userId })
}

async function load(seconds: number): Promise<number> {
  const result = await autocannon({
    url: `${url}/v2/commands/submit-and-wait`,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    requests: [{ setupRequest: (request) => ({ ...request, body: nextCommand() }) }],
    connections,
    duration: seconds,
    timeout: 60,
  })
  refused += result.non2xx
  return result['2xx'] / result.duration
}

async function allocated(hint: string): Promise<string> {
  const { partyDetails } = await call('/v2/parties', JSON.stringify({ partyIdHint: hint }))
  const right = { kind: { CanActAs: { value: { party: partyDetails.party } } } }
  await call(`/v2/users/${userId}/rights`, JSON.stringify({ userId, rights: [right] }))
  return partyDetails.party
}

// biome-ignore lint/suspicious/noExplicitAny: answers of several operations.
async function call(path: string, body: string | Uint8Array<ArrayBuffer>, type = 'application/json'): Promise<any> {
  const response = await fetch(url + path, { method: 'POST', headers: { 'content-type': type }, body })
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
  return response.json()
}

function residentMb(): number {
  const kilobytes = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]
  return Math.round(Number(kilobytes) / 1024)
}
