// Checks before a party is added, whether or not it holds its own keys.
import { LedgerError } from '../../base/errors.ts'
import { shortIdentifier } from '../../base/names.ts'
import { partyOf } from '../../base/rights.ts'
import type { Limits } from '../../base/settings.ts'
import type { HostRecord, PartyRecord } from '../../store/core/administration-records.ts'
import type { Records } from '../../store/core/store.ts'
import type { NewHosting } from '../commit/hosting-change.ts'
import { namingAdvice, type Synchronizers } from '../model/synchronizers.ts'
import type { Caller } from './caller.ts'

/** About what a party and its topology update take, beside its annotations. */
export const hostingBytes = 1024

export function hostRecordOf({ synchronizer, participantId, permission, threshold = 1 }: NewHosting): HostRecord {
  return { synchronizer, participant: participantId, permission, threshold }
}

/** Without tokens every caller is an administrator. */
export function isAdministrator({ userId, isParticipantAdmin, isIdentityProviderAdmin }: Caller): boolean {
  return userId === undefined || isParticipantAdmin || isIdentityProviderAdmin
}

/**
 * Users without administrator rights allocate parties only for themselves, up to a quota, to which parties that they
 * only proposed count as well. A user that proposed `party` may go on with it.
 */
export async function checkQuota(caller: Caller, records: Records, limits: Limits, party: string): Promise<void> {
  if (caller.userId === undefined || isAdministrator(caller)) return
  const rights = await records.users.rights(caller.userId)
  const proposed = await records.topology.proposedParties(caller.userId)
  const own = rights.map(partyOf).filter((one) => one !== undefined)
  const parties = new Set([...own, ...proposed.filter((one) => one !== party)])
  if (parties.size < limits.selfAllocatedPartiesMax) return
  throw new LedgerError('PERMISSION_DENIED', 'User quota of party allocations exhausted')
}

export function checkSameProvider(record: PartyRecord, identityProviderId: string): void {
  if (record.identityProviderId === identityProviderId) return
  throw new LedgerError('PERMISSION_DENIED', `Party ${record.party} belongs to another Identity Provider`)
}

/**
 * Numbers of the named synchronizer; of all that the node is connected to if the id is undefined; and of the one that a
 * request without a name means if the id is empty.
 */
export function synchronizersFor(
  synchronizerId: string | undefined,
  synchronizers: Synchronizers,
  party: string,
): bigint[] {
  if (synchronizerId) {
    const named = synchronizers.byId(synchronizerId)
    if (named === undefined) throw notConnected(synchronizerId)
    return [named.number]
  }
  const connected = synchronizerId === undefined ? synchronizers.list() : synchronizers.unnamed()
  if (connected === undefined) {
    throw new LedgerError(
      'PARTY_ALLOCATION_CANNOT_DETERMINE_SYNCHRONIZER',
      `Cannot determine the synchronizer on which to allocate party ${shortIdentifier(party)}, because the participant ` +
        'is connected to multiple synchronizers and no synchronizer was specified.',
      { about: namingAdvice(synchronizers), context: { partyId: party }, foundBy: 'node' },
    )
  }
  if (connected.length > 0) return connected.map(({ number }) => number)
  throw new LedgerError(
    'PARTY_ALLOCATION_WITHOUT_CONNECTED_SYNCHRONIZER',
    'Cannot allocate a party without being connected to a synchronizer',
    { foundBy: 'node' },
  )
}

function notConnected(synchronizerId: string): LedgerError {
  const text = `This participant is not connected to synchronizer ${synchronizerId}.`
  return new LedgerError('NOT_CONNECTED_TO_SYNCHRONIZER', text, {
    context: { synchronizer: synchronizerId },
    foundBy: 'node',
  })
}
