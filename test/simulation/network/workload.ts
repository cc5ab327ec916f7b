// Random commands that are valid by construction, each from a list of numbers that decide its choices. Fewer and smaller
// numbers make a smaller command, so that a failure shrinks.
import { doing, exercise } from '../../fixtures/ledger.ts'
import { create, fetching, given, made, make, run, template } from '../../fixtures/network-effects.ts'
import type { Contract, Node, Party, Place, World } from './model.ts'

export type Proposal = {
  readonly submitter: Party
  /** Where it is submitted. */
  readonly participant: number
  readonly place: Place
  readonly roots: readonly Node[]
  /** A contract to bring to the place, instead. */
  readonly moving?: Contract
}

type Tape = {
  below(limit: number): number
  pick<T>(among: readonly T[]): T
  some<T>(among: readonly T[]): T[]
}

/** Zeroes follow the numbers. */
function tapeOf(numbers: readonly number[]): Tape {
  let position = 0
  const below = (limit: number) => (numbers[position++] ?? 0) % limit
  return {
    below,
    pick: (among) => among[below(among.length)]!,
    some: (among) => among.filter(() => below(3) === 2),
  }
}

const depthMax = 3
const participants = 3

/** `noteOf` makes a note that no other contract has. */
export function propose(world: World, numbers: readonly number[], noteOf: () => string): Proposal {
  const tape = tapeOf(numbers)
  const submitter = tape.pick(world.parties)
  const participant = submitter.isExternal ? 1 + tape.below(participants) : submitter.hosts[0]!
  const place = tape.pick(submitter.places)
  const parties = world.parties.filter(({ places }) => places.includes(place)).map(({ id }) => id)
  const usable = new Set(
    world.contracts.filter((contract) => contract.archivedBy === undefined && contract.place === place),
  )

  function contractOf(signatories: readonly string[]): Contract {
    const stakeholders = [...new Set([...signatories, ...tape.some(parties)])]
    return { note: noteOf(), signatories, stakeholders, place, id: '', templateId: '', blob: '', archivedBy: undefined }
  }

  function someOf(authorizers: readonly string[]): string[] {
    const some = tape.some(authorizers)
    return some.length > 0 ? some : [tape.pick(authorizers)]
  }

  function exerciseOf(contract: Contract, actors: readonly string[], depth: number, isOnNewest = false): Node {
    const choice = tape.below(2) === 1 ? 'Consume' : 'Keep'
    if (choice === 'Consume') usable.delete(contract)
    const observers = tape.below(4) === 3 ? tape.some(parties) : []
    const authorizers = [...new Set([...contract.signatories, ...actors])]
    const children: Node[] = []
    if (depth < depthMax)
      for (let left = tape.below(4); left > 0; left -= 1) children.push(...step(authorizers, depth + 1))
    return { kind: 'exercise', contract, choice, actors, observers, children, isOnNewest }
  }

  function fetchOf(authorizers: readonly string[]): Node[] {
    const visible = [...usable].filter(({ stakeholders }) => stakeholders.some((party) => authorizers.includes(party)))
    if (visible.length === 0) return []
    const contract = tape.pick(visible)
    return [{ kind: 'fetch', contract, actors: contract.stakeholders.filter((party) => authorizers.includes(party)) }]
  }

  function step(authorizers: readonly string[], depth: number): Node[] {
    const kind = tape.below(5)
    if (kind === 1 && usable.size > 0) return [exerciseOf(tape.pick([...usable]), someOf(authorizers), depth)]
    if (kind === 2) return fetchOf(authorizers)
    if (kind === 3) return rollbackOf(authorizers)
    const contract = contractOf(someOf(authorizers))
    const created: Node = { kind: 'create', contract }
    return kind === 4 ? [created, exerciseOf(contract, someOf(authorizers), depth, true)] : [created]
  }

  /** Nothing may be created or archived in it. */
  function rollbackOf(authorizers: readonly string[]): Node[] {
    if (usable.size === 0 || tape.below(2) === 1) {
      const children = fetchOf(authorizers)
      return children.length === 0 ? [] : [{ kind: 'rollback', children }]
    }
    const contract = tape.pick([...usable])
    const actors = someOf(authorizers)
    const children = fetchOf([...new Set([...contract.signatories, ...actors])])
    const kept: Node = {
      kind: 'exercise',
      contract,
      choice: 'Keep',
      actors,
      observers: [],
      children,
      isOnNewest: false,
    }
    return [{ kind: 'rollback', children: [kept] }]
  }

  const movable = world.contracts.filter(({ archivedBy, place: from, stakeholders }) => {
    const areThere = stakeholders.every((party) => parties.includes(party))
    return archivedBy === undefined && from !== place && areThere && stakeholders.includes(submitter.id)
  })
  if (movable.length > 0 && tape.below(3) === 2) {
    return { submitter, participant, place, roots: [], moving: tape.pick(movable) }
  }
  const roots: Node[] = []
  // What is signed has one root.
  for (let left = 1 + tape.below(submitter.isExternal ? 1 : 2); left > 0; left -= 1) {
    if (tape.below(4) > 0 && usable.size > 0) roots.push(exerciseOf(tape.pick([...usable]), [submitter.id], 1))
    else roots.push({ kind: 'create', contract: contractOf([submitter.id]) })
  }
  return { submitter, participant, place, roots }
}

const observersOf = ({ signatories, stakeholders }: Contract) =>
  stakeholders.filter((party) => !signatories.includes(party))

export function commandOf(node: Node): object {
  if (node.kind === 'create') {
    return create(node.contract.signatories, observersOf(node.contract), node.contract.note)
  }
  if (node.kind !== 'exercise') throw new Error(`${node.kind} is no command`)
  return exercise(template, node.contract.id, node.choice, argumentOf(node))
}

const argumentOf = ({ actors, observers, children }: Node & { kind: 'exercise' }) => ({
  ...doing(actors, ...children.map(stepOf)),
  observers,
})

function stepOf(node: Node): object {
  switch (node.kind) {
    case 'create':
      return make(node.contract.signatories, observersOf(node.contract), node.contract.note)
    case 'exercise':
      return run(node.choice, node.isOnNewest ? made(0) : given(node.contract.id), argumentOf(node))
    case 'fetch':
      return fetching(node.contract.id)
    case 'rollback':
      return {
        tag: 'Try',
        value: {
          body: [...node.children.map(stepOf), { tag: 'Throw', value: 'undone' }],
          handler: { tag: 'Handle', value: [] },
        },
      }
  }
}

/** The contracts of the ledger that the nodes use. */
export function usedIn(nodes: readonly Node[]): Set<Contract> {
  const used = new Set<Contract>()
  for (const node of nodes) {
    if (node.kind === 'fetch' || (node.kind === 'exercise' && !node.isOnNewest)) used.add(node.contract)
    if ('children' in node) for (const contract of usedIn(node.children)) used.add(contract)
  }
  return used
}
