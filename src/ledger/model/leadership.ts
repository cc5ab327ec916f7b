// Work that one node at a time does for all of them: automatic assignment, and the deletion of pruned rows. Which node
// that is may change at any moment, when one dies or is cut off, so the work is such that doing it twice harms nothing.
import type { Sharing } from '../../store/core/sharing.ts'

export type Leadership = {
  leads(): boolean
  /** Called when this node begins to lead. */
  onLead(listener: () => void): void
}

/** For a node that has its ledger to itself, and for programs that work on it. */
export const alwaysLeading: Leadership = { leads: () => true, onLead: () => undefined }

export function leadershipOf(sharing: Sharing | undefined): Leadership {
  return sharing ?? alwaysLeading
}
