// Why a message is no topology transaction, in Canton's words (ProtoDeserializationError.scala).

export class TopologyFormatError extends Error {}

export const notSet = (field: string) => new TopologyFormatError(`Field \`${field}\` is not set`)

export const unrecognized = (field: string, value: number) =>
  new TopologyFormatError(`Unrecognized value \`${value}\` in enum field \`${field}\``)

export function positive(value: number, field: string): number {
  if (value > 0) return value
  const reason = `Received the non-positive ${value} as argument, but we require a positive value here.`
  throw new TopologyFormatError(`Invariant violation in field \`${field}\`: ${reason}`)
}
