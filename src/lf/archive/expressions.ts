// Expressions: the forms of Expr of daml_lf2.proto, one row each. Nested applications, abstractions and lets of one
// kind are merged, so that the unary forms of LF 2.2 and the wide ones of LF 2.1 give the same tree; the type checker
// sees them as they are written, because the locations inside belong to its errors.

import { readInt32, wireTypes } from '../../protobuf/wire-reading.ts'
import type { Binding, Expression, Field, Parameter } from '../syntax/ast.ts'
import { builtinFromProto, builtinSince } from '../syntax/builtins.ts'
import { refuse } from './archive-error.ts'
import type { Content, Form } from './content.ts'
import { int32, internedName } from './contents.ts'
import { type Decoding, refuseIndex } from './decoding.ts'
import { identifier } from './identifiers.ts'
import { interfaceFormsWith } from './interface-expressions.ts'
import { literal } from './literals.ts'
import { location } from './locations.ts'
import {
  enterMessage,
  form,
  formsByTag,
  leaveMessage,
  many,
  mapped,
  message,
  once,
  readForm,
  refuseField,
  refuseVersion,
} from './message.ts'
import { alternativeWith, builtinConstructor } from './patterns.ts'
import { compileChoice } from './reader-code.ts'
import { parameter, type, typeApplication, typeParameter } from './types.ts'
import { bindingWith, updateWith } from './update-expressions.ts'

/** Merging copies, so it stops beyond what programs need; a longer spine stays nested, which means the same. */
const mergedMax = 255

export const expression: Content<Expression> = { wireType: wireTypes.bytes, read: readExpression }

const field = message(
  'FieldWithExpr',
  [once(3, 'field_interned_str', internedName), once(2, 'expr', expression)],
  (name, value): Field => ({ name, value }),
)

const builtin = mapped(int32, (proto, decoding): Expression => {
  const name = builtinFromProto(proto)
  if (name === undefined) return refuse(decoding, `there is no builtin function ${proto} in LF 2.${decoding.minor}`)
  if (decoding.minor < builtinSince(name)) refuseVersion(decoding, `the builtin ${name}`)
  return { kind: 'builtin', name, location: undefined }
})

const record = message(
  'Expr.RecCon',
  [once(1, 'tycon', typeApplication), many(2, 'fields', field)],
  (type, fields): Expression => ({ kind: 'record', type, fields, location: undefined }),
)

const recordProjection = message(
  'Expr.RecProj',
  [once(1, 'tycon', typeApplication), once(4, 'field_interned_str', internedName), once(3, 'record', expression)],
  (type, field, record): Expression => ({ kind: 'record-projection', type, field, record, location: undefined }),
)

const recordUpdate = message(
  'Expr.RecUpd',
  [
    once(1, 'tycon', typeApplication),
    once(2, 'field_interned_str', internedName),
    once(3, 'record', expression),
    once(4, 'update', expression),
  ],
  (type, field, record, value): Expression => ({
    kind: 'record-update',
    type,
    field,
    record,
    value,
    location: undefined,
  }),
)

const variant = message(
  'Expr.VariantCon',
  [
    once(1, 'tycon', typeApplication),
    once(2, 'variant_con_interned_str', internedName),
    once(3, 'variant_arg', expression),
  ],
  (type, tag, value): Expression => ({ kind: 'variant', type, tag, value, location: undefined }),
)

const enumeration = message(
  'Expr.EnumCon',
  [once(1, 'tycon', identifier), once(2, 'enum_con_interned_str', internedName)],
  (id, tag): Expression => ({ kind: 'enum', id, tag, location: undefined }),
)

const struct = message(
  'Expr.StructCon',
  [many(1, 'fields', field)],
  (fields): Expression => ({ kind: 'struct', fields, location: undefined }),
)

const structProjection = message(
  'Expr.StructProj',
  [once(1, 'field_interned_str', internedName), once(2, 'struct', expression)],
  (field, struct): Expression => ({ kind: 'struct-projection', field, struct, location: undefined }),
)

const structUpdate = message(
  'Expr.StructUpd',
  [once(1, 'field_interned_str', internedName), once(2, 'struct', expression), once(3, 'update', expression)],
  (field, struct, value): Expression => ({ kind: 'struct-update', field, struct, value, location: undefined }),
)

const application = mapped(
  message('Expr.App', [once(1, 'fun', expression), many(2, 'args', expression, { min: 1 })], (called, args) => {
    return { called, args }
  }),
  ({ called, args }, { isChecking }): Expression => {
    if (isChecking || called.kind !== 'application' || called.args.length + args.length > mergedMax) {
      return { kind: 'application', function: called, args, location: undefined }
    }
    return {
      kind: 'application',
      function: called.function,
      args: [...called.args, ...args],
      location: called.location,
    }
  },
)

