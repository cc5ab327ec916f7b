// What a ledger has before anybody uses it: its administrators, and the party of the participant itself.
import { LedgerError, StartError } from '../../base/errors.ts'
import type { PartyRecord, UserRecord } from '../../store/core/administration-records.ts'
import type { Records, Store } from '../../store/core/store.ts'
import type { Synchronizer } from '../model/synchronizers.ts'

const participantAdmin: UserRecord = {
  id: 'participant_admin',
  identityProviderId: '',
  primaryParty: '',
  isDeactivated: false,
  primaryPartyAuthentication: false,
  resourceVersion: 0n,
  annotations: {},
}

/** Creates the user that administers a fresh node. A node that ever had users is left alone. */
export async function createFirstAdmin(store: Store): Promise<void> {
  if ((await store.node.get('first-admin')) !== undefined) return
  await store.transaction(async ({ users, node }) => {
    if ((await node.get('first-admin')) !== undefined) return
    await users.insert(participantAdmin)
    await users.grant(participantAdmin.id, [{ kind: 'ParticipantAdmin' }])
    await node.insert('first-admin', Buffer.from(participantAdmin.id))
  })
}

/** Creates the users that the settings name as administrators, unless they exist, and gives all of them the right. */
export async function createAdministrators(store: Store, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await store.transaction(async ({ users }) => {
    for (const id of ids) {
      const known = await users.get(id)
      if (known !== undefined && known.identityProviderId !== '') {
        throw new StartError(
          `auth.administrators: the user ${id} belongs to the identity provider ${known.identityProviderId}`,
        )
      }
      if (known === undefined) await users.insert({ ...participantAdmin, id })
      await users.grant(id, [{ kind: 'ParticipantAdmin' }])
    }
  })
}

/**
 * The participant's own party has the participant's id, and is hosted wherever the participant is: also in older ledgers
 * and on new synchronizers. As in Canton, nobody allocates it, and applications find the participant's synchronizers by it.
 */
export async function hostOwnParty(
  store: Store,
  participantId: string,
  synchronizers: readonly Synchronizer[],
): Promise<void> {
  const missingIn = async (records: Records): Promise<bigint[]> => {
    const hosted = await records.parties.synchronizersOf(participantId)
    return synchronizers.flatMap(({ number }) => (hosted.includes(number) ? [] : [number]))
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
