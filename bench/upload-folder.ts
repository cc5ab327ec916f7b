// Uploads every DAR file of a folder to a fresh node, one after the other in the order of their names:
//   node bench/upload-folder.ts FOLDER
// It prints the CPU time that the node used for it, and the slowest files.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { startLedger } from './ledger.ts'
import { cpuMsOf, temporaryFolder } from './processes.ts'

const folder = process.argv[2]!
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.dar'))
  .sort()

using data = temporaryFolder()
await using ledger = await startLedger(data.path)
const { server, headers } = ledger
const before = cpuMsOf(server.pid)
const startedMs = performance.now()
const uploads: { file: string; tookMs: number; cpuMs: number; status: number }[] = []
for (const file of files) {
  const body = readFileSync(join(folder, file))
  const [fromMs, fromCpuMs] = [performance.now(), cpuMsOf(server.pid)]
  const response = await fetch(`${server.url}/v2/dars`, { method: 'POST', headers, body })
  await response.arrayBuffer()
  const { status } = response
  uploads.push({ file, tookMs: performance.now() - fromMs, cpuMs: cpuMsOf(server.pid) - fromCpuMs, status })
}
const { packageIds } = (await ledger.call('GET', '/v2/packages')) as { packageIds: string[] }
const refused = uploads.filter(({ status }) => status !== 200).length
console.log(`${files.length} DARs, ${refused} refused; the node has ${packageIds.length} packages`)
console.log(`CPU ${seconds(cpuMsOf(server.pid) - before)} s, wall clock ${seconds(performance.now() - startedMs)} s`)
for (const { file, tookMs, cpuMs } of uploads.toSorted((a, b) => b.tookMs - a.tookMs).slice(0, 5)) {
  console.log(`${seconds(tookMs)} s, CPU ${seconds(cpuMs)} s: ${file}`)
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(2)
}
