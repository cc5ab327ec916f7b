// The stored form of Daml values: Value of daml-lf/transaction value.proto, normalised (no type ids, no labels, no None
// at the end of a record). Bytes hold no types, so reading them with the type of a later package version upgrades the
// value, by Canton's rules (interpreter ValueTranslator.scala).

import { finishWriting } from '../../protobuf/message-writer.ts'
import type { Type } from '../syntax/ast.ts'
import type { DataTypes } from '../values/data-types.ts'
import type { Compare } from '../values/ordered-map.ts'
import type { LfValue } from '../values/values.ts'
import { compileReader, type Read, type ReadOptions, readWhole } from './protobuf-reading.ts'
import { compileWriter, type Write } from './protobuf-writing.ts'
import { compilePerType } from './shapes.ts'

export type ProtobufCodec = {
  /** The value as bytes. Throws a KindError for a value of another type. */
  encode(value: LfValue, type: Type): Uint8Array
  /** Throws a ValueError: INVALID_ARGUMENT for bytes that are not a value, or why it is not of the type. */
  decode(bytes: Uint8Array, type: Type, options?: ReadOptions): LfValue
}

const normalised: ReadOptions = { allowsTrailingNone: false }

export function createProtobufCodec({ dataTypes, compare }: { dataTypes: DataTypes; compare: Compare }): ProtobufCodec {
  const writerOf = compilePerType<Write>(dataTypes, (shape, _type, of) => compileWriter(shape, of))
  const readerOf = compilePerType<Read>(dataTypes, (shape, type, of) => compileReader(shape, { type, of, compare }))
  return {
    encode: (value, type) => finishWriting((writer) => writerOf(type).run(writer, value)),
    decode: (bytes, type, options = normalised) => {
      return readWhole(bytes, type, (input) => readerOf(type).run(input, 0), options)
    },
  }
}
