// Sizes and counts in words.
import type { Total } from '../api/contract-query.ts'

const units = ['B', 'kB', 'MB', 'GB', 'TB']

/** With two or three digits that mean something: 1.2 MB, 340 kB. */
export function bytesText(bytes: number): string {
  let [size, unit] = [bytes, 0]
  while (size >= 1000 && unit < units.length - 1) {
    size /= 1000
    unit += 1
  }
  return `${unit > 0 && size < 10 ? size.toFixed(1) : Math.round(size)} ${units[unit]}`
}

/** 1 contract, 2,000 contracts. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en-GB')} ${count === 1 ? one : many}`
}

/** Round numbers for an axis, from zero to at least the value: 0, 2, 4 or 0, 50, 100. */
export function ticksUpTo(value: number): readonly number[] {
  if (!(value > 0)) return [0, 1]
  const power = 10 ** Math.floor(Math.log10(value))
  const top = [1, 2, 4, 5, 10].map((step) => step * power).find((one) => one >= value)!
  return [0, top / 2, top]
}

/** With as many digits as a reader wants of a small or a large number. */
export function numberText(value: number): string {
  if (value >= 10) return Math.round(value).toLocaleString('en-GB')
  return String(Number(value.toFixed(value < 1 ? 2 : 1)))
}

/** A count in the least room: 200,000, 10,000+ or ≈ 200,000. */
export function shortTotal({ count, is }: Total): string {
  const digits = count.toLocaleString('en-GB')
  return is === 'exact' ? digits : is === 'atLeast' ? `${digits}+` : `≈ ${digits}`
}
