// gRPC below its messages: frames, deadlines, encodings and sizes, methods that are not there; and the services that every
// server has.
import { gzipSync } from 'node:zlib'
import { framed } from '../../../src/grpc/wire-call.ts'
import { requestBytes } from '../../../test/fixtures/grpc.ts'
import type { World } from '../world.ts'

const getUser = '/com.daml.ledger.api.v2.admin.UserManagementService/GetUser'
const ledgerEnd = '/com.daml.ledger.api.v2.StateService/GetLedgerEnd'
const check = '/grpc.health.v1.Health/Check'
const reflection = '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo'
const mebibyte = 1024 * 1024

export async function grpcWireSession(world: World): Promise<void> {
  await frames(world)
  await messages(world)
  await headers(world)
  await paths(world)
  await sizes(world)
  await standardServices(world)
}

const user = requestBytes(getUser, { userId: 'app' })

function flagged(flag: number, message: Uint8Array): Uint8Array {
  const frame = framed(message)
  frame[0] = flag
  return frame
}

async function frames({ both }: World): Promise<void> {
  const rows: readonly (readonly [note: string, frames: Uint8Array, headers?: Record<string, string>])[] = [
    ['no message', Buffer.alloc(0)],
    ['two messages', Buffer.concat([framed(user), framed(user)])],
    ['half a frame', framed(user).subarray(0, 7)],
    ['half a head', framed(user).subarray(0, 3)],
    ['a frame and a byte', Buffer.concat([framed(user), Buffer.from([0])])],
    ['reserved bits', flagged(2, user)],
    ['the compressed flag without an encoding', flagged(1, gzipSync(user))],
    ['the compressed flag with identity', flagged(1, gzipSync(user)), { 'grpc-encoding': 'identity' }],
    ['gzip', flagged(1, gzipSync(user)), { 'grpc-encoding': 'gzip' }],
    ['gzip without the flag', framed(user), { 'grpc-encoding': 'gzip' }],
    ['gzip that is none', flagged(1, user), { 'grpc-encoding': 'gzip' }],
    ['gzip that is cut off', flagged(1, gzipSync(user).subarray(0, 20)), { 'grpc-encoding': 'gzip' }],
    ['deflate', framed(user), { 'grpc-encoding': 'deflate' }],
    ['snappy', framed(user), { 'grpc-encoding': 'snappy' }],
    ['a negative length', Buffer.from([0, 255, 255, 255, 255])],
  ]
  for (const [note, bytes, headers = {}] of rows) {
    await both.grpc(getUser, bytes, { note, headers })
    await both.grpc(ledgerEnd, note === 'two messages' ? framedTwice : bytes, { note, headers })
  }
}

const framedTwice = Buffer.concat([framed(Buffer.alloc(0)), framed(Buffer.alloc(0))])

/** Bytes that are no message of the type. */
async function messages({ both }: World): Promise<void> {
  const rows: readonly (readonly [note: string, bytes: readonly number[]])[] = [
    ['a field that it does not have', [0x7a, 1, 65]],
    ['a field of another type', [0x08, 1]],
    ['a text that is cut off', [0x0a, 5, 65]],
    ['a text that is not UTF-8', [0x0a, 2, 0xc3, 0x28]],
    ['a varint that is too long', [0x08, ...Array(11).fill(0x80), 1]],
    ['field 0', [0x02, 0]],
    ['an unknown wire type', [0x0f]],
    ['the end of a group', [0x0c]],
    ['a group', [0x7b, 0x7c]],
    ['the field twice', [0x0a, 1, 65, 0x0a, 3, 0x61, 0x70, 0x70]],
  ]
  for (const [note, bytes] of rows) {
    for (const path of [getUser, ledgerEnd, check]) await both.grpc(path, framed(Uint8Array.from(bytes)), { note })
  }
}

