// How far a reader of active contracts has come. First come those that are still active, in the order of their index, and
// between them those that are archived meanwhile, as they are noticed; then those that were archived before it began.
import type { ArchivePlace, ContractPosition, PastPlace } from '../../../store/store.ts'

/** Of a contract that is still active, only template and number count. */
export type ActivePlace = Pick<ContractPosition, 'template'> & PastPlace

export type ActiveCursor = {
  /** Of the last contract that was created up to the offset. */
  readonly lastNumber: bigint
  /** The end of the ledger when the reader began. */
  readonly began: bigint
  readonly phase: 'active' | 'past'
  /** Up to where archives were noticed. */
  readonly noticed: ArchivePlace
  readonly place: ActivePlace
}

export const beforeAll: ActivePlace = { template: 0n, node: 0n, bound: 0n, number: 0n }

/** Greater than any number of a contract. */
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
