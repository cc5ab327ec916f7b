// Building blocks of wire schemas. Each is plain JSON Schema, so that one value serves decoding (decode.ts), static
// types (TypeBox) and the OpenAPI document. Requests are lenient as Canton's are: what has a default may be absent.
import { type TProperties, type TSchema, Type } from 'typebox'

type Words = { readonly description?: string }

export const text = (description: string) => Type.String({ default: '', description })
export const flag = (description: string) => Type.Boolean({ default: false, description })
export const int32 = (description: string) => Type.Integer({ format: 'int32', default: 0, description })
/** Microseconds since 1970 once decoded. */
export const timestamp = (description: string) =>
  Type.Unsafe<bigint>({ type: 'string', format: 'date-time', description })
export const choiceOf = <T extends string>(values: readonly T[], description: string) =>
  Type.Unsafe<T>({ type: 'string', enum: [...values], description })
export const list = <T extends TSchema>(items: T, description: string) =>
  Type.Array(items, { default: [], description })
export const textMap = (description: string) => Type.Record(Type.String(), Type.String(), { default: {}, description })

/** A named message, listed under its name in the OpenAPI document. */
export const message = <P extends TProperties>(title: string, properties: P, words: Words = {}) =>
  Type.Object(properties, { title, ...words })

/** Absent or null is undefined once decoded. */
export const optional = <T extends TSchema>(schema: T) => Type.Optional(schema)

/** A message's variant in Canton's boxed style: `{"Name": {"value": {…}}}`. */
export const boxed = <N extends string, T extends TSchema>(name: N, value: T) =>
  Type.Object({ [name]: Type.Object({ value }) } as Record<N, ReturnType<typeof box<T>>>)

const box = <T extends TSchema>(value: T) => Type.Object({ value })

/** No field of the oneof is set. Always a member, and what an absent oneof means. */
export const emptyVariant = Type.Object({ Empty: Type.Object({}, { description: 'Nothing is set' }) })

export const oneOf = <T extends TSchema[]>(title: string, variants: [...T], words: Words = {}) =>
  Type.Union(variants, { title, default: { Empty: {} }, ...words })

export const fieldMask = message(
  'FieldMask',
  {
    paths: list(Type.String(), 'Fields to change, in snake_case, such as is_deactivated'),
    unknownFields: optional(Type.Object({}, { description: 'Ignored; some generators send it' })),
  },
  { description: 'Which fields of a resource an update concerns' },
)
