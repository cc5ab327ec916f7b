// A list without limits: elements as NDJSON, as fast as the client reads. Ours; Canton has only lists and WebSockets.
// Early errors are answered as usual; a later error is the last line.
import type { ServerResponse } from 'node:http'
import type { ElementStream } from '../api/route.ts'
import { linesType } from '../api/stream-route.ts'
import { groupsOf, Outflow, piecesOf } from '../api/streams/back-pressure.ts'
import { createSilence, type ListQuery, silenceMs } from '../api/streams/list.ts'
import { refusalOf } from '../api/streams/ongoing-authorization.ts'
import type { OpenStream } from '../api/streams/open-streams.ts'
import type { ByteAccount } from '../base/byte-budget.ts'
import { type Clock, settlesWithin } from '../base/clock.ts'
import type { Limits } from '../base/settings.ts'

type Lines = {
  readonly elements: ElementStream
  readonly query: ListQuery
  readonly stream: OpenStream
  readonly limits: Limits
  readonly clock: Clock
  readonly account: ByteAccount
  /** Called when the answer has begun: from then on there is no timeout. */
  begun(): void
  /** A refusal or a bug as JSON. */
  explain(error: unknown): Promise<string | Buffer>
}

/** Throws errors that occur before the answer has begun. */
export async function sendLines(response: ServerResponse, lines: Lines): Promise<void> {
  const { elements, query, stream, limits, clock, account, explain } = lines
  const { signal } = stream
  const silence = createSilence(silenceMs(query, limits), clock)
  const outflow = new Outflow(response, signal, account)
  let isInLine = false
  let wanted = query.limit ?? BigInt(Number.MAX_SAFE_INTEGER)

  function begin(): void {
    if (response.headersSent) return
    lines.begun()
    response.writeHead(200, { 'content-type': linesType })
    response.flushHeaders()
  }

  async function sendGroup(group: readonly string[]): Promise<void> {
    for (const piece of piecesOf(`${group.join('\n')}\n`)) {
      await outflow.room()
      if (outflow.isOver) return
      const bytes = Buffer.from(piece)
      outflow.write(bytes.length, (onTaken) => response.write(bytes, onTaken))
      isInLine = !piece.endsWith('\n')
    }
  }

  const elementsMax = query.limit === undefined ? undefined : Number(query.limit)
  const iterator = elements.open(signal, { elementsMax, account, onWaiting: silence.begin })[Symbol.asyncIterator]()
  try {
    if (wanted > 0n) {
      const first = silence.unlessOver(iterator.next(), signal)
      // A refusal comes at the first step. Otherwise a client that waits for events soon sees that its request was
      // accepted.
      await settlesWithin(first, limits.listWaitMs, clock)
      begin()
      let step = await first
      while (step !== undefined && !step.done && !signal.aborted) {
        const some = wanted < BigInt(step.value.length) ? step.value.slice(0, Number(wanted)) : step.value
        stream.count(some.length)
        for (const group of groupsOf(some)) {
          if (outflow.isOver) break
          await sendGroup(group)
        }
        wanted -= BigInt(some.length)
        if (wanted <= 0n) break
        await outflow.room()
        step = await silence.unlessOver(iterator.next(), signal)
      }
    }
    begin()
    const refusal = refusalOf(signal)
    if (refusal !== undefined) throw refusal
  } catch (error) {
    if (!response.headersSent) throw refusalOf(signal) ?? error
    if (!isInLine) {
      const lastLine = await explain(refusalOf(signal) ?? error)
      if (!response.destroyed) response.write(`${lastLine}\n`)
    }
  } finally {
    stream.abandon()
    iterator.return?.().catch(() => undefined) // The answer is decided, so a failure no longer matters.
  }
  if (isInLine)
    response.destroy() // Nothing else tells the client that a line is incomplete.
  else response.end()
}
