// npm run attack: everything a stranger may upload, send or unplug, again and again, and what it broke.
//
//   npm run attack                              all campaigns, about half an hour
//   npm run attack -- NAME                      those whose name contains NAME
//   npm run attack -- NAME --seed 7 --times 1   one again, with the choices of an earlier run
//   npm run attack -- --short                   a handful of each, as npm test does
//   npm run attack -- --list                    what there is, and the invariant of each
//   npm run attack -- localnet --splice-dars DIR   needs the packages of Splice, and is skipped without them
import { parseArgs } from 'node:util'
import { darsVariable } from '../test/fixtures/localnet.ts'
import { rememberPostgres, startPostgres } from '../test/fixtures/postgres.ts'
import type { Campaign } from './campaign.ts'
import { campaigns } from './campaigns/all.ts'
import { type Finished, failureText, summary, tableHead, tableRow } from './report.ts'
import { runCampaign } from './run.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string' },
    times: { type: 'string' },
    short: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
    'splice-dars': { type: 'string' },
  },
})
if (values['splice-dars'] !== undefined) process.env[darsVariable] = values['splice-dars']
const chosen = campaigns.filter(
  ({ name }) => positionals.length === 0 || positionals.some((text) => name.includes(text)),
)
const print = (text: string) => process.stdout.write(`${text}\n`)

if (chosen.length === 0) {
  print(`no campaign is called ${positionals.join(' or ')}; npm run attack -- --list names them all`)
  process.exitCode = 2
} else if (values.list) {
  for (const { name, attack, invariant } of chosen) print(`${name}\n  ${attack}\n  Invariant: ${invariant}\n`)
} else {
  const finished = await runAll(chosen)
  if (finished.some(({ outcome }) => outcome.failures.length > 0)) process.exitCode = 1
}

async function runAll(wanted: readonly Campaign[]): Promise<Finished[]> {
  const seed = Number(values.seed ?? Math.floor(Math.random() * 1_000_000_000))
  const server = wanted.some(({ needsPostgres }) => needsPostgres) ? await startPostgres() : undefined
  if (server !== undefined) rememberPostgres(server.url)
  const finished: Finished[] = []
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, async () => {
      print(summary(finished))
      await server?.stop()
      process.exit(130)
    })
  }
  print(`seed ${seed}\n${tableHead()}`)
  try {
    for (const campaign of wanted) {
      const times = Number(values.times ?? (values.short ? campaign.short : campaign.full))
      const plan = { seed, times, isShort: values.short, say }
      finished.push(await runCampaign(campaign, plan))
      print(tableRow(finished.at(-1)!))
      for (const failure of finished.at(-1)!.outcome.failures) print(`\n${failureText(campaign, failure)}\n`)
    }
  } finally {
    await server?.stop()
  }
  print(summary(finished))
  return finished
}

function say(line: string): void {
  if (process.stderr.isTTY) process.stderr.write(`  ${line}\n`)
}
