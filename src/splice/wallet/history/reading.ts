// Reads one transaction into entries of a party's history: walks its events, and asks the rules what each choice means. Mirrors
// Splice's UserWalletTxLogParser, entry by entry.
import { type EventNode, entityOf, eventTree } from '../../ledger/event-tree.ts'
import type { Json } from '../../ledger/participant.ts'
import { type Entry, entriesFor, type Subtype } from './entries.ts'

/** What a rule may use of the transaction around its event. */
export type Reading = {
  readonly party: string
  readonly date: string
  /** Whether Amulet may appear and disappear in ways without a rule, because the choice around it accounts for it. */
  readonly isLoose: boolean
  /** The arguments of a contract that the transaction creates. */
  created(contractId: string): Json
  eventId(node: EventNode): string
  entriesOf(node: EventNode, isLoose?: boolean): Entry[]
  /** Of all that happened inside the node. */
  entriesInside(node: EventNode, isLoose?: boolean): Entry[]
}

export type Rule = (node: EventNode, reading: Reading) => Entry[]

export type Rules = {
  /** By the name of the choice. */
  readonly choices: ReadonlyMap<string, Rule>
  /** By module and name of the template. */
  readonly creations: ReadonlyMap<string, Rule>
}

const amulet = 'Splice.Amulet:Amulet'

/** In the order of the events. */
export function readTransaction(transaction: Json, party: string, rules: Rules): Entry[] {
  const roots = eventTree(transaction.events)
  try {
    const reading = readingOf(transaction, party, rules, false)
    return entriesFor(
      party,
      roots.flatMap((root) => reading.entriesOf(root)),
    )
  } catch {
    // As in Splice, history goes on over a transaction that nobody can read.
    return roots.slice(0, 1).map((root) => unknownEntry(transaction, root))
  }
}

function readingOf(transaction: Json, party: string, rules: Rules, isLoose: boolean): Reading {
  const { effectiveAt: date, events } = transaction
  const reading: Reading = {
    party,
    date,
    isLoose,
    created(contractId) {
      const found = events.find((one: Json) => one.CreatedEvent?.contractId === contractId)
      if (found === undefined) throw new Error(`${contractId} was not created`)
      return found.CreatedEvent.createArgument
    },
    eventId: (node) => eventIdOf(transaction, node),
    entriesOf(node, wantsLoose = isLoose) {
      if (wantsLoose && !isLoose) return readingOf(transaction, party, rules, true).entriesOf(node)
      const { choice, templateId, consuming } = node.event
      const entity = entityOf(templateId)
      const rule = node.kind === 'created' ? rules.creations.get(entity) : rules.choices.get(choice)
      if (rule !== undefined) return rule(node, reading)
      const isAmulet = entity === amulet && (node.kind === 'created' || consuming)
      if (isAmulet && !isLoose) throw new Error('Amulet has changed without a rule')
      return isAmulet ? [] : reading.entriesInside(node)
    },
    entriesInside: (node, wantsLoose) => node.children.flatMap((child) => reading.entriesOf(child, wantsLoose)),
  }
  return reading
}

function eventIdOf({ updateId }: Json, { event }: EventNode): string {
  return `#${updateId}:${event.nodeId}`
}

const unknownSubtype: Subtype = { templateId: 'unknown', choice: 'unknown' }

function unknownEntry(transaction: Json, root: EventNode): Entry {
  const eventId = eventIdOf(transaction, root)
  return { type: 'unknown', eventId, subtype: unknownSubtype, date: transaction.effectiveAt }
}
