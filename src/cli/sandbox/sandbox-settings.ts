// The settings of a sandbox: those of Canton's sandbox/sandbox.conf, changed by flags, by -C and by files, in this order.
import { existsSync, readFileSync } from 'node:fs'
import type { Settings } from '../../base/settings.ts'
import { UsageError } from '../command.ts'
import { type Given, loadOver } from '../config.ts'
import { schemaAt, valueFromText } from '../setting-schema.ts'
import {
  type CantonConfiguration,
  type CantonEntry,
  type ParticipantKeys,
  readCantonKeys,
  type Written,
} from './canton-keys.ts'
import { type HoconObject, parseHocon } from './hocon.ts'
import { keyOptions, type sandboxOptions } from './sandbox-options.ts'

export type SandboxFlags = {
  readonly [name in keyof typeof sandboxOptions]?:
    | ((typeof sandboxOptions)[name] extends { type: 'boolean' }
        ? boolean
        : (typeof sandboxOptions)[name] extends { multiple: true }
          ? readonly string[]
          : string)
    | undefined
}

export type Sandbox = {
  readonly settings: Settings
  /** Where the ports are written once the sandbox is ready. */
  readonly portFiles: {
    readonly all: string | undefined
    /** Of the JSON API, by the name of the participant. */
    readonly jsonApi: ReadonlyMap<string, string>
  }
}

type Environment = Readonly<Record<string, string | undefined>>

export const sandboxName = 'sandbox'

/** The other participants of --multi-sync (Canton's sandbox/sandbox-multi-sync.conf), and where they are connected. */
const otherBoxes = [
  {
    name: 'pebblebox',
    port: 7864,
    grpcPort: 7865,
    adminPort: 7866,
    synchronizers: ['synchronizer-1', 'synchronizer-2'],
  },
  { name: 'sidebox', port: 8864, grpcPort: 8865, adminPort: 8866, synchronizers: ['synchronizer-2'] },
]

/** As Canton's, which keeps its ledger in memory and requires no tokens. */
const defaults = {
  http: { port: 6864 },
  grpc: { port: 6865 },
  admin: { port: 6866 },
  store: { kind: 'memory' },
  auth: { mode: 'off' },
  development: true,
  compatibility: 'canton-3.5',
  participant: { name: sandboxName },
  synchronizers: [{ alias: 'synchronizer-1' }],
  log: { level: 'warn' },
}

export function readSandbox(flags: SandboxFlags, environment: Environment): Sandbox {
  if (flags['static-time'] && flags['wall-clock-time']) {
    throw new UsageError('--static-time and --wall-clock-time exclude each other')
  }
  const others = flags['multi-sync'] ? otherBoxes : []
  const configuration = readCantonKeys(entriesFrom(flags), [sandboxName, ...others.map(({ name }) => name)])
  const { participants, portsFile } = configuration
  const given = [...givenBy(participants.get(sandboxName)!), ...givenByFlags(flags, configuration)]
  const network = others.length === 0 ? {} : networkOf(configuration)
  return {
    settings: loadOver({ ...defaults, ...network }, given, environment),
    portFiles: {
      all: portsFile,
      jsonApi: new Map(
        [...participants].flatMap(([name, { jsonApiPortFile: file }]) =>
          file === undefined ? [] : [[name, file.value]],
        ),
      ),
    },
  }
}

/** All participants share addresses, tokens and time; each has its own ports. */
function networkOf({ participants }: CantonConfiguration): object {
  const others = otherBoxes.map((box) => {
    const { jsonApiPort, ledgerApiPort, adminApiPort, jsonApiPortFile: _, ...rest } = participants.get(box.name)!
    if (Object.keys(rest).length > 0) {
      throw new UsageError(
        `canton.participants.${box.name}: it has ports of its own; all else is as for ${sandboxName}`,
      )
    }
    return {
      ...box,
      ...(jsonApiPort && { port: portFrom(jsonApiPort) }),
      ...(ledgerApiPort && { grpcPort: portFrom(ledgerApiPort) }),
      ...(adminApiPort && { adminPort: portFrom(adminApiPort) }),
    }
  })
  return {
    synchronizers: [{ alias: 'synchronizer-1' }, { alias: 'synchronizer-2' }],
    network: { participants: [{ name: sandboxName }, ...others] },
  }
}

function portFrom({ value, origin }: Written): number {
  const port = Number(value)
  if (!/^\d+$/.test(value) || port > 65_535) throw new UsageError(`${origin}: ${value} is no port`)
  return port
}

