// Transactions as messages of GetUpdates, each in its frame, straight from the text in which they are stored: no JSON and no
// object is made on the way. A transaction that is not written as expected here, or of types too large to know, is left to
// those who render its JSON.
import { startOf } from '../../ledger/reading/json/visibility.ts'
import type { TransactionText, TransactionWriter } from '../../ledger/reading/requests/rendered-elements.ts'
import { expected, JsonReader, UnexpectedFormat } from '../../lf/codec/json-reader.ts'
import { createJsonWriters } from '../../protobuf/json-writing.ts'
import { ledgerMessage } from '../../protobuf/ledger-api.ts'
import type { MessageWriter } from '../../protobuf/message-writer.ts'
import { wireTypes } from '../../protobuf/wire-reading.ts'
import type { EventPlans } from './event-plans.ts'
import { createEventFrames, encoded, numbersOf, timeTo } from './event-protobuf.ts'

const { varint, bytes } = wireTypes

/** What is around the values in a stored description (events/format/stored-update.ts). */
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

export function createTransactionFrames(plans: EventPlans, isVerbose: boolean): TransactionWriter {
  const reader = new JsonReader()
  const events = createEventFrames(reader, plans, isVerbose)
  const fields = numbersOf('Transaction')
  const traceFields = numbersOf('TraceContext')
  const transactionField = numbersOf('GetUpdatesResponse').transaction!
  const writeJson = createJsonWriters().of(ledgerMessage('Transaction'))

  /** Left out if it is empty. */
  function textTo(writer: MessageWriter, field: number): void {
    const start = writer.position()
    if (reader.textTo(writer.tag(field, bytes)) === 0) writer.takeBack(start)
  }

  function headTo(writer: MessageWriter, head: string, isOwn: boolean): void {
    reader.start(head)
    reader.passText(texts.updateId)
    textTo(writer, fields.update_id!)
    reader.passText(texts.commandId)
    const start = writer.position()
    textTo(writer, fields.command_id!)
    if (!isOwn) writer.takeBack(start)
    reader.passText(texts.workflowId)
    textTo(writer, fields.workflow_id!)
    reader.passText(texts.effectiveAt)
    timeTo(reader, writer, fields.effective_at!)
  }

  function settingTo(writer: MessageWriter, setting: string): void {
    reader.start(setting)
    reader.passText(texts.synchronizerId)
    textTo(writer, fields.synchronizer_id!)
    reader.passText(texts.traceContext)
    if (!reader.passesText(texts.null)) traceContextTo(writer)
    reader.passText(texts.recordTime)
    timeTo(reader, writer, fields.record_time!)
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

  return {
    compile({ events: shown, isOwn }, outline) {
      const steps = shown.map((event) => ({
        first: event.first,
        write: events.writerOf(event, fields.events!, outline.templates[event.event.template]!),
      }))
      const cost = encoded((writer) => writeJson(writer, { paidTrafficCost: isOwn ? 0 : null }))
      let lengthBytes = 2

      function transaction(writer: MessageWriter, { offset, meta, body }: TransactionText): void {
        const number = Number(offset)
        headTo(writer, meta.head, isOwn)
        settingTo(writer, meta.setting)
        writer.tag(fields.offset!, varint).int64(number)
        if (meta.signedHash !== 'null') writeJson(writer, { externalTransactionHash: JSON.parse(meta.signedHash) })
        writer.raw(cost)
        reader.start(body.whole())
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
          transaction(writer, stored)
          lengthBytes = writer.close(messageStart, guess)
          writer.endFrame(start)
          return true
        } catch (error) {
          if (!(error instanceof UnexpectedFormat)) throw error
          writer.takeBack(start)
          return false
        }
      }
    },
    missing: plans.missing,
  }
}
