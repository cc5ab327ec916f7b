// The effective settings: defaults, then the configuration file, then the environment, then the flags; each later one
// wins. The only reader of files, environment and flags; everything else is given Settings.
import { readFileSync } from 'node:fs'
import { Check, Default, Errors } from 'typebox/value'
import { type Settings, settingsSchema } from '../base/settings.ts'
import { shownUrl } from '../base/shown-url.ts'
import { instantFromText } from '../lf/codec/time-text.ts'
import { UsageError } from './usage.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** One setting from the environment or a flag: its path, its text, and where it stood. */
type Given = { readonly path: readonly string[]; readonly value: unknown; readonly origin: string }

// The part of JSON Schema that settings use.
type Schema = {
  readonly type?: string
  readonly enum?: readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly secret?: true
  readonly secretUrl?: true
}

const prefix = 'TALLYSTICK_'
const root = settingsSchema as unknown as Schema

export type Flags = {
  readonly config?: string | undefined
  readonly host?: string | undefined
  readonly port?: string | undefined
  readonly data?: string | undefined
  readonly memory?: boolean | undefined
  readonly postgres?: string | undefined
  readonly 'static-time'?: string | undefined
  readonly dar?: readonly string[] | undefined
  readonly auth?: string | undefined
  readonly 'log-level'?: string | undefined
}

export function loadSettings(flags: Flags, environment: Environment): Settings {
  const file = flags.config ?? environment[`${prefix}CONFIG`]
  const settings = file === undefined ? {} : readConfigFile(file)
  const origins = new Map<string, string>()
  for (const { path, value, origin } of [...fromEnvironment(environment), ...fromFlags(flags)]) {
    assign(settings, path, value, origin)
    origins.set(`/${path.join('/')}`, origin)
  }
  return validated(Default(settingsSchema, settings), origins, file)
}

/** As loaded, with every secret masked. */
export function printableSettings(settings: Settings): unknown {
  return masked(root, settings)
}

function readConfigFile(file: string): Record<string, unknown> {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    throw new UsageError(`cannot read the configuration: ${(error as Error).message}`)
  }
  try {
    const settings: unknown = JSON.parse(text)
    if (typeof settings === 'object' && settings !== null && !Array.isArray(settings)) {
      return settings as Record<string, unknown>
    }
  } catch (error) {
    throw new UsageError(`${file} is not JSON: ${withoutExcerpt((error as Error).message)}`)
  }
  throw new UsageError(`${file} does not hold a JSON object`)
}

/** What is near the mistake may be a secret. */
function withoutExcerpt(reason: string): string {
  return reason.replace(/, (\.{3})?".*"(\.{3})? is not valid JSON$/s, '')
}

function fromEnvironment(environment: Environment): Given[] {
  const known = new Map(settingPaths(root, []).map((path) => [environmentName(path), path]))
  return Object.entries(environment)
    .filter(([name, value]) => name.startsWith(prefix) && name !== `${prefix}CONFIG` && value !== undefined)
    .map(([name, value]) => {
      const path = known.get(name)
      if (path === undefined) throw new UsageError(`the environment variable ${name} is not a setting`)
      return { path, value: fromText(schemaAt(path), value!), origin: name }
    })
}

function fromFlags(flags: Flags): Given[] {
  const stores = (['data', 'memory', 'postgres'] as const).filter((name) => flags[name] !== undefined)
  if (stores.length > 1) throw new UsageError(`--${stores[0]} and --${stores[1]} exclude each other`)
  const given: Given[] = []
  const set = (flag: string, path: string, value: unknown) => {
    const keys = path.split('.')
    const converted = typeof value === 'string' ? fromText(schemaAt(keys), value) : value
    if (value !== undefined) given.push({ path: keys, value: converted, origin: flag })
  }
  set('--host', 'http.host', flags.host)
  set('--port', 'http.port', flags.port)
  set('--data', 'store.data', flags.data)
  set('--data', 'store.kind', flags.data && 'sqlite')
  set('--memory', 'store.kind', flags.memory && 'memory')
  set('--postgres', 'store.kind', flags.postgres && 'postgres')
  set('--postgres', 'store.postgresUrl', flags.postgres)
  set('--static-time', 'time.kind', flags['static-time'] && 'static')
  set('--static-time', 'time.start', flags['static-time'])
  set('--dar', 'dars', flags.dar)
  set('--auth', 'auth.mode', flags.auth)
  set('--log-level', 'log.level', flags['log-level'])
  return given
}

