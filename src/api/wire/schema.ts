// Building blocks of wire schemas. Each is plain JSON Schema, so that one value serves decoding (decode.ts), static
// types (TypeBox) and the OpenAPI document. Requests are as lenient as Canton's: a field with a default may be absent.
import { type Static, type TProperties, type TSchema, Type } from 'typebox'

type Words = { readonly description?: string }
/** `requires`: the fields that Canton's document requires, if not just those with neither default nor null. */
type MessageWords<P> = Words & { readonly requires?: 'all' | readonly (keyof P & string)[] }

export const text = (description: string) => Type.String({ default: '', description })
export const flag = (description: string) => Type.Boolean({ default: false, description })
/** Of older requests, whose flags may be null. */
export const olderFlag = (description: string) => Type.Boolean({ default: false, nullIsDefault: true, description })
export const int32 = (description: string) => Type.Integer({ format: 'int32', default: 0, description })
export const int64 = (description: string) =>
  Type.Unsafe<bigint>({ type: 'integer', format: 'int64', default: 0n, description })
export const optionalInt64 = (description: string) =>
  Type.Optional(Type.Unsafe<bigint>({ type: 'integer', format: 'int64', description }))
/** The specification requires it; Canton takes 0 if it is absent. */
export const requiredInt64 = (description: string) =>
  Type.Unsafe<bigint>({ type: 'integer', format: 'int64', cantonDefault: 0n, description })
/** Decoded to microseconds since 1970. */
export const timestamp = (description: string) =>
  Type.Unsafe<bigint>({ type: 'string', format: 'date-time', description })
/** Base64 on the wire. */
export const bytes = (description: string) =>
  Type.Unsafe<Uint8Array>({ type: 'string', format: 'byte', default: new Uint8Array(), description })
/** `package:Module:Entity`, with the package by id or as `#name`. */
export const identifier = (description: string) => Type.String({ format: 'identifier', description })
export const choiceOf = <T extends string>(values: readonly T[], description: string) =>
  Type.Unsafe<T>({ type: 'string', enum: [...values], description })
/** A protobuf enum that is a plain string in Canton's document. */
export const undocumentedEnumOf = <T extends string>(values: readonly T[], description: string) =>
  Type.Unsafe<T>({ ...choiceOf(values, description), documented: { type: 'string' } })
/** The JSON of a Daml value; its type is checked later. */
export const damlValue = (description: string) => Type.Unknown({ description })
export const list = <T extends TSchema>(items: T, description: string) =>
  Type.Array(items, { default: [], description })
export const textMap = (description: string) => mapOf('Map_String', Type.String(), description)

export const mapOf = <T extends TSchema>(title: string, values: T, description: string) =>
  Type.Record(Type.String(), values, { title, default: {}, description })

/** A named message, listed under its name in the OpenAPI document. */
export const message = <P extends TProperties>(title: string, properties: P, words: MessageWords<P> = {}) =>
  Type.Object(properties, { title, ...words })

/**
 * A message of Canton's own JSON types, not of protobuf: all its errors are reported at once, and null stands for the
 * default of a field.
 */
export const configured = <P extends TProperties>(title: string, properties: P, words: MessageWords<P> = {}) =>
  Type.Object(properties, { title, configured: true, ...words })

/** Always present in an answer, possibly as null. */
export const nullable = <T extends TSchema>(schema: T) => Type.Unsafe<Static<T> | null>({ ...schema, nullable: true })

/** Absent and null are decoded to undefined. */
export const optional = <T extends TSchema>(schema: T) => Type.Optional(schema)

/** Has a default by Canton's document, which the specification follows; Canton itself requires it. */
export const optionalInDocument = <T extends TSchema>(schema: T): T => ({ ...schema, requiredByCanton: true })

/** Optional; but missing, in Canton, from a body that is no object. */
export const undefaulted = <T extends TSchema>(schema: T) => Type.Optional({ ...schema, undefaulted: true } as T)

/**
 * A message's variant in Canton's boxed style: `{"Name": {"value": {…}}}`. The box is a component of its own; `title`
 * is its name where Canton's document numbers it.
 */
export const boxed = <N extends string, T extends TSchema>(name: N, value: T, title: string = name) =>
  Type.Object({ [name]: box(title, value) } as Record<N, ReturnType<typeof box<T>>>)

const box = <T extends TSchema>(title: string, value: T) => {
  const description = (value as { description?: string }).description
  return Type.Object({ value }, { title, requires: 'all', ...(description !== undefined && { description }) })
}

/** A variant in Canton's flat style: `{"Name": {…}}`. */
export const flat = <N extends string, T extends TSchema>(name: N, value: T) =>
  Type.Object({ [name]: value } as Record<N, T>, { configured: true })

/** No field of the oneof is set. Always a member, and the default of an absent oneof. */
export const emptyVariant = (title = 'Empty') =>
  Type.Object({ Empty: Type.Object({}, { title, description: 'Nothing is set' }) })

export const oneOf = <T extends TSchema[]>(title: string, variants: [...T], words: Words = {}) =>
  Type.Union(variants, { title, default: { Empty: {} }, ...words })

/** A oneof of Canton's own JSON types: one of the variants must be present. */
export const variants = <T extends TSchema[]>(title: string, members: [...T], words: Words = {}) =>
  Type.Union(members, { title, ...words })

const numbers = (format: 'int32' | 'int64') =>
  Type.Array(Type.Unsafe<unknown>({ type: 'integer', format }), { default: [], description: 'Ignored' })

export const unknownFields = configured(
  'UnknownFieldSet',
  {
    fields: mapOf(
      'Map_Int_Field',
      configured('Field', {
        varint: numbers('int64'),
        fixed64: numbers('int64'),
        fixed32: numbers('int32'),
        lengthDelimited: list(Type.String(), 'Ignored'),
      }),
      'By number; always empty in answers',
    ),
  },
  { description: 'A remnant of protobuf; ignored', requires: 'all' },
)

export const duration = configured(
  'Duration',
  {
    seconds: int64('Whole seconds'),
    nanos: int32('Nanoseconds'),
    unknownFields: optional(unknownFields),
  },
  { description: 'A duration', requires: ['seconds', 'nanos'] },
)

export const fieldMask = configured(
  'FieldMask',
  {
    paths: list(Type.String(), 'Fields to change, in snake_case, such as is_deactivated'),
    unknownFields: optional(unknownFields),
  },
  { description: 'The fields that an update changes', requires: ['unknownFields'] },
)
