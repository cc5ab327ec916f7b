// Who may know what in a network, in the simplest terms: a participant sees the nodes of a transaction that one of its
// parties is an informee of, or is below of. The node under test is compared with what follows from that.

export type Place = 's1' | 's2'

export type Party = {
  readonly id: string
  /** The participants that host it, from 1. */
  readonly hosts: readonly number[]
  readonly places: readonly Place[]
  /** It signs for itself, so any participant may submit for it. */
  readonly isExternal: boolean
}

export type Contract = {
  readonly note: string
  /** The name of its key; the first signatory maintains it. */
  readonly key?: string | undefined
  readonly signatories: readonly string[]
  /** Signatories and observers. */
  readonly stakeholders: readonly string[]
  /** Where it is now, or was last. */
  place: Place
  /** While it is on its way. */
  transit: Transit | undefined
  /** Known once it is on the ledger. */
  id: string
  templateId: string
  blob: string
  archivedBy: Update | undefined
}

/** `reassignmentId` is known to those who see it leave. */
export type Transit = { readonly reassignmentId: string; readonly target: Place; readonly submitter: string }

export type Node =
  | { readonly kind: 'create'; readonly contract: Contract }
  | {
      readonly kind: 'exercise'
      readonly contract: Contract
      readonly choice: 'Keep' | 'Consume'
      readonly actors: readonly string[]
      readonly observers: readonly string[]
      readonly children: readonly Node[]
      /** On the contract that was created just before. */
      readonly isOnNewest: boolean
      /** It is found by its key. */
      readonly isByKey?: true
    }
  | { readonly kind: 'fetch'; readonly contract: Contract; readonly actors: readonly string[] }
  | { readonly kind: 'rollback'; readonly children: readonly Node[] }

/** A contract leaves a synchronizer, or arrives. `counter` counts both halves of a move once. */
export type Move = {
  readonly kind: 'unassignment' | 'assignment'
  readonly contract: Contract
  readonly counter: number
}

export type Update = {
  readonly submitter: string
  /** Where it was submitted. */
  readonly participant: number
  readonly place: Place
  /** None if it moves a contract. */
  readonly roots: readonly Node[]
  readonly move?: Move
  readonly commandId: string
  /** Known once it is on the ledger. */
  id: string
  recordTime: string
  /** Undefined for a move. */
  effectiveAt: string | undefined
}

export type World = {
  readonly parties: readonly Party[]
  readonly contracts: Contract[]
  /** In the order in which they were accepted. */
  readonly updates: Update[]
  /** What each participant has been given of them, in its order. */
  readonly given: readonly Update[][]
  /** The synchronizers that participants are away from, and what they miss there. */
  readonly away: Absence[]
}

export type Absence = { readonly participant: number; readonly place: Place; readonly missed: Update[] }

export const givenTo = ({ given }: World, participant: number): readonly Update[] => given[participant - 1]!

export const isAway = ({ away }: World, participant: number, at: Place): boolean =>
  away.some((absence) => absence.participant === participant && absence.place === at)

/** Every participant has it, now or when it returns. */
export function publish(world: World, update: Update): void {
  world.updates.push(update)
  for (const [index, given] of world.given.entries()) {
    const absence = world.away.find(({ participant, place }) => participant === index + 1 && place === update.place)
    if (absence === undefined) given.push(update)
    else absence.missed.push(update)
  }
}

export function informeesOf(node: Node): readonly string[] {
  switch (node.kind) {
    case 'create':
      return node.contract.stakeholders
    case 'exercise': {
      const { contract, choice, actors, observers } = node
      return [...(choice === 'Consume' ? contract.stakeholders : contract.signatories), ...actors, ...observers]
    }
    case 'fetch':
      return [...node.contract.signatories, ...node.actors]
    case 'rollback':
      return []
  }
}

export const isHosted = ({ parties }: World, participant: number, ids: readonly string[]): boolean =>
  parties.some(({ id, hosts }) => ids.includes(id) && hosts.includes(participant))

/** An event as a participant sees it, before a reader's filter. */
export type SeenEvent = {
  readonly node: Node & { readonly kind: 'create' | 'exercise' }
  readonly nodeId: number
  readonly last: number
  readonly witnesses: ReadonlySet<string>
  /** Whether it changes what is active on this participant. */
  readonly isDelta: boolean
}

/** The events of an update that the participant sees, in its numbers. */
export function eventsAt(world: World, update: Update, participant: number): SeenEvent[] {
  const events: SeenEvent[] = []
  const made = createdIn(update.roots)
  const gone = consumedIn(update.roots)
  let next = 0

  const isInformed = (node: Node) =>
    update.participant === participant || isHosted(world, participant, informeesOf(node))
  const seesInside = (node: Node): boolean => isInformed(node) || ('children' in node && node.children.some(seesInside))
  const sees = (node: Node) => (node.kind === 'rollback' ? seesInside(node) : isInformed(node))

  /** Returns the last node id, of what was not rolled back. */
  function visit(node: Node, around: readonly string[], isAround: boolean, isUndone: boolean): number | undefined {
    const isSeen = isAround || sees(node)
    const witnesses = isSeen ? [...around, ...informeesOf(node)] : []
    // Below a rollback that is seen for one node in it, others may be hidden.
    const isBelow = isSeen && (node.kind !== 'rollback' || isAround)
    const nodeId = isSeen ? next++ : undefined
    const at = events.length
    let last = nodeId
    for (const child of 'children' in node ? node.children : []) {
      const below = visit(child, witnesses, isBelow, isUndone || node.kind === 'rollback')
      if (child.kind !== 'rollback') last = below
    }
    if (isSeen && !isUndone && (node.kind === 'create' || node.kind === 'exercise')) {
      const isTransient = made.has(node.contract) && gone.has(node.contract)
      const isChange = node.kind === 'create' || node.choice === 'Consume'
      const isDelta = isChange && !isTransient && isHosted(world, participant, node.contract.stakeholders)
      events.splice(at, 0, { node, nodeId: nodeId!, last: last!, witnesses: new Set(witnesses), isDelta })
    }
    return last
  }

  for (const root of update.roots) visit(root, [], false, false)
  return events
}

