// Arithmetic on Daml's decimals, which have ten digits after the point, as texts.

const digits = 10
const scale = 10n ** BigInt(digits)

/** Undefined for a text that is no decimal. */
export function unitsFrom(text: string): bigint | undefined {
  const [, sign, whole, fraction = ''] = /^([+-]?)(\d{1,28})(?:\.(\d{1,10}))?$/.exec(text) ?? []
  if (whole === undefined) return undefined
  const units = BigInt(whole) * scale + BigInt(fraction.padEnd(digits, '0'))
  return sign === '-' ? -units : units
}

export function decimalFrom(units: bigint): string {
  const size = units < 0n ? -units : units
  return `${units < 0n ? '-' : ''}${size / scale}.${String(size % scale).padStart(digits, '0')}`
}

export function sumOf(decimals: readonly string[]): string {
  return decimalFrom(decimals.reduce((sum, text) => sum + (unitsFrom(text) ?? 0n), 0n))
}

/** Rounded up. */
export function dividedUp(dividend: bigint, divisor: bigint): bigint {
  const product = dividend * scale
  return product / divisor + (product % divisor > 0n ? 1n : 0n)
}

export function timesWhole(units: bigint, count: number): bigint {
  return units * BigInt(count)
}

/** Rounded to the nearest, and to an even digit from the middle between two. */
export function timesRatio(units: bigint, ratio: bigint): bigint {
  const product = units * ratio
  const quotient = product / scale
  const rest = product % scale
  const twice = (rest < 0n ? -rest : rest) * 2n
  const isUp = twice > scale || (twice === scale && quotient % 2n !== 0n)
  return isUp ? quotient + (product < 0n ? -1n : 1n) : quotient
}