const typeApplicationForm = mapped(
  message(
    'Expr.TyApp',
    [once(1, 'expr', expression), many(2, 'types', type, { min: 1, flatMax: 1 })],
    (applied, types) => ({ applied, types }),
  ),
  ({ applied, types }, { isChecking }): Expression => {
    if (isChecking || applied.kind !== 'type-application' || applied.types.length + types.length > mergedMax) {
      return { kind: 'type-application', expression: applied, types, location: undefined }
    }
    return {
      kind: 'type-application',
      expression: applied.expression,
      types: [...applied.types, ...types],
      location: applied.location,
    }
  },
)

const abstraction = mapped(
  message(
    'Expr.Abs',
    [many(1, 'param', parameter, { min: 1, flatMax: 1 }), once(2, 'body', expression)],
    (parameters, body) => ({ parameters, body }),
  ),
  ({ parameters, body }, { isChecking }): Expression => {
    if (isChecking || body.kind !== 'abstraction' || body.parameters.length + parameters.length > mergedMax) {
      return { kind: 'abstraction', parameters, body, location: undefined }
    }
    const all: readonly Parameter[] = [...parameters, ...body.parameters]
    return { kind: 'abstraction', parameters: all, body: body.body, location: body.location }
  },
)

const typeAbstraction = mapped(
  message(
    'Expr.TyAbs',
    [many(1, 'param', typeParameter, { min: 1, flatMax: 1 }), once(2, 'body', expression)],
    (parameters, body) => ({ parameters, body }),
  ),
  ({ parameters, body }, { isChecking }): Expression => {
    if (isChecking || body.kind !== 'type-abstraction' || body.parameters.length + parameters.length > mergedMax) {
      return { kind: 'type-abstraction', parameters, body, location: undefined }
    }
    const all = [...parameters, ...body.parameters]
    return { kind: 'type-abstraction', parameters: all, body: body.body, location: body.location }
  },
)

const caseOf = message(
  'Case',
  [once(1, 'scrut', expression), many(2, 'alts', alternativeWith(expression))],
  (scrutinee, alternatives): Expression => ({ kind: 'case', scrutinee, alternatives, location: undefined }),
)

const letBlock = mapped(
  message(
    'Block',
    [many(1, 'bindings', bindingWith(expression), { min: 1 }), once(2, 'body', expression)],
    (bindings, body) => ({ bindings, body }),
  ),
  ({ bindings, body }, { isChecking }): Expression => {
    const isPlain = body.kind === 'let' && !body.location && body.bindings.length + bindings.length <= mergedMax
    if (isChecking || !isPlain) return { kind: 'let', bindings, body, location: undefined }
    const all: readonly Binding[] = [...bindings, ...body.bindings]
    return { kind: 'let', bindings: all, body: body.body, location: undefined }
  },
)

const cons = message(
  'Expr.Cons',
  [once(1, 'type', type), many(2, 'front', expression, { min: 1 }), once(3, 'tail', expression)],
  (type, front, tail): Expression => ({ kind: 'cons', type, front, tail, location: undefined }),
)

const throwing = message(
  'Expr.Throw',
  [once(1, 'return_type', type), once(2, 'exception_type', type), once(3, 'exception_expr', expression)],
  (returnType, exceptionType, exception): Expression => {
    return { kind: 'throw', returnType, exceptionType, exception, location: undefined }
  },
)

type TypedKind = 'some' | 'to-any' | 'from-any' | 'to-any-exception' | 'from-any-exception'

/** Forms that consist of a type and an expression. */
function typed(kind: TypedKind, name: string, valueName: string): Content<Expression> {
  return message(name, [once(1, 'type', type), once(2, valueName, expression)], (type, value): Expression => {
    return { kind, type, value, location: undefined }
  })
}

const nil = message(
  'Expr.Nil',
  [once(1, 'type', type)],
  (type): Expression => ({ kind: 'nil', type, location: undefined }),
)
const none = message('Expr.OptionalNone', [once(1, 'type', type)], (type): Expression => {
  return { kind: 'none', type, location: undefined }
})

const variableForm = mapped(internedName, (name): Expression => ({ kind: 'variable', name, location: undefined }))
const valueForm = mapped(identifier, (id): Expression => ({ kind: 'value', id, location: undefined }))
const literalForm = mapped(literal, (literal): Expression => ({ kind: 'literal', literal, location: undefined }))
const typeRep = mapped(type, (type): Expression => ({ kind: 'type-rep', type, location: undefined }))
const builtinConstructorForm = mapped(builtinConstructor, (name): Expression => {
  return { kind: 'builtin-constructor', name, location: undefined }
})
const updateForm = mapped(
  updateWith(expression),
  (update): Expression => ({ kind: 'update', update, location: undefined }),
)

