// Sets of parties as ledger effects keep them: sorted, without duplicates. Nearly all hold one to three, so arrays.
import { Cons, type List } from '../lf/values.ts'
import { piecesMax, steps, tooMuch } from './steps.ts'

export type Parties = readonly string[]

export const nobody: Parties = []

export function partiesOf(items: Iterable<string>): Parties {
  return [...new Set(items)].sort()
}

export function partiesFromList(list: List): Parties {
  if (!(list instanceof Cons)) return nobody
  if (!(list.tail instanceof Cons)) return [list.head as string]
  if (!(list.tail.tail instanceof Cons)) return pairOf(list.head as string, list.tail.head as string)
  const items = new Set<string>()
  for (let rest: List = list; rest instanceof Cons; rest = rest.tail) {
    steps.charge(1)
    items.add(rest.head as string)
    if (items.size > piecesMax) throw tooMuch('names more parties')
  }
  return [...items].sort()
}

export function union(a: Parties, b: Parties): Parties {
  if (includesAll(a, b)) return a
  if (includesAll(b, a)) return b
  if (a.length === 1 && b.length === 1) return pairOf(a[0]!, b[0]!)
  return partiesOf([...a, ...b])
}

/** Most often there are two, and a Set of them costs many times as much as to compare them. */
function pairOf(a: string, b: string): Parties {
  if (a === b) return [a]
  return a < b ? [a, b] : [b, a]
}

export function intersection(a: Parties, b: Parties): Parties {
  const isIn = membership(b)
  return a.filter(isIn)
}

export function difference(a: Parties, b: Parties): Parties {
  const isIn = membership(b)
  return a.filter((party) => !isIn(party))
}

export function includesAll(all: Parties, some: Parties): boolean {
  return some.every(membership(all))
}

/** A contract may have thousands of observers. */
function membership(parties: Parties): (party: string) => boolean {
  if (parties.length <= 16) return (party) => parties.includes(party)
  const set = new Set(parties)
  return (party) => set.has(party)
}

export function isSame(a: Parties, b: Parties): boolean {
  return a.length === b.length && a.every((party, index) => party === b[index])
}
