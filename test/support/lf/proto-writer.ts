// Writes the protobuf wire format, for tests: a message is the list of its fields, already encoded.

export const varint = (field: number, value: number | bigint): Buffer => {
  return Buffer.concat([encodeVarint(field << 3), encodeVarint(value)])
}

/** A zig-zag encoded sint64. */
export const signed = (field: number, value: bigint): Buffer => {
  return varint(field, BigInt.asUintN(64, (value << 1n) ^ (value >> 63n)))
}

export const fixed64 = (field: number, value: bigint): Buffer => {
  const bytes = Buffer.alloc(8)
  bytes.writeBigInt64LE(value)
  return Buffer.concat([encodeVarint((field << 3) | 1), bytes])
}

export const bytes = (field: number, content: Uint8Array): Buffer => {
  return Buffer.concat([encodeVarint((field << 3) | 2), encodeVarint(content.length), content])
}

export const text = (field: number, value: string): Buffer => bytes(field, Buffer.from(value, 'utf8'))
export const message = (field: number, ...fields: readonly Uint8Array[]): Buffer => bytes(field, Buffer.concat(fields))
export const packed = (field: number, values: readonly number[]): Buffer => message(field, ...values.map(encodeVarint))

function encodeVarint(value: number | bigint): Buffer {
  if (typeof value === 'number' && value >= 0 && value < 0x80) return Buffer.of(value)
  let rest = BigInt.asUintN(64, BigInt(value))
  const encoded = Buffer.allocUnsafe(10)
  let length = 0
  for (; rest >= 0x80n; rest >>= 7n) encoded[length++] = Number(rest & 0x7fn) | 0x80
  encoded[length++] = Number(rest)
  return encoded.subarray(0, length)
}
