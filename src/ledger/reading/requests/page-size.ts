// Pages of elements: their size, and the JSON around them.
import { invalidArgument } from '../../../base/errors.ts'

export function checkPageSize(asked: number | undefined, byDefault: number, most: number): number {
  if (asked === undefined) return byDefault
  if (asked <= 0) throw invalidArgument(`Requested page size must be positive, but got ${asked}`)
  if (asked > most) throw invalidArgument(`Requested page size must not exceed ${most}, but got ${asked}`)
  return asked
}

/** `{"name":[elements],rest}` */
export function pageJson(name: string, elements: readonly string[], rest: string): string {
  return `{"${name}":[${elements.join()}],${rest}}`
}
