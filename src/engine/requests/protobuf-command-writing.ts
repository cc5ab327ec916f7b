// Commands and contracts as GetCommandStatus shows them. Values of a command are what the client sent: protobuf goes out
// as it came, JSON is read by its type first. What is no value of that type is left out: the command was refused for it.

import { keptProtobufOf } from '../../base/exact-json.ts'
import type { LedgerValueRendering } from '../../lf/codec/api-value/render.ts'
import type { JsonCodec } from '../../lf/codec/json.ts'
import type { Type } from '../../lf/syntax/ast.ts'
import type { WriteJson } from '../../protobuf/json-writing.ts'
import { MessageWriter } from '../../protobuf/message-writer.ts'
import { openCursor, readBytes, readInt32, wireTypes } from '../../protobuf/wire-reading.ts'
import type { EventTypes } from './event-types.ts'

type Parts = {
  readonly values: LedgerValueRendering
  readonly json: JsonCodec
  readonly types: EventTypes
  /** Writes all fields of a message but these. */
  readonly restOf: (message: string, fields: readonly string[]) => WriteJson
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

export function addCommandWriters(own: Record<string, WriteJson>, { values, json, types, restOf }: Parts): void {
  function contentOf(sent: unknown, typeOf: () => Type | undefined, isRecord: boolean): Uint8Array | undefined {
    const protobuf = keptProtobufOf(sent)
    if (protobuf !== undefined) return isRecord ? recordIn(protobuf) : protobuf
    try {
      const type = typeOf()
      if (type === undefined) return undefined
      const codec = json.codecFor(type)
      const read = JSON.parse(codec.encode(codec.decode(sent)))
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

  for (const [message, fields] of Object.entries(commandFields)) {
    const rest = restOf(message, Object.keys(fields))
    own[`${prefix}${message}`] = (writer, command) => {
      rest(writer, command)
      const { typeId, choice, createArguments, contractKey, choiceArgument } = command as Sent
      const typed = (find: (id: string) => Type | undefined) => () => (typeId === undefined ? undefined : find(typeId))
      put(writer, fields.create_arguments, () =>
        contentOf(
          createArguments,
          typed((id) => types.ofTemplate(id).argument),
          true,
        ),
      )
      put(writer, fields.contract_key, () =>
        contentOf(
          contractKey,
          typed((id) => types.ofTemplate(id).key),
          false,
        ),
      )
      put(writer, fields.choice_argument, () =>
        contentOf(
          choiceArgument,
          typed((id) => types.ofChoice(id, choice).argument),
          false,
        ),
      )
    }
  }

  const contract = restOf('admin.Contract', ['contract_key'])
  own[`${prefix}admin.Contract`] = (writer, shown) => {
    contract(writer, shown)
    if (shown.contractKey === null || shown.contractKey === undefined) return
    const { key } = types.ofTemplate(shown.templateId as string)
    if (key !== undefined) writer.message(3, () => values.value(writer, shown.contractKey, key))
  }
}

/** A record is kept as the Value that it is. */
function recordIn(value: Uint8Array): Uint8Array {
  const cursor = openCursor(value, 'a record')
  readInt32(cursor)
  return readBytes(cursor)
}
