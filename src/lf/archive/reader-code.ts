// Code for readers of messages, made from the same tables that message.ts walks. A function of its own for each message
// lets V8 know what it calls; a loop over rows that all messages share takes twice as long. The code holds numbers alone:
// texts and functions are passed in.
import { compileFunction } from '../../base/generated-code.ts'
import { wireTypes } from '../../protobuf/wire-reading.ts'
import type { Content, Field, Form } from './content.ts'
import type { Decoding } from './decoding.ts'

type Read<T> = (decoding: Decoding) => T

/** The functions of message.ts that the code calls. */
export type Helpers = Readonly<Record<HelperName, unknown>>

const helperNames = [
  'enterMessage',
  'leaveMessage',
  'readInt32',
  'readPacked',
  'refuse',
  'refuseField',
  'refuseTwice',
  'absentValue',
  'checkRule',
  'readForm',
] as const
type HelperName = (typeof helperNames)[number]

export function readerOf<T>({ compiled, read }: Content<T>): Read<T> {
  return compiled?.() ?? read
}

export function compileMapped<A, B>(read: Read<A>, convert: (value: A, decoding: Decoding) => B): Read<B> {
  const create = compileFunction(
    ['read', 'convert'],
    'return function (decoding) { return convert(read(decoding), decoding) }',
  )
  return create(read as never, convert as never) as Read<B>
}

export function compileMessage<T>(
  name: string,
  fields: readonly Field<unknown>[],
  build: (...values: unknown[]) => T,
  helpers: Helpers,
): Read<T> {
  const code = [
    ...fields.map((_, i) => `const [read${i}, field${i}] = [reads[${i}], fields[${i}]]`),
    'return function (decoding) {',
    '  const outerEnd = decoding.end',
    '  const end = enterMessage(decoding)',
    fields.length > 0 ? `  let ${fields.map((_, i) => `value${i}`).join(', ')}` : '',
    '  while (decoding.position < end) {',
    '    const tag = readInt32(decoding)',
    '    switch (tag) {',
    ...fields.flatMap(casesOf),
    '      default: return refuseField(decoding, name, tag, fields)',
    '    }',
    '  }',
    '  leaveMessage(decoding, end, outerEnd)',
    ...fields.flatMap(({ rule }, i) => [
      `  if (value${i} === undefined) value${i} = absentValue(decoding, name, field${i})`,
      rule === undefined ? '' : `  checkRule(decoding, name, field${i}, value${i})`,
    ]),
    `  return build(${fields.map((_, i) => `value${i}`).join(', ')})`,
    '}',
  ]
  const create = compileFunction([...helperNames, 'name', 'fields', 'reads', 'build'], code.join('\n'))
  const reads = fields.map(({ content }) => readerOf(content))
  return create(...([...inOrder(helpers), name, fields, reads, build] as never[])) as Read<T>
}

function casesOf({ number, occurs, content: { wireType } }: Field<unknown>, i: number): readonly string[] {
  const label = `      case ${(number << 3) | wireType}:`
  if (occurs !== 'many') {
    return [
      `${label} if (value${i} !== undefined) refuseTwice(decoding, field${i})`,
      `value${i} = read${i}(decoding); break`,
    ]
  }
  const list = `if (value${i} === undefined) value${i} = []`
  const one = `${label} ${list}; value${i}.push(read${i}(decoding)); break`
  if (wireType !== wireTypes.varint) return [one]
  return [
    one,
    `      case ${(number << 3) | wireTypes.bytes}: ${list}; readPacked(decoding, value${i}, read${i}); break`,
  ]
}

export function compileOneOf<T>(name: string, forms: readonly Form<T>[], helpers: Helpers): Read<T> {
  const code = [
    `const readOne = choose`,
    'return function (decoding) {',
    '  const outerEnd = decoding.end',
    '  const end = enterMessage(decoding)',
    '  let value',
    '  while (decoding.position < end) {',
    '    const tag = readInt32(decoding)',
    '    if (value !== undefined) refuseMore(decoding, tag)',
    '    value = readOne(decoding, tag)',
    '  }',
    '  leaveMessage(decoding, end, outerEnd)',
    '  return value === undefined ? refuseNone(decoding) : value',
    '}',
  ]
  const { refuse, refuseField } = helpers as {
    refuse: (decoding: Decoding, problem: string) => never
    refuseField: (decoding: Decoding, name: string, tag: number, forms: readonly Form<T>[]) => never
  }
  const isKnown = new Set(forms.map(({ number, content }) => (number << 3) | content.wireType))
  const refuseMore = (decoding: Decoding, tag: number): never => {
    if (!isKnown.has(tag)) refuseField(decoding, name, tag, forms)
    return refuse(decoding, `${name} has more than one form`)
  }
  const refuseNone = (decoding: Decoding): never => refuse(decoding, `${name} has no form`)
  const create = compileFunction([...helperNames, 'choose', 'refuseMore', 'refuseNone'], code.join('\n'))
  const choose = compileChoice(name, forms, helpers)
  return create(...([...inOrder(helpers), choose, refuseMore, refuseNone] as never[])) as Read<T>
}

/** Reads the form that a tag stands for. Forms that not all versions have are read by way of `readForm`. */
export function compileChoice<T>(
  name: string,
  forms: readonly Form<T>[],
  helpers: Pick<Helpers, 'readForm' | 'refuseField'>,
): (decoding: Decoding, tag: number) => T {
  const code = [
    ...forms.map((_, i) => `const read${i} = reads[${i}]`),
    'return function (decoding, tag) {',
    '  switch (tag) {',
    ...forms.map(({ number, content, since, until }, i) => {
      const isEverywhere = since === undefined && until === undefined
      const read = isEverywhere ? `read${i}(decoding)` : `readForm(decoding, name, forms[${i}])`
      return `    case ${(number << 3) | content.wireType}: return ${read}`
    }),
    '    default: return refuseField(decoding, name, tag, forms)',
    '  }',
    '}',
  ]
  const create = compileFunction(['readForm', 'refuseField', 'name', 'forms', 'reads'], code.join('\n'))
  const reads = forms.map(({ content }) => readerOf(content))
  const given = [helpers.readForm, helpers.refuseField, name, forms, reads]
  return create(...(given as never[])) as (decoding: Decoding, tag: number) => T
}

const inOrder = (helpers: Helpers): unknown[] => helperNames.map((name) => helpers[name])
