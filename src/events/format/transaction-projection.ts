// What one participant of a network sees of a transaction, as Canton shows it: the nodes that a party on it is a witness
// of, with numbers of its own. Fetches and what was rolled back count among them. Who else sees a node is told as far as it
// follows from the nodes seen. A participant that sees everything shares the bytes.
import { type PackedEvent, type PackedFacts, piecesOf } from './event-pieces.ts'
import type { CreatedContract, ServedTransaction } from './transaction-writing.ts'
import { unpackBytes } from './unpacking.ts'

/** All nodes of a transaction by their ids: fetches, looked up keys and rollbacks too. */
export type InformeeTree = {
  /** The id of the node around each; -1 for a root. */
  readonly parents: readonly number[]
  /** By numbers of parties: those of the events, then the onlookers. A rollback has none. */
  readonly informees: readonly (readonly number[])[]
}

export type Projectable = {
  readonly served: ServedTransaction
  readonly created: readonly CreatedContract[]
  /** Informees that see no event. */
  readonly onlookers: readonly string[]
  /** Absent if all parties see everything. */
  readonly tree?: InformeeTree | undefined
}

export type Projected = { readonly served: ServedTransaction; readonly created: readonly ProjectedContract[] }

/** `isOnlySeen`: none of its stakeholders is on the participant, where it never becomes active. */
export type ProjectedContract = CreatedContract & { readonly isOnlySeen?: true }

/** What a participant sees that hosts these parties. Undefined if that is no event. */
export function projectTransaction(whole: Projectable, parties: ReadonlySet<string>): Projected | undefined {
  const { served, created, onlookers, tree } = whole
  const hosted = [...served.parties, ...onlookers].map((party) => parties.has(party))
  if (!hosted.includes(true)) return undefined
  if (tree === undefined) return withOwnActivations(whole, hosted)
  const seen = seenNodes(tree, hosted)
  if (seen.every((isSeen) => isSeen)) return withOwnActivations(whole, hosted)
  const facts: PackedFacts = JSON.parse(served.facts)
  if (!facts.events.some(([, nodeId]) => seen[nodeId])) return undefined
  const part = partOf({ served, created, facts, seen, witnesses: witnessesAmong(seen, tree) })
  return withOwnActivations(
    part,
    part.served.parties.map((party) => parties.has(party)),
  )
}

/** What the participant sees that submits it: everything. */
export function projectForSubmitter({ served, created }: Projectable, parties: ReadonlySet<string>): Projected {
  return withOwnActivations(
    { served, created },
    served.parties.map((party) => parties.has(party)),
  )
}

/** By node id. */
function seenNodes({ parents, informees }: InformeeTree, hosted: readonly boolean[]): boolean[] {
  const seen: boolean[] = []
  for (const [id, own] of informees.entries()) {
    seen.push(seen[parents[id]!] === true || own.some((party) => hosted[party]))
  }
  // A rollback is seen by all who see something in it.
  const isSeenBelow = [...seen]
  for (let id = seen.length - 1; id >= 0; id -= 1) {
    if (isSeenBelow[id] && informees[id]!.length === 0) seen[id] = true
    if (isSeenBelow[id] && parents[id] !== -1) isSeenBelow[parents[id]!] = true
  }
  return seen
}

/** By node id: the informees of the node and of those around it, without nodes that are not seen. */
function witnessesAmong(
  seen: readonly boolean[],
  { parents, informees }: InformeeTree,
): readonly (readonly number[])[] {
  const witnesses: (readonly number[])[] = []
  for (const [id, own] of informees.entries()) {
    const around = seen[parents[id]!] ? witnesses[parents[id]!]! : []
    witnesses.push(seen[id] ? [...new Set([...around, ...own])].sort((a, b) => a - b) : [])
  }
  return witnesses
}

/** Events and contracts of stakeholders elsewhere change nothing that is active on the participant. */
function withOwnActivations(
  { served, created }: Pick<Projectable, 'served' | 'created'>,
  hosted: readonly boolean[],
): Projected {
  if (served.parties.every((_, party) => hosted[party])) return { served, created }
  const facts: PackedFacts = JSON.parse(served.facts)
  const isForeign = (stakeholders: readonly number[]) => !stakeholders.some((party) => hosted[party])
  const isElsewhere = ([, , , witnesses, stakeholders, , isDelta]: PackedEvent) =>
    isDelta === 1 && isForeign(stakeholders === 0 ? witnesses : stakeholders)
  const events = facts.events.map((event): PackedEvent => {
    if (!isElsewhere(event)) return event
    const [kind, nodeId, template, witnesses, stakeholders, isConsuming] = event
    return [kind, nodeId, template, witnesses, stakeholders, isConsuming, 0]
  })
  const isSame = events.every((event, index) => event === facts.events[index])
  return {
    served: isSame ? served : { ...served, facts: JSON.stringify({ ...facts, events }) },
    created: created.map((contract) =>
      isForeign(contract.stakeholders) ? { ...contract, isOnlySeen: true } : contract,
    ),
  }
}

