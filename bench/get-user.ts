// Requests per second of the simplest authenticated read.
import { execFileSync } from 'node:child_process'
import autocannon from 'autocannon'
import { baseline, median, startServer, tallystick, temporaryFolder } from './processes.ts'

const rounds = 5
const path = '/v2/users/participant_admin'

export async function getUser() {
  using folder = temporaryFolder()
  await using ours = await startServer(
    tallystick('start', '--port', '0', '--log-level', 'warn', '--data', folder.path),
    '/readyz',
  )
  const token = execFileSync(
    process.execPath,
    tallystick('token', '--user', 'participant_admin', '--data', folder.path),
  )
  const headers = { authorization: `Bearer ${token.toString().trim()}` }
  const body = await (await fetch(ours.url + path, { headers })).text()
  await using theirs = await startServer(baseline('fastify.mjs', body), path)
  const load = async (url: string) => {
    const { requests, non2xx } = await autocannon({ url: url + path, headers, connections: 32, duration: 3 })
    if (non2xx > 0) throw new Error(`${url} refused ${non2xx} requests`)
    return requests.average
  }
  await Promise.all([load(ours.url), load(theirs.url)]) // Warms both up before either counts.
  const results: [number, number][] = []
  for (let round = 0; round < rounds; round += 1) results.push([await load(ours.url), await load(theirs.url)])
  const [a, b] = [median(results.map(([one]) => one)), median(results.map(([, other]) => other))]
  return { ours: Math.round(a), theirs: Math.round(b), unit: 'requests/s', ratio: a / b }
}
