// Random commands that are valid by construction, each from a list of numbers that decide its choices. Fewer and smaller
// numbers make a smaller command, so that a failure shrinks.
import { doing, exercise } from '../../fixtures/ledger.ts'
import { create, fetching, given, made, make, run, template } from '../../fixtures/network-effects.ts'
import {
  type Contract,
  givenTo,
  isAway,
  isHosted,
  type Node,
  type Party,
  type Place,
  stateAfter,
  type World,
} from './model.ts'

/** What a party does at a participant and a place. */
export type Act = { readonly submitter: Party; readonly participant: number; readonly place: Place }

export type Proposal =
  | (Act & { readonly kind: 'command'; readonly roots: readonly Node[] })
  /** The contract leaves the place for the other one, or comes to it. */
  | (Act & { readonly kind: 'unassign' | 'assign'; readonly contract: Contract })
  /** The participant leaves the place, or returns to it. */
  | { readonly kind: 'leave' | 'return'; readonly participant: number; readonly place: Place }
  | { readonly kind: 'nothing' }

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
  const turn = tape.below(10)
  if (turn === 9) return leaving(world, tape)
  if (turn === 8 && world.away.length > 0) return { kind: 'return', ...tape.pick(world.away) }
  const submitter = tape.pick(world.parties)
  const participant = submitter.isExternal ? 1 + tape.below(participants) : submitter.hosts[0]!
  const place = tape.pick(submitter.places)
  const parties = world.parties.filter(({ places }) => places.includes(place)).map(({ id }) => id)
  const act: Act = { submitter, participant, place }
  const isHere = (contract: Contract) => stateAfter(world.updates, contract) === place
  /** Programs use those without a key. */
  const usable = new Set(world.contracts.filter((contract) => contract.key === undefined && isHere(contract)))

  function contractOf(signatories: readonly string[]): Contract {
    const stakeholders = [...new Set([...signatories, ...tape.some(parties)])]
    const unknown = { id: '', templateId: '', blob: '', archivedBy: undefined, transit: undefined }
    return { note: noteOf(), signatories, stakeholders, place, ...unknown }
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

  if (isAway(world, participant, place)) return { kind: 'nothing' }
  const moving = tape.below(3) === 2 ? moveOf() : undefined
  if (moving !== undefined) return moving
  const keyed = tape.below(4) === 3 ? keyedOf() : undefined
  if (keyed !== undefined) return keyed
  const roots: Node[] = []
  // What is signed has one root.
  for (let left = 1 + tape.below(submitter.isExternal ? 1 : 2); left > 0; left -= 1) {
    if (tape.below(4) > 0 && usable.size > 0) roots.push(exerciseOf(tape.pick([...usable]), [submitter.id], 1))
    else roots.push({ kind: 'create', contract: contractOf([submitter.id]) })
  }
  return commanding(roots)

  function commanding(nodes: readonly Node[]): Proposal {
    return canConfirm(world, confirmersIn(nodes), place)
      ? { ...act, kind: 'command', roots: nodes }
      : { kind: 'nothing' }
  }

  /** One that is on its way here, or one that may go elsewhere. Before the time is over only who sent it brings it. */
  function moveOf(): Proposal | undefined {
    const isOf = ({ stakeholders }: Contract) => stakeholders.includes(submitter.id)
    const coming = world.contracts.filter(
      (contract) => contract.transit?.target === place && contract.transit.submitter === submitter.id,
    )
    const going = world.contracts.filter((contract) => isHere(contract) && isOf(contract) && isEverywhere(contract))
    const kind = coming.length > 0 && tape.below(2) === 0 ? 'assign' : 'unassign'
    const among = kind === 'assign' ? coming : going
    // A participant that was away may not know of it.
    const known = among.filter((contract) => {
      const state = stateAfter(givenTo(world, participant), contract)
      return state === (kind === 'assign' ? 'transit' : place) && canConfirm(world, contract.signatories, place)
    })
    return known.length === 0 || isAway(world, participant, other(place))
      ? undefined
      : { ...act, kind, contract: tape.pick(known) }
  }

  function isEverywhere({ stakeholders }: Contract): boolean {
    return world.parties.every(({ id, places }) => places.length === 2 || !stakeholders.includes(id))
  }

  /** A new contract with a key, or the use of one by its key, where the participant knows just one. */
  function keyedOf(): Proposal | undefined {
    const key = tape.pick(keys)
    if (submitter.isExternal) return undefined
    if (tape.below(2) === 0) {
      return commanding([{ kind: 'create', contract: { ...contractOf([submitter.id]), key } }])
    }
    const maintainer = tape.pick(world.parties).id
    const known = withKey(world, participant, maintainer, key)
    const [contract] = known
    if (contract === undefined || known.length > 1 || !contract.stakeholders.includes(submitter.id)) return undefined
    if (stateAfter(givenTo(world, participant), contract) !== place || !isHere(contract)) return undefined
    const choice = tape.below(2) === 1 ? 'Consume' : 'Keep'
    const node = { kind: 'exercise', contract, choice, actors: [submitter.id], observers: [], children: [] } as const
    return commanding([{ ...node, isOnNewest: false, isByKey: true }])
  }
}

