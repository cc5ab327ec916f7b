// Where the checker is: a definition, or a place in its source. Errors say so.
import type { Location } from '../syntax/ast.ts'
import { locationText } from './references.ts'

export type Place = {
  /** What is being checked, as in `value abc:Main:f`; undefined for a whole package. */
  reference: string | undefined
  /** What the reference calls the expression in which locations are, as in `Iou:Transfer:controller`. */
  definition: string
  location: Location | undefined
}

export function createPlace(): Place {
  return { reference: undefined, definition: '', location: undefined }
}

/** Starts each error. */
export function contextOf({ reference, definition, location }: Place): string {
  if (location !== undefined) return ` in ${locationText(location, definition)}`
  return reference === undefined ? '' : ` in ${reference}`
}
