// Checks the newest rows when a node starts: those that a crash or a failing disk most likely hurt. Others are checked
// when they are read, and all of them by `tallystick check`. The cost does not depend on the size of the ledger.
import { LedgerError, storedDataDamaged } from '../../base/errors.ts'
import { isWithoutCompletion } from '../../events/format/stored-update.ts'
import type { Store } from '../../store/core/store.ts'

const newest = 50

/** Returns the damage, if there is any; the store itself reports damaged rows. */
export async function tailDamage({ state, updates, completions }: Store): Promise<LedgerError | undefined> {
  try {
    const { end, prunedUpTo } = await state.get()
    const range = { after: prunedUpTo, upTo: end, limit: newest, descending: true }
    await updates.range(range)
    const { rows } = await completions.range(undefined, range)
    if (end === prunedUpTo || rows[0]?.offset === end) return undefined
    const [last] = await updates.metas({ after: end - 1n, upTo: end, limit: 1 })
    const isMissing = last === undefined || !isWithoutCompletion(last.meta)
    return isMissing ? storedDataDamaged(`the completion at offset ${end}, the last one, is missing`) : undefined
  } catch (error) {
    if (error instanceof LedgerError && error.code === 'INDEX_DB_INVALID_RESULT_SET') return error
    throw error
  }
}
