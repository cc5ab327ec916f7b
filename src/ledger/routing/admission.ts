// The synchronizers that a transaction's parties admit: those that host all of them. Mirrors Canton's
// AdmissibleSynchronizersComputation, in its order.
import type { Hosting } from '../administration/hosting.ts'
import type { PartyKeyRegister } from '../administration/party-keys.ts'
import type { Synchronizer } from '../synchronizers.ts'
import * as refusals from './routing-refusals.ts'

type Concerned = {
  readonly submitters: readonly string[]
  readonly informees: readonly string[]
  /** If the submitters signed it, the participant needs no permission to submit for them. */
  readonly isExternallySigned: boolean
}

type Parts = { readonly hosting: Hosting; readonly partyKeys: PartyKeyRegister }

/** Returns at least one, the preferred first. */
export async function admissible(
  { submitters, informees, isExternallySigned }: Concerned,
  connected: readonly Synchronizer[],
  { hosting, partyKeys }: Parts,
): Promise<readonly Synchronizer[]> {
  const forSubmitters = await hostingAll(submitters, connected, hosting)
  if (forSubmitters === 'unknown') throw refusals.unknownSubmitters()
  const forInformees = await hostingAll(informees, connected, hosting)
  if (forInformees === 'unknown') throw refusals.unknownInformees()
  if (forSubmitters.length === 0) throw refusals.submittersNotActive()
  if (forInformees.length === 0) throw refusals.informeesNotActive()
  const usable = isExternallySigned ? forSubmitters : await allowingAll(submitters, forSubmitters, partyKeys)
  if (usable.length === 0) throw refusals.cannotSubmit(submitters)
  const common = usable.filter((synchronizer) => forInformees.includes(synchronizer))
  if (common.length === 0) throw refusals.noCommonSynchronizer()
  return common
}

export async function hostsAll(
  { number }: Synchronizer,
  parties: readonly string[],
  hosting: Hosting,
): Promise<boolean> {
  for (const party of parties) if (!(await hosting.of(party)).includes(number)) return false
  return true
}

/** The synchronizers that host all of the parties; `unknown` if a party is hosted on none. */
async function hostingAll(
  parties: readonly string[],
  connected: readonly Synchronizer[],
  hosting: Hosting,
): Promise<readonly Synchronizer[] | 'unknown'> {
  let common = connected
  for (const party of parties) {
    const numbers = await hosting.of(party)
    if (!connected.some(({ number }) => numbers.includes(number))) return 'unknown'
    if (!common.every(({ number }) => numbers.includes(number))) {
      common = common.filter(({ number }) => numbers.includes(number))
    }
  }
  return common
}

/** The synchronizers where the participant may submit for all of the parties: for external ones it may only confirm. */
export async function allowingAll(
  parties: readonly string[],
  synchronizers: readonly Synchronizer[],
  partyKeys: PartyKeyRegister,
): Promise<readonly Synchronizer[]> {
  let allowing = synchronizers
  for (const party of parties) {
    const keys = await partyKeys.of(party)
    if (keys.size > 0) allowing = allowing.filter(({ number }) => !keys.has(number))
  }
  return allowing
}
