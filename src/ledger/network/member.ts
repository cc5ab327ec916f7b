// A participant of a network, as others know it.
import type { Store } from '../../store/core/store.ts'
import type { Given } from '../commit/other-participants.ts'
import type { LedgerEnd } from '../model/ledger-end.ts'
import type { LedgerTime } from '../model/ledger-time.ts'
import type { Names } from '../model/name-numbers.ts'
import type { Synchronizers } from '../model/synchronizers.ts'
import type { PackageState } from '../packages/known-packages.ts'
import type { Updates } from '../reading/requests/queries.ts'
import type { Hosting } from '../topology/hosting.ts'
import type { PartyKeyRegister } from '../topology/party-keys.ts'
import type { Presence } from './presence.ts'

/** A synchronizer gives each record time once; places in lines are used again. */
export type Sequenced = { readonly synchronizer: bigint; readonly recordTime: bigint }

export type Member = {
  /** Its place in the network, from 1. */
  readonly number: number
  /** As the settings call it; its participant id may begin with another name. */
  readonly name: string
  readonly participantId: string
  /** Where it listens; undefined while it does not, or if another process serves it. */
  readonly url: () => string | undefined
  readonly store: Pick<Store, 'waitingUpdates'>
  readonly end: Pick<LedgerEnd, 'current'>
  readonly time: Pick<LedgerTime, 'now'>
  readonly names: Names
  readonly synchronizers: Synchronizers
  /** Aliases of the synchronizers that it is to be connected to; undefined for all. */
  readonly joined: ReadonlySet<string> | undefined
  readonly presence: Presence
  readonly hosting: Hosting
  readonly packageState: PackageState
  readonly partyKeys: PartyKeyRegister
  /** Reads its own ledger. */
  readonly updateWithId: Updates['updateWithId']
  /** Publishes what another participant's commit has written here. */
  readonly publish: (delivery: Given) => void
  /** What it submitted itself, and was sequenced then, is published. */
  readonly settle: (sequenced: Sequenced, offset: bigint) => void
  /** Something waits for it, or may not wait any longer. */
  readonly catchUp: () => void
}

/** Whether what happens on the synchronizer is for this participant, now or when it is connected again. */
export function isOn({ joined, synchronizers }: Member, synchronizer: bigint): boolean {
  const { alias } = synchronizers.byNumber(synchronizer)
  return joined === undefined || joined.has(alias) || synchronizers.list().some(({ number }) => number === synchronizer)
}

/** A party that another participant hosts. */
export const remote = { isLocal: false, identityProviderId: '', resourceVersion: 0n, annotations: {} } as const
