// Brings a ledger to the state in which LocalNet leaves it, step by step. Each step looks at the ledger first and does what is
// missing, so founding finishes what an interrupted start began, and finds nothing to do at later starts.
import type { SpliceRelease } from '../packages/releases.ts'
import { foundDso } from './dso.ts'
import { type SplicePackages, uploadPackages } from './packages.ts'
import { foundDsoParty, foundValidator, globalSynchronizer, type Validator, type ValidatorPlace } from './parties.ts'
import { providePing } from './ping.ts'
import { installWallet, licenseValidator } from './wallets.ts'

/** What routes and automations need to know about a network. */
export type LocalNetwork = {
  readonly validators: readonly Validator[]
  readonly sv: Validator
  /** The party of the DSO, which exists also where it was not founded. */
  readonly dso: string
  readonly synchronizerId: string
  /** Undefined if there are participants, parties and users alone. */
  readonly release: SpliceRelease | undefined
}

export async function found(
  places: readonly ValidatorPlace[],
  operatorHint: string,
  splice: SplicePackages | undefined,
): Promise<LocalNetwork> {
  const validators = await Promise.all(places.map((place) => foundValidator(place, operatorHint)))
  const sv = validators.find(({ profile }) => profile.name === 'sv')!
  const dso = await foundDsoParty(sv)
  const synchronizerId = await globalSynchronizer(sv.participant)
  const network = { validators, sv, dso, synchronizerId, release: splice?.release }
  await Promise.all(validators.map(providePing))
  if (splice === undefined) return network
  for (const { participant, profile } of validators) {
    await uploadPackages(participant, profile.name, splice, synchronizerId)
  }
  await foundDso(sv, dso, synchronizerId, splice.release)
  for (const validator of validators) {
    await licenseValidator(sv, dso, validator, splice.release.version)
    await installWallet(validator, dso, { userName: validator.profile.walletUser, party: validator.party })
  }
  return network
}
