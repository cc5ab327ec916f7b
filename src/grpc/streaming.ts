// Sends the elements of a stream as fast as their reader takes them.
import type { ByteAccount } from '../base/byte-budget.ts'
import type { ElementStream } from '../http/route.ts'
import { room } from '../http/streams/back-pressure.ts'
import { refusalOf } from '../http/streams/ongoing-authorization.ts'
import type { OpenStream } from '../http/streams/open-streams.ts'
import type { Exchange } from './exchange.ts'

type Sending = {
  readonly elements: ElementStream
  readonly open: OpenStream
  readonly account: ByteAccount
  /** Elements as messages in their frames. */
  readonly render: (batch: readonly string[]) => Promise<Uint8Array>
}

/** Characters of elements that are rendered at once: others get their turn in between. */
const batchCharacters = 256 * 1024

export async function sendElements(exchange: Exchange, { elements, open, account, render }: Sending): Promise<void> {
  const { stream } = exchange
  const { signal } = open
  let failure: unknown
  /** The batch before: the next one is read while the engine renders it. */
  let sent = Promise.resolve()
  const send = async (batch: readonly string[]) => {
    try {
      const frames = await render(batch)
      open.count(batch.length)
      exchange.write(frames)
      await room(stream, signal, account)
    } catch (error) {
      failure ??= error
      open.abandon()
    }
  }
  try {
    for await (const step of elements.open(signal, { account, onWaiting: exchange.begin })) {
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

function* batchesOf(elements: readonly string[]): Generator<readonly string[]> {
  let batch: string[] = []
  let characters = 0
  for (const element of elements) {
    if (batch.length > 0 && characters + element.length > batchCharacters) {
      yield batch
      batch = []
      characters = 0
    }
    batch.push(element)
    characters += element.length
  }
  if (batch.length > 0) yield batch
}
