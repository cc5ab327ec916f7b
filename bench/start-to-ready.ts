// From the start of the process to its first answered request.
import { baseline, median, startServer, tallystick, temporaryFolder } from './processes.ts'

const rounds = 15

export async function startToReady(ledger: 'existing' | 'fresh') {
  using kept = temporaryFolder()
  const startOurs = async () => {
    using own = temporaryFolder()
    const folder = ledger === 'existing' ? kept : own
    await using server = await startServer(
      tallystick('start', '--port', '0', '--log-level', 'warn', '--data', folder.path),
      '/readyz',
    )
    return server.readyMs
  }
  const startTheirs = async () => {
    await using server = await startServer(baseline('http.mjs'), '/')
    return server.readyMs
  }
  await startOurs() // Fills the compile cache and creates the ledger.
  await startTheirs()
  const results: [number, number][] = []
  for (let round = 0; round < rounds; round += 1) results.push([await startOurs(), await startTheirs()])
  const [a, b] = [median(results.map(([one]) => one)), median(results.map(([, other]) => other))]
  return { ours: Math.round(a), theirs: Math.round(b), unit: 'ms', ratio: a / b }
}
