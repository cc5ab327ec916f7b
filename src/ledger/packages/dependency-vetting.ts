// With protocol version 34, what a vetted package depends on has to be vetted as well; later versions do not ask for it.
// Mirrors checkPackageDependencies of Canton's ParticipantTopologyValidation.
import { LedgerError } from '../../base/errors.ts'
import { isHashSet, setOrder } from '../../base/scala-order.ts'
import type { VettedPackage } from '../../store/core/administration-records.ts'
import type { Synchronizer } from '../model/synchronizers.ts'
import type { Contents, Vetting } from './known-packages.ts'
import { withDependencies } from './package-candidates.ts'

export const needsDependencies = ({ protocolVersion }: Synchronizer): boolean => protocolVersion === 34

export function checkVettedDependencies(
  past: Vetting | undefined,
  next: ReadonlyMap<string, VettedPackage>,
  contentsOf: (packageId: string) => Contents | undefined,
): void {
  const isPast = (id: string) => past?.packages.has(id) === true
  const added = [...next.keys()].filter((id) => !isPast(id))
  const needed = [...next.keys()].flatMap((id) => contentsOf(id)?.dependencies ?? [])
  const unvetted = [...withDependencies(added, contentsOf), ...needed.filter(isPast)].filter((id) => !next.has(id))
  if (unvetted.length === 0) return
  const shown = setOrder(unvetted)
  throw new LedgerError(
    'TOPOLOGY_DEPENDENCIES_NOT_VETTED',
    'Package vetting failed due to dependencies not being vetted',
    { context: { unvetted: `${isHashSet(shown.length) ? 'HashSet' : 'Set'}(${shown.join(', ')})` } },
  )
}
