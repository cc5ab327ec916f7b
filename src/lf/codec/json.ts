// The JSON form of Daml values, compiled once per type (Canton: transcode/codec-json JsonCodec.scala).

import { keptJsonOf, keptProtobufOf, parseExactly } from '../../base/exact-json.ts'
import { shorten } from '../../base/names.ts'
import type { Type } from '../syntax/ast.ts'
import type { DataTypes } from '../values/data-types.ts'
import type { Compare } from '../values/ordered-map.ts'
import type { LfValue } from '../values/values.ts'
import { checkedValue } from './api-value/check.ts'
import { createLedgerValueTyping } from './api-value/type-check.ts'
import { compileDecoder } from './json-decoding.ts'
import { compileEncoder, type Encode } from './json-encoding.ts'
import type { Decode } from './json-target.ts'
import { compilePerType, typeToText } from './shapes.ts'
import { failAt, startTrail } from './trail.ts'
import { orValueError } from './value-error.ts'

type ValueCodec = {
  /** The value as JSON text. Throws a KindError for a value of another type. */
  encode(value: LfValue): string
  /**
   * Takes what parseExactly returns, JSON kept as text, or protobuf of the Ledger API kept as text. `path` names it in
   * errors. Throws a ValueError.
   */
  decode(json: unknown, path?: string): LfValue
}

export type JsonCodec = {
  /** For a serializable type without variables. */
  codecFor(type: Type): ValueCodec
}

type CodecParts = {
  readonly dataTypes: DataTypes
  /** The order of the keys of maps: Daml's order of values. */
  readonly compare: Compare
}

type JsonParts = CodecParts & {
  /** Reads JSON that Canton refuses, where it is clear what was meant. */
  readonly isLenient?: boolean | undefined
}

export function createJsonCodec({ dataTypes, compare, isLenient = false }: JsonParts): JsonCodec {
  const encoderOf = compilePerType<Encode>(dataTypes, (shape, _type, of) => compileEncoder(shape, of))
  const decoderOf = compilePerType<Decode>(dataTypes, (shape, type, of) =>
    compileDecoder(shape, { type, of, compare, isLenient }),
  )
  const fromLedgerValue = createLedgerValueTyping({ dataTypes, compare })
  const codecs = new WeakMap<Type, ValueCodec>()

  function codecFor(type: Type): ValueCodec {
    const known = codecs.get(type)
    if (known !== undefined) return known
    const [encoder, decoder] = [encoderOf(type), decoderOf(type)]
    const codec: ValueCodec = {
      encode: (value) => encoder.run(value),
      decode(json, path = '') {
        const kept = keptJsonOf(json)
        const protobuf = kept === undefined ? keptProtobufOf(json) : undefined
        if (protobuf !== undefined) {
          return fromLedgerValue(
            orValueError(typeToText(type), () => checkedValue(protobuf)),
            type,
          )
        }
        return decoder.run(kept === undefined ? json : parsed(kept, path, type), startTrail(path), 0)
      },
    }
    codecs.set(type, codec)
    return codec
  }

  return { codecFor }
}

function parsed(kept: string, path: string, expected: Type): unknown {
  try {
    return parseExactly(kept)
  } catch (error) {
    return failAt(startTrail(path), 0, {
      code: 'INVALID_ARGUMENT',
      reason: shorten((error as Error).message),
      expected,
    })
  }
}
