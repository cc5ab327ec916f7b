// Events as protobuf, straight from the packed text in which they are stored (engine/requests/served-transaction.ts). What
// events of transactions with one outline have in common is encoded once.
import { phrases } from '../base/packed-text.ts'
import type { ShownTransaction } from '../ledger/reading/requests/rendered-elements.ts'
import { expected, type PackedReader } from '../lf/codec/packed-reader.ts'
import type { RenderNext } from '../lf/codec/value-rendering.ts'
import { createJsonWriters, writeIdentifier } from '../protobuf/json-writing.ts'
import { ledgerMessage } from '../protobuf/ledger-api.ts'
import { MessageWriter } from '../protobuf/message-writer.ts'
import { wireTypes } from '../protobuf/wire-reading.ts'
import type { EventPlans, TypesOf } from './event-plans.ts'

const { varint, bytes } = wireTypes
const quote = 0x22
const comma = 0x2c
const colon = 0x3a
const openList = 0x5b
const closeList = 0x5d

/** The codes of phrases. */
const codes = Object.fromEntries(
  Object.entries(phrases).map(([name, [code]]) => [name, code.charCodeAt(0)]),
) as Readonly<Record<keyof typeof phrases, number>>

/** What has no phrase. */
const texts = {
  true: expected('true'),
  false: expected('false'),
  contractKey: expected('","contractKey":'),
  contractKeyHash: expected(',"contractKeyHash":'),
  createArgument: expected(',"createArgument":'),
  interfaceId: expected('"interfaceId":'),
  choice: expected(',"choice":"'),
  packageName: expected('"packageName":"'),
}

type ShownEvent = ShownTransaction['events'][number]

/** Reads the next event, and writes it as a field of its transaction. */
export type WriteEvent = (writer: MessageWriter, offset: number) => void

/** Reads and writes what follows the contract id and the template id. */
type WriteRest = (writer: MessageWriter, templateId: string) => void

export type EventFrames = {
  /** `field` is the number of the field in the transaction, `template` is `#package-name:Module:Entity`. */
  writerOf(event: ShownEvent, field: number, template: string): WriteEvent
  skip(): void
}

