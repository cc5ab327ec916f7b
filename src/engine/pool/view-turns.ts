// Many views, a few milliseconds of them at a time, so that others get their turn between. A view that uses up what it
// may take fails alone: where a whole thread was lost, its views are computed one by one.
import { LedgerError } from '../../base/errors.ts'
import { failedView, type ViewRequest, type ViewResult } from '../requests/interface-views.ts'

/** At least one of the results, in order. */
type Compute = (requests: readonly ViewRequest[]) => Promise<readonly ViewResult[]>

/** Of one message: what is left over after its time is sent again. */
const viewsMax = 100

export async function viewsInTurns(requests: readonly ViewRequest[], compute: Compute): Promise<ViewResult[]> {
  const results: ViewResult[] = []
  /** Those before it are computed one by one. */
  let aloneUntil = 0
  while (results.length < requests.length) {
    const start = results.length
    const turn = requests.slice(start, start + (start < aloneUntil ? 1 : viewsMax))
    try {
      results.push(...(await compute(turn)))
    } catch (error) {
      if (!(error instanceof LedgerError) || error.code !== 'INTERPRETATION_TIME_EXCEEDED') throw error
      if (turn.length > 1) aloneUntil = start + turn.length
      else results.push(failedView(error))
    }
  }
  return results
}
