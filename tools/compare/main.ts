// Sends the same requests to this node and to a real Canton, and prints where their answers differ and COMPAT.md does not
// say so.
//
//   node tools/compare/main.ts --ours URL --canton URL [--ours-grpc URL --canton-grpc URL] [--secret TEXT]
//     [--only SESSION]… [--seed N] [--requests N]
//
// --secret signs the tokens for nodes that ask for them (HS256; Canton's unsafe-jwt-hmac-256). --requests says how many
// random requests follow the sessions. --record FILE keeps Canton's answers; --replay FILE takes them from there instead
// of from a Canton. --fingerprints FILE keeps what test/conformance compares without a Canton. --log FILE keeps every pair of answers as a line of
// JSON; --verbose prints whole bodies. Run both nodes with nothing on their ledgers (or tell this run from
// earlier ones with --run NUMBER): ours with
// `compatibility: canton-3.5`, the names of participant and synchronizers as in Canton's, and `development: false`.
import { createHmac } from 'node:crypto'
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib'
import { createBoth } from './both.ts'
import { fingerprintOf, fingerprintText } from './fingerprints.ts'
import { randomSession } from './random.ts'
import { administrationSession } from './sessions/administration.ts'
import { commandSession } from './sessions/commands.ts'
import { disclosureSession } from './sessions/disclosure.ts'
import { grpcSession } from './sessions/grpc.ts'
import { httpSession } from './sessions/http.ts'
import { interactiveSession } from './sessions/interactive.ts'
import { optionalSession } from './sessions/optionals.ts'
import { packageSession } from './sessions/packages.ts'
import { preparedSession } from './sessions/prepared.ts'
import { readingSession } from './sessions/reading.ts'
import { reassignmentSession } from './sessions/reassignments.ts'
import { refusalSession } from './sessions/refusals.ts'
import { rejectionSession } from './sessions/rejections.ts'
import { thresholdSession } from './sessions/thresholds.ts'
import { tokenSession } from './sessions/tokens.ts'
import { upgradeSession } from './sessions/upgrades.ts'
import { valueSession } from './sessions/values.ts'
import { webSocketSession } from './sessions/websockets.ts'
import { createReplay, createSide, type Recorded, recording, type Side } from './side.ts'
import { type Compared, createVerdicts, type Declared } from './verdicts.ts'
import { createWorld, pairFirstOffsets, type World } from './world.ts'

const { values } = parseArgs({
  options: {
    ours: { type: 'string' },
    canton: { type: 'string' },
    'ours-grpc': { type: 'string' },
    'canton-grpc': { type: 'string' },
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
  tokens: tokenSession,
  upgrades: upgradeSession,
  optionals: optionalSession,
  random: (world) => randomSession(world, Number(values.requests), Number(values.seed)),
  values: valueSession, // The last: what only we accept is on one ledger from then on.
}

const declared = JSON.parse(readFileSync(new URL('declared.json', import.meta.url), 'utf8')) as Declared[]
const fingerprints: string[] = []
const verdicts = createVerdicts(declared, tell, note)
const recorded: Recorded[] = []
const both = createBoth({
  ours: createSide(values.ours, values['ours-grpc']),
  canton: cantonSide(),
  verdicts,
  tokenOf: values.secret === undefined ? undefined : (user) => tokenOf(user, values.secret!),
})

const world = await createWorld(both, values.run)
if (values.fingerprints === undefined) await pairFirstOffsets(world)
for (const [name, session] of Object.entries(sessions)) {
  if (values.only !== undefined && !values.only.includes(name)) continue
  const before = verdicts.counts.compared
  await session(world)
  process.stderr.write(`${name}: ${verdicts.counts.compared - before} requests\n`)
}
if (values.fingerprints !== undefined) writeFileSync(values.fingerprints, fingerprintText(fingerprints))
if (values.record !== undefined) writeFileSync(values.record, brotliCompressSync(JSON.stringify(recorded)))
for (const [row, times] of verdicts.rows) process.stdout.write(`declared, ${times} times: ${row}\n`)
const { compared, equal, declared: known, undeclared } = verdicts.counts
process.stdout.write(`${compared} compared: ${equal} equal, ${known} differ as declared, ${undeclared} do not\n`)
process.exitCode = undeclared === 0 ? 0 : 1

function cantonSide(): Side {
  if (values.replay !== undefined) {
    return createReplay(JSON.parse(brotliDecompressSync(readFileSync(values.replay)).toString()) as Recorded[])
  }
  const side = createSide(values.canton!, values['canton-grpc'])
  return values.record === undefined ? side : recording(side, recorded)
}

function tokenOf(user: string, secret: string): string {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const exp = Math.floor(Date.now() / 1000) + 240 // Both nodes refuse tokens that live longer than five minutes.
  const text = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode({ sub: user, scope: 'daml_ledger_api', exp })}`
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`
}

/** For a closer look: every pair of answers, as lines of JSON. */
function note(compared: Compared): void {
  const { label, note: remark, body, ours, canton, differences } = compared
  fingerprints.push(fingerprintOf(compared, both.ids))
  if (values.log === undefined) return
  const line = { label, note: remark, body: body.slice(0, 2000), ours, canton, differences }
  appendFileSync(values.log, `${JSON.stringify(line)}\n`)
}

function tell({ label, note, as, body, differences, ours, canton }: Compared): void {
  const remarks = [as === undefined ? '' : ` as ${as}`, note === undefined ? '' : ` (${note})`].join('')
  process.stdout.write(`${label}${remarks}\n  ${body.slice(0, values.verbose ? 4000 : 300)}\n`)
  for (const { where, ours: mine, canton: theirs } of differences) {
    process.stdout.write(`  at ${where}\n    ours   ${mine}\n    canton ${theirs}\n`)
  }
  if (values.verbose)
    process.stdout.write(`  ours   ${ours.status} ${ours.text}\n  canton ${canton.status} ${canton.text}\n`)
}
