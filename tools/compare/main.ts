// Sends the same requests to this node and to a real Canton, and prints where their answers differ and COMPAT.md does not
// say so.
//
//   node tools/compare/main.ts --ours URL --canton URL [--ours-grpc URL --canton-grpc URL] [--secret TEXT]
//     [--only SESSION]… [--seed N] [--requests N]
//
// --secret signs the tokens for nodes that ask for them (HS256; Canton's unsafe-jwt-hmac-256). --requests says how many
// random requests follow the sessions. --record FILE keeps Canton's answers; --replay FILE takes them from there instead
// of from a Canton. --fingerprints FILE keeps what test/conformance compares without a Canton. --log FILE keeps every pair of answers as a line of
// JSON; --verbose prints whole bodies. Three addresses, separated by commas, are the participants of a network (network.ts):
// its own sessions run, and need --ours-admin and --canton-admin, the addresses of the Admin APIs. Run both nodes with nothing on their ledgers (or tell this run from
// earlier ones with --run NUMBER): ours with
// `compatibility: canton-3.5`, the names of participant and synchronizers as in Canton's, and `development: false`.
import { createHmac } from 'node:crypto'
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { brotliCompressSync } from 'node:zlib'
import { createBoth } from './both.ts'
import type { Correspondence } from './correspondence.ts'
import { fingerprintOf, fingerprintText } from './fingerprints.ts'
import { createNetwork, participantNames } from './network.ts'
import { randomSession } from './random.ts'
import { administrationSession } from './sessions/administration.ts'
import { commandSession } from './sessions/commands.ts'
import { disclosureSession } from './sessions/disclosure.ts'
import { grpcSession } from './sessions/grpc.ts'
import { httpSession } from './sessions/http.ts'
import { interactiveSession } from './sessions/interactive.ts'
import { networkSessions } from './sessions/network/sessions.ts'
import { optionalSession } from './sessions/optionals.ts'
import { packageSession } from './sessions/packages.ts'
import { preparedSession } from './sessions/prepared.ts'
import { readingSession } from './sessions/reading.ts'
import { reassignmentSession } from './sessions/reassignments.ts'
import { refusalSession } from './sessions/refusals.ts'
import { rejectionSession } from './sessions/rejections.ts'
import { thresholdSession } from './sessions/thresholds.ts'
import { timeSession } from './sessions/time.ts'
import { tokenSession } from './sessions/tokens.ts'
import { upgradeSession } from './sessions/upgrades.ts'
import { valueSession } from './sessions/values.ts'
import { webSocketSession } from './sessions/websockets.ts'
import { type Addresses, createReplay, createSide, type Recorded, recording, recordingIn, type Side } from './side.ts'
import { type Compared, createVerdicts, type Declared } from './verdicts.ts'
import { createWorld, pairFirstOffsets, type World } from './world.ts'

const { values } = parseArgs({
  options: {
    ours: { type: 'string' },
    canton: { type: 'string' },
    'ours-grpc': { type: 'string' },
    'canton-grpc': { type: 'string' },
    'ours-admin': { type: 'string' },
    'canton-admin': { type: 'string' },
    secret: { type: 'string' },
    only: { type: 'string', multiple: true },
    seed: { type: 'string', default: '1' },
    requests: { type: 'string', default: '2000' },
    record: { type: 'string' },
    replay: { type: 'string' },
    fingerprints: { type: 'string' },
    log: { type: 'string' },
    run: { type: 'string', default: '' },
    verbose: { type: 'boolean', default: false },
  },
})
if (values.ours === undefined || (values.canton === undefined && values.replay === undefined)) {
  throw new Error('usage: node tools/compare/main.ts --ours URL --canton URL [--secret TEXT] [--only SESSION]…')
}

const sessions: Readonly<Record<string, (world: World) => Promise<void>>> = {
  http: httpSession,
  administration: administrationSession,
  packages: packageSession,
  commands: commandSession,
  rejections: rejectionSession,
  refusals: refusalSession,
  reading: readingSession,
  websockets: webSocketSession,
  interactive: interactiveSession,
  prepared: preparedSession,
  thresholds: thresholdSession,
  reassignments: reassignmentSession,
  disclosure: disclosureSession,
  ...(values['ours-grpc'] !== undefined && { grpc: grpcSession }),
  ...(values.only?.includes('time') && { time: timeSession }), // For nodes whose time stands still.
  tokens: tokenSession,
  upgrades: upgradeSession,
  optionals: optionalSession,
  random: (world) => randomSession(world, Number(values.requests), Number(values.seed)),
  values: valueSession, // The last: what only we accept is on one ledger from then on.
}

