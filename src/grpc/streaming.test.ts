import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { freeAccount } from '../base/byte-budget.ts'
import type { RenderedElement } from '../events/protobuf/transaction-protobuf.ts'
import { sendElements } from './streaming.ts'

type Step = readonly (string | RenderedElement)[]

function streamOf(steps: (signal: AbortSignal) => AsyncGenerator<Step>) {
  const controller = new AbortController()
  const sent: string[] = []
  const wire = {
    stream: new PassThrough(),
    begin: () => undefined,
    write: (frames: Uint8Array) => sent.push(Buffer.from(frames).toString()),
  }
  const { signal } = controller
  const open = { signal, abandon: () => controller.abort(), count: () => undefined, [Symbol.dispose]: () => undefined }
  const send = (render: (batch: readonly string[]) => Promise<Uint8Array>) =>
    sendElements(wire as never, { elements: () => steps(signal), open, account: freeAccount, render })
  return { sent, send, stop: () => controller.abort() }
}

const joined = (batch: readonly string[]) => Buffer.from(batch.join(''))

/** Yields the steps, and then waits until the stream ends. */
async function* waitingAfter(signal: AbortSignal, ...steps: readonly Step[]): AsyncGenerator<Step> {
  yield* steps
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve))
}

test('elements are sent in their order, and the next ones are read while others are rendered', async () => {
  const happened: string[] = []
  const { sent, send } = streamOf(async function* () {
    yield ['a', 'b']
    happened.push('read')
    yield ['c', 'd']
    yield ['e']
  })
  await send(async (batch) => {
    await new Promise((resolve) => setImmediate(resolve))
    happened.push(`rendered ${batch.join('')}`)
    return joined(batch)
  })
  assert.deepEqual(sent, ['ab', 'cd', 'e'])
  assert.deepEqual(happened, ['read', 'rendered ab', 'rendered cd', 'rendered e'])
})

test('elements that are bytes are sent as they are, in their order among others, and together if they are adjacent', async () => {
  const page = { bytes: Buffer.from('abcdef') }
  const bytes = (start: number, end: number) => ({ page, start, end })
  const { sent, send } = streamOf(async function* () {
    yield [bytes(0, 1), bytes(1, 3), '+', '-', bytes(3, 4), bytes(5, 6), bytes(4, 5)]
    yield ['!']
  })
  await send(async (batch) => joined(batch))
  assert.deepEqual(sent, ['abc', '+-', 'd', 'f', 'e', '!'])
})

test('the last elements are sent although nothing follows', async () => {
  const { sent, send, stop } = streamOf((signal) => waitingAfter(signal, ['a', 'b']))
  const ended = send(async (batch) => joined(batch))
  while (sent.length === 0) await new Promise((resolve) => setImmediate(resolve))
  stop()
  await ended
  assert.deepEqual(sent, ['ab'])
})

test('elements that cannot be rendered end a stream that waits for more', async () => {
  const { send } = streamOf((signal) => waitingAfter(signal, ['a', 'b']))
  const failing = send(async () => {
    throw new Error('no such template')
  })
  await assert.rejects(failing, /no such template/)
})