function* nodesIn(nodes: readonly Node[]): Generator<Node> {
  for (const node of nodes) {
    yield node
    if (node.kind === 'exercise') yield* nodesIn(node.children)
  }
}

export function createdIn(roots: readonly Node[]): Set<Contract> {
  return new Set([...nodesIn(roots)].flatMap((node) => (node.kind === 'create' ? [node.contract] : [])))
}

export function consumedIn(roots: readonly Node[]): Set<Contract> {
  const consumed = (node: Node) => (node.kind === 'exercise' && node.choice === 'Consume' ? [node.contract] : [])
  return new Set([...nodesIn(roots)].flatMap(consumed))
}

export type Reader = string | undefined
type Shape = 'ACS_DELTA' | 'LEDGER_EFFECTS'

const hintOf = (party: string) => party.split('::')[0]!

/** In short, as test/e2e/network-views.test.ts has events. Empty if the reader sees none; undefined reads as any party. */
export function shownAt(world: World, update: Update, participant: number, reader: Reader, shape: Shape): string {
  const among = (parties: Iterable<string>) =>
    [...new Set(parties)].filter((party) => reader === undefined || party === reader).sort()
  if (update.move !== undefined) return shownMove(world, update.move, participant, among)
  return eventsAt(world, update, participant)
    .flatMap(({ node, nodeId, last, witnesses, isDelta }) => {
      const { stakeholders, note } = node.contract
      if (shape === 'ACS_DELTA') {
        const seeing = among(stakeholders)
        if (!isDelta || seeing.length === 0) return []
        const parties = `[${seeing.map(hintOf)}]`
        return [node.kind === 'create' ? `C${nodeId}:${note}${parties}+` : `A${nodeId}${parties}`]
      }
      const seeing = among(witnesses)
      if (seeing.length === 0) return []
      const mark = isDelta && among(stakeholders).length > 0 ? '+' : '-'
      const what = node.kind === 'create' ? `C${nodeId}:${note}` : `E${nodeId}..${last}:${node.choice}`
      return [`${what}[${seeing.map(hintOf)}]${mark}`]
    })
    .join(' ')
}

/** Where a stakeholder is, and to stakeholders only. */
function shownMove(
  world: World,
  { kind, contract: { stakeholders, note } }: Move,
  participant: number,
  among: (parties: readonly string[]) => readonly string[],
): string {
  const seeing = isHosted(world, participant, stakeholders) ? among(stakeholders) : []
  return seeing.length === 0 ? '' : `${kind}:${note}[${seeing.map(hintOf)}]`
}

/** Whether any party could see something of it there. */
export const isSeenAt = (world: World, update: Update, participant: number): boolean =>
  shownAt(world, update, participant, undefined, 'LEDGER_EFFECTS') !== ''

/** Whether the participant has seen the contract created, or come. */
export function sawPayload(world: World, contract: Contract, participant: number): boolean {
  const isKnown = isHosted(world, participant, contract.stakeholders)
  return givenTo(world, participant).some((update) => {
    if (update.move !== undefined)
      return isKnown && update.move.kind === 'assignment' && update.move.contract === contract
    return eventsAt(world, update, participant).some(({ node }) => node.kind === 'create' && node.contract === contract)
  })
}

/**
 * A contract in the eyes of one who has these updates. `torn`: its participant was away from one of the synchronizers and
 * has seen it come and not leave, or archived and not come; what it shows then is not compared.
 */
export function stateAfter(
  updates: readonly Update[],
  contract: Contract,
): Place | 'transit' | 'gone' | 'unknown' | 'torn' {
  const created = updates.find(({ roots }) => createdIn(roots).has(contract))
  const isArchived = contract.archivedBy !== undefined && updates.includes(contract.archivedBy)
  const moves = updates
    .flatMap(({ move, place }) => (move?.contract === contract ? [{ ...move, place }] : []))
    .sort((a, b) => a.counter - b.counter || (a.kind === 'unassignment' ? -1 : 1))
  const isWhole = moves.every(({ counter, kind }, index) => {
    return counter === Math.floor(index / 2) + 1 && kind === (index % 2 === 0 ? 'unassignment' : 'assignment')
  })
  if (created === undefined && moves.length === 0 && !isArchived) return 'unknown'
  if (created === undefined || !isWhole) return 'torn'
  if (isArchived) return 'gone'
  const last = moves.at(-1)
  return last?.kind === 'unassignment' ? 'transit' : (last ?? created).place
}