type Part = {
  readonly served: ServedTransaction
  readonly created: readonly CreatedContract[]
  readonly facts: PackedFacts
  /** By node id. */
  readonly seen: readonly boolean[]
  readonly witnesses: readonly (readonly number[])[]
}

/** Writes the events anew that are seen. */
function partOf({ served, created, facts: whole, seen, witnesses }: Part): Projected {
  const nodeIds = numbersAmong(seen)
  const ownEvents = whole.events.filter(([, nodeId]) => seen[nodeId])
  const parties = namesUsed(
    served.parties,
    ownEvents.flatMap(([, nodeId]) => witnesses[nodeId]!),
  )
  const templates = namesUsed(
    served.templates,
    ownEvents.map(([, , template]) => template),
  )
  const { body, ends, starts } = bodyOf(served, whole, (nodeId) => seen[nodeId]!, nodeIds)
  const facts: PackedFacts = {
    parties: parties.names,
    templates: templates.names,
    events: ownEvents.map((event): PackedEvent => {
      const [kind, nodeId, template, before, stakeholders, isConsuming, isDelta] = event
      // Not every stakeholder sees a non-consuming exercise on its contract, and only names of witnesses are kept.
      const own = (stakeholders === 0 ? before : stakeholders).flatMap((party) => parties.of(party) ?? [])
      const seeing = witnesses[nodeId]!.map((party) => parties.of(party)!)
      return [kind, nodeIds[nodeId]!, templates.of(template)!, seeing, own, isConsuming, isDelta]
    }),
  }
  const templatesSeen = facts.parties.map(() => new Set<number>())
  for (const [, , template, seeing] of facts.events) for (const party of seeing) templatesSeen[party]!.add(template)
  return {
    served: {
      parties: facts.parties,
      templates: facts.templates,
      facts: JSON.stringify(facts),
      ends,
      seen: templatesSeen.map((numbers) => [...numbers]),
      body,
    },
    created: created
      .filter(({ nodeId }) => seen[nodeId])
      .map((contract) => ({
        ...contract,
        nodeId: nodeIds[contract.nodeId]!,
        template: templates.of(contract.template)!,
        stakeholders: contract.stakeholders.map((party) => parties.of(party)!),
        pieces: starts.get(contract.nodeId)!,
      })),
  }
}

/** The new id of each node that is seen; of another, that of the last one before it. */
function numbersAmong(seen: readonly boolean[]): readonly number[] {
  let count = 0
  return seen.map((isSeen) => {
    if (isSeen) count += 1
    return count - 1
  })
}

type Names = { readonly names: readonly string[]; readonly of: (number: number) => number | undefined }

/** The names with these numbers, in their order, with new numbers. */
function namesUsed(names: readonly string[], used: readonly number[]): Names {
  const kept = [...new Set(used)].sort((a, b) => a - b)
  const places = new Map(kept.map((number, index) => [number, index]))
  return { names: kept.map((number) => names[number]!), of: (number) => places.get(number) }
}

/** The pieces of these nodes, and where those of created events begin and end, by node id. */
function bodyOf(
  served: ServedTransaction,
  { events }: PackedFacts,
  isSeen: (nodeId: number) => boolean,
  nodeIds: readonly number[],
) {
  const whole = served.bodyBytes === undefined ? Buffer.from(served.body) : Buffer.from(unpackBytes(served.body))
  const pieces: Buffer[] = []
  const ends: number[] = []
  const starts = new Map<number, CreatedContract['pieces']>()
  let length = 0
  let next = 0
  for (const [kind, nodeId] of events) {
    const first = next
    next += piecesOf[kind]
    if (!isSeen(nodeId)) continue
    const start = length
    for (let piece = first; piece < next; piece += 1) {
      const own = whole.subarray(piece === 0 ? 0 : served.ends[piece - 1]!, served.ends[piece]!)
      const written = kind === 'exercise' && piece === first + 2 ? renumbered(own, nodeIds) : own
      pieces.push(written)
      length += written.length
      ends.push(length)
    }
    if (kind === 'create') starts.set(nodeId, [start, ends.at(-2)!, length])
  }
  return { body: Buffer.concat(pieces), ends, starts }
}

const lastDescendant = /^("lastDescendantNodeId":)(\d+)/

/** The third piece of an exercise, which names its last descendant. */
function renumbered(piece: Buffer, nodeIds: readonly number[]): Buffer {
  const text = piece.toString()
  return Buffer.from(text.replace(lastDescendant, (_, name: string, last: string) => `${name}${nodeIds[Number(last)]}`))
}
