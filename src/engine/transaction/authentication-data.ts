// Kept beside a contract to check its id: the salt of the id, in Canton's form (ContractAuthenticationData.scala,
// version 30: UntypedVersionedMessage around ContractAuthenticationData around Salt).

import { finishWriting } from '../../protobuf/message-writer.ts'
import { wireTypes } from '../../protobuf/wire-reading.ts'

const saltBytes = 32
const version = 30
const hmacSha256 = 1

/** The bytes around the salt, which are always the same. */
const frame = Buffer.from(
  finishWriting((writer) => {
    writer.tag(1, wireTypes.bytes).fork().tag(1, wireTypes.bytes).fork()
    writer.tag(1, wireTypes.varint).int32(hmacSha256).tag(2, wireTypes.bytes).bytes(new Uint8Array(saltBytes))
    writer.join().join().tag(2, wireTypes.varint).int32(version)
  }),
)
const saltStart = frame.indexOf(Buffer.alloc(saltBytes))

export function authenticationDataOf(salt: Uint8Array): Buffer {
  if (salt.length !== saltBytes) throw new Error(`a salt has ${saltBytes} bytes`)
  const data = Buffer.from(frame)
  data.set(salt, saltStart)
  return data
}

/** Undefined for data that neither this node nor this version of Canton writes. */
export function saltFrom(data: Uint8Array): Uint8Array | undefined {
  const salt = data.slice(saltStart, saltStart + saltBytes)
  return salt.length === saltBytes && authenticationDataOf(salt).equals(data) ? salt : undefined
}
