// Kinds and types: Kind and Type of daml_lf2.proto. Types are written in a table of the package, where an entry may use
// the entries before it; everywhere else a type is an index into that table.

import { readInt32, readSignedInt64, wireTypes } from '../../protobuf/wire-reading.ts'
import {
  type FieldType,
  illKinded,
  type Kind,
  type Parameter,
  type Type,
  type TypeApplication,
  type TypeParameter,
} from '../syntax/ast.ts'
import { builtinTypeFromProto } from '../syntax/builtins.ts'
import { refuse } from './archive-error.ts'
import type { Content } from './content.ts'
import { int32, internedName, unit } from './contents.ts'
import { type Decoding, refuseIndex, shown } from './decoding.ts'
import { identifier } from './identifiers.ts'
import { archiveLimits } from './limits.ts'
import { form, many, mapped, message, once, oneOf } from './message.ts'

const scaleMax = 37n

const star: Kind = { kind: 'star' }
const nat: Kind = { kind: 'nat' }

// ── Kinds

/** A kind inside a kind: the reader of kinds refers to itself. */
const innerKind: Content<Kind> = { wireType: wireTypes.bytes, read: (decoding) => kind.read(decoding) }

const arrow = message(
  'Kind.Arrow',
  [many(1, 'params', innerKind, { min: 1, flatMax: 1 }), once(2, 'result', innerKind)],
  (parameters, result) =>
    parameters.reduceRight<Kind>((to, parameter) => ({ kind: 'arrow', parameter, result: to }), result),
)

const kindForms = [
  form(
    1,
    'star',
    mapped(unit, () => star),
  ),
  form(2, 'arrow', arrow),
  form(
    3,
    'nat',
    mapped(unit, () => nat),
  ),
]

const internedKind = mapped(int32, (index, decoding) => {
  return decoding.kinds[index] ?? refuseIndex(decoding, 'kind', index, decoding.kinds.length)
})

const kind: Content<Kind> = oneOf('Kind', [...kindForms, form(4, 'interned_kind', internedKind, 2)])

/** An entry of the table of kinds must be a kind itself, not a reference to another entry. */
export const kindEntry: Content<Kind> = oneOf('an interned Kind', kindForms)

export const typeParameter: Content<TypeParameter> = message(
  'TypeVarWithKind',
  [once(3, 'var_interned_str', internedName), once(2, 'kind', kind)],
  (name, kind) => ({ name, kind }),
)

// ── Types in the table

const innerType: Content<Type> = { wireType: wireTypes.bytes, read: (decoding) => measured(decoding, anyType) }

const typeVariable = message(
  'Type.Var',
  [once(3, 'var_interned_str', internedName), many(2, 'args', innerType, { flatMax: 0 })],
  (name, args): Type => ({ kind: 'variable', name, args }),
)

const typeConstructor = message(
  'Type.Con',
  [once(1, 'tycon', identifier), many(2, 'args', innerType, { flatMax: 0 })],
  (id, args): Type => ({ kind: 'constructor', id, args }),
)

const typeSynonym = message(
  'Type.Syn',
  [once(1, 'tysyn', identifier), many(2, 'args', innerType)],
  (id, args): Type => ({ kind: 'synonym', id, args }),
)

const builtinTypeName = mapped(int32, (proto, decoding) => {
  return builtinTypeFromProto(proto) ?? refuse(decoding, `there is no builtin type ${proto} in LF 2.${decoding.minor}`)
})

const builtinType = message(
  'Type.Builtin',
  [once(1, 'builtin', builtinTypeName), many(2, 'args', innerType, { flatMax: 0 })],
  (name, args): Type => ({ kind: 'builtin', name, args }),
)

const forall = message(
  'Type.Forall',
  [many(1, 'vars', typeParameter, { min: 1, flatMax: 1 }), once(2, 'body', innerType)],
  (parameters, body): Type => {
    if (body.kind !== 'forall') return { kind: 'forall', parameters, body }
    return { kind: 'forall', parameters: [...parameters, ...body.parameters], body: body.body }
  },
)

/** Merging copies, so the copies count as parts. */
const countedForall = mapped(forall, (type, decoding): Type => {
  if (type.kind === 'forall') countParts(decoding, type.parameters.length)
  return type
})

const structField = message(
  'FieldWithType',
  [once(3, 'field_interned_str', internedName), once(2, 'type', innerType)],
  (name, type): FieldType => ({ name, type }),
)

const struct = mapped(
  message('Type.Struct', [many(1, 'fields', structField, { min: 1 })], (fields) => fields),
  (fields, decoding): Type => ({ kind: 'struct', fields: sortedFields(fields, decoding) }),
)

