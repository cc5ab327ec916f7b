// Elements of answers, which the ledger has as JSON, as protobuf of the gRPC API. Only the packages know the types of the
// values in them, so this is done where the packages are: in the threads of the engine.

import { wireTypes } from '../../lf/archive/wire.ts'
import type { JsonCodec } from '../../lf/codec/json.ts'
import { JsonReader } from '../../lf/codec/json-reader.ts'
import { createLedgerValueRendering, type LedgerValueRendering } from '../../lf/codec/ledger-value-rendering.ts'
import { MessageWriter } from '../../lf/codec/message-writer.ts'
import type { DataTypes, Packages } from '../../lf/values/data-types.ts'
import { createJsonWriters, type JsonWriters, type OwnMessage, writeIdentifier } from '../../proto/json-writing.ts'
import { ledgerApi } from '../../proto/ledger-api.ts'
import { alone } from '../ledger-access.ts'
import { createEventTypes, type EventTypes } from './event-types.ts'
import { addCommands, within } from './protobuf-command-writing.ts'

export type ElementsRequest = {
  /** The full name of the message that each element is. */
  readonly message: string
  /** The JSON of the elements, one after the other. */
  readonly json: Uint8Array
  /** With the names of types and fields. */
  readonly isVerbose: boolean
}

/** Returns all messages, one after the other, each in the frame of gRPC. */
export type RenderElements = (request: ElementsRequest, check?: () => void) => Uint8Array

export function createElementRendering(parts: {
  readonly packages: Packages
  readonly dataTypes: DataTypes
  readonly json: JsonCodec
}): RenderElements {
  const writer = new MessageWriter()
  const [plain, verbose] = [false, true].map((isVerbose) => {
    let writers: JsonWriters | undefined
    return () => {
      writers ??= writersWith(createLedgerValueRendering(parts.dataTypes, isVerbose), parts)
      return writers
    }
  })

  return ({ message, json: text, isVerbose }, check) => {
    const write = (isVerbose ? verbose : plain)!().of(ledgerApi().message(message))
    writer.restart()
    const json = new JsonReader(text)
    while (!json.isAtEnd()) {
      check?.()
      const start = writer.beginFrame()
      write(writer, json)
      writer.endFrame(start)
    }
    return alone(writer.finish())
  }
}

const prefix = 'com.daml.ledger.api.v2.'

type Parts = { readonly packages: Packages; readonly json: JsonCodec }

/** Writers for events and commands, whose values are rendered by type. */
function writersWith(values: LedgerValueRendering, { packages, json: codecs }: Parts): JsonWriters {
  const own: Record<string, OwnMessage> = {}
  const types = createEventTypes(packages)
  own[`${prefix}CreatedEvent`] = createdEvent(values, types)
  own[`${prefix}ExercisedEvent`] = exercisedEvent(values, types)
  own[`${prefix}InterfaceView`] = interfaceView(values, types)
  addCommands(own, { values, json: codecs, types })
  return createJsonWriters(own)
}

function createdEvent(values: LedgerValueRendering, types: EventTypes): OwnMessage {
  let template: ReturnType<EventTypes['ofTemplate']>
  let keyAt = 0
  return {
    fields: {
      templateId(writer, json) {
        const id = json.text()
        template = types.ofTemplate(id)
        writer.tag(4, wireTypes.bytes).fork()
        writeIdentifier(writer, id)
        writer.join()
      },
      contractKey(_, json) {
        keyAt = json.at
        json.skip()
      },
      // Only its hash tells whether there is a key: a key may be None.
      contractKeyHash(writer, json, usual) {
        if (json.passedNull() || json.passedEmptyText()) return
        usual(writer, json)
        const { key } = template
        if (key === undefined) return
        const end = json.at
        json.at = keyAt
        within(writer, 5, () => values.value(writer, json, key))
        json.at = end
      },
      createArgument(writer, json) {
        writer.tag(6, wireTypes.bytes).fork()
        values.record(writer, json, template.argument)
        writer.join()
      },
    },
  }
}

function exercisedEvent(values: LedgerValueRendering, types: EventTypes): OwnMessage {
  let owner = ''
  let choice: ReturnType<EventTypes['ofChoice']>
  return {
    fields: {
      templateId(writer, json) {
        owner = json.text()
        within(writer, 4, () => writeIdentifier(writer, owner))
      },
      interfaceId(writer, json) {
        if (json.passedNull()) return
        owner = json.text()
        within(writer, 5, () => writeIdentifier(writer, owner))
      },
      choice(writer, json) {
        const name = json.text()
        choice = types.ofChoice(owner, name)
        writer.tag(6, wireTypes.bytes).string(name)
      },
      choiceArgument(writer, json) {
        within(writer, 7, () => values.value(writer, json, choice.argument))
      },
      exerciseResult(writer, json) {
        within(writer, 12, () => values.value(writer, json, choice.result))
      },
    },
  }
}

function interfaceView(values: LedgerValueRendering, types: EventTypes): OwnMessage {
  let interfaceId = ''
  let isComputed = true
  return {
    fields: {
      interfaceId(writer, json) {
        interfaceId = json.text()
        isComputed = true
        within(writer, 1, () => writeIdentifier(writer, interfaceId))
      },
      viewStatus(writer, json, usual) {
        const start = json.at
        const { code = 0 } = (JSON.parse(json.source()) ?? {}) as { code?: number }
        isComputed = code === 0
        json.at = start
        if (!json.passedNull()) usual(writer, json)
      },
      viewValue(writer, json) {
        if (json.passedNull()) return
        if (isComputed) within(writer, 3, () => values.record(writer, json, types.ofView(interfaceId)))
        else json.skip()
      },
    },
  }
}
