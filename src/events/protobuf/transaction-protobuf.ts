// Transactions as messages of GetUpdates, each in its frame, straight from the pieces in which they are stored: no object
// is made on the way. A transaction that is large, or not written as expected here, or of types too large to know, is
// left to the threads of the engine, which render its JSON.

import { expected, JsonReader, UnexpectedFormat } from '../../lf/codec/json-reader.ts'
import { createJsonWriters } from '../../protobuf/json-writing.ts'
import { ledgerMessage } from '../../protobuf/ledger-api.ts'
import { MessageWriter } from '../../protobuf/message-writer.ts'
import { wireTypes } from '../../protobuf/wire-reading.ts'
import { startOf } from '../format/event-pieces.ts'
import type { Outline } from '../format/stored-update.ts'
import type { ShownTransaction, StoredPieces } from '../json/transaction-json.ts'
import type { EventPlans } from './event-plans.ts'
import { createEventWriters, encoded, numbersOf, timeTo } from './event-protobuf.ts'

/** A transaction, and what its readers see of it: the same object for all transactions with one outline. */
export type ShownPieces = { readonly stored: StoredPieces; readonly shown: ShownTransaction }

/** A part of bytes that the transactions of a page share. */
export type RenderedElement = {
  readonly page: { readonly bytes: Uint8Array }
  readonly start: number
  readonly end: number
}

/** Renders a page of transactions; undefined for those that are left to others. */
export type RenderTransactions = (
  transactions: readonly (ShownPieces | undefined)[],
) => Promise<(RenderedElement | undefined)[]>

/** Writes a message in its frame; writes nothing and returns false if it cannot. */
type WriteTransaction = (writer: MessageWriter, stored: StoredPieces) => boolean

const { varint, bytes } = wireTypes
const lineFeed = 0x0a

/** The writer reserves more than it writes. */
const spareBytes = 1024
/** Larger transactions would keep the main thread busy. */
const renderedBytesMax = 64 * 1024

/** The names in the description of a transaction (format/stored-update.ts). */
const texts = {
  null: expected('null'),
  updateId: expected('"updateId":'),
  commandId: expected(',"commandId":'),
  workflowId: expected(',"workflowId":'),
  effectiveAt: expected(',"effectiveAt":'),
  synchronizerId: expected('"synchronizerId":'),
  traceContext: expected(',"traceContext":'),
  traceparent: expected('{"traceparent":'),
  tracestate: expected(',"tracestate":'),
  end: expected('}'),
  recordTime: expected(',"recordTime":'),
}

export function createTransactionRendering(plans: EventPlans, isVerbose: boolean): RenderTransactions {
  const compile = createTransactionWriters(plans, isVerbose)
  const compiled = new WeakMap<ShownTransaction, WriteTransaction>()

  function writeOf({ shown, stored }: ShownPieces): WriteTransaction {
    let write = compiled.get(shown)
    if (write === undefined) {
      write = compile(shown, stored.meta.outline)
      compiled.set(shown, write)
    }
    return write
  }

  return async (transactions) => {
    const elements: (RenderedElement | undefined)[] = Array.from({ length: transactions.length })
    const writer = new MessageWriter(transactions.reduce((sum, one) => sum + bytesOf(one), spareBytes))
    const page = { bytes: writer.written() }
    const writeMissing = () => {
      for (let index = 0; index < transactions.length; index += 1) {
        const transaction = transactions[index]
        if (transaction === undefined || elements[index] !== undefined) continue
        const { stored } = transaction
        if (stored.body.length > renderedBytesMax) continue
        const start = writer.position()
        if (writeOf(transaction)(writer, stored)) elements[index] = { page, start, end: writer.position() }
      }
    }
    writeMissing()
    const loading = plans.missing()
    if (loading !== undefined) {
      await loading
      writeMissing()
    }
    page.bytes = writer.written()
    return elements
  }
}

