// Elements in another form than JSON: who serves them brings a writer of transactions, and gets bytes. What the writer
// cannot write is served as JSON.

import type { Outline, StoredTransaction } from '../../../events/format/stored-update.ts'
import type { ServedEvent } from '../../../events/format/transaction-writing.ts'
import type { MessageWriter } from '../../../protobuf/message-writer.ts'

/** A part of bytes that the elements of a step share. */
export type RenderedElement = {
  readonly page: { readonly bytes: Uint8Array }
  readonly start: number
  readonly end: number
}

export type TransactionText = {
  readonly offset: bigint
  readonly meta: StoredTransaction
  /** The pieces of its events. */
  readonly body: { whole(): string }
}

/** What readers see of transactions with one outline. */
export type ShownTransaction = {
  readonly isOwn: boolean
  readonly events: readonly {
    readonly event: ServedEvent
    /** The index of its first piece. */
    readonly first: number
    /** The JSON around what is stored. */
    readonly frame: { readonly before: string; readonly between: string; readonly after: string }
  }[]
}

/** Writes an element; writes nothing and returns false if it cannot. */
export type WriteTransaction = (writer: MessageWriter, transaction: TransactionText) => boolean

export type TransactionWriter = {
  /** Done once for all transactions with one outline. */
  compile(shown: ShownTransaction, outline: Outline): WriteTransaction
  /** Loads what the last transactions missed; undefined if they missed nothing. */
  missing(): Promise<unknown> | undefined
}
