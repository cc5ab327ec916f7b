// The synchronizers that a transaction's parties admit: those that host all of them. Mirrors Canton's
// AdmissibleSynchronizersComputation, in its order. Every command asks for its parties, and nearly always they are
// remembered: then there is nothing to wait for.

import type { HostRecord } from '../../store/core/administration-records.ts'
import type { Synchronizer } from '../model/synchronizers.ts'
import type { Hosting } from '../topology/hosting.ts'
import type { KeysBySynchronizer, PartyKeyRegister } from '../topology/party-keys.ts'
import * as refusals from './routing-refusals.ts'

type Concerned = {
  readonly submitters: readonly string[]
  readonly informees: readonly string[]
  /** If the submitters signed it, the participant needs no permission to submit for them. */
  readonly isExternallySigned: boolean
}

type Parts = { readonly hosting: Hosting; readonly partyKeys: PartyKeyRegister; readonly participantId: string }

/** Returns at least one, the preferred first. */
export async function admissible(
  { submitters, informees, isExternallySigned }: Concerned,
  connected: readonly Synchronizer[],
  { hosting, partyKeys, participantId }: Parts,
): Promise<readonly Synchronizer[]> {
  const forSubmitters = await hostingAll(submitters, connected, hosting)
  if (isUnknown(forSubmitters)) throw refusals.unknownSubmitters(forSubmitters.unknown)
  const forInformees = await hostingAll(informees, connected, hosting)
  if (isUnknown(forInformees)) throw refusals.unknownInformees(forInformees.unknown)
  if (forSubmitters.length === 0 || forInformees.length === 0) {
    const places = await hostingAny([...submitters, ...informees], connected, hosting)
    if (forSubmitters.length === 0) throw refusals.submittersNotActive(places, submitters)
    throw refusals.informeesNotActive(places, informees)
  }
  const here = await hostedHere(submitters, forSubmitters, hosting, participantId)
  const usable = isExternallySigned ? forSubmitters : await allowingAll(submitters, here, partyKeys)
  if (usable.length === 0) throw refusals.cannotSubmit(submitters)
  const common = usable.filter((synchronizer) => forInformees.includes(synchronizer))
  if (common.length === 0) throw refusals.noCommonSynchronizer(submitters, informees)
  return common
}

export async function hostsAll(
  { number }: Synchronizer,
  parties: readonly string[],
  hosting: Hosting,
): Promise<boolean> {
  for (const party of parties) {
    if (!(await hosting.of(party)).includes(number)) return false
  }
  return true
}

async function hostingAny(
  parties: readonly string[],
  connected: readonly Synchronizer[],
  hosting: Hosting,
): Promise<readonly Synchronizer[]> {
  const hosts = (await Promise.all(parties.map(hosting.of))).flat()
  return connected.filter(({ number }) => hosts.includes(number))
}

/** The synchronizers that host all of the parties, or the parties that none hosts. */
function hostingAll(
  parties: readonly string[],
  connected: readonly Synchronizer[],
  hosting: Hosting,
): Common | Promise<Common> {
  const hosts = remembered(parties.map(hosting.of))
  return hosts instanceof Promise
    ? hosts.then((all) => commonOf(parties, all, connected))
    : commonOf(parties, hosts, connected)
}

type Common = readonly Synchronizer[] | { readonly unknown: readonly string[] }

function isUnknown(common: Common): common is { readonly unknown: readonly string[] } {
  return !Array.isArray(common)
}

function commonOf(
  parties: readonly string[],
  hosts: readonly (readonly bigint[])[],
  connected: readonly Synchronizer[],
): Common {
  const isHosted = (numbers: readonly bigint[]) => connected.some(({ number }) => numbers.includes(number))
  let common = connected
  for (const numbers of hosts) {
    if (!isHosted(numbers)) return { unknown: parties.filter((_, index) => !isHosted(hosts[index]!)) }
    if (!common.every(({ number }) => numbers.includes(number))) {
      common = common.filter(({ number }) => numbers.includes(number))
    }
  }
  return common
}

/** The synchronizers where this participant hosts all of the parties and may submit for them, whoever else hosts them. */
function hostedHere(
  parties: readonly string[],
  synchronizers: readonly Synchronizer[],
  hosting: Hosting,
  participantId: string,
): readonly Synchronizer[] | Promise<readonly Synchronizer[]> {
  const hosts = remembered(parties.map((party) => hosting.hosts(party)))
  const allowing = (all: readonly (readonly HostRecord[])[]) =>
    synchronizers.filter(({ number }) =>
      all.every((ofParty) => {
        const there = ofParty.filter(({ synchronizer }) => synchronizer === number)
        if (there.length === 0) return true
        return there.some(({ participant, permission }) => participant === participantId && permission === 'submission')
      }),
    )
  return hosts instanceof Promise ? hosts.then(allowing) : allowing(hosts)
}

/** The synchronizers where the participant may submit for all of the parties: for external ones it may only confirm. */
export function allowingAll(
  parties: readonly string[],
  synchronizers: readonly Synchronizer[],
  partyKeys: PartyKeyRegister,
): readonly Synchronizer[] | Promise<readonly Synchronizer[]> {
  const keys = remembered(parties.map(partyKeys.of))
  return keys instanceof Promise
    ? keys.then((all) => withoutKeys(all, synchronizers))
    : withoutKeys(keys, synchronizers)
}

function withoutKeys(
  keysOfParties: readonly KeysBySynchronizer[],
  synchronizers: readonly Synchronizer[],
): readonly Synchronizer[] {
  let allowing = synchronizers
  for (const keys of keysOfParties) {
    if (keys.size > 0) allowing = allowing.filter(({ number }) => !keys.has(number))
  }
  return allowing
}

/** A promise only if one of them has to be waited for. */
function remembered<T>(found: readonly (T | Promise<T>)[]): readonly T[] | Promise<readonly T[]> {
  return found.some((one) => one instanceof Promise) ? Promise.all(found) : (found as readonly T[])
}
