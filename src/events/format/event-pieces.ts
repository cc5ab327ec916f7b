// Events as they are stored: the JSON of each event in pieces, without what differs from reader to reader, and the facts
// that decide who sees it. Mirrors the fields of Canton's CreatedEvent and ExercisedEvent, in their order.
//
// A created event has two pieces, from `contractId` to `createArgument` and from `signatories` to
// `representativePackageId`. An exercised event has four: `contractId` and `templateId`, then up to `consuming`, then
// `lastDescendantNodeId` and `exerciseResult`, then `packageName`. No piece begins or ends with a comma. The pieces of an
// update are its body, one after the other; where each ends is part of the update's description (stored-update.ts).
import { type UnpackedBytes, unpackText, unpackToBytes } from './unpacking.ts'

/** Numbers are positions in the parties and templates of the transaction. */
export type StoredEvent = {
  readonly kind: 'create' | 'exercise'
  readonly nodeId: number
  readonly template: number
  /** The parties that see it. */
  readonly witnesses: readonly number[]
  readonly stakeholders: readonly number[]
  /** For an exercise: whether it archives the contract. */
  readonly isConsuming: boolean
  /** Whether it changes what is active after the transaction; events of contracts that live only inside it do not. */
  readonly isDelta: boolean
}

/** The facts about the events of a transaction. */
export type EventFacts = {
  /** All parties that see any of it, sorted. */
  readonly parties: readonly string[]
  /** `#package-name:Module:Entity` of the contracts of its events, each once. */
  readonly templates: readonly string[]
  /** Creates and exercises that were not rolled back, by node id. */
  readonly events: readonly StoredEvent[]
}

/** The facts as they are stored: shorter, and faster to read. */
export type PackedFacts = Omit<EventFacts, 'events'> & { readonly events: readonly PackedEvent[] }

export type PackedEvent = readonly [
  kind: StoredEvent['kind'],
  nodeId: number,
  template: number,
  witnesses: readonly number[],
  /** 0 if they are the witnesses. */
  stakeholders: readonly number[] | 0,
  isConsuming: 0 | 1,
  isDelta: 0 | 1,
]

export function unpackFacts({ parties, templates, events }: PackedFacts): EventFacts {
  return {
    parties,
    templates,
    events: events.map(([kind, nodeId, template, witnesses, stakeholders, isConsuming, isDelta]) => {
      return {
        kind,
        nodeId,
        template,
        witnesses,
        stakeholders: stakeholders === 0 ? witnesses : stakeholders,
        isConsuming: isConsuming === 1,
        isDelta: isDelta === 1,
      }
    }),
  }
}

/** The number of pieces of an event. */
export const piecesOf: Readonly<Record<StoredEvent['kind'], number>> = { create: 2, exercise: 4 }

/** The position where a piece begins: where the one before it ends. */
export function startOf(piece: number, { ends }: { readonly ends: readonly number[] }): number {
  return piece === 0 ? 0 : ends[piece - 1]!
}

/** A body as a store reads it. The first reader that needs the unpacked text keeps it for the others. */
export type StoredBody = { readonly body: string; unpacked?: string }

/** Cuts the pieces out of a body. Positions count bytes; if every character is one byte, the text itself is cut. */
export class Pieces {
  /** Of the unpacked body, in bytes. */
  readonly length: number
  readonly #stored: StoredBody
  #text: string | undefined
  #bytes: Buffer | undefined

  constructor(stored: StoredBody, length: number) {
    this.#stored = stored
    this.length = length
  }

  cut(from: number, to: number): string {
    const text = this.#text ?? this.#unpack()
    return this.#bytes === undefined ? text.slice(from, to) : this.#bytes.toString('utf8', from, to)
  }

  /** All pieces. The next body overwrites them. */
  bytes(): UnpackedBytes {
    return unpackToBytes(this.#stored.unpacked ?? this.#stored.body)
  }

  /** The id of the contract of the event that begins here. */
  contractIdAt(event: number): string {
    const from = event + '"contractId":"'.length
    const text = this.#text ?? this.#unpack()
    if (this.#bytes === undefined) return text.slice(from, text.indexOf('"', from))
    return this.cut(from, this.#bytes.indexOf('"', from))
  }

  #unpack(): string {
    const stored = this.#stored
    stored.unpacked ??= unpackText(stored.body)
    const text = stored.unpacked
    this.#text = text
    if (text.length !== this.length) this.#bytes = Buffer.from(text)
    return text
  }
}

/** The two pieces of a created event that is stored by itself. */
export function createdPieces({ event, eventCut }: { event: Uint8Array; eventCut: number }): [string, string] {
  const text = Buffer.from(event.buffer, event.byteOffset, event.byteLength)
  return [text.toString('utf8', 0, eventCut), text.toString('utf8', eventCut)]
}

/** The template id of a created event, with the package that the contract was created with. */
export function templateIdIn(event: Uint8Array): string {
  const text = Buffer.from(event.buffer, event.byteOffset, event.byteLength)
  const mark = '"templateId":"'
  const start = text.indexOf(mark) + mark.length
  return text.toString('latin1', start, text.indexOf('"', start))
}

/** Reads a created event's second piece, which begins with `"signatories":[…]`. */
export function signatoriesIn({ event, eventCut }: { event: Uint8Array; eventCut: number }): readonly string[] {
  const piece = Buffer.from(event.buffer, event.byteOffset + eventCut, event.byteLength - eventCut)
  return JSON.parse(`{${piece.toString()}}`).signatories
}

/** The piece of an unassigned event, from the contract that leaves; `template` is `#package-name:Module:Entity`. */
export function unassignedPiece(contract: { contractId: string; event: Uint8Array }, template: string): string {
  const packageName = template.slice(1, template.indexOf(':'))
  return `"contractId":"${contract.contractId}","templateId":"${templateIdIn(contract.event)}","packageName":"${packageName}"`
}
