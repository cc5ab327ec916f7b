// What one participant of a network sees of a transaction: the events that parties on it are witnesses of. A participant
// numbers only what it sees, so the events of a part are written anew; a participant that sees everything shares the bytes.
import { type PackedEvent, type PackedFacts, piecesOf } from './event-pieces.ts'
import { unpackBytes } from './packed-text.ts'
import type { CreatedContract, ServedTransaction } from './transaction-writing.ts'

export type Projectable = { readonly served: ServedTransaction; readonly created: readonly CreatedContract[] }

/** Undefined if the parties see no event. */
export function projectTransaction(whole: Projectable, parties: ReadonlySet<string>): Projectable | undefined {
  const { served } = whole
  const hosted = served.parties.map((party) => parties.has(party))
  if (hosted.every((isHosted) => !isHosted)) return undefined
  if (hosted.every((isHosted) => isHosted)) return whole
  const facts: PackedFacts = JSON.parse(served.facts)
  const isSeen = facts.events.map(([, , , witnesses]) => witnesses.some((party) => hosted[party]))
  return isSeen.every((seen) => seen) ? whole : projectPart(whole, facts, isSeen)
}

function projectPart(
  { served, created }: Projectable,
  { parties, templates, events }: PackedFacts,
  isSeen: readonly boolean[],
): Projectable {
  const seenEvents = events.filter((_, index) => isSeen[index])
  const nodeIds = new Map(seenEvents.map(([, nodeId], index) => [nodeId, index]))
  const ownParties = numbersOf(
    parties,
    seenEvents.flatMap(([, , , witnesses]) => witnesses),
  )
  const ownTemplates = numbersOf(
    templates,
    seenEvents.map(([, , template]) => template),
  )
  const body = served.bodyBytes === undefined ? Buffer.from(served.body) : Buffer.from(unpackBytes(served.body))
  const pieces: Buffer[] = []
  const ends: number[] = []
  let length = 0
  const starts = new Map<number, readonly [start: number, cut: number, end: number]>()
  let piece = 0
  for (const [index, [kind, nodeId]] of events.entries()) {
    const first = piece
    piece += piecesOf[kind]
    if (!isSeen[index]) continue
    const before = length
    for (let each = first; each < piece; each += 1) {
      const own = body.subarray(each === 0 ? 0 : served.ends[each - 1]!, served.ends[each]!)
      const written = kind === 'exercise' && each === first + 2 ? renumbered(own, nodeIds) : own
      pieces.push(written)
      length += written.length
      ends.push(length)
    }
    if (kind === 'create') starts.set(nodeId, [before, ends.at(-2)!, length])
  }
  const facts: PackedFacts = {
    parties: ownParties.names,
    templates: ownTemplates.names,
    events: seenEvents.map((event) => projectEvent(event, nodeIds, ownParties, ownTemplates)),
  }
  const seen = facts.parties.map(() => new Set<number>())
  for (const [, , template, witnesses] of facts.events) for (const party of witnesses) seen[party]!.add(template)
  return {
    served: {
      parties: facts.parties,
      templates: facts.templates,
      facts: JSON.stringify(facts),
      ends,
      seen: seen.map((numbers) => [...numbers]),
      body: Buffer.concat(pieces),
    },
    created: created
      .filter(({ nodeId }) => nodeIds.has(nodeId))
      .map((contract) => ({
        ...contract,
        nodeId: nodeIds.get(contract.nodeId)!,
        template: ownTemplates.of(contract.template),
        stakeholders: contract.stakeholders.map(ownParties.of),
        pieces: starts.get(contract.nodeId)!,
      })),
  }
}

type Numbers = { readonly names: readonly string[]; readonly of: (number: number) => number }

/** The names with these numbers, in their order, with new numbers. */
function numbersOf(names: readonly string[], used: readonly number[]): Numbers {
  const kept = [...new Set(used)].sort((a, b) => a - b)
  const places = new Map(kept.map((number, index) => [number, index]))
  return { names: kept.map((number) => names[number]!), of: (number) => places.get(number)! }
}

function projectEvent(
  [kind, nodeId, template, witnesses, stakeholders, isConsuming, isDelta]: PackedEvent,
  nodeIds: ReadonlyMap<number, number>,
  parties: Numbers,
  templates: Numbers,
): PackedEvent {
  // Not every stakeholder sees a non-consuming exercise on its contract, and only names of witnesses are kept.
  const own = (numbers: readonly number[]) => numbers.map(parties.of).filter((number) => number !== undefined)
  return [
    kind,
    nodeIds.get(nodeId)!,
    templates.of(template),
    own(witnesses),
    stakeholders === 0 ? 0 : own(stakeholders),
    isConsuming,
    isDelta,
  ]
}

const lastDescendant = /^("lastDescendantNodeId":)(\d+)/

/** The third piece of an exercise, which names its last descendant. */
function renumbered(piece: Buffer, nodeIds: ReadonlyMap<number, number>): Buffer {
  const text = piece.toString()
  return Buffer.from(
    text.replace(lastDescendant, (_, name: string, last: string) => {
      let own = 0
      for (const [nodeId, index] of nodeIds) if (nodeId <= Number(last)) own = index
      return `${name}${own}`
    }),
  )
}
