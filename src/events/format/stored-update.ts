// The description of an update, which is stored as text beside the body with its events (event-pieces.ts). Five lines
// describe a transaction; the last one, its outline, is parsed once for all transactions that share it. A line with the
// kind and one with JSON describe any other update.
import { type EventFacts, type PackedFacts, unpackFacts } from './event-pieces.ts'
import type { ServedTransaction } from './transaction-writing.ts'

export type TraceContext = { readonly traceparent: string; readonly tracestate: string | null }

export type StoredTransaction = {
  readonly kind: 'transaction'
  /** All lines, in the order of the fields below. */
  readonly text: string
  /** JSON from `updateId` to `effectiveAt`, as submitters see it. */
  readonly head: string
  /** JSON from `synchronizerId` to `recordTime`. */
  readonly setting: string
  /** JSON: the hash that external parties signed, in hex, or null. */
  readonly signedHash: string
  /** The end of each piece of its events in the body; a piece begins where the previous one ends. */
  readonly ends: readonly number[]
  readonly outline: Outline
}

/** Shared by transactions that do the same between the same parties. */
export type Outline = EventFacts & {
  /** The acting parties, whether they see anything of it or not. */
  readonly submitters: readonly string[]
}

/** Contracts that leave a synchronizer or arrive at one. */
export type StoredReassignment = {
  readonly kind: 'reassignment'
  readonly direction: 'unassignment' | 'assignment'
  readonly updateId: string
  readonly commandId: string
  readonly workflowId: string
  readonly submitters: readonly [submitter: string]
  /** It was submitted at another participant, so nobody here sees its command. */
  readonly isDelivered?: true | undefined
  readonly recordTime: string
  /** Where it happened: the source of an unassignment, the target of an assignment. */
  readonly synchronizerId: string
  readonly traceContext: TraceContext | null
  readonly reassignmentId: string
  readonly source: string
  readonly target: string
  /** For an unassignment: until then only its submitter may assign. */
  readonly exclusiveUntil: string | null
  readonly parties: readonly string[]
  readonly templates: readonly string[]
  readonly events: readonly MovedContract[]
}

/**
 * Numbers are positions in `parties` and `templates`. An unassignment has one piece, `contractId`, `templateId` and
 * `packageName`; an assignment has the two of a created event.
 */
export type MovedContract = {
  readonly nodeId: number
  readonly template: number
  readonly stakeholders: readonly number[]
  readonly counter: number
  /** The end of each piece in the body; the first begins where the previous event ends. */
  readonly ends: readonly number[]
}

/** Parties that came to be hosted on a synchronizer. */
export type StoredTopology = {
  readonly kind: 'topology'
  readonly updateId: string
  /** In the format of the API. */
  readonly recordTime: string
  readonly synchronizerId: string
  readonly traceContext: TraceContext | null
  readonly events: readonly HostingEvent[]
}

/** A participant hosts a party from now on. */
export type HostingEvent = {
  readonly party: string
  readonly participantId: string
  readonly permission: Permission
}

/** Whether the participant may submit for the party, only confirms what the party signs, or only sees it. */
export type Permission = 'submission' | 'confirmation' | 'observation'

/**
 * Stands for a party and for a template in the lists by which updates are found: every change of the topology has it,
 * and nothing else. No party and no template can have this name.
 */
export const topologyName = '#topology'

export type StoredUpdate = StoredTransaction | StoredReassignment | StoredTopology

type TransactionFacts = {
  readonly updateId: string
  readonly commandId: string
  readonly workflowId: string
  readonly submitters: readonly string[]
  /** Times are in the format of the API. */
  readonly effectiveAt: string
  readonly recordTime: string
  readonly synchronizerId: string
  readonly traceContext: TraceContext | null
  readonly externalTransactionHash?: string | undefined
}

/** Served facts are copied as they are. */
export function transactionToText(
  facts: TransactionFacts,
  served: Pick<ServedTransaction, 'facts' | 'ends' | 'parties'>,
): string {
  const { commandId, workflowId, synchronizerId, traceContext, externalTransactionHash: hash } = facts
  const submitters = facts.submitters.map((party) => numberOr(party, served.parties))
  return [
    // Ids and times need no escapes.
    `"updateId":"${facts.updateId}","commandId":${JSON.stringify(commandId)},"workflowId":${JSON.stringify(workflowId)},` +
      `"effectiveAt":"${facts.effectiveAt}"`,
    `"synchronizerId":"${synchronizerId}","traceContext":${JSON.stringify(traceContext)},"recordTime":"${facts.recordTime}"`,
    hash === undefined ? 'null' : `"${hash}"`,
    `[${served.ends.join()}]`,
    `{"submitters":${JSON.stringify(submitters)},${served.facts.slice(1)}`,
  ].join('\n')
}

