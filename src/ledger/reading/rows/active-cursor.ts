// The cursor of a read of active contracts. Still active ones come first, in index order, interleaved with those that
// are archived during the read; then those archived before it began.
import type { ArchivePlace, ContractPosition, PastPlace } from '../../../store/store.ts'

/** For a contract that is still active, only template and number count. */
export type ActivePlace = Pick<ContractPosition, 'template'> & PastPlace

export type ActiveCursor = {
  /** The number of the last contract created up to the offset. */
  readonly lastNumber: bigint
  /** The ledger end when the read began. */
  readonly began: bigint
  readonly phase: 'active' | 'past'
  /** The archive up to which archives were checked. */
  readonly noticed: ArchivePlace
  readonly place: ActivePlace
}

export const beforeAll: ActivePlace = { template: 0n, node: 0n, bound: 0n, number: 0n }

/** Greater than any contract number. */
const afterAll = 2n ** 62n

export function firstCursor(lastNumber: bigint, began: bigint): ActiveCursor {
  return { lastNumber, began, phase: 'active', noticed: { archivedOffset: began, number: afterAll }, place: beforeAll }
}

export const cursorValues = 9

export function cursorToValues({ lastNumber, began, phase, noticed, place }: ActiveCursor): bigint[] {
  const { template, node, bound, number } = place
  const isPast = phase === 'past' ? 1n : 0n
  return [lastNumber, began, isPast, noticed.archivedOffset, noticed.number, template, node, bound, number]
}

export function cursorFromValues(values: readonly bigint[]): ActiveCursor {
  const [lastNumber, began, isPast, archivedOffset, noticed, template, node, bound, number] = values as readonly [
    ...[bigint, bigint, bigint, bigint, bigint, bigint, bigint, bigint, bigint],
  ]
  return {
    lastNumber,
    began,
    phase: isPast === 0n ? 'active' : 'past',
    noticed: { archivedOffset, number: noticed },
    place: { template, node, bound, number },
  }
}

export function comparePlaces(a: ActivePlace, b: ActivePlace): number {
  if (a.template !== b.template) return a.template < b.template ? -1 : 1
  if (a.node !== b.node) return a.node < b.node ? -1 : 1
  if (a.bound !== b.bound) return a.bound < b.bound ? -1 : 1
  return a.number < b.number ? -1 : a.number > b.number ? 1 : 0
}