export function createEventFrames(reader: PackedReader, plans: EventPlans, isVerbose: boolean): EventFrames {
  const json = createJsonWriters()
  const numbers = {
    created: numbersOf('CreatedEvent'),
    archived: numbersOf('ArchivedEvent'),
    exercised: numbersOf('ExercisedEvent'),
  }

  function textsTo(writer: MessageWriter, field: number): void {
    reader.pass(openList)
    if (reader.passes(closeList)) return
    do reader.textTo(writer.tag(field, bytes))
    while (reader.passes(comma))
    reader.pass(closeList)
  }

  function plainTo(writer: MessageWriter, field: number): void {
    reader.plain()
    reader.plainTo(writer.tag(field, bytes))
  }

  function valueField(field: number): (writer: MessageWriter, render: RenderNext | undefined) => void {
    let lengthBytes = 1
    return (writer, render) => {
      if (render === undefined) return reader.fail()
      const guess = lengthBytes
      const start = writer.tag(field, bytes).open(guess)
      render(reader, writer)
      lengthBytes = writer.close(start, guess)
    }
  }

  function created(): WriteRest {
    const fields = numbers.created
    const argumentField = valueField(fields.create_arguments!)
    const keyField = valueField(fields.contract_key!)
    let types: TypesOf | undefined
    let typesFor = ''
    return (writer, templateId) => {
      if (templateId !== typesFor) {
        types = plans.of(templateId, isVerbose)
        typesFor = templateId
      }
      const { argument, other: key } = types!
      if (!reader.passes(codes.withoutKey)) {
        reader.passText(texts.contractKey)
        keyField(writer, key?.value)
        reader.passText(texts.contractKeyHash)
        writer.tag(fields.contract_key_hash!, bytes).bytes(Buffer.from(reader.text(), 'base64'))
        reader.passText(texts.createArgument)
      }
      argumentField(writer, argument.record)
      reader.pass(codes.signatories)
      textsTo(writer, fields.signatories!)
      reader.pass(codes.observers)
      textsTo(writer, fields.observers!)
      reader.pass(codes.createdAt)
      timeTo(reader, writer, fields.created_at!)
      reader.pass(codes.packageName)
      plainTo(writer, fields.package_name!)
      reader.pass(codes.representative)
      plainTo(writer, fields.representative_package_id!)
      reader.pass(quote)
    }
  }

  function exercised(): WriteRest {
    const fields = numbers.exercised
    const argumentField = valueField(fields.choice_argument!)
    const resultField = valueField(fields.exercise_result!)
    let types: TypesOf | undefined
    let typesFor = { owner: '', choice: expected('') }
    return (writer, templateId) => {
      reader.pass(quote)
      let owner = templateId
      if (!reader.passes(codes.choice)) {
        reader.passText(texts.interfaceId)
        owner = reader.text()
        writer.raw(identifierField(fields.interface_id!, owner))
        reader.passText(texts.choice)
      }
      plainTo(writer, fields.choice!)
      if (owner !== typesFor.owner || !reader.plainIs(typesFor.choice)) {
        const choice = reader.plainText()
        types = plans.of(`${owner}:${choice}`, isVerbose)
        typesFor = { owner, choice: expected(choice) }
      }
      const { argument, other: result } = types!
      reader.pass(codes.choiceArgument)
      argumentField(writer, argument.value)
      reader.pass(codes.actingParties)
      textsTo(writer, fields.acting_parties!)
      reader.pass(codes.consuming)
      if (reader.passesText(texts.true)) writer.tag(fields.consuming!, varint).bool(true)
      else reader.passText(texts.false)
      reader.pass(codes.lastDescendant)
      const last = reader.digits()
      if (last !== 0) writer.tag(fields.last_descendant_node_id!, varint).int64(last)
      reader.pass(codes.result)
      resultField(writer, result?.value)
      reader.passText(texts.packageName)
      plainTo(writer, fields.package_name!)
      reader.pass(quote)
    }
  }

  /** An archived event does not name the choice that archived the contract. */
  function archived(template: string): WriteRest {
    const packageName = encoded((writer) =>
      writer.tag(numbers.archived.package_name!, bytes).string(template.slice(1, template.indexOf(':'))),
    )
    return (writer) => {
      writer.raw(packageName)
      reader.find(codes.contractId)
    }
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
      // Mostly the next event has the same template.
      let [lastPackage, lastName] = [expected(''), expected('')]
      let templateId = ''
      let templateField: Uint8Array = new Uint8Array()

      function readTemplate(): void {
        reader.pass(codes.templateId)
        reader.plain()
        let isSame = reader.plainIs(lastPackage)
        const packageId = isSame ? '' : reader.plainText()
        if (!isSame) lastPackage = expected(packageId)
        const hasName = reader.next() === colon // Otherwise there were too many words, and all of it is one text.
        if (hasName) reader.plain()
        isSame &&= hasName ? reader.plainIs(lastName) : lastName.byteLength === 0
        if (isSame) return
        lastName = expected(hasName ? reader.plainText() : '')
        templateId = textOf(lastPackage) + textOf(lastName)
        templateField = identifierField(fields.template_id!, templateId)
      }

      return (writer, offset) => {
        const [outer, inner] = [outerBytes, innerBytes]
        const start = writer.tag(field, bytes).open(outer)
        const innerStart = writer.tag(kindField, bytes).open(inner)
        writer.tag(fields.offset!, varint).int64(offset)
        writer.raw(always)
        reader.pass(codes.contractId)
        plainTo(writer, fields.contract_id!)
        readTemplate()
        writer.raw(templateField)
        rest(writer, templateId)
        innerBytes = writer.close(innerStart, inner)
        outerBytes = writer.close(start, outer)
      }
    },

    skip() {
      reader.pass(codes.contractId)
      reader.find(codes.contractId)
    },
  }
}

/** A time that is plain text, as a Timestamp. */
export function timeTo(reader: PackedReader, writer: MessageWriter, field: number): void {
  const start = writer.tag(field, bytes).open(1)
  reader.timeTo(writer)
  writer.close(start, 1)
}

/** What the JSON of an event has around its stored pieces. */
function commonPart({ frame: { before, between, after } }: ShownEvent): Record<string, unknown> {
  const { first, second, third, ...rest } = JSON.parse(`{"first":0${before}"second":0${between}"third":0${after}`)
  return rest
}

function identifierField(field: number, text: string): Uint8Array {
  return encoded((writer) => {
    writer.tag(field, bytes).fork()
    writeIdentifier(writer, text)
    writer.join()
  })
}

export function encoded(write: (writer: MessageWriter) => void): Uint8Array {
  const writer = new MessageWriter()
  write(writer)
  return writer.finish()
}

export function numbersOf(message: string): Readonly<Record<string, number>> {
  return Object.fromEntries(ledgerMessage(message).fields.map(({ name, number }) => [name, number]))
}

function textOf({ buffer, byteOffset, byteLength }: DataView): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString()
}
