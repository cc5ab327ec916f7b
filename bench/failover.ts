// From the death of a PostgreSQL primary under a node that lists both hosts to the first commit on its promoted standby,
// against the time until that server takes a write of a bare client. The promotion begins with the kill: what finds out
// that a primary is dead is not ours.
import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import { openFailoverPlace } from '../test/fixtures/database-faults.ts'
import { createAndExercise, post, startLedger } from './ledger.ts'
import { median, temporaryFolder } from './processes.ts'

const rounds = 3
const warmCommands = 200
const betweenAttemptsMs = 2

export async function fromKillToCommit() {
  const measured: { ours: number; theirs: number }[] = []
  for (let round = 0; round < rounds; round += 1) measured.push(await failOver())
  const ours = Math.round(median(measured.map((one) => one.ours)))
  const theirs = Math.round(median(measured.map((one) => one.theirs)))
  return { ours, theirs, unit: 'ms', ratio: ours / theirs }
}

async function failOver(): Promise<{ ours: number; theirs: number }> {
  using folder = temporaryFolder()
  await using place = await openFailoverPlace()
  const { server, standby, databaseUrl, listUrl } = place
  await using ledger = await startLedger(folder.path, 'postgres', { postgresUrl: listUrl })
  const submit = (commandId: string) =>
    post(
      `${ledger.server.url}/v2/commands/submit-and-wait`,
      ledger.headers,
      JSON.stringify(createAndExercise(ledger.parties, commandId)),
    )
  for (let count = 0; count < warmCommands; count += 1) await submit(`warm-${count}`)
  const promoted = new URL(databaseUrl)
  promoted.port = String(standby.port)
  const killedMs = performance.now()
  const since = () => performance.now() - killedMs
  await server.kill()
  const [theirs, ours] = await Promise.all([
    untilDone(() => write(promoted.href)).then(since),
    untilDone((count) => submit(`after-${count}`)).then(since),
    standby.promote(),
  ])
  return { ours, theirs }
}

async function untilDone(attempt: (count: number) => Promise<unknown>): Promise<void> {
  for (let count = 0; ; count += 1) {
    try {
      await attempt(count)
      return
    } catch {
      await setTimeout(betweenAttemptsMs)
    }
  }
}

async function write(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query('CREATE TABLE IF NOT EXISTS written (n BIGINT)')
  } finally {
    await client.end()
  }
}
