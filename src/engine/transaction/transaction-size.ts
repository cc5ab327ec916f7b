// Limits on the written size of a transaction. A few values can be referenced many times, so that what fits into memory
// once does not when it is written out for each event; and the main thread, the database and readers get all of it.
import type { JsonCodec } from '../../lf/codec/json.ts'
import type { ProtobufCodec } from '../../lf/codec/protobuf.ts'
import { Failure } from '../failures/failures.ts'

type Codecs = { readonly json: JsonCodec; readonly protobuf: ProtobufCodec }

/** Codecs that together refuse to write more than `bytesMax`. */
export function sizedCodecs({ json, protobuf }: Codecs, bytesMax: number): Codecs {
  let bytes = 0
  const counted = <Written extends { readonly length: number }>(written: Written): Written => {
    bytes += written.length
    if (bytes > bytesMax) throw tooLarge(bytesMax)
    return written
  }
  return {
    json: {
      codecFor(type) {
        const codec = json.codecFor(type)
        return { ...codec, encode: (value) => counted(codec.encode(value)) }
      },
    },
    protobuf: { ...protobuf, encode: (value, type) => counted(protobuf.encode(value, type)) },
  }
}

function tooLarge(bytesMax: number): Failure {
  const reason = `its events have more than ${bytesMax} bytes (engine.transactionBytesMax)`
  return new Failure(
    'INTERPRETATION_TIME_EXCEEDED',
    `The command makes a larger transaction than this node allows: ${reason}`,
  )
}
