// Random requests of readers: formats, and offsets that are not pruned.
import type { Chance } from './chance.ts'
import { type Filter, type Format, type Shape, type UpdateFormat, updatesFor } from './filters.ts'
import type { Model } from './model.ts'

export const shapes: readonly Shape[] = ['TRANSACTION_SHAPE_ACS_DELTA', 'TRANSACTION_SHAPE_LEDGER_EFFECTS']
const filters: readonly Filter[] = ['all', 'with-blob', 'ious', 'holdings']

export type Range = { readonly begin: number; readonly end: number }

export type Readers = ReturnType<typeof createReaders>

export function createReaders(chance: Chance, { state, parties }: Model) {
  function someFormat(): Format {
    if (chance.percent(25)) return chance.pick(filters)
    const readers = chance.some(parties, 35)
    const wanted = readers.length > 0 ? readers : [chance.pick(parties)]
    return new Map(wanted.map((party) => [party, chance.pick(filters)]))
  }

  /** Usually both kinds, for the same readers. */
  function someUpdates(): UpdateFormat {
    const shape = chance.pick(shapes)
    return chance.weighted<() => UpdateFormat>([
      [6, () => updatesFor(someFormat(), shape)],
      [2, () => ({ shape, transactions: someFormat(), reassignments: someFormat() })],
      [1, () => ({ shape, transactions: someFormat(), reassignments: undefined })],
      [1, () => ({ shape, transactions: undefined, reassignments: someFormat() })],
    ])()
  }

  /** A range of offsets that are not pruned. */
  function someRange(): Range {
    const begin = state.prunedUpTo + chance.below(state.end - state.prunedUpTo + 1)
    return { begin, end: begin + chance.below(state.end - begin + 1) }
  }

  const someOffset = () => state.prunedUpTo + chance.below(state.end - state.prunedUpTo + 1)

  return { someFormat, someUpdates, someRange, someOffset }
}
