// tallystick script: runs Daml Scripts of a DAR against a participant or a ledger in memory, with the flags of `dpm script`.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { wallClock } from '../../base/clock.ts'
import { StartError } from '../../base/errors.ts'
import { nearest } from '../../base/nearest.ts'
import type { ScriptOutcome } from '../../script/messages.ts'
import type { FoundScript } from '../../script/scripts.ts'
import { type Command, type Surroundings, UsageError } from '../command.ts'
import { loadSettings } from '../config.ts'
import { dataFolder, type NodeFlags, nodeAt, nodeOptions } from '../local-node.ts'
import { addressOf, jsonApiAt } from '../script-addresses.ts'
import { nameOfScript, openScriptDar, type ScriptDar } from '../script-dars.ts'
import { oneParticipant, participantsIn, type ScriptParticipants } from '../script-participants.ts'
import { trustCertificates } from '../trusted-certificates.ts'

type Flags = NodeFlags & {
  readonly dar?: string
  readonly 'script-name'?: readonly string[]
  readonly 'skip-script-name'?: readonly string[]
  readonly all?: boolean
  readonly 'input-file'?: string
  readonly 'output-file'?: string
  readonly 'ledger-host'?: string
  readonly 'ledger-port'?: string
  readonly 'participant-config'?: string
  readonly 'ide-ledger'?: boolean
  readonly 'ide-ledger-protocol-version'?: string
  readonly tls?: boolean
  readonly cacrt?: string
  readonly 'access-token-file'?: string
  readonly 'user-id'?: string
  readonly 'static-time'?: boolean
  readonly 'wall-clock-time'?: boolean
  readonly 'upload-dar'?: string
  readonly 'json-test-summary'?: string
  readonly 'list-scripts-json'?: string
}

/** Runs one script with its argument; how depends on where the ledger is. */
type RunOne = (script: FoundScript, input: string | undefined) => Promise<ScriptOutcome>

type Limits = ReturnType<typeof loadSettings>['engine']

/** TypeScript's library does not know it yet. */
const { rawJSON: rawJson } = JSON as JSON & { rawJSON(text: string): object }

/** A script waits for people and other programs; only a loop without questions is bounded, by its steps. */
const timeOutMs = 24 * 3_600_000

const certificate = { type: 'string', instead: 'a token says who calls' } as const

/** The protocol versions whose keys the ledger in memory has. */
const protocolVersions = /^(v?35|vdev|dev|latest)$/i

const file = (help: string) => ({ type: 'string', value: 'FILE', help }) as const
const names = (help: string) => ({ type: 'string', multiple: true, value: 'M:NAME', help }) as const

export const scriptCommand: Command = {
  summary: 'run Daml Scripts of a DAR against a participant',
  usage: 'tallystick script --dar FILE (--script-name M:NAME | --all) [options]',
  options: {
    dar: file('the DAR with the scripts'),
    'script-name': names('a script; may be repeated'),
    all: { type: 'boolean', help: 'all scripts without arguments' },
    'skip-script-name': names('not this one; may be repeated'),
    'input-file': file('the argument of the script, as JSON'),
    'output-file': file('write the result of the script here, as JSON'),
    ...nodeOptions,
    'ledger-host': {
      type: 'string',
      value: 'HOST',
      help: 'where the participant is, with --ledger-port; beside --url, for its time',
    },
    'ledger-port': {
      type: 'string',
      value: 'PORT',
      help: 'of its JSON API, or of the gRPC API of a node that runs here',
    },
    'participant-config': file('several participants: default_participant, participants, party_participants'),
    'ide-ledger': { type: 'boolean', help: 'a ledger in memory, fresh for each script' },
    'ide-ledger-protocol-version': { type: 'string', value: 'VERSION', help: 'V35: no other is served' },
    tls: { type: 'boolean', help: 'reach hosts and ports over https' },
    cacrt: file('trust this root certificate (PEM), too'),
    'access-token-file': file('a file with the token, instead of --token'),
    'user-id': { type: 'string', value: 'ID', help: "the user that submits; else the token's" },
    'static-time': {
      type: 'boolean',
      short: 's',
      help: 'the time is that of the ledger; else as the participant has it',
    },
    'wall-clock-time': { type: 'boolean', short: 'w', help: 'the time is that of this machine' },
    'upload-dar': { type: 'string', value: 'BOOL', help: 'true uploads the DAR first (false)' },
    'json-test-summary': file('write the results of the scripts here, as JSON'),
    'list-scripts-json': file('only write the names of the scripts without arguments here, as JSON'),
    'admin-port': { type: 'string', value: 'PORT', help: 'not needed: the Ledger API is enough' },
    'max-inbound-message-size': { type: 'string', value: 'BYTES', help: 'not needed: answers have no such limit' },
  },
  refused: { pem: certificate, crt: certificate },
  notes: 'Uses only the JSON Ledger API, so a Canton participant serves, too. Ends with 1 if a script failed.',
  async run(flags: Flags, surroundings) {
    checkFlags(flags)
    if (flags.dar === undefined) throw new UsageError('--dar is missing')
    const dar = await openScriptDar(flags.dar)
    const list = flags['list-scripts-json']
    if (list !== undefined) return write(list, withoutArguments(dar).map(nameOfScript))
    const scripts = chosen(dar, flags)
    const input = inputFor(scripts, flags)
    await using runner = await openRunner(dar, flags, surroundings)
    await runAll(scripts, input, runner.run, flags, surroundings)
  },
}

