// A stream as one list: its elements until it ends, falls silent or reaches the limit. Mirrors asList of Canton's
// Endpoints.scala; the limits are settings, with Canton's defaults.

import { Type } from 'typebox'
import type { Clock, Timer } from '../../base/clock.ts'
import { invalidArgument, LedgerError } from '../../base/errors.ts'
import { listBytesMax } from '../../base/limits.ts'
import type { Limits } from '../../base/settings.ts'
import type { CallContext } from '../calls/call-context.ts'
import type { ElementStream } from '../route.ts'
import { RenderedJson } from '../route.ts'
import { optionalInt64 } from '../wire/schema.ts'
import { refusalOf } from './ongoing-authorization.ts'

export const listQuery = Type.Object({
  limit: optionalInt64('Maximum number of elements; ignored if it exceeds the node limit'),
  stream_idle_timeout_ms: optionalInt64('Milliseconds without a new element after which the answer is sent'),
})

export type ListQuery = { readonly limit?: bigint; readonly stream_idle_timeout_ms?: bigint }

type List = {
  readonly query: ListQuery
  readonly limits: Limits
  readonly elements: ElementStream
}

const partLength = 256 * 1024
const timerMsMax = 2n ** 31n - 1n

export async function collectList({ query, limits, elements }: List, context: CallContext): Promise<RenderedJson> {
  const wanted = elementsWanted(query.limit, limits.listElementsMax)
  if (wanted <= 0) return new RenderedJson('[]')
  const silence = createSilence(silenceMs(query, limits), context.clock)
  const stopping = new AbortController()
  const stop = () => stopping.abort()
  context.signal.addEventListener('abort', stop)
  if (context.signal.aborted) stop()
  const { account } = context
  const iterator = elements
    .open(stopping.signal, { elementsMax: wanted, account, onWaiting: silence.begin })
    [Symbol.asyncIterator]()
  const collected = createCollection(wanted, limits)
  let hasEnded = false
  try {
    while (!collected.isFull()) {
      const step = await silence.unlessOver(iterator.next(), context.signal)
      hasEnded = step?.done === true
      if (step === undefined || step.done) break
      let bytes = 0
      for (const element of step.value) bytes += collected.add(element)
      const waiting = account.take(bytes, stopping.signal)
      if (waiting !== undefined) await waiting
    }
  } catch (error) {
    throw refusalOf(context.signal) ?? error
  } finally {
    context.signal.removeEventListener('abort', stop)
    if (!hasEnded) {
      stop()
      iterator.return?.().catch(() => undefined) // The answer is decided, so a failure no longer matters.
    }
  }
  const refusal = refusalOf(context.signal)
  if (refusal !== undefined) throw refusal
  return collected.render()
}

/** Canton builds the whole stream before it looks at the request, or at the token. */
export function checkSilence({ limit = 1n, stream_idle_timeout_ms: asked = 1n }: ListQuery): void {
  if (limit > 0n && asked <= 0n) throw noSilence(asked)
}

/** The silence that ends a list of an endless stream. */
export function silenceMs({ stream_idle_timeout_ms: asked }: ListQuery, limits: Limits): number {
  if (asked === undefined) return limits.listWaitMs
  if (asked <= 0n) throw noSilence(asked)
  return Number(asked > timerMsMax ? timerMsMax : asked)
}

/** In the words of Canton's streaming library. */
function noSilence(askedMs: bigint): LedgerError {
  const words = 'which means creating an infinite loop. The expected delay must be greater than 0.'
  return invalidArgument(`Task scheduled with [${askedMs / 1000n}] seconds delay, ${words}`, { early: true })
}

/** One more than the node allows, to detect that there are more. */
function elementsWanted(limit: bigint | undefined, elementsMax: number): number {
  return limit === undefined || limit > BigInt(elementsMax) ? elementsMax + 1 : Number(limit)
}

function createCollection(wanted: number, limits: Limits) {
  const { listElementsMax } = limits
  const bytesMax = listBytesMax(limits)
  let count = 0
  let bytes = 0
  let list = '['
  const parts: Buffer[] = []

  /** Encodes in parts: encoding a long list at once would take too long. */
  function flush(): void {
    const part = Buffer.from(list)
    bytes += part.length
    parts.push(part)
    list = ''
    checkSize(bytes)
  }

  /** May be given characters: each takes at least one byte. */
  function checkSize(bytesAtLeast: number): void {
    if (bytesAtLeast <= bytesMax) return
    throw tooMany(`The matching elements take more bytes than the node limit (${bytesMax}).`)
  }

  return {
    isFull: () => count >= wanted,
    /** Returns the characters it added. */
    add(element: string): number {
      if (count >= wanted) return 0
      checkSize(bytes + list.length + element.length)
      list += count === 0 ? element : `,${element}`
      count += 1
      if (list.length >= partLength) flush()
      return element.length
    },
    render(): RenderedJson {
      if (count > listElementsMax) {
        throw tooMany(`The number of matching elements (${count}) is greater than the node limit (${listElementsMax}).`)
      }
      list += ']'
      flush()
      return new RenderedJson(parts.length === 1 ? parts[0]! : Buffer.concat(parts))
    },
  }
}

function tooMany(message: string): LedgerError {
  return new LedgerError('JSON_API_MAXIMUM_LIST_ELEMENTS_NUMBER_REACHED', message, { early: true })
}

export type Silence = {
  /** The stream has nothing left to read. */
  begin(): void
  /** Waits for the next elements; undefined after the silence, or once the signal is aborted. */
  unlessOver<T>(next: Promise<T>, signal: AbortSignal): Promise<T | undefined>
}

/** Without a time, silence never ends the list. */
export function createSilence(lengthMs: number | undefined, clock: Clock): Silence {
  let timer: Timer | undefined
  let end = () => {}

  return {
    begin() {
      if (lengthMs !== undefined) timer ??= clock.after(lengthMs, () => end())
    },

    async unlessOver(next, signal) {
      const over = Promise.withResolvers<undefined>()
      end = () => over.resolve(undefined)
      signal.addEventListener('abort', end, { once: true })
      if (signal.aborted) end()
      try {
        return await Promise.race([next, over.promise])
      } finally {
        timer?.cancel()
        timer = undefined
        signal.removeEventListener('abort', end)
      }
    },
  }
}
