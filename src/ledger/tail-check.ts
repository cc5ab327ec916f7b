// A look at the newest rows when a node starts: what a crash or a failing disk most likely hurt. The rest is looked at when
// it is read, and all of it by `tallystick check`. It costs a few rows, however large the ledger is.
import { LedgerError, storedDataDamaged } from '../base/errors.ts'
import type { Store } from '../store/store.ts'

const newest = 50

/** Answers with what is damaged, if anything is; the store tells of rows by itself. */
export async function tailDamage({ state, updates, completions }: Store): Promise<LedgerError | undefined> {
  try {
    const { end, prunedUpTo } = await state.get()
    const range = { after: prunedUpTo, upTo: end, limit: newest, descending: true }
    await updates.range(range)
    const { rows } = await completions.range(undefined, range)
    const isMissing = end > prunedUpTo && rows[0]?.offset !== end
    return isMissing ? storedDataDamaged(`the completion at offset ${end}, the last one, is missing`) : undefined
  } catch (error) {
    if (error instanceof LedgerError && error.code === 'INDEX_DB_INVALID_RESULT_SET') return error
    throw error
  }
}
