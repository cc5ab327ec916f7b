// Contracts that a participant of a network has only seen: a party on it witnessed how they were created, but none of their
// stakeholders is on it. The row is kept for its payload. It never becomes active, and no command can use it.
import type { ContractState } from '../../store/core/contract-records.ts'

/** The synchronizer of such a contract. */
export const nowhere = 0n

/** A contract in transit is nowhere, too, but not archived. */
export function isOnlySeen({ location, archivedOffset }: Pick<ContractState, 'location' | 'archivedOffset'>): boolean {
  return location === nowhere && archivedOffset !== undefined
}
