// Calls of every method of the gRPC API with messages and frames that no client would send.
import assert from 'node:assert/strict'
import { gzipSync } from 'node:zlib'
import { framed } from '../../src/grpc/wire-call.ts'
import { createDice, type Dice, pick } from '../../test/fixtures/dice.ts'
import { allMethods, type GrpcAnswer, openGrpc } from '../../test/fixtures/grpc.ts'
import { startTestLedger } from '../../test/fixtures/ledger.ts'
import type { Campaign } from '../campaign.ts'
import { hostileFrames, kinds } from '../fuzz/hostile-messages.ts'
import { runRounds } from '../rounds.ts'

export const hostileCalls: Campaign = {
  name: 'hostile calls',
  attack: `messages of ${Object.keys(kinds).length} hostile kinds, and frames that are none, to every method of the gRPC API`,
  invariant:
    'Each has an answer, and none is UNKNOWN, or INTERNAL for another reason than its frames; afterwards the node serves as before',
  unit: 'calls',
  full: 60_000,
  short: 400,
  run: (plan) => runRounds(plan, call, { timesPerRound: 3_000 }),
}

const prefix = '/com.daml.ledger.api.v2.'
const forbidden = new Map([
  [-1, 'no answer'],
  [2, 'UNKNOWN'],
  [13, 'INTERNAL'],
])
/** Streams that a message opens by chance end soon. */
const soon = { 'grpc-timeout': '300m' }
const atOnce = 20
/** Of this many calls, one is as large as it may be. */
const largeEvery = 500
const mebibyte = 2 ** 20

async function call(seed: number, count: number): Promise<number> {
  const dice = createDice(seed)
  const limits = { requestTimeoutMs: 6_000, grpcMessageBytesMax: 2 * mebibyte }
  await using ledger = await startTestLedger({ settings: { grpc: { port: 0 }, limits } })
  await using client = openGrpc(ledger.node.node.grpcUrl!, ledger.token)
  const methods = [...allMethods()].filter(([path]) => path.startsWith(prefix) || path.startsWith('/grpc.health'))
  const tokens = [ledger.token, ledger.token, ledger.node.adminToken, null]
  const names = Object.keys(kinds)

  async function attack(number: number): Promise<void> {
    const [path, { request, isResponseStream }] = methods[number % methods.length]!
    const name = names[Math.floor(number / methods.length) % names.length]!
    const message = number % largeEvery === largeEvery - 1 ? large(dice) : kinds[name]!(request, dice)
    const { bytes, headers } = sent(message, dice)
    const token = pick(dice, tokens)
    const context = `${path} ${name} ${Buffer.from(bytes).subarray(0, 2_000).toString('hex')}`
    const options = { token, isRaw: true, headers: { ...headers, ...(isResponseStream && soon) } }
    const answer = await client.call(path, bytes, options).catch((cause: unknown) => {
      throw new Error(`no answer in time for ${context}`, { cause })
    })
    check(answer, context)
  }

  for (let begun = 0; begun < count; begun += atOnce) {
    await Promise.all(Array.from({ length: Math.min(atOnce, count - begun) }, (_, index) => attack(begun + index)))
  }
  const { code, message } = await client.call(`${prefix}StateService/GetLedgerEnd`, new Uint8Array())
  assert.equal(code, 0, message)
  const { status } = await ledger.node.call('GET', '/readyz')
  assert.equal(status, 200)
  return count
}

function sent(
  message: Uint8Array,
  dice: Dice,
): { readonly bytes: Uint8Array; readonly headers: Record<string, string> } {
  const how = dice(10)
  if (how === 0) return { bytes: hostileFrames(message, dice), headers: {} }
  if (how > 1) return { bytes: framed(message), headers: {} }
  const frame = framed(pick(dice, [gzipSync(message), message]))
  frame[0] = 1
  return { bytes: frame, headers: { 'grpc-encoding': pick(dice, ['gzip', 'identity', 'br']) } }
}

/** Of the largest size: one field, or nothing but fields. */
function large(dice: Dice): Uint8Array {
  return Buffer.alloc(
    2 * mebibyte,
    pick(dice, [Buffer.of(0x0a, 0), Buffer.of(0x0a, 2, 0x0a, 0), Buffer.of(0x08, 1), Buffer.of(0)]),
  )
}

/** What grpc-java calls internal, although the client is wrong. */
const wireRefusals =
  /^(Half-closed without a request|Too many requests|Encountered end-of-stream mid-frame|gRPC frame header malformed|Can't decode compressed gRPC message)/

function check({ code, message }: GrpcAnswer, context: string): void {
  if (code === 13 && wireRefusals.test(message)) return
  assert.ok(!forbidden.has(code), `${forbidden.get(code)} (${message}) for ${context}`)
}