async function headers({ both }: World): Promise<void> {
  const timeouts = ['-1S', '-1m', '+1S', '1X', '5', 'S', '', '5s', '1.5S', '999999999S', '99999999S', '1H', '0S', '0n']
  const rows: readonly Readonly<Record<string, string>>[] = [
    ...timeouts.map((timeout) => ({ 'grpc-timeout': timeout })),
    { 'content-type': 'application/grpc+proto' },
    { 'content-type': 'application/grpc+json' },
    { 'content-type': 'application/grpcx' },
    { 'content-type': 'application/json' },
    { 'content-type': 'text/plain' },
    { 'content-type': '' },
    { ':method': 'PUT' },
    { authorization: 'Bearer x' },
    { authorization: 'x' },
    { 'x-bin': '%%%' },
    { 'grpc-accept-encoding': 'gzip' },
    { 'grpc-accept-encoding': 'nothing' },
  ]
  for (const header of rows) await both.grpc(getUser, framed(user), { headers: header, note: JSON.stringify(header) })
}

async function paths({ both }: World): Promise<void> {
  const rows = [
    '/com.daml.ledger.api.v2.StateService/Nothing',
    '/com.daml.ledger.api.v2.StateService/getLedgerEnd',
    '/com.daml.ledger.api.v2.StateService/',
    '/com.daml.ledger.api.v2.StateService',
    '/com.daml.ledger.api.v2.Nothing/GetLedgerEnd',
    '/com.daml.ledger.api.v1.LedgerIdentityService/GetLedgerIdentity',
    ...['/', '/x', '/x/y/z', '//', '/grpc.health.v1.Health/Nothing', `${ledgerEnd}?x=1`, `${ledgerEnd}/`],
    '/com.digitalasset.canton.connection.v30.ApiInfoService/GetApiInfo',
  ]
  for (const path of rows) await both.grpc(path, framed(Buffer.alloc(0)))
}

async function sizes({ both }: World): Promise<void> {
  for (const length of [mebibyte, 8 * mebibyte + 1, 9 * mebibyte, 10 * mebibyte, 10 * mebibyte + 1, 12 * mebibyte]) {
    await both.grpc(getUser, framed(padded(length)), { note: `${length} bytes` })
    await both.grpc(getUser, flagged(1, gzipSync(padded(length))), {
      headers: { 'grpc-encoding': 'gzip' },
      note: `${length} bytes, compressed`,
    })
  }
}

/** The request, and a field that it does not have. */
function padded(length: number): Uint8Array {
  const message = Buffer.alloc(length)
  message.set(user)
  const rest = length - user.length - 5
  message.set(
    [0x7a, (rest & 127) | 128, ((rest >> 7) & 127) | 128, ((rest >> 14) & 127) | 128, rest >> 21],
    user.length,
  )
  return message
}

async function standardServices({ both }: World): Promise<void> {
  const names = [
    '',
    'write',
    'index',
    'indexer',
    'nothing',
    'com.daml.ledger.api.v2.StateService',
    'grpc.health.v1.Health',
  ]
  for (const service of names) {
    await both.grpc(check, { service }, { note: service })
    await both.grpc('/grpc.health.v1.Health/Watch', { service }, { note: service })
  }
  const requests: readonly object[] = [
    { listServices: '' },
    { fileByFilename: 'com/daml/ledger/api/v2/nothing.proto' },
    { fileContainingSymbol: 'com.daml.ledger.api.v2.Nothing' },
    { allExtensionNumbersOfType: 'com.daml.ledger.api.v2.Value' },
    { allExtensionNumbersOfType: 'com.daml.ledger.api.v2.Nothing' },
    { fileContainingExtension: { containingType: 'com.daml.ledger.api.v2.Value', extensionNumber: 5 } },
  ]
  for (const one of requests) {
    const messageRequest = Object.fromEntries(Object.entries(one).map(([name, value]) => [capital(name), value]))
    await both.grpc(reflection, { host: 'h', messageRequest }, { note: JSON.stringify(one) })
  }
  await both.grpc(reflection, Buffer.alloc(0), { note: 'nothing is asked' })
  await both.grpc(reflection, {}, { note: 'an empty request' })
}

const capital = (name: string) => `${name[0]!.toUpperCase()}${name.slice(1)}`