const reassignmentLine = 'reassignment\n'

export function reassignmentToText(reassignment: StoredReassignment): string {
  return reassignmentLine + JSON.stringify(reassignment)
}

const topologyLine = 'topology\n'

export function topologyToText(topology: StoredTopology): string {
  return topologyLine + JSON.stringify(topology)
}

export function isTopologyText(text: string): boolean {
  return text.startsWith(topologyLine)
}

/** Commands have ids: what another participant of a network submitted is told without one. */
export const noCommandId = '"commandId":""'

/** Whether it has no completion here: a change of the topology, or what another participant submitted. */
export function isWithoutCompletion(text: string): boolean {
  return isTopologyText(text) || text.includes(noCommandId)
}

export function metaFromText(text: string, outlines: Outlines = new Map()): StoredUpdate {
  if (text.startsWith(reassignmentLine)) return JSON.parse(text.slice(reassignmentLine.length))
  if (isTopologyText(text)) return JSON.parse(text.slice(topologyLine.length))
  const headEnd = text.indexOf('\n')
  const settingEnd = text.indexOf('\n', headEnd + 1)
  const hashEnd = text.indexOf('\n', settingEnd + 1)
  const endsEnd = text.indexOf('\n', hashEnd + 1)
  return {
    kind: 'transaction',
    text,
    head: text.slice(0, headEnd),
    setting: text.slice(headEnd + 1, settingEnd),
    signedHash: text.slice(settingEnd + 1, hashEnd),
    ends: endsFromText(text.slice(hashEnd + 1, endsEnd)),
    outline: outlineFromText(text.slice(endsEnd + 1), outlines),
  }
}

/** Parses `[1,2,3]`; JSON.parse would take as long for it as everything else here. */
function endsFromText(text: string): number[] {
  const ends: number[] = []
  let end = 0
  for (let index = 1; index < text.length; index += 1) {
    const digit = text.charCodeAt(index) - zero
    if (digit >= 0 && digit <= 9) end = 10 * end + digit
    else {
      ends.push(end)
      end = 0
    }
  }
  return ends
}

const zero = 0x30

/** A cache of parsed outlines by their text: small ones, a few megabytes at most. */
export type Outlines = Map<string, Outline>

const rememberedMax = 500
const rememberedLengthMax = 2000

function outlineFromText(text: string, remembered: Outlines): Outline {
  const known = remembered.get(text)
  if (known !== undefined) return known
  const packed: PackedFacts & { submitters: (number | string)[] } = JSON.parse(text)
  const { submitters, parties } = packed
  const outline = {
    ...unpackFacts(packed),
    submitters: submitters.map((party) => (typeof party === 'number' ? parties[party]! : party)),
  }
  if (text.length <= rememberedLengthMax) {
    if (remembered.size >= rememberedMax) remembered.clear()
    remembered.set(text, outline)
  }
  return outline
}

function numberOr(party: string, parties: readonly string[]): number | string {
  const number = parties.indexOf(party)
  return number < 0 ? party : number
}

export function hasId(update: StoredUpdate, updateId: string): boolean {
  return update.kind === 'transaction'
    ? update.head.startsWith(`"updateId":"${updateId}"`)
    : update.updateId === updateId
}

export function updateIdOf(update: StoredUpdate): string {
  return update.kind === 'transaction' ? JSON.parse(`{${update.head}}`).updateId : update.updateId
}

export function recordTimeOf(update: StoredUpdate): string {
  return update.kind === 'transaction' ? JSON.parse(`{${update.setting}}`).recordTime : update.recordTime
}

/** Where it was recorded; a reassignment, on the side that it is an update of. */
export function synchronizerIdOf(update: StoredUpdate): string {
  return update.kind === 'transaction' ? JSON.parse(`{${update.setting}}`).synchronizerId : update.synchronizerId
}

/** The parties in whose lists the update is found. */
export function partiesOf(update: StoredUpdate): readonly string[] {
  if (update.kind === 'transaction') return update.outline.parties
  return update.kind === 'reassignment' ? update.parties : listsOf(update)
}

/** The lists in which a change of the topology is found: those of its parties, and the one of all changes. */
export function listsOf({ events }: StoredTopology): readonly string[] {
  return [...new Set([...events.map(({ party }) => party), topologyName])]
}

/** The length of the body in bytes. */
export function bodyBytes(update: StoredUpdate): number {
  if (update.kind === 'topology') return 0
  return (update.kind === 'transaction' ? update.ends.at(-1) : update.events.at(-1)?.ends.at(-1)) ?? 0
}

/** The lookup key: eight bytes of the hash in an update id (`1220` and 32 bytes, in hex). */
export function updateIdKey(updateId: string): bigint {
  return BigInt.asIntN(64, BigInt(`0x${updateId.slice(4, 20)}`))
}
