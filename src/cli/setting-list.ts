// A list of all settings: meaning, values, default, and where each can be set. Printed by `tallystick config` and
// docs/settings.md.
import { settingOptionRows } from './options.ts'
import { environmentName, rootSchema, type Schema, type SettingPath, schemaAt, settingPaths } from './setting-schema.ts'

export type SettingRow = {
  readonly path: SettingPath
  /** `http.port` */
  readonly name: string
  /** `http`; empty for settings outside a section. */
  readonly section: string
  readonly meaning: string
  readonly values: string
  /** Undefined if the meaning already says what applies without the setting. */
  readonly byDefault: string | undefined
  readonly variable: string
  readonly flags: readonly string[]
  /** For a list of objects: the fields of an element. */
  readonly fields: readonly FieldRow[]
}

export type FieldRow = {
  readonly name: string
  readonly meaning: string
  readonly values: string
  readonly byDefault: string | undefined
}

export function settingRows(): SettingRow[] {
  return settingPaths().map((path) => {
    const schema = schemaAt(path)!
    const name = path.join('.')
    return {
      path,
      name,
      section: path.length === 1 ? '' : path[0]!,
      meaning: schema.description ?? '',
      values: valuesOf(schema),
      byDefault: shownDefault(name, schema),
      variable: environmentName(path),
      flags: flagsOf(name),
      fields: fieldsOf(schema.items),
    }
  })
}

export function sectionMeaning(section: string): string {
  return rootSchema.properties?.[section]?.description ?? ''
}

/** Milliseconds and bytes are also shown in a readable unit. */
export function shownValue(name: string, value: unknown): string {
  const text = JSON.stringify(value)
  if (typeof value !== 'number') return text
  const units = /Ms$/.test(name) ? times : /(Bytes|BytesMax)$/.test(name) ? sizes : []
  const [unit, size] = units.find(([, size]) => value >= size && value % size === 0) ?? []
  return unit === undefined || size === undefined ? text : `${text} (${value / size} ${unit})`
}

const times: readonly [string, number][] = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1000],
]
const sizes: readonly [string, number][] = [
  ['MiB', 2 ** 20],
  ['KiB', 2 ** 10],
]

function shownDefault(name: string, { default: value }: Schema): string | undefined {
  return value === undefined ? undefined : shownValue(name, value)
}

function flagsOf(name: string): string[] {
  return settingOptionRows
    .filter(([, { sets, with: more = {} }]) => sets === name || Object.hasOwn(more, name))
    .map(([flag]) => `--${flag}`)
}

function valuesOf({ type, enum: choices, anyOf, const: constant, items }: Schema): string {
  if (choices !== undefined) return choices.map((one) => JSON.stringify(one)).join(', ')
  if (constant !== undefined) return JSON.stringify(constant)
  if (anyOf !== undefined) return anyOf.map(valuesOf).join(' or ')
  if (type === 'array') return items?.type === 'string' ? 'list of texts' : 'list of objects'
  return { integer: 'whole number', boolean: 'true or false', string: 'text' }[type ?? ''] ?? type ?? ''
}

/** For a union: the fields of all members, each once, with all its possible values. */
function fieldsOf(items: Schema | undefined): FieldRow[] {
  const fields = new Map<string, Schema[]>()
  for (const { properties = {} } of items === undefined ? [] : (items.anyOf ?? [items])) {
    for (const [name, schema] of Object.entries(properties)) fields.set(name, [...(fields.get(name) ?? []), schema])
  }
  return [...fields].map(([name, schemas]) => ({
    name,
    meaning: schemas[0]!.description ?? '',
    values: [...new Set(schemas.map(valuesOf))].join(', '),
    byDefault: shownDefault(name, schemas[0]!),
  }))
}
