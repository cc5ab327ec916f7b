// Reads the stored pieces of an event (format/event-pieces.ts) and writes the event as protobuf. The parts that all
// transactions with one outline have in common are encoded once.

import { expected, type JsonReader } from '../../lf/codec/json-reader.ts'
import type { RenderNext } from '../../lf/codec/value-rendering.ts'
import { createJsonWriters, writeIdentifier } from '../../protobuf/json-writing.ts'
import { ledgerMessage } from '../../protobuf/ledger-api.ts'
import { MessageWriter } from '../../protobuf/message-writer.ts'
import { wireTypes } from '../../protobuf/wire-reading.ts'
import type { ShownEvent } from '../json/transaction-json.ts'
import type { EventPlans, TypesOf } from './event-plans.ts'

const { varint, bytes } = wireTypes
const comma = 0x2c
const openList = 0x5b
const closeList = 0x5d

/** The names in the pieces of an event, and what has no other place. */
const texts = {
  true: expected('true'),
  false: expected('false'),
  contractId: expected('"contractId":'),
  templateId: expected(',"templateId":'),
  withoutKey: expected(',"contractKey":null,"contractKeyHash":""'),
  contractKey: expected(',"contractKey":'),
  contractKeyHash: expected(',"contractKeyHash":'),
  createArgument: expected(',"createArgument":'),
  signatories: expected('"signatories":'),
  observers: expected(',"observers":'),
  createdAt: expected(',"createdAt":'),
  createdPackage: expected(',"packageName":'),
  representative: expected(',"representativePackageId":'),
  withoutInterface: expected('"interfaceId":null'),
  interfaceId: expected('"interfaceId":'),
  choice: expected(',"choice":'),
  choiceArgument: expected(',"choiceArgument":'),
  actingParties: expected(',"actingParties":'),
  consuming: expected(',"consuming":'),
  lastDescendant: expected('"lastDescendantNodeId":'),
  result: expected(',"exerciseResult":'),
  exercisedPackage: expected('"packageName":'),
}

/** Reads an event, and writes it as a field of its transaction. */
export type WriteEvent = (writer: MessageWriter, offset: number) => void

/** Reads and writes what follows the contract id and the template id. */
type WriteRest = (writer: MessageWriter, templateId: string) => void

export type EventWriters = {
  /** `field` is the number of the field in the transaction, `template` is `#package-name:Module:Entity`. */
  writerOf(event: ShownEvent, field: number, template: string): WriteEvent
}

