// Sends the elements of a stream as fast as their reader takes them.

import { Outflow } from '../api/streams/back-pressure.ts'
import { refusalOf } from '../api/streams/ongoing-authorization.ts'
import type { OpenStream } from '../api/streams/open-streams.ts'
import type { ByteAccount } from '../base/byte-budget.ts'
import type { RenderedElement } from '../events/protobuf/transaction-protobuf.ts'
import type { ReadHints } from '../ledger/reading/reader.ts'
import type { WireCall } from './wire-call.ts'

type Element = string | RenderedElement

type Sending = {
  readonly elements: (hints: ReadHints) => AsyncIterable<readonly Element[]>
  readonly open: OpenStream
  readonly account: ByteAccount
  /** Elements that are JSON, as messages in their frames. */
  readonly render: (batch: readonly string[]) => Promise<Uint8Array>
}

/** Characters of elements that are rendered at once: others get their turn in between. */
const batchCharacters = 256 * 1024

export async function sendElements(wire: WireCall, { elements, open, account, render }: Sending): Promise<void> {
  const { stream } = wire
  const { signal } = open
  const outflow = new Outflow(stream, signal, account)
  let failure: unknown
  /** The batch before: the next one is read while the engine renders it. */
  let sent = Promise.resolve()
  const send = async (batch: Batch) => {
    try {
      const frames = isRendered(batch) ? bytesOf(batch) : await render(batch)
      open.count(batch.length)
      outflow.write(frames.length, (onTaken) => wire.write(frames, onTaken))
      await outflow.room()
    } catch (error) {
      failure ??= error
      open.abandon()
    }
  }
  try {
    for await (const step of elements({ account, onWaiting: wire.begin })) {
      for (const batch of batchesOf(step)) {
        await sent
        if (signal.aborted || stream.destroyed) break
        sent = send(batch)
        if (batch.length === 1) await sent // It may be huge, and the read budget knows only what is being read.
      }
      if (signal.aborted || stream.destroyed) break
    }
    await sent
  } catch (error) {
    throw refusalOf(signal) ?? failure ?? error
  }
  const refusal = refusalOf(signal) ?? failure
  if (refusal !== undefined) throw refusal
}

/** All of one form. */
type Batch = readonly string[] | readonly RenderedElement[]

function isRendered(batch: Batch): batch is readonly RenderedElement[] {
  return typeof batch[0] === 'object'
}

/** Elements of one step share their bytes, one after the other. */
function bytesOf(batch: readonly RenderedElement[]): Uint8Array {
  const [{ page, start }, last] = [batch[0]!, batch.at(-1)!]
  return page.bytes.subarray(start, last.end)
}

/** Whether both are JSON, or the second follows the first in the bytes of one step. */
function isNext(element: Element, before: Element): boolean {
  if (typeof element === 'string' || typeof before === 'string') return typeof element === typeof before
  return element.page === before.page && element.start === before.end
}

function* batchesOf(elements: readonly Element[]): Generator<Batch> {
  let batch: Element[] = []
  let characters = 0
  for (const element of elements) {
    const length = typeof element === 'string' ? element.length : element.end - element.start
    const isFull = characters + length > batchCharacters
    if (batch.length > 0 && (isFull || !isNext(element, batch.at(-1)!))) {
      yield batch as Batch
      batch = []
      characters = 0
    }
    batch.push(element)
    characters += length
  }
  if (batch.length > 0) yield batch as Batch
}
