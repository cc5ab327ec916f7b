// Many views, a few milliseconds of work at a time, so that others get their turn in between. A view that exhausts its
// budget fails alone: after a thread was lost, its views are computed one by one.
import { LedgerError } from '../../base/errors.ts'
import { failedView, type ViewRequest, type ViewResult } from '../requests/interface-views.ts'

/** Returns at least one of the results, in order. */
type Compute = (requests: readonly ViewRequest[]) => Promise<readonly ViewResult[]>

/** Maximum number of views in one message; those left over after its time slice are sent again. */
const viewsMax = 100

export async function viewsInTurns(requests: readonly ViewRequest[], compute: Compute): Promise<ViewResult[]> {
  const results: ViewResult[] = []
  /** Views before this index are computed one by one. */
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
