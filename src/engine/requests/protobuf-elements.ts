// Elements of answers, which the ledger has as JSON, as protobuf of the gRPC API. Only the packages know the types of the
// values in them, so this is done where the packages are: in the threads of the engine.

import { createLedgerValueRendering, type LedgerValueRendering } from '../../lf/codec/api-value/render.ts'
import { parseEvents } from '../../lf/codec/hidden-somes.ts'
import type { JsonCodec } from '../../lf/codec/json.ts'
import type { DataTypes, Packages } from '../../lf/values/data-types.ts'
import { createJsonWriters, type JsonWriters, type WriteJson } from '../../protobuf/json-writing.ts'
import { ledgerApi } from '../../protobuf/ledger-api.ts'
import { MessageWriter } from '../../protobuf/message-writer.ts'
import type { MessageType } from '../../protobuf/messages.ts'
import { alone } from '../ledger-access.ts'
import { createEventTypes } from './event-types.ts'
import { addCommandWriters } from './protobuf-command-writing.ts'

export type ElementsRequest = {
  /** The full name of the message that each element is. */
  readonly message: string
  readonly elements: readonly string[]
  /** With the names of types and fields. */
  readonly isVerbose: boolean
  /** The same of reassignments, whose format is one of its own; by default as everywhere. */
  readonly isVerboseInReassignments?: boolean
}

/** Returns all messages, one after the other, each in the frame of gRPC. */
export type RenderElements = (request: ElementsRequest, check?: () => void) => Uint8Array

export function createElementRendering(parts: {
  readonly packages: Packages
  readonly dataTypes: DataTypes
  readonly json: JsonCodec
}): RenderElements {
  const writer = new MessageWriter()
  const known = new Map<string, JsonWriters>()

  function writersFor(isVerbose: boolean, isVerboseInReassignments: boolean): JsonWriters {
    const key = `${isVerbose} ${isVerboseInReassignments}`
    const found = known.get(key)
    if (found !== undefined) return found
    const own: Record<string, WriteJson> = {}
    if (isVerbose !== isVerboseInReassignments) {
      const others = writersFor(isVerboseInReassignments, isVerboseInReassignments)
      own[`${prefix}Reassignment`] = others.of(ledgerApi().message(`${prefix}Reassignment`))
    }
    const writers = writersWith(createLedgerValueRendering(parts.dataTypes, isVerbose), parts, own)
    known.set(key, writers)
    return writers
  }

  return ({ message, elements, isVerbose, isVerboseInReassignments = isVerbose }, check) => {
    const write = writersFor(isVerbose, isVerboseInReassignments).of(ledgerApi().message(message))
    writer.restart()
    for (const element of elements) {
      check?.()
      const start = writer.beginFrame()
      write(writer, parseEvents(element))
      writer.endFrame(start)
    }
    return alone(writer.finish())
  }
}

const prefix = 'com.daml.ledger.api.v2.'

type Parts = { readonly packages: Packages; readonly json: JsonCodec }

/** Writers for events and commands, whose values are rendered by type. */
function writersWith(
  values: LedgerValueRendering,
  { packages, json }: Parts,
  own: Record<string, WriteJson>,
): JsonWriters {
  const writers = createJsonWriters(own)
  /** All other fields of an event. */
  const restOf = (name: string, fields: readonly string[]): WriteJson => {
    const { fields: all } = ledgerApi().message(`${prefix}${name}`)
    const rest: MessageType = {
      is: 'message',
      fullName: `${name} without values`,
      fields: all.filter((field) => !fields.includes(field.name)),
    }
    return writers.of(rest)
  }
  const types = createEventTypes(packages)

  const created = restOf('CreatedEvent', ['contract_key', 'create_arguments'])
  own[`${prefix}CreatedEvent`] = (writer, event) => {
    created(writer, event)
    const { argument, key } = types.ofTemplate(event.templateId as string)
    writer.message(6, () => values.record(writer, event.createArgument, argument))
    const hasKey = event.contractKeyHash !== '' && event.contractKeyHash !== undefined
    if (hasKey && key !== undefined) writer.message(5, () => values.value(writer, event.contractKey, key))
  }

  const exercised = restOf('ExercisedEvent', ['choice_argument', 'exercise_result'])
  own[`${prefix}ExercisedEvent`] = (writer, event) => {
    exercised(writer, event)
    const owner = (event.interfaceId ?? event.templateId) as string
    const { argument, result } = types.ofChoice(owner, event.choice as string)
    writer.message(7, () => values.value(writer, event.choiceArgument, argument))
    writer.message(12, () => values.value(writer, event.exerciseResult, result))
  }

  const view = restOf('InterfaceView', ['view_value'])
  own[`${prefix}InterfaceView`] = (writer, json) => {
    view(writer, json)
    const { code = 0 } = (json.viewStatus ?? {}) as { code?: number }
    if (code !== 0 || json.viewValue === null || json.viewValue === undefined) return
    writer.message(3, () => values.record(writer, json.viewValue, types.ofView(json.interfaceId as string)))
  }
  addCommandWriters(own, { values, json, types, restOf })
  return writers
}
