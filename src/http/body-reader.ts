// Reads request bodies. A small body is read before authentication, because Canton reports a broken body before a
// missing token. A larger one costs memory and time, so its token is checked first. Large bodies share one memory
// limit, and each client has a share of it.

import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import { type HeldBytes, holderOf } from '../api/calls/held-bytes.ts'
import { ClientGone } from '../api/pipeline.ts'
import { DecodeError } from '../api/wire/decode.ts'
import type { Authentication, Authenticator } from '../auth/authentication.ts'
import { type Clock, settlesWithin } from '../base/clock.ts'
import { LedgerError } from '../base/errors.ts'
import { anonymousBodyBytesMax } from '../base/limits.ts'
import type { Limits } from '../base/settings.ts'
import { bearerToken } from './request-head.ts'

export type BodyReader = {
  /** The whole body; refuses one that is too large, and a large one without a valid token. */
  read(request: IncomingMessage): Promise<Buffer>
  /** The body as it arrives, however long that takes; refuses one that is too large, and a client that stops sending. */
  stream(request: IncomingMessage): AsyncIterable<Buffer>
  /** Whether the request on this connection may arrive more slowly than others. */
  mayTakeLonger(socket: Socket): boolean
  /** Reads and drops the body: a client that is still sending does not read the answer. */
  discard(request: IncomingMessage): Promise<void>
  /** The same for the rest of a body that was refused, up to a length. False if it does not arrive in time. */
  drop(request: IncomingMessage, bytesMax: number): Promise<boolean>
  /** To be called when the request has been answered. */
  release(request: IncomingMessage): void
}

type Holding = { readonly holder: string; bytes: number }

type Parts = {
  readonly limits: Limits
  readonly authenticate: Authenticator
  readonly heldBytes: HeldBytes
  readonly clock: Clock
}

export function createBodyReader({ limits, authenticate, heldBytes, clock }: Parts): BodyReader {
  const { bodyBytesMax, requestTimeoutMs: silenceMs } = limits
  const smallMax = Math.min(anonymousBodyBytesMax, bodyBytesMax)
  const holdings = new WeakMap<IncomingMessage, Holding>()
  const streaming = new WeakSet<Socket>()
  const silent = new WeakSet<IncomingMessage>()

  function hold(holding: Holding, bytes: number): void {
    heldBytes.take(holding.holder, bytes)
    holding.bytes += bytes
  }

  function release(request: IncomingMessage): void {
    streaming.delete(request.socket)
    const holding = holdings.get(request)
    if (holding === undefined) return
    holdings.delete(request)
    heldBytes.give(holding.holder, holding.bytes)
  }

  /** Refuses a client without a valid token. */
  async function begin(request: IncomingMessage, bytes: number): Promise<Holding> {
    const authentication = await authenticate(bearerToken(request))
    const holding: Holding = { holder: knownHolder(authentication, request), bytes: 0 }
    hold(holding, bytes)
    holdings.set(request, holding)
    return holding
  }

  async function readLarge(request: IncomingMessage, announced: number): Promise<Buffer> {
    if (announced > bodyBytesMax) throw tooLarge(bodyBytesMax)
    try {
      await begin(request, announced)
    } catch (error) {
      await collect(request, () => undefined, false) // Many clients read no answer until they have sent the whole body.
      throw error
    }
    return collect(request, () => undefined)
  }

  async function readHeld(request: IncomingMessage, announced: number | undefined): Promise<Buffer> {
    try {
      return await (announced === undefined ? readUnannounced(request) : readLarge(request, announced))
    } catch (error) {
      release(request)
      throw error
    }
  }

  /** Needs a token only once the body is no longer small. */
  function readUnannounced(request: IncomingMessage): Promise<Buffer> {
    let size = 0
    let holding: Holding | undefined
    return collect(request, (chunk) => {
      size += chunk.length
      if (size > bodyBytesMax) throw tooLarge(bodyBytesMax)
      if (size <= smallMax) return undefined
      if (holding !== undefined) return hold(holding, chunk.length)
      return begin(request, size).then((begun) => {
        holding = begun
      })
    })
  }

  return {
    release,
    async *stream(request) {
      const { snapshotBytesMax } = limits
      const refusal = tooLarge(snapshotBytesMax, 'limits.snapshotBytesMax')
      if ((lengthOf(request) ?? 0) > snapshotBytesMax) throw refusal
      streaming.add(request.socket)
      let size = 0
      const chunks = request.iterator({ destroyOnReturn: false })
      try {
        for (;;) {
          const next = chunks.next().catch(() => {
            throw new ClientGone('the client has gone')
          })
          if (!(await settlesWithin(next, silenceMs, clock))) {
            silent.add(request)
            throw tooSlow(silenceMs)
          }
          const { done, value: chunk } = await next
          if (done) return
          size += chunk.length
          if (size > snapshotBytesMax) throw refusal
          yield chunk
        }
      } finally {
        if (!silent.has(request)) await chunks.return?.()
      }
    },
    mayTakeLonger: (socket) => streaming.has(socket),
    async drop(request, bytesMax) {
      let size = 0
      const look = (chunk: Buffer) => {
        size += chunk.length
        if (size > bytesMax) throw new Error('enough')
      }
      if (request.readableEnded || request.destroyed) return true
      if (silent.has(request)) return false
      return settlesWithin(
        collect(request, look, false).catch(() => undefined),
        silenceMs,
        clock,
      )
    },
    async discard(request) {
      if ((lengthOf(request) ?? 0) > bodyBytesMax) throw tooLarge(bodyBytesMax)
      let size = 0
      const look = (chunk: Buffer) => {
        size += chunk.length
        if (size > bodyBytesMax) throw tooLarge(bodyBytesMax)
      }
      await collect(request, look, false)
    },
    read(request) {
      const announced = lengthOf(request)
      const isSmall = announced !== undefined && announced <= smallMax
      return isSmall ? collect(request, () => undefined) : readHeld(request, announced)
    },
  }
}

