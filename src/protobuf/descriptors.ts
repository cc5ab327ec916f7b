// Files of messages as protobuf describes them (FileDescriptorProto), for clients that ask the server what it offers.

import { finishWriting, type MessageWriter } from './message-writer.ts'
import type { EnumType, Field, FieldKind, MessageType, ProtoFile, Service } from './messages.ts'
import type { ScalarName } from './scalars.ts'
import { wireTypes } from './wire-reading.ts'

const scalarTypes: Readonly<Record<ScalarName, number>> = {
  int64: 3,
  uint64: 4,
  int32: 5,
  bool: 8,
  string: 9,
  bytes: 12,
  uint32: 13,
  sfixed64: 16,
  sint64: 18,
}
const messageTypeNumber = 11
const enumTypeNumber = 14
const labels = { once: 1, optional: 1, repeated: 3, map: 3 } as const

export function fileDescriptor(file: ProtoFile): Uint8Array {
  const { table, messages, enums, services } = file
  return finishWriting((writer) => {
    text(writer, 1, table.name)
    text(writer, 2, table.package)
    for (const name of table.imports ?? []) text(writer, 3, name)
    for (const [name, message] of messages) {
      if (!name.includes('.')) writer.message(4, () => writeMessage(writer, name, message, file))
    }
    for (const [name, type] of enums) {
      if (!name.includes('.')) writer.message(5, () => writeEnum(writer, name, type))
    }
    for (const service of services) writer.message(6, () => writeService(writer, service))
    text(writer, 12, 'proto3')
  })
}

function writeMessage(writer: MessageWriter, name: string, { fullName, fields }: MessageType, file: ProtoFile): void {
  const isInside = (other: string) => other.startsWith(`${name}.`) && !other.slice(name.length + 1).includes('.')
  const oneofs = [...new Set(fields.flatMap(({ oneof }) => oneof ?? []))]
  // A field that may be absent is a oneof of its own, after all others.
  const optionals = fields.filter(({ occurs }) => occurs === 'optional')
  text(writer, 1, name.slice(name.lastIndexOf('.') + 1))
  for (const field of fields) {
    const own = optionals.indexOf(field)
    const index = field.oneof === undefined ? (own < 0 ? undefined : oneofs.length + own) : oneofs.indexOf(field.oneof)
    writer.message(2, () => writeField(writer, field, index, fullName))
  }
  for (const [other, message] of file.messages) {
    if (isInside(other)) writer.message(3, () => writeMessage(writer, other, message, file))
  }
  for (const field of fields) {
    if (field.occurs === 'map') writer.message(3, () => writeEntry(writer, field))
  }
  for (const [other, type] of file.enums) {
    if (isInside(other)) writer.message(4, () => writeEnum(writer, other, type))
  }
  for (const oneof of [...oneofs, ...optionals.map((field) => `_${field.name}`)]) {
    writer.message(8, () => text(writer, 1, oneof))
  }
}

function writeField(writer: MessageWriter, field: Field, oneofIndex: number | undefined, owner: string): void {
  const { name, number, occurs, kind, jsonName } = field
  text(writer, 1, name)
  integer(writer, 3, number)
  integer(writer, 4, labels[occurs])
  if (occurs === 'map') {
    integer(writer, 5, messageTypeNumber)
    text(writer, 6, `.${owner}.${entryName(field)}`)
  } else writeType(writer, kind)
  if (oneofIndex !== undefined) integer(writer, 9, oneofIndex)
  text(writer, 10, jsonName)
  if (occurs === 'optional') integer(writer, 17, 1)
}

function writeType(writer: MessageWriter, kind: FieldKind): void {
  if (typeof kind === 'string') integer(writer, 5, scalarTypes[kind])
  else {
    integer(writer, 5, kind.is === 'message' ? messageTypeNumber : enumTypeNumber)
    text(writer, 6, `.${kind.fullName}`)
  }
}

/** The message that protobuf makes of a map. */
function writeEntry(writer: MessageWriter, field: Field): void {
  text(writer, 1, entryName(field))
  const parts = [
    ['key', 1, 'string'],
    ['value', 2, field.kind],
  ] as const
  for (const [name, number, kind] of parts) {
    writer.message(2, () => {
      text(writer, 1, name)
      integer(writer, 3, number)
      integer(writer, 4, labels.once)
      writeType(writer, kind)
      text(writer, 10, name)
    })
  }
  writer.message(7, () => integer(writer, 7, 1))
}

function entryName({ jsonName }: Field): string {
  return `${jsonName[0]!.toUpperCase()}${jsonName.slice(1)}Entry`
}

function writeEnum(writer: MessageWriter, name: string, { numbers }: EnumType): void {
  text(writer, 1, name.slice(name.lastIndexOf('.') + 1))
  for (const [value, number] of numbers) {
    writer.message(2, () => {
      text(writer, 1, value)
      integer(writer, 2, number)
    })
  }
}

function writeService(writer: MessageWriter, { fullName, methods }: Service): void {
  text(writer, 1, fullName.slice(fullName.lastIndexOf('.') + 1))
  for (const { name, request, response, isRequestStream, isResponseStream } of methods) {
    writer.message(2, () => {
      text(writer, 1, name)
      text(writer, 2, `.${request.fullName}`)
      text(writer, 3, `.${response.fullName}`)
      if (isRequestStream) integer(writer, 5, 1)
      if (isResponseStream) integer(writer, 6, 1)
    })
  }
}

function text(writer: MessageWriter, field: number, value: string): void {
  writer.tag(field, wireTypes.bytes).string(value)
}

function integer(writer: MessageWriter, field: number, value: number): void {
  writer.tag(field, wireTypes.varint).int32(value)
}
