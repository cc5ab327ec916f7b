// The participant's own party: it has the participant's id, and is hosted wherever the participant is. As in Canton, nobody
// allocates it, and applications find the participant's synchronizers by it.
import { LedgerError } from '../../base/errors.ts'
import type { PartyRecord, Records, Store } from '../../store/core/store.ts'
import type { Synchronizers } from '../model/synchronizers.ts'

/** For new ledgers, older ones, and new synchronizers. */
export async function hostOwnParty(store: Store, participantId: string, synchronizers: Synchronizers): Promise<void> {
  const missingIn = async (records: Records): Promise<bigint[]> => {
    const hosted = await records.parties.synchronizersOf(participantId)
    return synchronizers.all().flatMap(({ number }) => (hosted.includes(number) ? [] : [number]))
  }
  const missing = await missingIn(store).catch(unlessDamaged)
  if (missing === undefined || missing.length === 0) return
  await store.transaction(async (records) => {
    if ((await records.parties.get(participantId)) === undefined) await records.parties.insert(recordOf(participantId))
    await records.parties.host(participantId, await missingIn(records))
  })
}

/** A damaged host of this party is reported, and everybody else is served. */
function unlessDamaged(error: unknown): undefined {
  if (!(error instanceof LedgerError) || error.code !== 'INDEX_DB_INVALID_RESULT_SET') throw error
}

function recordOf(party: string): PartyRecord {
  return { party, isLocal: true, identityProviderId: '', resourceVersion: 0n, annotations: {} }
}
