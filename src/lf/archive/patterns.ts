// The alternatives of a case expression: CaseAlt of daml_lf2.proto.
import type { Alternative, BuiltinConstructor, Expression, Pattern } from '../syntax/ast.ts'
import { refuse } from './archive-error.ts'
import type { Content, Field } from './content.ts'
import { int32, internedName, unit } from './contents.ts'
import type { Decoding } from './decoding.ts'
import { identifier } from './identifiers.ts'
import { mapped, maybe, message, once } from './message.ts'

const constructors: readonly BuiltinConstructor[] = ['unit', 'false', 'true']

export const builtinConstructor: Content<BuiltinConstructor> = mapped(int32, (proto, decoding) => {
  return constructors[proto] ?? refuse(decoding, `there is no builtin constructor ${proto}`)
})

const variant = message(
  'CaseAlt.Variant',
  [
    once(1, 'con', identifier),
    once(2, 'variant_interned_str', internedName),
    once(3, 'binder_interned_str', internedName),
  ],
  (id, tag, binder): Pattern => ({ kind: 'variant', id, tag, binder }),
)

const enumeration = message(
  'CaseAlt.Enum',
  [once(1, 'con', identifier), once(2, 'constructor_interned_str', internedName)],
  (id, tag): Pattern => ({ kind: 'enum', id, tag }),
)

const cons = message(
  'CaseAlt.Cons',
  [once(1, 'var_head_interned_str', internedName), once(2, 'var_tail_interned_str', internedName)],
  (head, tail): Pattern => ({ kind: 'cons', head, tail }),
)

const some = message(
  'CaseAlt.OptionalSome',
  [once(1, 'var_body_interned_str', internedName)],
  (binder): Pattern => ({ kind: 'some', binder }),
)

const pattern = (number: number, name: string, content: Content<Pattern>): Field<Pattern | undefined> => {
  return maybe(number, name, content)
}

const byBuiltinConstructor = mapped(builtinConstructor, (name): Pattern => {
  return { kind: 'builtin-constructor', name }
})

const patterns = [
  pattern(
    2,
    'default',
    mapped(unit, () => ({ kind: 'default' })),
  ),
  pattern(3, 'variant', variant),
  pattern(4, 'builtin_con', byBuiltinConstructor),
  pattern(
    5,
    'nil',
    mapped(unit, () => ({ kind: 'nil' })),
  ),
  pattern(6, 'cons', cons),
  pattern(
    7,
    'optional_none',
    mapped(unit, () => ({ kind: 'none' })),
  ),
  pattern(8, 'optional_some', some),
  pattern(9, 'enum', enumeration),
] as const

export function alternativeWith(expression: Content<Expression>): Content<Alternative> {
  const parts = message('CaseAlt', [once(1, 'body', expression), ...patterns], (body, ...given) => ({ body, given }))
  return mapped(parts, ({ body, given }, decoding) => ({ pattern: onlyOne(decoding, given), body }))
}

function onlyOne(decoding: Decoding, given: readonly (Pattern | undefined)[]): Pattern {
  let found: Pattern | undefined
  for (const pattern of given) {
    if (pattern === undefined) continue
    if (found !== undefined) refuse(decoding, 'CaseAlt has more than one pattern')
    found = pattern
  }
  return found ?? refuse(decoding, 'CaseAlt has no pattern')
}