export function createEventWriters(reader: JsonReader, plans: EventPlans, isVerbose: boolean): EventWriters {
  const json = createJsonWriters()
  const numbers = {
    created: numbersOf('CreatedEvent'),
    archived: numbersOf('ArchivedEvent'),
    exercised: numbersOf('ExercisedEvent'),
  }

  function idTo(writer: MessageWriter, name: DataView, field: number): void {
    reader.passText(name)
    reader.idTo(writer.tag(field, bytes))
  }

  function idsTo(writer: MessageWriter, name: DataView, field: number): void {
    reader.passText(name)
    reader.pass(openList)
    if (reader.passes(closeList)) return
    do reader.idTo(writer.tag(field, bytes))
    while (reader.passes(comma))
    reader.pass(closeList)
  }

  function valueField(name: DataView, field: number): (writer: MessageWriter, render: RenderNext | undefined) => void {
    let lengthBytes = 1
    return (writer, render) => {
      reader.passText(name)
      if (render === undefined) return reader.fail()
      const guess = lengthBytes
      const start = writer.tag(field, bytes).open(guess)
      render(reader, writer)
      lengthBytes = writer.close(start, guess)
    }
  }

  function created(): WriteRest {
    const fields = numbers.created
    const argumentField = valueField(texts.createArgument, fields.create_arguments!)
    const keyField = valueField(texts.contractKey, fields.contract_key!)
    let types: TypesOf | undefined
    let typesFor = ''
    return (writer, templateId) => {
      if (templateId !== typesFor) {
        types = plans.of(templateId, isVerbose)
        typesFor = templateId
      }
      const { argument, other: key } = types!
      if (!reader.passesText(texts.withoutKey)) {
        keyField(writer, key?.value)
        reader.passText(texts.contractKeyHash)
        writer.tag(fields.contract_key_hash!, bytes).bytes(Buffer.from(reader.text(), 'base64'))
      }
      argumentField(writer, argument.record)
      idsTo(writer, texts.signatories, fields.signatories!)
      idsTo(writer, texts.observers, fields.observers!)
      timeTo(reader, writer, texts.createdAt, fields.created_at!)
      idTo(writer, texts.createdPackage, fields.package_name!)
      idTo(writer, texts.representative, fields.representative_package_id!)
    }
  }

  function exercised(): WriteRest {
    const fields = numbers.exercised
    const argumentField = valueField(texts.choiceArgument, fields.choice_argument!)
    const resultField = valueField(texts.result, fields.exercise_result!)
    let types: TypesOf | undefined
    let typesFor = ''
    return (writer, templateId) => {
      let owner = templateId
      if (!reader.passesText(texts.withoutInterface)) {
        reader.passText(texts.interfaceId)
        owner = reader.text()
        writer.raw(identifierField(fields.interface_id!, owner))
      }
      reader.passText(texts.choice)
      const choice = reader.text()
      writer.tag(fields.choice!, bytes).string(choice)
      const name = `${owner}:${choice}`
      if (name !== typesFor) {
        types = plans.of(name, isVerbose)
        typesFor = name
      }
      const { argument, other: result } = types!
      argumentField(writer, argument.value)
      idsTo(writer, texts.actingParties, fields.acting_parties!)
      reader.passText(texts.consuming)
      if (reader.passesText(texts.true)) writer.tag(fields.consuming!, varint).bool(true)
      else reader.passText(texts.false)
      reader.passText(texts.lastDescendant)
      const last = reader.digits()
      if (last !== 0) writer.tag(fields.last_descendant_node_id!, varint).int64(last)
      resultField(writer, result?.value)
      idTo(writer, texts.exercisedPackage, fields.package_name!)
    }
  }

  /** An archived event does not name the choice that archived the contract. */
  function archived(template: string): WriteRest {
    const packageName = encoded((writer) =>
      writer.tag(numbers.archived.package_name!, bytes).string(template.slice(1, template.indexOf(':'))),
    )
    return (writer) => writer.raw(packageName)
  }

  return {
    writerOf(event, field, template) {
      const common = commonPart(event)
      const kind = event.event.kind === 'create' ? 'created' : 'acsDelta' in common ? 'exercised' : 'archived'
      const fields = numbers[kind]
      const kindField = numbersOf('Event')[kind]!
      const message = ledgerMessage(`${kind[0]!.toUpperCase()}${kind.slice(1)}Event`)
      const always = encoded((writer) => json.of(message)(writer, common))
      const rest = kind === 'created' ? created() : kind === 'exercised' ? exercised() : archived(template)
      let [outerBytes, innerBytes] = [2, 2]
      // Usually the next event has the same template.
      let last = { id: '', json: expected('""'), field: new Uint8Array() }

      function templateTo(writer: MessageWriter): string {
        reader.passText(texts.templateId)
        if (!reader.passesText(last.json)) {
          const id = reader.text()
          last = { id, json: expected(JSON.stringify(id)), field: identifierField(fields.template_id!, id) }
        }
        writer.raw(last.field)
        return last.id
      }

      return (writer, offset) => {
        const [outer, inner] = [outerBytes, innerBytes]
        const start = writer.tag(field, bytes).open(outer)
        const innerStart = writer.tag(kindField, bytes).open(inner)
        writer.tag(fields.offset!, varint).int64(offset)
        writer.raw(always)
        idTo(writer, texts.contractId, fields.contract_id!)
        rest(writer, templateTo(writer))
        innerBytes = writer.close(innerStart, inner)
        outerBytes = writer.close(start, outer)
      }
    },
  }
}

export function timeTo(reader: JsonReader, writer: MessageWriter, name: DataView, field: number): void {
  reader.passText(name)
  const start = writer.tag(field, bytes).open(1)
  reader.timeTo(writer)
  writer.close(start, 1)
}

/** The JSON of an event around its stored pieces. */
function commonPart({ frame: { before, between, after } }: ShownEvent): Record<string, unknown> {
  const { first, second, third, ...rest } = JSON.parse(`{"first":0${before}"second":0${between}"third":0${after}`)
  return rest
}

function identifierField(field: number, text: string): Uint8Array<ArrayBuffer> {
  return encoded((writer) => {
    writer.tag(field, bytes).fork()
    writeIdentifier(writer, text)
    writer.join()
  })
}

export function encoded(write: (writer: MessageWriter) => void): Uint8Array<ArrayBuffer> {
  const writer = new MessageWriter()
  write(writer)
  return Uint8Array.from(writer.finish())
}

export function numbersOf(message: string): Readonly<Record<string, number>> {
  return Object.fromEntries(ledgerMessage(message).fields.map(({ name, number }) => [name, number]))
}
