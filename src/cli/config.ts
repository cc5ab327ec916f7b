// The effective settings: defaults, then the configuration file, the environment and the flags; the later wins. Nothing
// else reads files, environment or flags; every other part is given Settings.
import { readFileSync } from 'node:fs'
import { Check, Default, Errors } from 'typebox/value'
import { nearest } from '../base/nearest.ts'
import { PostgresUrlError, parsePostgresUrl } from '../base/postgres-url.ts'
import { isDevelopment, type Settings, settingsSchema } from '../base/settings.ts'
import { shownUrl } from '../base/shown-url.ts'
import { instantFromText } from '../lf/codec/time-text.ts'
import { UsageError } from './command.ts'
import { isNameVariable, tokenVariable, urlVariable } from './node-variables.ts'
import { placeVariable } from './one-of-several.ts'
import { settingOptionRows, type settingOptions } from './options.ts'
import {
  environmentName,
  environmentPrefix,
  rootSchema,
  type Schema,
  type SettingPath,
  schemaAt,
  settingPaths,
  valueFromText,
} from './setting-schema.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** One setting from the environment or a flag: its path, its value and its origin. */
export type Given = { readonly path: SettingPath; readonly value: unknown; readonly origin: string }

export type Flags = {
  readonly [name in keyof typeof settingOptions]?:
    | ((typeof settingOptions)[name] extends { type: 'boolean' }
        ? boolean
        : (typeof settingOptions)[name] extends { multiple: true }
          ? readonly string[]
          : string)
    | undefined
}

export type LoadedSettings = {
  readonly settings: Settings
  /** The flag, variable or file that set it; undefined for a default. */
  originOf(path: SettingPath): string | undefined
}

export function loadSettings(flags: Flags, environment: Environment): Settings {
  return loadWithOrigins(flags, environment).settings
}

export function loadWithOrigins(flags: Flags, environment: Environment): LoadedSettings {
  const file = flags.config ?? environment[`${environmentPrefix}CONFIG`]
  const settings = file === undefined ? {} : readConfigFile(file)
  const origins = new Map<string, string>()
  for (const path of settingPaths()) if (isThere(settings, path)) origins.set(`/${path.join('/')}`, file!)
  const given = [...fromEnvironment(environment), ...fromFlags(flags)]
  for (const { path, value, origin } of given) {
    assign(settings, path, value, origin)
    origins.set(`/${path.join('/')}`, origin)
  }
  const named = new Map(given.map(({ path, origin }) => [`/${path.join('/')}`, origin]))
  return {
    settings: validated(Default(settingsSchema, settings), named, file),
    originOf: (path) => origins.get(`/${path.join('/')}`),
  }
}

/** The settings of a command with its own defaults, below the configuration file and the environment, and its own flags. */
export function loadOver(defaults: object, given: readonly Given[], environment: Environment): Settings {
  const file = environment[`${environmentPrefix}CONFIG`]
  const settings = file === undefined ? {} : readConfigFile(file)
  for (const path of settingPaths()) {
    const value = valueAt(defaults, path)
    if (value !== undefined && !isThere(settings, path)) assign(settings, path, value, 'the default')
  }
  const all = [...fromEnvironment(environment), ...given]
  for (const { path, value, origin } of all) assign(settings, path, value, origin)
  const named = new Map(all.map(({ path, origin }) => [`/${path.join('/')}`, origin]))
  return validated(Default(settingsSchema, settings), named, file)
}

