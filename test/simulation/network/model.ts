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
  readonly signatories: readonly string[]
  /** Signatories and observers. */
  readonly stakeholders: readonly string[]
  /** Where it is now. */
  place: Place
  /** Known once it is on the ledger. */
  id: string
  templateId: string
  blob: string
  archivedBy: Update | undefined
}

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
    }
  | { readonly kind: 'fetch'; readonly contract: Contract; readonly actors: readonly string[] }
  | { readonly kind: 'rollback'; readonly children: readonly Node[] }

/** A contract leaves a synchronizer, or arrives. */
export type Move = { readonly kind: 'unassignment' | 'assignment'; readonly contract: Contract }

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
  /** The ledger end of each participant after it. */
  ends: readonly number[]
}

export type World = { readonly parties: readonly Party[]; readonly contracts: Contract[]; readonly updates: Update[] }

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

/** Whether the participant has seen the contract created. */
export function sawCreated(world: World, contract: Contract, participant: number): boolean {
  return world.updates.some((update) =>
    eventsAt(world, update, participant).some(({ node }) => node.kind === 'create' && node.contract === contract),
  )
}
