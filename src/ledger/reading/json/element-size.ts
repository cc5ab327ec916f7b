// The largest element that is served. A V8 string holds at most 512 Mi characters, and elements share one.
import { LedgerError } from '../../../base/errors.ts'

export const elementLengthMax = 192 * 1024 * 1024

export function tooLarge(): LedgerError {
  return new LedgerError(
    'JSON_API_MAXIMUM_LIST_ELEMENTS_NUMBER_REACHED',
    `An update takes more bytes for those who ask than the node can serve (${elementLengthMax}).`,
    { early: true },
  )
}