function validated(settings: unknown, origins: ReadonlyMap<string, string>, file: string | undefined): Settings {
  if (!Check(settingsSchema, settings)) {
    // The deepest complaint is the most telling: a union complains about each of its members first.
    const [worst] = Errors(settingsSchema, settings).sort((a, b) => depth(b.instancePath) - depth(a.instancePath))
    const path = worst!.instancePath
    const where = origins.get(path) ?? `${path.slice(1).replaceAll('/', '.')}${file === undefined ? '' : ` in ${file}`}`
    throw new UsageError(`${where}: ${problemOf(worst!.message, path)}`)
  }
  const { kind, postgresUrl } = settings.store
  if (kind === 'postgres' && postgresUrl === undefined) {
    throw new UsageError('store.kind is postgres, but store.postgresUrl is not set')
  }
  if (postgresUrl !== undefined && !URL.canParse(postgresUrl)) {
    throw new UsageError(`${origins.get('/store/postgresUrl') ?? 'store.postgresUrl'}: is not a URL`)
  }
  if (instantFromText(settings.time.start) === undefined) {
    const where = origins.get('/time/start') ?? 'time.start'
    throw new UsageError(`${where}: ${settings.time.start} is not a time such as 2030-01-01T00:00:00Z`)
  }
  return settings
}

function problemOf(message: string, path: string): string {
  if (message === 'schema is false') return 'there is no such setting'
  const { enum: choices, type } = schemaAt(path.slice(1).split('/')) ?? {}
  if (choices !== undefined) return `must be one of ${choices.join(', ')}`
  return type === 'integer' && message === 'must be integer' ? 'must be a whole number' : message
}

function depth(path: string): number {
  return path.split('/').length
}

function settingPaths({ properties }: Schema, path: readonly string[]): string[][] {
  if (properties === undefined) return [[...path]]
  return Object.entries(properties).flatMap(([name, schema]) => settingPaths(schema, [...path, name]))
}

/** http.corsOrigins is TALLYSTICK_HTTP_CORS_ORIGINS. */
function environmentName(path: readonly string[]): string {
  return prefix + path.map((name) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()).join('_')
}

function schemaAt(path: readonly string[]): Schema | undefined {
  return path.reduce<Schema | undefined>((schema, name) => schema?.properties?.[name] ?? schema?.items, root)
}

/** Text as its setting's type; what does not fit stays text, and validation says what is expected. */
function fromText(schema: Schema | undefined, text: string): unknown {
  switch (schema?.type) {
    case 'integer':
      return /^-?\d+$/.test(text) ? Number(text) : text
    case 'boolean':
      return text === 'true' || text === 'false' ? text === 'true' : text
    case 'array':
      return jsonOr(text)
    default:
      return text
  }
}

function jsonOr(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function assign(settings: Record<string, unknown>, path: readonly string[], value: unknown, origin: string): void {
  let section = settings
  for (const name of path.slice(0, -1)) {
    section[name] ??= {}
    const next = section[name]
    if (typeof next !== 'object' || next === null) throw new UsageError(`${name}: must be an object (for ${origin})`)
    section = next as Record<string, unknown>
  }
  section[path.at(-1)!] = value
}

function masked(schema: Schema | undefined, value: unknown): unknown {
  if (schema?.secret) return '***'
  if (schema?.secretUrl) return shownUrl(String(value))
  if (Array.isArray(value)) return value.map((item) => masked(schema?.items, item))
  if (typeof value !== 'object' || value === null) return value
  const schemas = [schema, ...(schema?.anyOf ?? [])]
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => {
      const candidates = schemas
        .map((candidate) => candidate?.properties?.[name])
        .filter((found) => found !== undefined)
      return [name, masked(candidates.find(({ secret, secretUrl }) => secret || secretUrl) ?? candidates[0], part)]
    }),
  )
}