/** About as many bytes as it has when it is rendered, rather more: the writer would have to copy a page that grows. */
function bytesOf(transaction: ShownPieces | undefined): number {
  if (transaction === undefined) return 0
  const { meta, body } = transaction.stored
  return body.length > renderedBytesMax ? 0 : body.length + meta.head.length + meta.setting.length
}

/** Compiles a writer for transactions with one outline. */
function createTransactionWriters(
  plans: EventPlans,
  isVerbose: boolean,
): (shown: ShownTransaction, outline: Outline) => WriteTransaction {
  const reader = new JsonReader()
  const events = createEventWriters(reader, plans, isVerbose)
  const fields = numbersOf('Transaction')
  const traceFields = numbersOf('TraceContext')
  const transactionField = numbersOf('GetUpdatesResponse').transaction!
  const writeJson = createJsonWriters().of(ledgerMessage('Transaction'))

  function idTo(writer: MessageWriter, name: DataView, field: number): void {
    reader.passText(name)
    reader.idTo(writer.tag(field, bytes))
  }

  /** An empty text is left out. */
  function textTo(writer: MessageWriter, name: DataView, field: number): void {
    reader.passText(name)
    const start = writer.position()
    if (reader.textTo(writer.tag(field, bytes)) === 0) writer.takeBack(start)
  }

  function headTo(writer: MessageWriter, isOwn: boolean): void {
    idTo(writer, texts.updateId, fields.update_id!)
    const start = writer.position()
    textTo(writer, texts.commandId, fields.command_id!)
    if (!isOwn) writer.takeBack(start)
    textTo(writer, texts.workflowId, fields.workflow_id!)
    timeTo(reader, writer, texts.effectiveAt, fields.effective_at!)
  }

  function settingTo(writer: MessageWriter): void {
    idTo(writer, texts.synchronizerId, fields.synchronizer_id!)
    reader.passText(texts.traceContext)
    if (!reader.passesText(texts.null)) traceContextTo(writer)
    timeTo(reader, writer, texts.recordTime, fields.record_time!)
  }

  function traceContextTo(writer: MessageWriter): void {
    const start = writer.tag(fields.trace_context!, bytes).open(1)
    reader.passText(texts.traceparent)
    reader.textTo(writer.tag(traceFields.traceparent!, bytes))
    reader.passText(texts.tracestate)
    if (!reader.passesText(texts.null)) reader.textTo(writer.tag(traceFields.tracestate!, bytes))
    reader.passText(texts.end)
    writer.close(start, 1)
  }

  return ({ events: shown, isOwn }, { templates }) => {
    const steps = shown.map((event) => ({
      first: event.first,
      write: events.writerOf(event, fields.events!, templates[event.event.template]!),
    }))
    const cost = encoded((writer) => writeJson(writer, { paidTrafficCost: isOwn ? 0 : null }))
    let lengthBytes = 2

    function transactionTo(writer: MessageWriter, { offset, meta, body }: StoredPieces): void {
      const number = Number(offset)
      reader.start(meta.text)
      headTo(writer, isOwn)
      reader.pass(lineFeed)
      settingTo(writer)
      reader.pass(lineFeed)
      writer.tag(fields.offset!, varint).int64(number)
      if (meta.signedHash !== 'null') writeJson(writer, { externalTransactionHash: JSON.parse(meta.signedHash) })
      writer.raw(cost)
      reader.startBytes(body.bytes())
      for (const { first, write } of steps) {
        reader.goTo(startOf(first, meta))
        write(writer, number)
      }
    }

    return (writer, stored) => {
      const start = writer.beginFrame()
      try {
        const guess = lengthBytes
        const messageStart = writer.tag(transactionField, bytes).open(guess)
        transactionTo(writer, stored)
        lengthBytes = writer.close(messageStart, guess)
        writer.endFrame(start)
        return true
      } catch (error) {
        if (!(error instanceof UnexpectedFormat)) throw error
        writer.takeBack(start)
        return false
      }
    }
  }
}