/** The settings with every secret masked. */
export function printableSettings(settings: Settings): unknown {
  return masked(rootSchema, settings)
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

/** The text around the mistake may be a secret, so it is left out. */
function withoutExcerpt(reason: string): string {
  return reason.replace(/, (\.{3})?".*"(\.{3})? is not valid JSON$/s, '')
}

function fromEnvironment(environment: Environment): Given[] {
  const known = new Map(settingPaths().map((path) => [environmentName(path), path]))
  return Object.entries(environment)
    .filter(([name, value]) => isSettingVariable(name, [...known.keys()]) && value !== undefined)
    .map(([name, value]) => {
      const path = known.get(name)
      if (path === undefined) {
        const meant = variableMeantBy(name, [...known.keys()])
        const suggestion = meant === undefined ? '' : `; did you mean ${meant}?`
        throw new UsageError(`the environment variable ${name} is not a setting${suggestion}`)
      }
      return { path, value: valueFromText(schemaAt(path), value!), origin: name }
    })
}

/** People omit the section: TALLYSTICK_PORT. Of several, the first in the order of the settings is meant. */
function variableMeantBy(name: string, variables: readonly string[]): string | undefined {
  const rest = name.slice(environmentPrefix.length)
  const longer = sectionOmitted(name, variables)
  if (longer.length > 0) return longer[0]
  const found = nearest(
    rest,
    variables.map((variable) => variable.slice(environmentPrefix.length)),
  )
  return found && environmentPrefix + found
}

function isSettingVariable(name: string, variables: readonly string[]): boolean {
  const others = [`${environmentPrefix}CONFIG`, urlVariable, tokenVariable, placeVariable]
  if (!name.startsWith(environmentPrefix) || others.includes(name)) return false
  // TALLYSTICK_TOKEN_LIFETIME_MAX_MS is rather a setting without its section than the token of a user.
  return !isNameVariable(name) || sectionOmitted(name, variables).length > 0
}

function sectionOmitted(name: string, variables: readonly string[]): readonly string[] {
  const rest = name.slice(environmentPrefix.length)
  return variables.filter((variable) => rest !== '' && variable.endsWith(`_${rest}`))
}

/** The settings that flags of `settingOptions` set. */
export function fromFlags(flags: Flags): Given[] {
  const stores = (['data', 'memory', 'postgres'] as const).filter((name) => flags[name] !== undefined)
  if (stores.length > 1) throw new UsageError(`--${stores[0]} and --${stores[1]} exclude each other`)
  return settingOptionRows.flatMap(([name, { sets, with: more = {} }]) => {
    const value = flags[name as keyof Flags]
    if (value === undefined || value === false) return []
    const given = (setting: string, given: unknown): Given => {
      const path = setting.split('.')
      const converted = typeof given === 'string' ? valueFromText(schemaAt(path), given) : given
      return { path, value: converted, origin: `--${name}` }
    }
    return [...(sets === undefined ? [] : [given(sets, value)]), ...Object.entries(more).map((one) => given(...one))]
  })
}

function validated(settings: unknown, origins: ReadonlyMap<string, string>, file: string | undefined): Settings {
  if (!Check(settingsSchema, settings)) {
    // The deepest error is the most specific: a union reports an error for each of its members first.
    const [worst] = Errors(settingsSchema, settings).sort((a, b) => depth(b.instancePath) - depth(a.instancePath))
    const path = worst!.instancePath
    const where = origins.get(path) ?? `${path.slice(1).replaceAll('/', '.')}${file === undefined ? '' : ` in ${file}`}`
    throw new UsageError(`${where}: ${problemOf(worst!.message, path)}`)
  }
  const { kind, postgresUrl } = settings.store
  if (kind === 'postgres' && postgresUrl === undefined) {
    throw new UsageError('store.kind is postgres, but store.postgresUrl is not set')
  }
  for (const name of ['postgresUrl', 'postgresReplicaUrl'] as const) {
    const url = settings.store[name]
    if (url !== undefined) checkPostgresUrl(url, name, origins.get(`/store/${name}`) ?? `store.${name}`)
  }
  if (settings.store.postgresReplicaUrl !== undefined && kind !== 'postgres') {
    throw new UsageError('store.postgresReplicaUrl is set, but store.kind is not postgres')
  }
  if (settings.processes > 1) {
    const where = origins.get('/processes') ?? 'processes'
    if (kind !== 'postgres') {
      const place = kind === 'memory' ? 'memory' : 'SQLite'
      throw new UsageError(`${where}: a ledger in ${place} belongs to one process; several need --postgres`)
    }
    if (isDevelopment(settings)) {
      throw new UsageError(`${where}: a development node is one process: its journal, faults and snapshots are in it`)
    }
  }
  if (instantFromText(settings.time.start) === undefined) {
    const where = origins.get('/time/start') ?? 'time.start'
    throw new UsageError(`${where}: ${settings.time.start} is not a time such as 2030-01-01T00:00:00Z`)
  }
  return settings
}

function checkPostgresUrl(url: string, name: 'postgresUrl' | 'postgresReplicaUrl', where: string): void {
  try {
    parsePostgresUrl(url, name === 'postgresReplicaUrl')
  } catch (error) {
    throw error instanceof PostgresUrlError ? new UsageError(`${where}: ${error.problem}`) : error
  }
}

function problemOf(message: string, path: string): string {
  const names = path.slice(1).split('/')
  if (message === 'schema is false') return unknownSetting(names)
  const { enum: choices, type, anyOf = [] } = schemaAt(names) ?? {}
  if (choices !== undefined) return `must be one of ${choices.join(', ')}`
  const word = anyOf.find((one) => typeof one.const === 'string')?.const
  if (word !== undefined) return `must be a whole number or ${JSON.stringify(word)}`
  return type === 'integer' && message === 'must be integer' ? 'must be a whole number' : message
}

function unknownSetting(names: readonly string[]): string {
  const siblings = Object.keys(schemaAt(names.slice(0, -1))?.properties ?? {})
  const meant = nearest(names.at(-1)!, siblings)
  return `there is no such setting${meant === undefined ? '' : `; did you mean ${meant}?`}`
}

function depth(path: string): number {
  return path.split('/').length
}

function isThere(settings: unknown, path: SettingPath): boolean {
  return valueAt(settings, path) !== undefined
}

function valueAt(settings: unknown, path: SettingPath): unknown {
  return path.reduce<unknown>(
    (part, name) =>
      typeof part === 'object' && part !== null && Object.hasOwn(part, name)
        ? (part as Record<string, unknown>)[name]
        : undefined,
    settings,
  )
}

function assign(settings: Record<string, unknown>, path: SettingPath, value: unknown, origin: string): void {
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
