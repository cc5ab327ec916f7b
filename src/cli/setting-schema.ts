// The settings schema as the command line needs it: the list of settings, their environment variables, and how a text
// becomes a value.
import { settingsSchema } from '../base/settings.ts'

/** The part of JSON Schema that settings use. */
export type Schema = {
  readonly type?: string
  readonly const?: unknown
  readonly enum?: readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly default?: unknown
  readonly description?: string
  readonly secret?: true
  readonly secretUrl?: true
}

export const environmentPrefix = 'TALLYSTICK_'
export const rootSchema = settingsSchema as unknown as Schema

export type SettingPath = readonly string[]

/** Every setting that has a value of its own; a list is one setting. */
export function settingPaths({ properties }: Schema = rootSchema, path: SettingPath = []): SettingPath[] {
  if (properties === undefined) return [path]
  return Object.entries(properties).flatMap(([name, schema]) => settingPaths(schema, [...path, name]))
}

/** http.corsOrigins is TALLYSTICK_HTTP_CORS_ORIGINS. */
export function environmentName(path: SettingPath): string {
  const words = path.map((name) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase())
  return environmentPrefix + words.join('_')
}

export function schemaAt(path: SettingPath): Schema | undefined {
  return path.reduce<Schema | undefined>((schema, name) => schema?.properties?.[name] ?? schema?.items, rootSchema)
}

/** A text that does not fit the setting is kept as text; validation then says what is expected. */
export function valueFromText(schema: Schema | undefined, text: string): unknown {
  if (schema?.anyOf?.some(({ type }) => type === 'integer')) return integerFrom(text)
  switch (schema?.type) {
    case 'integer':
      return integerFrom(text)
    case 'boolean':
      return text === 'true' || text === 'false' ? text === 'true' : text
    case 'array':
      return schema.items?.type === 'string' && !/^\s*\[/.test(text) ? listFrom(text) : jsonOr(text)
    default:
      return text
  }
}

function integerFrom(text: string): unknown {
  return /^-?\d+$/.test(text) ? Number(text) : text
}

function listFrom(text: string): string[] {
  return text.trim() === '' ? [] : text.split(',').map((word) => word.trim())
}

function jsonOr(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
