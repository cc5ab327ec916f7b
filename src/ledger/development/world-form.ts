// Compares the content of a world file with the schema, and says in words what does not fit.
import { Errors } from 'typebox/value'
import { nearest } from '../../base/nearest.ts'
import type { WorldFile, WorldPath } from './world-file.ts'
import { type WorldContent, worldSchema } from './world-schema.ts'

/** The part of JSON Schema that the schema uses. */
type Schema = {
  readonly type?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly patternProperties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly enum?: readonly string[]
  readonly expects?: string
}

const words: Readonly<Record<string, string>> = {
  object: 'an object',
  array: 'a list',
  string: 'a text',
  boolean: 'true or false',
  integer: 'a whole number',
}

export function checkForm(file: WorldFile): WorldContent {
  const { content } = file
  // The innermost mistake is the most specific.
  const [mistake] = Errors(worldSchema, content).sort((a, b) => depth(b.instancePath) - depth(a.instancePath))
  if (mistake === undefined) return content as WorldContent
  const path = pathFrom(mistake.instancePath, content)
  const { text, more = [] } = textOf(mistake, path, valueAt(content, path))
  throw file.problem([...path, ...more], text)
}

type Mistake = {
  readonly keyword: string
  readonly params: object
  readonly instancePath: string
  readonly message: string
}

function textOf(
  { keyword, params, message }: Mistake,
  path: WorldPath,
  value: unknown,
): { text: string; more?: WorldPath } {
  const schema = schemaAt(path)
  switch (keyword) {
    case 'boolean':
      return { text: unknownName(path) }
    case 'required':
      return { text: `${(params as { requiredProperties: string[] }).requiredProperties[0]} is missing` }
    case 'type':
      return {
        text: `expected ${words[schema?.type ?? ''] ?? 'another value'}, found ${shown(value)}${yamlHint(value)}`,
      }
    case 'enum':
      return { text: `expected one of ${schema?.enum?.join(', ')}, found ${shown(value)}` }
    case 'pattern':
      return { text: `expected ${schema?.expects ?? 'another text'}, found ${shown(value)}` }
    case 'minItems':
    case 'minLength':
      return { text: 'it is empty' }
    default:
      return { text: message }
  }
}

function unknownName(path: WorldPath): string {
  const around = schemaAt(path.slice(0, -1))
  if (around?.patternProperties !== undefined) return `the name must be ${around.expects}`
  const meant = nearest(String(path.at(-1)), Object.keys(around?.properties ?? {}))
  return `there is no such field${meant === undefined ? '' : `; did you mean ${meant}?`}`
}

function shown(value: unknown): string {
  if (value === null || value === undefined) return 'nothing'
  if (Array.isArray(value)) return 'a list'
  return typeof value === 'object' ? 'an object' : JSON.stringify(value).slice(0, 80)
}

/** The usual reason for a missing value. */
function yamlHint(value: unknown): string {
  return value === null ? ' (in YAML a text that begins with # needs quotes)' : ''
}

function schemaAt(path: WorldPath): Schema | undefined {
  return path.reduce<Schema | undefined>(
    (schema, step) => {
      if (typeof step === 'number') return schema?.items
      return schema?.properties?.[step] ?? Object.values(schema?.patternProperties ?? {})[0]
    },
    worldSchema as unknown as Schema,
  )
}

function pathFrom(pointer: string, content: unknown): WorldPath {
  const steps = pointer.split('/').slice(1)
  const path: (string | number)[] = []
  for (const step of steps) {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~')
    path.push(Array.isArray(valueAt(content, path)) ? Number(name) : name)
  }
  return path
}

function valueAt(content: unknown, path: WorldPath): unknown {
  return path.reduce<unknown>(
    (value, step) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, step)
        ? (value as Record<string | number, unknown>)[step]
        : undefined,
    content,
  )
}

function depth(pointer: string): number {
  return pointer.split('/').length
}