const natType: Content<Type> = {
  wireType: wireTypes.varint,
  read: (decoding) => {
    const value = readSignedInt64(decoding)
    if (value < 0n || value > scaleMax)
      refuse(decoding, `the type-level number ${value} is not between 0 and ${scaleMax}`)
    return { kind: 'nat', value: Number(value) }
  },
}

const typeApplicationForm = mapped(
  message('Type.TApp', [once(1, 'lhs', innerType), once(2, 'rhs', innerType)], (head, arg) => ({ head, arg })),
  ({ head, arg }, decoding): Type => {
    if (head.kind === 'variable' || head.kind === 'constructor' || head.kind === 'builtin') {
      countParts(decoding, head.args.length)
      return { ...head, args: [...head.args, arg] }
    }
    return { kind: 'variable', name: illKinded, args: [head, arg] }
  },
)

const internedTypeInTable = mapped(int32, (index, decoding) => {
  const type = typeAt(decoding, index)
  decoding.treeNodes += decoding.typeSizes.nodes[index] ?? 0
  // The message that refers to an entry stands for it: it is no type of its own.
  decoding.treeDepth = Math.max(decoding.treeDepth, decoding.typeDepth - 1 + (decoding.typeSizes.depths[index] ?? 0))
  return type
})

const typeForms = [
  form(1, 'var', typeVariable),
  form(2, 'con', typeConstructor),
  form(3, 'builtin', builtinType),
  form(4, 'forall', countedForall),
  form(5, 'struct', struct),
  form(6, 'nat', natType),
  form(7, 'syn', typeSynonym),
  form(9, 'tapp', typeApplicationForm, 2),
]

const anyType = oneOf('Type', [...typeForms, form(8, 'interned_type', internedTypeInTable)])
const concreteType = oneOf('an interned Type', typeForms)

/** Reads an entry of the table of types whose size was checked before. */
export function readTypeAgain(decoding: Decoding): Type {
  decoding.treeNodes = 0
  decoding.treeDepth = 0
  decoding.typeDepth = 0
  return concreteType.read(decoding)
}

/** Reads the next entry of the table of types, which must be a type itself, not a reference to another entry. */
export function readTypeEntry(decoding: Decoding): Type {
  decoding.treeNodes = 0
  decoding.treeDepth = 0
  decoding.typeDepth = 0
  const type = measured(decoding, concreteType)
  checkSize(decoding)
  decoding.typeSizes.nodes.push(decoding.treeNodes)
  decoding.typeSizes.depths.push(decoding.treeDepth)
  return type
}

function countParts(decoding: Decoding, count: number): void {
  decoding.typeParts += count
  checkSize(decoding)
}

function measured(decoding: Decoding, type: Content<Type>): Type {
  decoding.typeParts++
  decoding.treeNodes++
  decoding.typeDepth++
  decoding.treeDepth = Math.max(decoding.treeDepth, decoding.typeDepth)
  checkSize(decoding)
  const read = type.read(decoding)
  decoding.typeDepth--
  return read
}

/** Checked before each part is read, so that a type too large is never built. */
function checkSize(decoding: Decoding): void {
  const { typeDepthMax, typeNodesMax, typePartsMax } = archiveLimits
  if (decoding.treeDepth > typeDepthMax) refuse(decoding, `types are nested more than ${typeDepthMax} deep`)
  if (decoding.treeNodes > typeNodesMax) refuse(decoding, `a type has more than ${typeNodesMax} parts`)
  if (decoding.typeParts > typePartsMax) refuse(decoding, `all types together have more than ${typePartsMax} parts`)
}

function sortedFields(fields: readonly FieldType[], decoding: Decoding): readonly FieldType[] {
  const sorted = fields.toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
  const twice = sorted.find((field, i) => field.name === sorted[i + 1]?.name)
  if (twice) refuse(decoding, `a struct type has the field ${shown(twice.name)} twice`)
  return sorted
}

// ── Types outside the table

const internedType: Content<Type> = {
  wireType: wireTypes.varint,
  read: (decoding) => typeAt(decoding, readInt32(decoding)),
}

export const type: Content<Type> = oneOf('Type outside the table', [form(8, 'interned_type', internedType)])

export const typeApplication: Content<TypeApplication> = message(
  'Type.Con',
  [once(1, 'tycon', identifier), many(2, 'args', type)],
  (id, args) => ({ id, args }),
)

export const parameter: Content<Parameter> = message(
  'VarWithType',
  [once(3, 'var_interned_str', internedName), once(2, 'type', type)],
  (name, type) => ({ name, type }),
)

export const fieldType: Content<FieldType> = message(
  'FieldWithType',
  [once(3, 'field_interned_str', internedName), once(2, 'type', type)],
  (name, type) => ({ name, type }),
)

function typeAt(decoding: Decoding, index: number): Type {
  const type = decoding.types[index] ?? decoding.late?.type(index)
  return type ?? refuseIndex(decoding, 'type', index, decoding.types.length)
}