/** The first entry of a key counts. */
function entriesFrom(flags: SandboxFlags): CantonEntry[] {
  const byFlags = Object.entries(keyOptions).flatMap(([name, { key }]): CantonEntry[] => {
    const value = flags[name as keyof typeof keyOptions]
    return value === undefined ? [] : [{ key, value, origin: `--${name}` }]
  })
  const byValues = listed(flags['config-value']).map((pair): CantonEntry => {
    const [, key, value] = /^([^=]+)=(.*)$/s.exec(pair) ?? []
    if (key === undefined) throw new UsageError(`-C ${pair}: it is KEY=VALUE`)
    return { key: withinCanton(key.trim(), '-C'), value: value!, origin: '-C' }
  })
  const byFiles = listed(flags.config).flatMap(entriesOfFile)
  return [...byFlags, ...byValues, ...byFiles.reverse()]
}

function entriesOfFile(file: string): CantonEntry[] {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    throw new UsageError(`cannot read the configuration: ${(error as Error).message}`)
  }
  return leavesOf(parseHocon(text, file), []).map(([path, value]) => ({
    key: withinCanton(path.join('.'), file),
    value,
    origin: file,
  }))
}

function leavesOf(
  object: HoconObject,
  path: readonly string[],
): [path: readonly string[], value: CantonEntry['value']][] {
  return [...object].flatMap(([name, value]) =>
    value instanceof Map ? leavesOf(value, [...path, name]) : [[[...path, name], value]],
  )
}

function withinCanton(key: string, origin: string): string {
  if (key.startsWith('canton.')) return key.slice('canton.'.length)
  throw new UsageError(`${origin}: ${key} is not served: keys of Canton begin with canton.`)
}

function listed(values: readonly string[] = []): string[] {
  return values.flatMap((value) => value.split(',')).filter((value) => value !== '')
}

function givenBy(keys: ParticipantKeys): Given[] {
  const written = (setting: string, entry: Written | undefined): Given[] => {
    const path = setting.split('.')
    return entry === undefined
      ? []
      : [{ path, value: valueFromText(schemaAt(path), entry.value), origin: entry.origin }]
  }
  const { keySources, hasUnlimitedTokens } = keys
  const origin = 'auth-services'
  return [
    ...written('http.port', keys.jsonApiPort),
    ...written('grpc.port', keys.ledgerApiPort),
    ...written('admin.port', keys.adminApiPort),
    ...written('http.host', sharedAddress(keys)),
    ...written('admin.host', keys.adminApiAddress),
    ...written('auth.administrators', keys.administrator),
    ...(keySources === undefined
      ? []
      : [
          { path: ['auth', 'mode'], value: 'jwt', origin },
          { path: ['auth', 'keys'], value: keySources, origin },
        ]),
    ...(hasUnlimitedTokens ? [{ path: ['limits', 'tokenLifetimeMaxMs'], value: 'unlimited', origin }] : []),
  ]
}

/** Both APIs listen at one address here, so nobody opens one of them by opening the other. */
function sharedAddress({ ledgerApiAddress, jsonApiAddress }: ParticipantKeys): Written | undefined {
  if (ledgerApiAddress?.value !== jsonApiAddress?.value) {
    const { origin } = (ledgerApiAddress ?? jsonApiAddress)!
    throw new UsageError(
      `${origin}: both APIs listen at one address; set ledger-api.address and http-ledger-api.address to the same`,
    )
  }
  return ledgerApiAddress
}

const logLevels = { TRACE: 'trace', DEBUG: 'debug', INFO: 'info', WARN: 'warn', ERROR: 'error', OFF: 'silent' } as const
const logFormats = { plain: 'pretty', json: 'json' } as const

function givenByFlags(flags: SandboxFlags, { isStaticTime }: CantonConfiguration): Given[] {
  const given: Given[] = []
  const set = (path: string, value: unknown, origin: string) => given.push({ path: path.split('.'), value, origin })
  if (!flags['wall-clock-time'] && (flags['static-time'] || isStaticTime)) set('time.kind', 'static', '--static-time')
  const dars = listed(flags.dar)
  const missing = dars.filter((file) => !existsSync(file))
  if (missing.length > 0) throw new UsageError(`--dar: missing DAR file(s): ${missing.join(', ')}`)
  if (dars.length > 0) set('dars', dars, '--dar')
  if (flags.verbose || flags.debug) set('log.level', 'debug', flags.verbose ? '--verbose' : '--debug')
  const { 'log-level-stdout': level, 'log-encoder': encoder, 'log-file-appender': appender } = flags
  if (level !== undefined) set('log.level', oneOf(logLevels, level.toUpperCase(), '--log-level-stdout'), '')
  if (encoder !== undefined) set('log.format', oneOf(logFormats, encoder, '--log-encoder'), '')
  if (appender !== undefined && appender !== 'off') {
    throw new UsageError(`--log-file-appender ${appender} is not served: there is no log file: redirect standard error`)
  }
  return given
}

function oneOf(choices: Readonly<Record<string, string>>, word: string, flag: string): string {
  if (Object.hasOwn(choices, word)) return choices[word]!
  throw new UsageError(`${flag}: must be one of ${Object.keys(choices).join(', ')}`)
}
