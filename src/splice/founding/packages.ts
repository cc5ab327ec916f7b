// Founding, second step: each participant gets the packages of the release that it does not have yet.
import type { Participant } from '../ledger/participant.ts'
import type { CheckedDar } from '../packages/checked-dars.ts'
import type { ParticipantName } from '../profile/participants.ts'

/** Validators have no use for the rules of the DSO. */
export async function uploadPackages(
  participant: Participant,
  name: ParticipantName,
  dars: readonly CheckedDar[],
): Promise<void> {
  const wanted = dars.filter(({ role }) => name === 'sv' || role !== 'dsoGovernance')
  const { packageIds } = await participant.call('GET', '/v2/packages')
  const known = new Set<string>(packageIds)
  for (const { package: one, bytes } of wanted) {
    if (!known.has(one.packageId)) await participant.call('POST', '/v2/packages', bytes)
  }
}
