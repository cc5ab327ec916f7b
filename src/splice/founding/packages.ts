// Founding, second step: each participant gets the packages of the release that it does not have yet.
import { type Participant, ParticipantRefusal } from '../ledger/participant.ts'
import type { CheckedDar } from '../packages/checked-dars.ts'
import type { PackageRole, SpliceRelease } from '../packages/releases.ts'
import type { ParticipantName } from '../profile/participants.ts'

/** Splice's packages of one release. The DARs are read, or fetched, when a participant lacks one. */
export type SplicePackages = {
  readonly release: SpliceRelease
  readonly dars: () => Promise<readonly CheckedDar[]>
}

/** Those that contain most others first: an upload brings what a package depends on. Validators have no use for governance. */
const rolesOfValidators: readonly PackageRole[] = [
  'wallet',
  'amuletNameService',
  'walletPayments',
  'amulet',
  'validatorLifecycle',
]
const rolesOfSv: readonly PackageRole[] = ['dsoGovernance', ...rolesOfValidators]

/** Amulet lives on one synchronizer, so its packages are vetted there. */
export async function uploadPackages(
  participant: Participant,
  name: ParticipantName,
  { release, dars }: SplicePackages,
  synchronizerId: string,
): Promise<void> {
  let { packageIds } = await participant.call('GET', '/v2/packages')
  for (const role of name === 'sv' ? rolesOfSv : rolesOfValidators) {
    if (packageIds.includes(release.packages[role].packageId)) continue
    const { bytes } = (await dars()).find((dar) => dar.role === role)!
    await upload(participant, bytes, synchronizerId)
    ;({ packageIds } = await participant.call('GET', '/v2/packages'))
  }
}

const attemptsMax = 10

/** On a slow machine, the participant may answer before it has read a large package. Uploads are idempotent. */
export async function upload(participant: Participant, bytes: Uint8Array, synchronizerId: string): Promise<void> {
  const path = `/v2/packages?synchronizerId=${encodeURIComponent(synchronizerId)}`
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await participant.call('POST', path, bytes)
    } catch (error) {
      if (!(error instanceof ParticipantRefusal) || error.status !== 503 || attempt === attemptsMax) throw error
    }
  }
}
