// Why bytes are no protobuf message: in our words with the place, and in those of Java's reader, which Canton repeats.

const exception = 'com.google.protobuf.InvalidProtocolBufferException'

/** What Java's reader says. */
export const javaWords = {
  truncated:
    'While parsing a protocol message, the input ended unexpectedly in the middle of a field.  This could mean either ' +
    'that the input has been truncated or that an embedded message misreported its own length.',
  varint: 'CodedInputStream encountered a malformed varint.',
  negative: 'CodedInputStream encountered an embedded string or message which claimed to have negative size.',
  tag: 'Protocol message contained an invalid tag (zero).',
  wireType: 'Protocol message tag had invalid wire type.',
  group: 'Protocol message end-group tag did not match expected tag.',
  depth:
    'Protocol message had too many levels of nesting.  May be malicious.  Use setRecursionLimit() to increase the ' +
    'recursion depth limit.',
  utf8: 'Protocol message had invalid UTF-8.',
} as const

export type Damage = keyof typeof javaWords

export class ProtobufError extends Error {
  override readonly name = 'ProtobufError'
  /** Undefined for a message that Java reads, but that is not the one expected. */
  readonly damage: Damage | undefined

  constructor(message: string, damage: Damage | undefined) {
    super(message)
    this.damage = damage
  }
}

/** Java's exception with its class. */
export function javaException(damage: Damage): string {
  return `${exception}${damage === 'wireType' ? '$InvalidWireTypeException' : ''}: ${javaWords[damage]}`
}
