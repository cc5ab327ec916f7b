// Contracts as a reassignment needs them: their rows, with the names of their stakeholders.

import type { StoredContractRow } from '../../store/core/contract-records.ts'
import type { Store } from '../../store/core/store.ts'
import type { MovingContract } from '../commit/commit-item.ts'
import type { Names } from '../model/name-numbers.ts'
import { numbersIn } from '../model/name-numbers.ts'
import type { Synchronizers } from '../model/synchronizers.ts'

type Parts = { readonly store: Store; readonly names: Names; readonly synchronizers: Synchronizers }

/** Whether a contract is on a synchronizer, and if not, why, in the terms of Canton's ActiveContractStore. */
export type Presence =
  | { readonly kind: 'active' }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'gone'; readonly status: 'Archived' | { readonly reassignedTo: string } }

export function createMovingContracts({ store, names, synchronizers }: Parts) {
  return {
    async named(rows: readonly StoredContractRow[]): Promise<MovingContract[]> {
      const numbers = new Set(rows.flatMap((row) => [row.template, ...numbersIn(row.stakeholders)]))
      const texts = await names.texts([...numbers], store.names)
      return rows.map((row) => ({
        row,
        stakeholders: numbersIn(row.stakeholders).map((number) => texts.get(number)!),
        template: texts.get(row.template)!,
      }))
    },

    async presence(row: StoredContractRow | undefined, synchronizer: bigint): Promise<Presence> {
      if (row === undefined) return { kind: 'unknown' }
      if (row.location === synchronizer) {
        return row.archivedOffset === undefined ? { kind: 'active' } : { kind: 'gone', status: 'Archived' }
      }
      const moves = row.counter === 0n ? [] : await store.reassignments.movesOf([row.number])
      const [last] = moves
        .filter(({ of }) => of.source === synchronizer)
        .sort((a, b) => (a.counter > b.counter ? -1 : 1))
      if (last === undefined) return { kind: 'unknown' }
      return { kind: 'gone', status: { reassignedTo: synchronizers.byNumber(last.of.target).id } }
    },
  }
}
