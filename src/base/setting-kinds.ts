// The kinds of settings, and units for their defaults.
import { type TEnum, type TProperties, Type } from 'typebox'

export const second = 1000
export const minute = 60 * second
export const hour = 60 * minute
export const day = 24 * hour
export const mebibyte = 1024 * 1024

/** A section has a default for everything in it, so it can be left out. */
export const section = <P extends TProperties>(properties: P, description: string) =>
  Type.Object(properties, { additionalProperties: false, default: {}, description })

export const count = (byDefault: number, description: string, minimum = 1, maximum = Number.MAX_SAFE_INTEGER) =>
  Type.Integer({ default: byDefault, minimum, maximum, description })

/** Zero also means "unlimited"; `unlimitedMs` reads both. */
export const lifetime = (description: string, byDefault?: number) =>
  Type.Union([Type.Integer({ minimum: 0 }), Type.Literal('unlimited')], {
    description,
    ...(byDefault !== undefined && { default: byDefault }),
  })

export const flag = (byDefault: boolean, description: string) => Type.Boolean({ default: byDefault, description })
export const text = (description: string) => Type.String({ minLength: 1, description })
export const secretText = (description: string) => Type.String({ minLength: 1, description, secret: true })
export const choice = <T extends string[]>(
  values: readonly [...T],
  byDefault: T[number],
  description: string,
): TEnum<T> => Type.Enum(values, { default: byDefault, description }) as TEnum<T>