const declared = JSON.parse(readFileSync(new URL('declared.json', import.meta.url), 'utf8')) as Declared[]
const fingerprints: string[] = []
const verdicts = createVerdicts(declared, tell, note)
/** Delivery to other participants takes Canton some time; a recording knows what was delivered. */
const deliveryMs = 700
/** Canton's answers, by participant. */
const recorded: Record<string, Recorded[]> = {}
/** Ids that are the same everywhere, whatever is compared. */
let ids: Correspondence
if (values.ours.includes(',')) await compareNetworks()
else await compareNodes()
if (values.fingerprints !== undefined) writeFileSync(values.fingerprints, fingerprintText(fingerprints))
for (const [row, times] of verdicts.rows) process.stdout.write(`declared, ${times} times: ${row}\n`)
const { compared, equal, declared: known, undeclared } = verdicts.counts
process.stdout.write(`${compared} compared: ${equal} equal, ${known} differ as declared, ${undeclared} do not\n`)
process.exitCode = undeclared === 0 ? 0 : 1

async function compareNodes(): Promise<void> {
  const both = createBoth({
    ours: createSide({ url: values.ours!, grpcUrl: values['ours-grpc'] }),
    canton: cantonSide('node', { url: values.canton!, grpcUrl: values['canton-grpc'] }),
    verdicts,
    tokenOf: values.secret === undefined ? undefined : (user) => tokenOf(user, values.secret!),
  })
  ids = both.ids
  const world = await createWorld(both, values.run)
  if (values.fingerprints === undefined) await pairFirstOffsets(world)
  await runAll(sessions, world)
}

async function compareNetworks(): Promise<void> {
  const addressesOf = (who: 'ours' | 'canton', index: number): Addresses => {
    const one = (addresses: string | undefined) => addresses?.split(',')[index]
    return { url: one(values[who])!, grpcUrl: one(values[`${who}-grpc`]), adminUrl: one(values[`${who}-admin`]) }
  }
  const sides = participantNames.map((name, index) => ({
    ours: createSide(addressesOf('ours', index)),
    canton: cantonSide(name, addressesOf('canton', index)),
  }))
  const restMs = values.replay === undefined ? deliveryMs : 0
  const network = await createNetwork({ sides, verdicts, restMs, run: values.run })
  ids = network.sandbox.both.ids
  await runAll(networkSessions, network)
}

async function runAll<T>(all: Readonly<Record<string, (world: T) => Promise<void>>>, world: T): Promise<void> {
  for (const [name, session] of Object.entries(all)) {
    if (values.only !== undefined && !values.only.includes(name)) continue
    const before = verdicts.counts.compared
    await session(world)
    process.stderr.write(`${name}: ${verdicts.counts.compared - before} requests\n`)
    // After each session: those that are done are worth keeping if a later one fails.
    if (values.record !== undefined) writeFileSync(values.record, brotliCompressSync(JSON.stringify(recorded)))
  }
}

function cantonSide(name: string, addresses: Addresses): Side {
  if (values.replay !== undefined) return createReplay(recordingIn(values.replay)[name] ?? [])
  const side = createSide(addresses)
  recorded[name] = []
  return values.record === undefined ? side : recording(side, recorded[name])
}

function tokenOf(user: string, secret: string): string {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const exp = Math.floor(Date.now() / 1000) + 240 // Both nodes refuse tokens that live longer than five minutes.
  const text = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode({ sub: user, scope: 'daml_ledger_api', exp })}`
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`
}

/** For a closer look: every pair of answers, as lines of JSON. */
function note(compared: Compared): void {
  const { label, at, note: remark, body, ours, canton, differences } = compared
  if (values.fingerprints !== undefined) fingerprints.push(fingerprintOf(compared, ids))
  if (values.log === undefined) return
  const line = { label, at, note: remark, body: body.slice(0, 2000), ours, canton, differences }
  appendFileSync(values.log, `${JSON.stringify(line)}\n`)
}

function tell({ label, at, note, as, body, differences, ours, canton }: Compared): void {
  const who = [at === undefined ? '' : ` at ${at}`, as === undefined ? '' : ` as ${as}`].join('')
  const remarks = `${who}${note === undefined ? '' : ` (${note})`}`
  process.stdout.write(`${label}${remarks}\n  ${body.slice(0, values.verbose ? 4000 : 300)}\n`)
  for (const { where, ours: mine, canton: theirs } of differences) {
    process.stdout.write(`  at ${where}\n    ours   ${mine}\n    canton ${theirs}\n`)
  }
  if (values.verbose)
    process.stdout.write(`  ours   ${ours.status} ${ours.text}\n  canton ${canton.status} ${canton.text}\n`)
}
