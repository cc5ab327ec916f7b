import assert from 'node:assert/strict'
import { Writable } from 'node:stream'
import { test } from 'node:test'
import { createByteBudget } from '../../base/byte-budget.ts'
import { createTestClock } from '../../base/clock.ts'
import { Outflow, pieceLength, piecesOf } from './back-pressure.ts'

const kibibyte = 1024
const never = new AbortController().signal

function bench() {
  const clock = createTestClock(0)
  const budget = createByteBudget({ bytesMax: 1_000 * kibibyte, freeBytes: 0, stalledMs: 120_000, clock })
  /** The chunks that the client has not taken. */
  const untaken: (() => void)[] = []
  const to = new Writable({ write: (_chunk, _encoding, taken) => void untaken.push(taken) })
  let isCutOff = false
  const account = budget.open(() => {
    isCutOff = true
    to.destroy()
  })
  const outflow = new Outflow(to, never, account)
  return {
    clock,
    budget,
    outflow,
    isCutOff: () => isCutOff,
    send: (bytes: number) => outflow.write(bytes, (onTaken) => to.write(Buffer.alloc(bytes), onTaken)),
    async take() {
      untaken.shift()!()
      await new Promise((resolve) => setImmediate(resolve))
    },
  }
}

test('bytes that a client has not taken are on its account until it takes them', async () => {
  const { budget, send, take } = bench()
  send(10 * kibibyte)
  send(20 * kibibyte)
  assert.equal(budget.chargedBytes(), 30 * kibibyte)
  await take()
  assert.equal(budget.chargedBytes(), 20 * kibibyte)
  await take()
  assert.equal(budget.chargedBytes(), 0)
})

test('a client that has not taken 128 KiB gets no more until it has', async () => {
  const { outflow, send, take } = bench()
  send(127 * kibibyte)
  assert.equal(outflow.room(), undefined)
  send(kibibyte)
  let hasRoom = false
  const waiting = outflow.room()!.then(() => {
    hasRoom = true
  })
  await take()
  assert.equal(hasRoom, false)
  await take()
  await waiting
})

test('a client that takes a little now and then is not cut off, one that takes nothing is', async () => {
  const { clock, isCutOff, outflow, send, take } = bench()
  send(kibibyte)
  for (let minute = 0; minute < 10; minute += 1) {
    send(kibibyte)
    clock.advance(60_000)
    await take()
  }
  assert.equal(isCutOff(), false)
  clock.advance(125_000)
  assert.equal(isCutOff(), true)
  assert.equal(outflow.room(), undefined, 'nobody waits for it any more')
})

test('pieces make up the text, and no character is split', () => {
  for (const text of [
    '',
    'x',
    '\u{1F600}'.repeat(pieceLength),
    `x${'\u{1F600}'.repeat(pieceLength)}`,
    '\ud83d'.repeat(pieceLength),
  ]) {
    const pieces = [...piecesOf(text)]
    assert.equal(pieces.join(''), text)
    if (text.isWellFormed()) assert.ok(pieces.every((piece) => piece.isWellFormed()))
    assert.ok(pieces.every((piece) => piece.length <= pieceLength + 1))
  }
})