function checkFlags(flags: Flags): void {
  if (flags['static-time'] && flags['wall-clock-time']) {
    throw new UsageError('--static-time and --wall-clock-time exclude each other')
  }
  if (flags['upload-dar'] !== undefined && !/^(true|false)$/.test(flags['upload-dar'])) {
    throw new UsageError('--upload-dar is true or false')
  }
  const { 'ledger-host': host, 'ledger-port': port, 'ide-ledger-protocol-version': version } = flags
  if ((host === undefined) !== (port === undefined)) {
    throw new UsageError('Must specify both --ledger-host and --ledger-port')
  }
  if (port !== undefined && !/^\d{1,5}$/.test(port)) throw new UsageError(`--ledger-port: ${port} is not a port`)
  const place = flags.url === undefined ? 'ledger-host' : 'url'
  const places = ([place, 'participant-config', 'ide-ledger'] as const).filter((name) => flags[name])
  if (places.length > 1) throw new UsageError(`${places.map((name) => `--${name}`).join(' and ')} exclude each other`)
  if (version !== undefined && !flags['ide-ledger']) {
    throw new UsageError('--ide-ledger-protocol-version is only available with --ide-ledger')
  }
  if (version !== undefined && !protocolVersions.test(version)) {
    throw new UsageError(`--ide-ledger-protocol-version: the ledger is that of V35; ${version} is not served`)
  }
  if (flags['ide-ledger'] && flags['upload-dar'] === 'true') throw new UsageError('Cannot upload dar to IDELedger.')
}

const withoutArguments = ({ scripts }: ScriptDar) => scripts.filter(({ parameter }) => parameter === undefined)

function chosen(dar: ScriptDar, flags: Flags): readonly FoundScript[] {
  const { 'script-name': wanted = [], 'skip-script-name': skipped = [], all = false } = flags
  if (all && wanted.length > 0) throw new UsageError('--all and --script-name flags are incompatible')
  if (!all && wanted.length === 0) throw new UsageError('--all or --script-name must be specified')
  const included = all ? withoutArguments(dar) : wanted.map((name) => scriptNamed(name, dar))
  const scripts = included.filter((script) => !skipped.includes(nameOfScript(script))).sort(byName)
  const [legacy] = scripts.filter(({ isLegacy }) => isLegacy)
  if (legacy !== undefined) {
    throw new StartError(`${nameOfScript(legacy)} in ${dar.file} was compiled before Daml 3.3; compile it again`)
  }
  if (scripts.length === 0) throw new StartError(`${dar.file} has no script to run`)
  return scripts
}

/** They share a ledger, so they run in the order of `dpm script`. */
function byName(one: FoundScript, other: FoundScript): number {
  const [first, second] = [one, other].map(({ id: { module, name } }) => [...module.split('.'), '', name].join('\0'))
  return first! < second! ? -1 : 1
}

function scriptNamed(name: string, { scripts, file: dar }: ScriptDar): FoundScript {
  const found = scripts.find((script) => nameOfScript(script) === name)
  if (found !== undefined) return found
  const meant = nearest(name, scripts.map(nameOfScript))
  throw new StartError(`${dar} has no script ${name}${meant === undefined ? '' : `; did you mean ${meant}?`}`)
}

/** Checked before anything runs. */
function inputFor(scripts: readonly FoundScript[], flags: Flags): string | undefined {
  const { 'input-file': inputFile, 'output-file': outputFile, 'json-test-summary': summary, dar } = flags
  const isSingle = inputFile !== undefined || outputFile !== undefined
  if (isSingle && scripts.length > 1) throw new UsageError('--input-file and --output-file are for one script')
  if (isSingle && summary !== undefined) {
    throw new UsageError('--json-test-summary not supported when using --input-file or --output-file')
  }
  for (const script of scripts) {
    const name = `the script ${nameOfScript(script)} in ${dar}`
    if (script.parameter !== undefined && inputFile === undefined) {
      throw new StartError(`${name} requires an argument: give it with --input-file`)
    }
    if (script.parameter === undefined && inputFile !== undefined) throw new StartError(`${name} takes no arguments`)
  }
  if (inputFile === undefined) return undefined
  const text = read(inputFile)
  try {
    JSON.parse(text)
    return text
  } catch (error) {
    throw new StartError(`${inputFile} is not JSON: ${(error as Error).message}`)
  }
}