const tableForms: readonly Form<Expression>[] = [
  form(2, 'var_interned_str', variableForm),
  form(3, 'val', valueForm),
  form(4, 'builtin', builtin),
  form(5, 'builtin_con', builtinConstructorForm),
  form(6, 'builtin_lit', literalForm),
  form(7, 'rec_con', record),
  form(8, 'rec_proj', recordProjection),
  form(9, 'rec_upd', recordUpdate),
  form(10, 'variant_con', variant),
  form(11, 'enum_con', enumeration),
  form(12, 'struct_con', struct),
  form(13, 'struct_proj', structProjection),
  form(14, 'struct_upd', structUpdate),
  form(15, 'app', application),
  form(16, 'ty_app', typeApplicationForm),
  form(17, 'abs', abstraction),
  form(18, 'ty_abs', typeAbstraction),
  form(19, 'case', caseOf),
  form(20, 'let', letBlock),
  form(21, 'nil', nil),
  form(22, 'cons', cons),
  form(23, 'update', updateForm),
  form(25, 'optional_none', none),
  form(26, 'optional_some', typed('some', 'Expr.OptionalSome', 'value')),
  form(27, 'to_any', typed('to-any', 'Expr.ToAny', 'expr')),
  form(28, 'from_any', typed('from-any', 'Expr.FromAny', 'expr')),
  form(29, 'type_rep', typeRep),
  form(30, 'to_any_exception', typed('to-any-exception', 'Expr.ToAnyException', 'expr')),
  form(31, 'from_any_exception', typed('from-any-exception', 'Expr.FromAnyException', 'expr')),
  form(32, 'throw', throwing),
  ...interfaceFormsWith(expression),
]

const internedExpression = form(44, 'interned_expr', mapped(int32, expressionAt), 2)
const forms = [...tableForms, internedExpression]
const knownFields = [{ number: 1, name: 'location' }, ...forms]
const formByTag = formsByTag(forms)
const locationTag = 0x0a

/** Entries of the table lie directly in the package; all other expressions lie deeper. */
const entryDepth = 1

/** A placeholder for an entry of the table that is not read yet; what holds it is thrown away. */
const notReadYet: Expression = { kind: 'builtin-constructor', name: 'unit', location: undefined }

/** Up to so many are read by walking the tables; then the code for them is worth compiling. */
const walkedMax = 2_000
let walked = 0
let readChosen: ((decoding: Decoding, tag: number) => Expression) | undefined

function readExpression(decoding: Decoding): Expression {
  if (walked <= walkedMax) {
    walked += 1
    if (walked > walkedMax) readChosen = compileChoice('Expr', forms, { readForm, refuseField })
  }
  const outerEnd = decoding.end
  const end = enterMessage(decoding)
  decoding.treeNodes++
  if (decoding.depth > decoding.treeDepth) decoding.treeDepth = decoding.depth
  let found: Expression | undefined
  let where: Expression['location']
  while (decoding.position < end) {
    const tag = readInt32(decoding)
    if (tag === locationTag) {
      where = location.read(decoding)
      continue
    }
    const chosen = formByTag[tag]
    if (chosen === undefined) return refuseField(decoding, 'Expr', tag, knownFields)
    if (found !== undefined) refuse(decoding, 'Expr has more than one form')
    found = readChosen === undefined ? readForm(decoding, 'Expr', chosen) : readChosen(decoding, tag)
  }
  leaveMessage(decoding, end, outerEnd)
  if (found === undefined) return refuse(decoding, 'Expr has no form')
  if (where === undefined) return found
  if (decoding.isChecking && found.location !== undefined) return locatedTwice(found, where)
  return { ...found, location: where }
}

/** A reference to the table may have a place of its own; a let of nothing holds it. */
function locatedTwice(body: Expression, location: Expression['location']): Expression {
  return { kind: 'let', bindings: [], body, location }
}

function expressionAt(index: number, decoding: Decoding): Expression {
  if (decoding.depth === entryDepth) refuse(decoding, 'an interned expression is only a reference to another')
  const { bound, read, entries, missing, sizes } = decoding.expressions
  if (index < 0 || index >= bound) return refuseIndex(decoding, 'expression', index, bound)
  decoding.treeNodes += sizes.nodes[index] ?? 0
  decoding.treeDepth = Math.max(decoding.treeDepth, decoding.depth + (sizes.depths[index] ?? 0))
  const known = decoding.isChecking ? entries[index] : read.get(index)
  if (known !== undefined) return known
  missing.push(index)
  return notReadYet
}
