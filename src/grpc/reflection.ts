// Server reflection: clients such as grpcurl ask which services there are, and for the files that describe them.

import { fileDescriptor } from '../protobuf/descriptors.ts'
import { createDecoder } from '../protobuf/json-reading.ts'
import { createJsonWriters } from '../protobuf/json-writing.ts'
import { finishWriting } from '../protobuf/message-writer.ts'
import type { Messages, ProtoFile } from '../protobuf/messages.ts'
import { codes, GrpcError, ok } from './status.ts'
import { framed, frameHeadBytes, type WireCall } from './wire-call.ts'

/** The older version has the same messages; some clients, such as Python's, know no other. */
export const reflectionPaths: ReadonlySet<string> = new Set(
  ['v1', 'v1alpha'].map((version) => `/grpc.reflection.${version}.ServerReflection/ServerReflectionInfo`),
)

const notFound = 5
const limits = { depthMax: 10, valuesMax: 100 }
/** Requests are names. */
const requestBytesMax = 16 * 1024
/** A client that wants to know everything asks for a few hundred names. */
const requestsMax = 1_000

/** In the words of grpc-java. No message here has extensions. */
const errors: Readonly<Record<string, object>> = {
  fileByFilename: { errorCode: notFound, errorMessage: 'File not found.' },
  fileContainingSymbol: { errorCode: notFound, errorMessage: 'Symbol not found.' },
  fileContainingExtension: { errorCode: notFound, errorMessage: 'Extension not found.' },
  allExtensionNumbersOfType: { errorCode: notFound, errorMessage: 'Type not found.' },
}
const unasked = { errorCode: codes.unimplemented, errorMessage: 'not implemented MESSAGEREQUEST_NOT_SET' }

type Asked = { readonly host: string; readonly messageRequest?: Readonly<Record<string, unknown>> }

type Reflection = (message: Uint8Array) => Buffer

/** Made when somebody asks, once for each API. */
const reflections = new Map<Messages, Reflection>()

function reflectionOf(api: Messages): Reflection {
  let found = reflections.get(api)
  if (found === undefined) {
    found = createReflection(api)
    reflections.set(api, found)
  }
  return found
}

function createReflection(api: Messages): Reflection {
  const requestType = api.message('grpc.reflection.v1.ServerReflectionRequest')
  const decode = createDecoder(requestType)
  const write = createJsonWriters().of(api.message('grpc.reflection.v1.ServerReflectionResponse'))
  const byName = new Map(api.files.map((file) => [file.table.name, file]))
  const bySymbol = new Map<string, ProtoFile>()
  for (const file of api.files) {
    for (const { fullName, methods } of file.services) {
      bySymbol.set(fullName, file)
      for (const { name } of methods) bySymbol.set(`${fullName}.${name}`, file)
    }
    for (const { fullName } of [...file.messages.values(), ...file.enums.values()]) bySymbol.set(fullName, file)
  }

  const descriptors = new Map<ProtoFile, Uint8Array>()
  /** Encoded once: clients may ask for one file many times. */
  function descriptorOf(file: ProtoFile): Uint8Array {
    let bytes = descriptors.get(file)
    if (bytes === undefined) {
      bytes = fileDescriptor(file)
      descriptors.set(file, bytes)
    }
    return bytes
  }

  /** With everything it imports, so that clients need not ask again. */
  function withImports(file: ProtoFile, found = new Set<ProtoFile>()): Set<ProtoFile> {
    if (found.has(file)) return found
    found.add(file)
    for (const name of file.table.imports ?? []) withImports(byName.get(name)!, found)
    return found
  }

  function answerTo({ messageRequest = {} }: Asked): Record<string, unknown> {
    const [[kind, value] = ['', '']] = Object.entries(messageRequest) as [string, string][]
    if (kind === 'listServices') {
      const service = api.files.flatMap(({ services }) => services.map(({ fullName }) => ({ name: fullName })))
      return { ListServicesResponse: { service } }
    }
    const file =
      kind === 'fileByFilename' ? byName.get(value) : kind === 'fileContainingSymbol' ? bySymbol.get(value) : undefined
    if (file === undefined) return { ErrorResponse: errors[kind] ?? unasked }
    return { FileDescriptorResponse: { fileDescriptorProto: [...withImports(file)].map(descriptorOf) } }
  }

  return (message) => {
    const asked = decode(message, limits) as Asked
    const response = {
      validHost: asked.host,
      originalRequest: Buffer.from(message).toString('base64'),
      messageResponse: answerTo(asked),
    }
    return framed(finishWriting((writer) => write(writer, response)))
  }
}

/** Each message of the request is answered with one, on its turn, and when the client has read those before. */
export async function answerReflection(wire: WireCall, api: Messages, turn: () => Promise<void>): Promise<void> {
  const { stream } = wire
  const reflection = reflectionOf(api)
  let rest = Buffer.alloc(0)
  let answered = 0
  for await (const chunk of stream) {
    rest = Buffer.concat([rest, chunk as Buffer])
    while (rest.length >= frameHeadBytes) {
      const length = rest.readUInt32BE(1)
      if (length > requestBytesMax) return stream.close()
      if (rest.length < frameHeadBytes + length) break
      if (answered === requestsMax) {
        throw new GrpcError(codes.resourceExhausted, `A stream takes ${requestsMax} requests; open another`)
      }
      if (answered > 0) await turn()
      await wire.drained()
      if (stream.destroyed) return
      answered += 1
      wire.write(reflection(rest.subarray(frameHeadBytes, frameHeadBytes + length)))
      rest = rest.subarray(frameHeadBytes + length)
    }
  }
  wire.finish(ok)
}
