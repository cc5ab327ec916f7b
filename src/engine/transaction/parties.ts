// Sets of parties as ledger effects hold them: sorted arrays without duplicates, because nearly all hold one to three.
import { asParty, wrongKind } from '../../lf/values/kinds.ts'
import { Cons, type LfValue, type List, nil } from '../../lf/values/values.ts'
import { piecesMax, steps, tooMuch } from '../failures/steps.ts'

export type Parties = readonly string[]

export const nobody: Parties = []

/** In so few parties a search takes less than making a Set. */
const listedMax = 16

export function partiesOf(items: Iterable<string>): Parties {
  return [...new Set(items)].sort()
}

/** The parties in a list that a package's code returned. */
export function partiesFromList(list: List): Parties {
  if (list === nil) return nobody
  const { head, tail } = asCons(list)
  if (tail === nil) return [asParty(head)]
  const { head: second, tail: others } = asCons(tail)
  if (others === nil) return pairOf(asParty(head), asParty(second))
  const items = new Set<string>()
  for (let rest: List = list; rest !== nil; rest = asCons(rest).tail) {
    steps.charge(1)
    items.add(asParty(asCons(rest).head))
    if (items.size > piecesMax) throw tooMuch('names more parties')
  }
  return [...items].sort()
}

function asCons(value: LfValue): Cons {
  return value instanceof Cons ? value : wrongKind('a List')
}

export function union(a: Parties, b: Parties): Parties {
  if (includesAll(a, b)) return a
  if (includesAll(b, a)) return b
  if (a.length === 1 && b.length === 1) return pairOf(a[0]!, b[0]!)
  return merged(a, b)
}

/** Both are sorted and have no duplicates, so one pass over them does. */
function merged(a: Parties, b: Parties): Parties {
  const all: string[] = []
  let i = 0
  let j = 0
  while (i < a.length && j < b.length) {
    const [left, right] = [a[i]!, b[j]!]
    all.push(left < right ? left : right)
    if (left <= right) i += 1
    if (right <= left) j += 1
  }
  while (i < a.length) all.push(a[i++]!)
  while (j < b.length) all.push(b[j++]!)
  return all
}

/** Two parties are the usual case, and a Set of them costs many times as much as comparing them. */
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
  if (all.length > listedMax) return some.every(membership(all))
  for (const party of some) if (!all.includes(party)) return false
  return true
}

/** A contract may have thousands of observers. */
export function membership(parties: Parties): (party: string) => boolean {
  if (parties.length <= listedMax) return (party) => parties.includes(party)
  const set = new Set(parties)
  return (party) => set.has(party)
}

export function isSame(a: Parties, b: Parties): boolean {
  return a.length === b.length && a.every((party, index) => party === b[index])
}