/** `look` sees each chunk first. If it throws, reading ends; while its promise is pending, reading pauses. */
function collect(payload: Readable, look: (chunk: Buffer) => undefined | void | Promise<void>, keeps = true) {
  return new Promise<Buffer>((resolve, reject) => {
    const chunks: Buffer[] = []
    const fail = (error: unknown) => {
      payload.off('data', take).off('end', end).off('error', gone).off('close', gone)
      payload.on('error', () => undefined)
      reject(error)
    }
    const gone = () => fail(new ClientGone('the client has gone'))
    const end = () => {
      payload.off('data', take).off('end', end).off('error', gone).off('close', gone)
      resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks))
    }
    const take = (chunk: Buffer) => {
      try {
        const waiting = look(chunk)
        if (keeps) chunks.push(chunk)
        if (waiting === undefined) return
        payload.pause()
        waiting.then(() => payload.resume(), fail)
      } catch (error) {
        fail(error)
      }
    }
    payload.on('data', take).on('end', end).on('error', gone).on('close', gone)
    payload.resume()
  })
}

/** Undefined without a Content-Length. */
function lengthOf({ headers }: IncomingMessage): number | undefined {
  const length = headers['content-length']
  return length === undefined ? undefined : Number(length)
}

function knownHolder(authentication: Authentication, { socket }: IncomingMessage): string {
  if ('unauthenticated' in authentication) throw new LedgerError('UNAUTHENTICATED', authentication.unauthenticated)
  return holderOf(authentication.userId, socket.remoteAddress)
}

function tooLarge(bytesMax: number, setting?: string): DecodeError {
  const words = setting === undefined ? '' : `, which ${setting} allows`
  return new DecodeError(`The request body is larger than ${bytesMax} bytes${words}`, 413)
}

function tooSlow(silenceMs: number): DecodeError {
  const words = `for ${silenceMs / 1000} seconds, which limits.requestTimeoutMs allows`
  return new DecodeError(`No more of the request body arrived ${words}`, 408, 'REQUEST_BODY_INCOMPLETE')
}
