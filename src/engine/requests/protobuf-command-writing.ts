// Commands and contracts as GetCommandStatus shows them. Values of a command are what the client sent: protobuf goes out
// as it came, JSON is read by its type first. What is no value of that type is left out: the command was refused for it.
import { openCursor, readBytes, readInt32, wireTypes } from '../../lf/archive/wire.ts'
import { keptProtobufOf } from '../../lf/codec/exact-json.ts'
import type { JsonCodec } from '../../lf/codec/json.ts'
import { JsonReader } from '../../lf/codec/json-reader.ts'
import type { LedgerValueRendering } from '../../lf/codec/ledger-value-rendering.ts'
import { MessageWriter } from '../../lf/codec/message-writer.ts'
import type { Type } from '../../lf/syntax/ast.ts'
import type { OwnMessage } from '../../proto/json-writing.ts'
import type { EventTypes } from './event-types.ts'

type Parts = {
  readonly values: LedgerValueRendering
  readonly json: JsonCodec
  readonly types: EventTypes
}

type Sent = {
  /** The type by package id; undefined if its package is not known. */
  readonly typeId?: string
  readonly choice: string
  readonly createArguments?: unknown
  readonly contractKey?: unknown
  readonly choiceArgument?: unknown
}

/** The numbers of the fields that hold values. */
const commandFields: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  CreateCommand: { create_arguments: 2 },
  ExerciseCommand: { choice_argument: 4 },
  ExerciseByKeyCommand: { contract_key: 2, choice_argument: 4 },
  CreateAndExerciseCommand: { create_arguments: 2, choice_argument: 4 },
}

const prefix = 'com.daml.ledger.api.v2.'

/** Adds how the messages are written. */
export function addCommands(own: Record<string, OwnMessage>, { values, json, types }: Parts): void {
  function contentOf(sent: unknown, typeOf: () => Type | undefined, isRecord: boolean): Uint8Array | undefined {
    const protobuf = keptProtobufOf(sent)
    if (protobuf !== undefined) return isRecord ? recordIn(protobuf) : protobuf
    try {
      const type = typeOf()
      if (type === undefined) return undefined
      const codec = json.codecFor(type)
      const read = new JsonReader(Buffer.from(codec.encode(codec.decode(sent))))
      const writer = new MessageWriter()
      if (isRecord) values.record(writer, read, type)
      else values.value(writer, read, type)
      return writer.finish()
    } catch {
      return undefined
    }
  }

  const put = (writer: MessageWriter, field: number | undefined, content: () => Uint8Array | undefined) => {
    const bytes = field === undefined ? undefined : content()
    if (field !== undefined && bytes !== undefined) writer.tag(field, wireTypes.bytes).bytes(bytes)
  }

  /** Its values need the type, which comes last. */
  function commandWith(fields: Readonly<Record<string, number>>): OwnMessage {
    let sent: Record<string, unknown> = {}
    const keep = (name: keyof Sent) => (_: MessageWriter, source: JsonReader) => {
      sent[name] = JSON.parse(source.source())
    }
    return {
      fields: {
        typeId: keep('typeId'),
        createArguments: keep('createArguments'),
        contractKey: keep('contractKey'),
        choiceArgument: keep('choiceArgument'),
        choice(writer, source, usual) {
          const start = source.at
          sent.choice = source.text()
          source.at = start
          usual(writer, source)
        },
      },
      after(writer) {
        const { typeId, choice, createArguments, contractKey, choiceArgument } = sent as Sent
        sent = {}
        const typed = (find: (id: string) => Type | undefined) => () =>
          typeId === undefined ? undefined : find(typeId)
        const template = typed((id) => types.ofTemplate(id).argument)
        const key = typed((id) => types.ofTemplate(id).key)
        const argument = typed((id) => types.ofChoice(id, choice).argument)
        put(writer, fields.create_arguments, () => contentOf(createArguments, template, true))
        put(writer, fields.contract_key, () => contentOf(contractKey, key, false))
        put(writer, fields.choice_argument, () => contentOf(choiceArgument, argument, false))
      },
    }
  }

  for (const [message, fields] of Object.entries(commandFields)) own[`${prefix}${message}`] = commandWith(fields)
  own[`${prefix}admin.Contract`] = contractShown()

  function contractShown(): OwnMessage {
    let keyAt: number | undefined
    let template = ''
    return {
      fields: {
        templateId(writer, source, usual) {
          const start = source.at
          template = source.text()
          source.at = start
          usual(writer, source)
        },
        contractKey(_, source) {
          keyAt = source.passedNull() ? undefined : source.at
          if (keyAt !== undefined) source.skip()
        },
      },
      after(writer, source) {
        const { key } = types.ofTemplate(template)
        if (keyAt !== undefined && key !== undefined) {
          const end = source.at
          source.at = keyAt
          within(writer, 3, () => values.value(writer, source, key))
          source.at = end
        }
        keyAt = undefined
      },
    }
  }
}

/** A record is kept as the Value that it is. */
function recordIn(value: Uint8Array): Uint8Array {
  const cursor = openCursor(value, 'a record')
  readInt32(cursor)
  return readBytes(cursor)
}

export function within(writer: MessageWriter, field: number, write: () => void): void {
  writer.tag(field, wireTypes.bytes).fork()
  write()
  writer.join()
}