async function participantsOf(flags: Flags, { environment }: Surroundings): Promise<ScriptParticipants> {
  const { 'access-token-file': tokenFile, 'participant-config': config, 'user-id': userId, cacrt, tls } = flags
  if (cacrt !== undefined) trustCertificates(cacrt)
  const token = flags.token ?? (tokenFile === undefined ? undefined : read(tokenFile).trim())
  const folder = dataFolder({ data: flags.data, config: flags.config }, environment)
  const finding = { isTls: tls === true || cacrt !== undefined, folder }
  if (config !== undefined) {
    return participantsIn(config, { token, userId }, (host, port) => jsonApiAt(host, port, finding))
  }
  const { 'ledger-host': host, 'ledger-port': port } = flags
  const url = flags.url ?? (host === undefined ? undefined : await jsonApiAt(host, Number(port), finding))
  // Beside a URL, host and port are those of the gRPC API.
  const hasBoth = flags.url !== undefined && host !== undefined
  const grpc = hasBoth ? { url: addressOf(host, Number(port), finding.isTls), token } : undefined
  const where = { ...flags, ...(token !== undefined && { token }), ...(url !== undefined && { url }) }
  const { node, hasToken } = await nodeAt(where, environment)
  return oneParticipant(node, hasToken, userId, grpc)
}

async function openRunner(dar: ScriptDar, flags: Flags, surroundings: Surroundings) {
  const limits = loadSettings({}, surroundings.environment).engine
  return flags['ide-ledger']
    ? openInMemory(dar, limits, flags, surroundings)
    : openOnParticipants(dar, limits, flags, surroundings)
}

async function openInMemory(dar: ScriptDar, limits: Limits, flags: Flags, { tell }: Surroundings) {
  const { openScriptLedger } = await import('../script-ledger.ts')
  const ledger = openScriptLedger(dar, limits)
  const wish = { timeOutMs, isResultForFile: true, hasStaticTime: !flags['wall-clock-time'] }
  const run: RunOne = async (script, input) => {
    const { traces, failure, result } = await ledger.run(script, { ...wish, input })
    traces.forEach(tell)
    return failure === undefined ? { kind: 'succeeded', result } : { kind: 'failed', failure }
  }
  return { run, [Symbol.asyncDispose]: () => ledger[Symbol.asyncDispose]() }
}

async function openOnParticipants(dar: ScriptDar, limits: Limits, flags: Flags, surroundings: Surroundings) {
  const { openScriptThread } = await import('../../script/open-script-thread.ts')
  const { names, call, first } = await participantsOf(flags, surroundings)
  if (flags['upload-dar'] === 'true') await first.post('/v2/packages', readFileSync(dar.file))
  const hasStaticTime = flags['static-time'] ?? (flags['wall-clock-time'] ? false : await isStatic(first))
  const usual = { hasStaticTime, isResultForFile: true, seesAll: false, userId: undefined, seed: undefined }
  let thread = openScriptThread(dar.dalfs, limits, wallClock)
  const run: RunOne = async ({ id: { module, name } }, input) => {
    if (!thread.isAlive()) thread = openScriptThread(dar.dalfs, limits, wallClock)
    const order = { ...usual, module, name, input, participants: names }
    return thread.run(order, { call, onTrace: surroundings.tell, timeOutMs })
  }
  return { run, [Symbol.asyncDispose]: () => thread[Symbol.asyncDispose]() }
}

async function isStatic(node: ScriptParticipants['first']): Promise<boolean> {
  const { features } = (await (await node.get('/v2/version')).json()) as {
    features?: { experimental?: { staticTime?: { supported?: boolean } } }
  }
  return features?.experimental?.staticTime?.supported === true
}

async function runAll(
  scripts: readonly FoundScript[],
  input: string | undefined,
  run: RunOne,
  flags: Flags,
  { print, endWith }: Surroundings,
): Promise<void> {
  const { failureLines } = await import('../../script/failure-lines.ts')
  const summary: Record<string, object> = {}
  for (const script of scripts) {
    const name = nameOfScript(script)
    const outcome = await run(script, input)
    if (outcome.kind === 'failed') {
      const lines = failureLines(outcome.failure)
      print([`${name} FAILURE`, ...lines.map((line) => `  ${line}`)].join('\n'))
      summary[name] = { error: lines.join('\n') }
      endWith(1)
      continue
    }
    print(`${name} SUCCESS`)
    const result = outcome.result === undefined ? null : parseKeepingDigits(outcome.result)
    summary[name] = { result }
    if (flags['output-file'] !== undefined) write(flags['output-file'], result)
  }
  if (flags['json-test-summary'] !== undefined) write(flags['json-test-summary'], summary)
}

/** For JSON.stringify, which writes numbers as they were. */
function parseKeepingDigits(text: string): unknown {
  return JSON.parse(text, ((_: string, value: unknown, { source }: { source: string }) =>
    typeof value === 'number' ? rawJson(source) : value) as Parameters<typeof JSON.parse>[1])
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new StartError(`cannot read ${path}: ${(error as Error).message}`)
  }
}

function write(path: string, content: unknown): void {
  try {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, `${JSON.stringify(content, null, 2)}\n`)
  } catch (error) {
    throw new StartError(`cannot write ${path}: ${(error as Error).message}`)
  }
}
