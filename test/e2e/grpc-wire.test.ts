// gRPC below its messages: TLS, compression, sizes, deadlines, cancellation and many open streams.
import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type ClientHttp2Stream, constants } from 'node:http2'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { deflateSync, gzipSync } from 'node:zlib'
import { framed } from '../../src/grpc/wire-call.ts'
import { createCertificate } from '../fixtures/certificate.ts'
import { type GrpcClient, openGrpc, requestBytes } from '../fixtures/grpc.ts'
import { startTestLedger, type TestLedger } from '../fixtures/ledger.ts'
import { startTestNode } from '../fixtures/node.ts'
import { until } from '../fixtures/until.ts'

const prefix = '/com.daml.ledger.api.v2.'
const getUser = `${prefix}admin.UserManagementService/GetUser`
const getUpdates = `${prefix}UpdateService/GetUpdates`
const ledgerEnd = `${prefix}StateService/GetLedgerEnd`
const submitAndWait = `${prefix}CommandService/SubmitAndWait`
const mebibyte = 2 ** 20

const ok = 0
const invalidArgument = 3
const deadlineExceeded = 4
const resourceExhausted = 8
const aborted = 10
const unimplemented = 12
const internal = 13

describe('over TLS', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tallystick-grpc-tls-'))
  after(() => rmSync(folder, { recursive: true, force: true }))
  const identity = (name: string) => {
    const pair = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
    const files = { certificateFile: join(folder, `${name}.pem`), keyFile: join(folder, `${name}-key.pem`) }
    const cert = createCertificate(pair)
    const key = pair.privateKey.export({ type: 'pkcs8', format: 'pem' }) as string
    writeFileSync(files.certificateFile, cert)
    writeFileSync(files.keyFile, key)
    return { files, cert, key }
  }
  const server = identity('server')
  const client = identity('client')
  const stranger = identity('stranger')
  // The certificate is for no host in particular.
  const trusting = { ca: server.cert, checkServerIdentity: () => undefined }

  /** The code of the answer; undefined if there is no connection. */
  async function codeWith(url: string, token: string, options: object): Promise<number | undefined> {
    await using grpc = openGrpc(url, token, options)
    return await grpc.call(ledgerEnd, new Uint8Array()).then(
      ({ code }) => (code === -1 ? undefined : code),
      () => undefined,
    )
  }

  test('serves with the certificate of the HTTP service', async () => {
    await using node = await startTestNode({ settings: { http: { tls: server.files }, grpc: { port: 0 } } })
    const url = node.node.grpcUrl!
    assert.match(url, /^https:/)
    assert.equal(await codeWith(url, node.adminToken, trusting), ok)
    assert.equal(await codeWith(url, node.adminToken, {}), undefined, 'the client trusts nobody')
    assert.equal(await codeWith(url.replace('https:', 'http:'), node.adminToken, {}), undefined, 'without TLS')
    assert.equal(await codeWith(url, node.adminToken, trusting), ok)
  })

  test('admits only clients with a certificate if the settings say so', async () => {
    const grpc = { port: 0, clientCaFile: client.files.certificateFile }
    await using node = await startTestNode({ settings: { http: { tls: server.files }, grpc } })
    const url = node.node.grpcUrl!
    assert.equal(await codeWith(url, node.adminToken, { ...trusting, cert: client.cert, key: client.key }), ok)
    assert.equal(await codeWith(url, node.adminToken, trusting), undefined, 'no certificate')
    const other = { ...trusting, cert: stranger.cert, key: stranger.key }
    assert.equal(await codeWith(url, node.adminToken, other), undefined, 'the certificate of another')
    const withoutToken = { ...trusting, cert: client.cert, key: client.key }
    assert.equal(await codeWith(url, '', withoutToken), 16, 'a certificate is no token')
  })
})

