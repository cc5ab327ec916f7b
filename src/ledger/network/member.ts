// A participant of a network, as others know it.
import type { Delivery } from '../commit/other-participants.ts'
import type { Names } from '../model/name-numbers.ts'
import type { Synchronizers } from '../model/synchronizers.ts'
import type { PackageState } from '../packages/known-packages.ts'
import type { Hosting } from '../topology/hosting.ts'
import type { PartyKeyRegister } from '../topology/party-keys.ts'

export type Member = {
  /** Its place in the network, from 1. */
  readonly number: number
  readonly participantId: string
  readonly names: Names
  readonly synchronizers: Synchronizers
  readonly hosting: Hosting
  readonly packageState: PackageState
  readonly partyKeys: PartyKeyRegister
  /** Publishes what another participant's commit has written here. */
  readonly publish: (delivery: Delivery) => void
}

/** A party that another participant hosts. */
export const remote = { isLocal: false, identityProviderId: '', resourceVersion: 0n, annotations: {} } as const
