// What lists say of an event: its template, its choice and who acts. Read from the beginning of a body, without its values.
import { piecesOf, type StoredEvent, startOf } from '../format/event-pieces.ts'
import { unpackBytes } from '../format/unpacking.ts'

export type EventGlimpse = {
  /** `package-id:Module:Entity` */
  readonly templateId: string
  /** Empty for a create. */
  readonly choice: string
  /** Signatories of a create, controllers of an exercise; undefined if they are not in this part of the body. */
  readonly acting: readonly string[] | undefined
  /** The last node below it; undefined if it is not in this part of the body. */
  readonly lastDescendant: number | undefined
}

/** A body, or the beginning of one. */
export class BodyBeginning {
  readonly #bytes: Buffer

  /** As it is stored. */
  constructor(body: Uint8Array) {
    const { buffer, byteOffset, byteLength } = unpackBytes(body)
    this.#bytes = Buffer.from(buffer, byteOffset, byteLength)
  }

  /** Whether all pieces of the event are there. */
  has({ kind }: Pick<StoredEvent, 'kind'>, first: number, ends: readonly number[]): boolean {
    return ends[first + piecesOf[kind] - 1]! <= this.#bytes.length
  }

  /** Undefined if the event is not in this part. */
  glimpse(
    { kind, nodeId }: Pick<StoredEvent, 'kind' | 'nodeId'>,
    first: number,
    ends: readonly number[],
  ): EventGlimpse | undefined {
    const piece = (index: number) => this.#cut(startOf(first + index, { ends }), ends[first + index]!)
    const templateId = templateIn.exec(piece(0).text)?.[1]
    if (templateId === undefined) return undefined
    if (kind === 'create') {
      const tail = piece(1)
      const signatories = tail.isWhole ? signatoriesIn.exec(tail.text)?.[1] : undefined
      return { templateId, choice: '', acting: partiesIn(signatories), lastDescendant: nodeId }
    }
    const [middle, result] = [piece(1), piece(2)]
    const choice = choiceIn.exec(middle.text)?.[1]
    if (choice === undefined) return undefined
    const actors = middle.isWhole ? actorsIn.exec(middle.text)?.[1] : undefined
    const last = lastIn.exec(result.text)?.[1]
    return {
      templateId,
      choice,
      acting: partiesIn(actors),
      lastDescendant: last === undefined ? undefined : Number(last),
    }
  }

  /** The template of the event that begins there; undefined if it is not in this part. */
  templateAt(from: number): string | undefined {
    return templateIn.exec(this.#cut(from, from + beginningMax).text)?.[1]
  }

  #cut(from: number, to: number): { readonly text: string; readonly isWhole: boolean } {
    return { text: this.#bytes.toString('utf8', from, to), isWhole: to <= this.#bytes.length }
  }
}

/** The ids at the beginning of an event are shorter. */
const beginningMax = 2_048

// Names need no JSON escapes, and none has a bracket. Values come after what is looked for, or before it.
const templateIn = /^"contractId":"[^"]*","templateId":"([^"]*)"/
const signatoriesIn = /^"signatories":(\[[^\]]*\])/
const choiceIn = /^"interfaceId":(?:null|"[^"]*"),"choice":"([^"]*)"/
const actorsIn = /,"actingParties":(\[[^\]]*\]),"consuming":(?:true|false)$/
const lastIn = /^"lastDescendantNodeId":(\d+),/

function partiesIn(json: string | undefined): readonly string[] | undefined {
  return json === undefined ? undefined : JSON.parse(json)
}