describe('on the wire', () => {
  let ledger: TestLedger
  let client: GrpcClient

  before(async () => {
    const limits = {
      bodyBytesMax: mebibyte,
      grpcMessageBytesMax: mebibyte,
      bodiesBytesMax: 4 * mebibyte,
      streamsMax: 1600,
    }
    ledger = await startTestLedger({ settings: { grpc: { port: 0 }, limits } })
    client = openGrpc(ledger.node.node.grpcUrl!, ledger.token)
    await new Promise((resolve) => client.session.once('connect', resolve))
  })
  after(async () => {
    await client[Symbol.asyncDispose]()
    await ledger[Symbol.asyncDispose]()
  })

  const compressed = (bytes: Uint8Array) => {
    const frame = framed(bytes)
    frame[0] = 1
    return frame
  }
  const user = requestBytes(getUser, { userId: 'app' })

  test('takes compressed messages', async () => {
    const send = (bytes: Uint8Array, encoding = 'gzip') =>
      client.call(getUser, bytes, { isRaw: true, headers: { 'grpc-encoding': encoding } })
    const good = await send(compressed(gzipSync(user)))
    assert.equal(good.code, ok, good.message)
    assert.match(good.messages[0]!.toString('latin1'), /app/)
    assert.equal((await send(framed(user))).code, ok, 'one that is not compressed, although it might be')
    assert.equal((await send(compressed(gzipSync(new Uint8Array())))).code, ok)

    const bomb = gzipSync(Buffer.alloc(16 * mebibyte))
    const large = await send(compressed(bomb))
    assert.deepEqual(
      [large.code, large.message],
      [resourceExhausted, `Decompressed gRPC message exceeds maximum size ${mebibyte}`],
    )
    bomb.writeUInt32LE(5, bomb.length - 4) // A lie about its size.
    for (const bytes of [bomb, Buffer.from('nonsense'), Buffer.alloc(0), gzipSync(user).subarray(0, 20)]) {
      const { code } = await send(compressed(bytes))
      assert.ok(code === invalidArgument || code === resourceExhausted, bytes.subarray(0, 20).toString('hex'))
    }
    // The last bytes of a whole message are its size; those of this one would be four gibibytes.
    const cutOff = gzipSync(Buffer.alloc(100, 0xff), { level: 0 }).subarray(0, 60)
    for (const bytes of [cutOff, gzipSync(user).subarray(0, 20)]) {
      const { code, message } = await send(compressed(bytes))
      assert.deepEqual([code, message], [invalidArgument, 'The compressed message is cut off'])
    }
    const deflated = await send(compressed(deflateSync(user)), 'deflate')
    assert.deepEqual([deflated.code, deflated.message], [unimplemented, "Can't find decompressor for deflate"])
    assert.equal((await send(framed(user), 'deflate')).code, unimplemented, 'also if it is not compressed')
    assert.equal((await send(framed(user), 'identity')).code, ok)
  })

  test('refuses frames and numbers of messages as grpc-java does', async () => {
    const reserved = framed(user)
    reserved[0] = 2
    const huge = Buffer.from([0, 0xff, 0xff, 0xff, 0xff])
    const unpacked = "Can't decode compressed gRPC message as compression not configured"
    const rows: [title: string, bytes: Uint8Array, code: number, message: string][] = [
      ['no message', Buffer.alloc(0), internal, 'Half-closed without a request'],
      ['two messages', Buffer.concat([framed(user), framed(user)]), internal, 'Too many requests'],
      ['half a frame', framed(user).subarray(0, 7), internal, 'Encountered end-of-stream mid-frame'],
      ['half a head', framed(user).subarray(0, 3), internal, 'Encountered end-of-stream mid-frame'],
      [
        'a message and a byte',
        Buffer.concat([framed(user), Buffer.of(0)]),
        internal,
        'Encountered end-of-stream mid-frame',
      ],
      ['reserved bits', reserved, internal, 'gRPC frame header malformed: reserved bits not zero'],
      ['a compressed message without an encoding', compressed(gzipSync(user)), internal, unpacked],
      ['a negative length', huge, resourceExhausted, `gRPC message exceeds maximum size ${mebibyte}: -1`],
    ]
    for (const [title, bytes, code, message] of rows) {
      const answer = await client.call(getUser, bytes, { isRaw: true })
      assert.deepEqual([answer.code, answer.message], [code, message], title)
      const hasStatus = title === 'no message' || title === 'two messages'
      assert.equal(answer.details !== undefined, hasStatus, `${title}: google.rpc.Status without details`)
    }
    const headers = { 'grpc-encoding': 'identity' }
    const identical = await client.call(getUser, compressed(gzipSync(user)), { isRaw: true, headers })
    assert.deepEqual([identical.code, identical.message], [internal, unpacked])
    assert.equal((await client.call(getUser, user)).code, ok)
  })

  test('refuses other content types and methods of HTTP as grpc-java does', async () => {
    const rows: [headers: Record<string, string>, httpStatus: number, message: string][] = [
      [{ 'content-type': 'application/json' }, 415, "Content-Type 'application/json' is not supported"],
      [{ 'content-type': 'application/grpcx' }, 415, "Content-Type 'application/grpcx' is not supported"],
      [{ 'content-type': '' }, 415, "Content-Type '' is not supported"],
      [{ ':method': 'PUT' }, 405, "Method 'PUT' is not supported"],
    ]
    for (const [headers, httpStatus, message] of rows) {
      const answer = await client.call(getUser, user, { headers })
      assert.deepEqual([answer.httpStatus, answer.code, answer.message], [httpStatus, internal, message])
    }
    for (const type of ['application/grpc', 'application/grpc+proto', 'application/grpc;x=y']) {
      assert.equal((await client.call(getUser, user, { headers: { 'content-type': type } })).code, ok, type)
    }
  })

  test('takes a field of another wire type, and a group, for fields that it does not know', async () => {
    const bytes = [0x08, 1, 0x7b, 0x08, 1, 0x13, 0x12, 1, 65, 0x14, 0x7c] // user_id as a number; a group in a group.
    const answer = await client.call(getUser, Buffer.concat([Buffer.from(bytes), user]))
    assert.equal(answer.code, ok, answer.message)
    assert.match(answer.messages[0]!.toString('latin1'), /app/)
    for (const broken of [[0x7b, 0x08, 1], [0x7b, 0x74], Array(200).fill(0x7b)]) {
      const refused = await client.call(getUser, Buffer.concat([user, Buffer.from(broken)]))
      assert.equal(refused.code, invalidArgument, Buffer.from(broken).toString('hex'))
    }
  })

  test('refuses a call without a message at once, also the first one of a connection', async () => {
    await using first = openGrpc(ledger.node.node.grpcUrl!, ledger.token)
    const { code, message } = await first.call(getUser, Buffer.alloc(0), { isRaw: true })
    assert.deepEqual([code, message], [internal, 'Half-closed without a request'])
  })

  test('takes messages of up to ten mebibytes unless the settings say otherwise', async () => {
    await using node = await startTestNode({ settings: { grpc: { port: 0 } } })
    await using grpc = openGrpc(node.node.grpcUrl!, node.adminToken, { maxSessionMemory: 64 })
    const request = requestBytes(getUser, { userId: 'participant_admin' })
    // Followed by a field that the message does not have.
    const padded = (length: number) => {
      const message = Buffer.alloc(length)
      message.set(request)
      message.set([0x7a, ...varint(length - request.length - 5)], request.length)
      return message
    }
    assert.equal((await grpc.call(getUser, padded(10 * mebibyte))).code, ok)
    const large = await grpc.call(getUser, padded(10 * mebibyte + 1))
    assert.deepEqual(
      [large.code, large.message],
      [resourceExhausted, 'gRPC message exceeds maximum size 10485760: 10485761'],
    )
  })

  test('tells how it can decompress', async () => {
    const stream = client.request(ledgerEnd)
    stream.end(framed(new Uint8Array()))
    const [headers] = await once(stream, 'response')
    assert.equal(headers['grpc-accept-encoding'], 'gzip')
    stream.close()
  })

  test('refuses messages that are too large as soon as it knows', async () => {
    const large = Buffer.alloc(5)
    large.writeUInt32BE(mebibyte + 1, 1)
    const stream = client.request(getUser)
    stream.write(large) // The rest never comes.
    const [headers] = await once(stream, 'response')
    assert.deepEqual(
      [headers['grpc-status'], headers['grpc-message']],
      [String(resourceExhausted), `gRPC message exceeds maximum size ${mebibyte}: ${mebibyte + 1}`],
    )
    stream.close()
    const anonymous = await client.call(getUser, Buffer.alloc(64 * 1024 + 1), { token: null })
    assert.equal(anonymous.code, resourceExhausted)
  })

  test('gives each client a share of the memory for large messages', async () => {
    const token = await ledger.userWith('other')
    const large = Buffer.concat([user, Buffer.alloc(900_000)])
    // A field that the message does not have, so that it is a valid request.
    large.set([0x7a, ...varint(large.length - user.length - 4)], user.length)
    const first = client.request(getUser)
    first.on('error', () => undefined)
    first.write(framed(large).subarray(0, 100_000))
    let answer = await client.call(getUser, large)
    for (const end = Date.now() + 20_000; answer.code === ok && Date.now() < end; )
      answer = await client.call(getUser, large)
    assert.equal(answer.code, aborted)
    assert.match(
      answer.message,
      /^PARTICIPANT_BACKPRESSURE\(2,.{8}\): The participant holds as many bytes of request bodies/,
    )
    const other = await client.call(getUser, large, { token })
    assert.notEqual(other.code, aborted, 'another client is served')
    assert.equal((await client.call(getUser, user)).code, ok, 'small messages are served')
    first.close(constants.NGHTTP2_CANCEL)
    await until(async () => (await client.call(getUser, large)).code === ok)
  })

  test('keeps deadlines of calls that wait, and resets calls with one that is none', async () => {
    const commands = {
      ...{ commandId: 'late', userId: 'app', actAs: [ledger.alice], minLedgerTimeRel: { seconds: 600, nanos: 0 } },
      commands: [walletOf(ledger.alice)],
    }
    const bytes = requestBytes(submitAndWait, { commands })
    const late = await client.call(submitAndWait, bytes, { headers: { 'grpc-timeout': '50m' } })
    assert.deepEqual([late.code, late.message], [deadlineExceeded, 'The deadline of the call was exceeded'])
    const distant = await client.call(getUser, user, { headers: { 'grpc-timeout': '99999999H' } })
    assert.equal(distant.code, ok, distant.message)
    for (const timeout of ['-1S', '-5m', '0S', '0n']) {
      const past = await client.call(getUser, user, { headers: { 'grpc-timeout': timeout } })
      assert.deepEqual([past.code, past.reset], [-1, constants.NGHTTP2_CANCEL], timeout)
    }
    for (const timeout of ['soon', '5', 'S', '5s', '999999999S', '1.5S']) {
      const stream = client.request(getUser, ledger.token, { 'grpc-timeout': timeout })
      stream.on('error', () => undefined)
      stream.end(framed(user))
      await new Promise((resolve) => stream.once('close', resolve))
      assert.equal(stream.rstCode, constants.NGHTTP2_INTERNAL_ERROR, timeout)
    }
  })

  test('resets a call whose binary metadata is not Base64, and only that call', async () => {
    const rows: [value: string, isBase64: boolean][] = [
      ['%%%', false],
      ['AAAAA', false],
      ['AA=A', false],
      ['AAAA,_-8', false],
      ['', true],
      ['AA', true],
      ['AA==', true],
      ['AAA,+/8=,', true],
    ]
    const answers = rows.map(([value]) => client.call(getUser, user, { headers: { 'x-bin': value } }))
    for (const [index, { code, reset }] of (await Promise.all(answers)).entries()) {
      const [value, isBase64] = rows[index]!
      assert.deepEqual([code, reset], isBase64 ? [ok, 0] : [-1, constants.NGHTTP2_PROTOCOL_ERROR], value)
    }
  })

  test('keeps a stream open whose deadline is in a hundred years', async () => {
    const stream = client.request(getUpdates, ledger.token, { 'grpc-timeout': '876000H' })
    stream.on('error', () => undefined)
    let isClosed = false
    stream.on('close', () => {
      isClosed = true
    })
    stream.end(framed(updatesRequest()))
    await once(stream, 'response')
    await client.call(getUser, user)
    await new Promise((resolve) => setTimeout(resolve, 50))
    assert.equal(isClosed, false)
    stream.close(constants.NGHTTP2_CANCEL)
    await until(async () => (await openStreams()) === 0)
  })

  const updatesRequest = () => requestBytes(getUpdates, { updateFormat: updateFormat() })
  const updateFormat = () => ({
    includeTransactions: {
      eventFormat: { filtersForAnyParty: {} },
      transactionShape: 'TRANSACTION_SHAPE_ACS_DELTA',
    },
  })
  const openStreams = async () => {
    const { text } = await ledger.node.call('GET', '/metrics')
    return Number(/tallystick_open_streams\{operation="[^"]*GetUpdates",transport="grpc"\} (\d+)/.exec(text)?.[1] ?? 0)
  }

  test('serves hundreds of idle streams on a connection, and forgets those that are cancelled', async () => {
    const { offset } = (await ledger.node.call('GET', '/v2/state/ledger-end')).json
    const request = requestBytes(getUpdates, { beginExclusive: offset, updateFormat: updateFormat() })
    const streams = Array.from({ length: 200 }, (): ClientHttp2Stream => {
      const stream = client.request(getUpdates)
      stream.on('error', () => undefined)
      stream.end(framed(request))
      return stream
    })
    await until(async () => (await openStreams()) === 200)
    const received = streams.map((stream) => {
      const chunks: Buffer[] = [] // Flow control may cut a message into several.
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      return chunks
    })
    const { transaction } = await ledger.submit([ledger.createIou()])
    await until(async () => received.every((chunks) => Buffer.concat(chunks).includes(transaction.updateId)))
    for (const stream of streams.slice(100)) stream.close(constants.NGHTTP2_CANCEL)
    await until(async () => (await openStreams()) === 100)
    const beyond = await ledger.node.call('GET', '/metrics')
    assert.equal(beyond.status, 200)
    for (const stream of streams.slice(0, 100)) stream.close(constants.NGHTTP2_CANCEL)
    await until(async () => (await openStreams()) === 0)
  })

  test('forgets the streams of a connection that breaks', async () => {
    const broken = openGrpc(ledger.node.node.grpcUrl!, ledger.token)
    const stream = broken.request(getUpdates)
    stream.on('error', () => undefined)
    stream.end(framed(updatesRequest()))
    await once(stream, 'response')
    await until(async () => (await openStreams()) === 1)
    broken.session.destroy()
    await until(async () => (await openStreams()) === 0)
  })

  test('ends a cancelled command that waits', async () => {
    const commands = {
      ...{ commandId: 'gone', userId: 'app', actAs: [ledger.alice], minLedgerTimeRel: { seconds: 600, nanos: 0 } },
      commands: [walletOf(ledger.alice)],
    }
    const stream = client.request(submitAndWait)
    stream.on('error', () => undefined)
    stream.end(framed(requestBytes(submitAndWait, { commands })))
    const inFlight = async () =>
      Number(/tallystick_commands_under_way (\d+)/.exec((await ledger.node.call('GET', '/metrics')).text)?.[1])
    await until(async () => (await inFlight()) === 1)
    stream.close(constants.NGHTTP2_CANCEL)
    await until(async () => (await inFlight()) === 0)
    assert.equal((await client.call(getUser, user)).code, ok)
  })
})

function walletOf(owner: string): object {
  const fields = [{ label: 'owner', value: { sum: { Party: owner } } }]
  return { CreateCommand: { templateId: '#quickstart:Wallet:Wallet', createArguments: { fields } } }
}

function varint(value: number): number[] {
  const bytes: number[] = []
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return [...bytes, rest]
    bytes.push((rest % 128) + 128)
  }
}
