// The cursor of a read of active contracts, which come in the order of their creation: contract numbers ascend with offsets,
// and within one with nodes.

export type ActiveCursor = {
  /** The number of the last contract created up to the offset. */
  readonly lastNumber: bigint
  /** The contract that was read last; 0 before the first. */
  readonly number: bigint
}

export function firstCursor(lastNumber: bigint): ActiveCursor {
  return { lastNumber, number: 0n }
}

export const cursorValues = 2

export function cursorToValues({ lastNumber, number }: ActiveCursor): bigint[] {
  return [lastNumber, number]
}

export function cursorFromValues(values: readonly bigint[]): ActiveCursor {
  const [lastNumber, number] = values as readonly [bigint, bigint]
  return { lastNumber, number }
}