export const keys = ['k', 'l'] as const

export const other = (place: Place): Place => (place === 's1' ? 's2' : 's1')

/** The contracts of a key that the participant knows, wherever they are. */
export function withKey(world: World, participant: number, maintainer: string, key: string): Contract[] {
  return world.contracts.filter((contract) => {
    const state = stateAfter(givenTo(world, participant), contract)
    const isKnown = isHosted(world, participant, contract.stakeholders) && state !== 'gone' && state !== 'unknown'
    return contract.key === key && contract.signatories[0] === maintainer && isKnown
  })
}

function leaving({ away }: World, tape: Tape): Proposal {
  const participant = 1 + tape.below(participants)
  const place = participant === 3 ? 's2' : tape.pick(['s2', 's1'] as const)
  const isGone = away.some((absence) => absence.participant === participant && absence.place === place)
  return isGone ? { kind: 'nothing' } : { kind: 'leave', participant, place }
}

/** Whether all participants of these parties are there. */
export function canConfirm(world: World, ids: readonly string[], place: Place): boolean {
  return world.parties.every(
    ({ id, hosts }) => !ids.includes(id) || hosts.every((participant) => !isAway(world, participant, place)),
  )
}

function confirmersIn(nodes: readonly Node[]): string[] {
  return nodes.flatMap((node) => {
    if (node.kind === 'create') return [...node.contract.signatories]
    const own = node.kind === 'rollback' ? [] : [...node.contract.signatories, ...node.actors]
    return 'children' in node ? [...own, ...confirmersIn(node.children)] : own
  })
}

const observersOf = ({ signatories, stakeholders }: Contract) =>
  stakeholders.filter((party) => !signatories.includes(party))

export const keyedTemplate = '#keys-lf23:Keys:Keyed'

const keyOf = ({ key: name, signatories: [maintainer] }: Contract) => ({
  ...{ maintainers: [maintainer], name, maintainersFault: 'Fine', last: null },
})

export function byKey(contract: Contract, choice: string, actors: readonly string[]): object {
  const choiceArgument = { controllers: actors, program: [] }
  return { ExerciseByKeyCommand: { templateId: keyedTemplate, contractKey: keyOf(contract), choice, choiceArgument } }
}

export function commandOf(node: Node): object {
  if (node.kind === 'create' && node.contract.key !== undefined) {
    const { signatories, note } = node.contract
    const fields = { signatories, observers: observersOf(node.contract), key: keyOf(node.contract), note }
    return { CreateCommand: { templateId: keyedTemplate, createArguments: { ...fields, keyFault: 'Fine' } } }
  }
  if (node.kind === 'exercise' && node.isByKey) return byKey(node.contract, node.choice, node.actors)
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
