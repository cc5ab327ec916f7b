// One pipeline for every call: token, decoding, rights, call, end. Each transport gives it an exchange, which knows how
// these look in bytes and frames. The order of checks is Canton's: a request that cannot be decoded is refused before a
// missing token, and a missing token before missing rights.

import type { Admit } from '../auth/admission.ts'
import type { Authentication, Authenticator } from '../auth/authentication.ts'
import type { Permission, Requirement, Subject } from '../auth/authorization.ts'
import type { Claims } from '../auth/claims.ts'
import type { ByteAccount } from '../base/byte-budget.ts'
import type { Clock } from '../base/clock.ts'
import { AnswerLost, LedgerError } from '../base/errors.ts'
import type { Limits } from '../base/settings.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { type Answering, Call, type CallContext } from './calls/call-context.ts'
import { createDeadlines } from './calls/deadlines.ts'
import type { RequestsInFlight } from './calls/requests-in-flight.ts'
import type { Trace } from './calls/trace.ts'
import type { ElementStream } from './route.ts'
import { type OngoingAuthorization, refusalOf } from './streams/ongoing-authorization.ts'
import type { Transport } from './streams/open-streams.ts'
import { type OpenStream, type OpenStreams, readerOf, shutDown } from './streams/open-streams.ts'
import { DecodeError } from './wire/decode.ts'

/** The caller of a failed call, as far as the call had come. */
export type KnownCaller = {
  readonly userId: string | undefined
  /** Undefined if no token was accepted. */
  readonly claims: Claims | undefined
  readonly permission: Permission | undefined
}

/** Where the elements of a stream go. */
export type Outlet = {
  readonly stream: OpenStream
  readonly caller: KnownCaller
  readonly account: ByteAccount
  /** To be called when the answer has begun: from then on there is no timeout. */
  readonly begun: () => void
}

/** One request and its answer, as a transport has them. Methods are called in this order. */
export type Exchange = {
  readonly operation: string
  /** Undefined if anybody may call it. */
  readonly requirement: Requirement | undefined
  readonly transport: Transport
  readonly startedMs: number
  readonly trace: Trace
  /** The client's address. */
  readonly address: string | undefined
  readonly answering: Answering
  /** Whether the operation reads a list, which ends when its reader loses its rights. */
  readonly isList: boolean
  /** The token. Refuses what the head of the request asks for and cannot have. */
  token(): string | undefined
  /** Whether the client has an accepted token. */
  recognize(isKnown: boolean): void
  /** Refuses what is no request, and what Canton checks before the rights. */
  decode(caller: Authentication): unknown | Promise<unknown>
  /** The parts of the request that decide which rights it needs. */
  subject(): Subject
  /** The elements to send; undefined if there is one answer. */
  elements(permission: Permission): ElementStream | undefined
  sendElements(elements: ElementStream, outlet: Outlet): Promise<void>
  /** Calls the operation, and sends its answer. */
  answer(permission: Permission, context: CallContext, begun: () => void): Promise<void>
  /** Sends the refusal, or says that there is a bug. */
  refuse(error: unknown, caller: KnownCaller): Promise<void>
  /** The request took too long. */
  expire(): void
  /** Always called, last. */
  finish(): void
}

export type Pipeline = {
  run(exchange: Exchange): Promise<void>
  /** Ends those calls under way that are meant and can be ended; their clients get the refusal. */
  endCalls(refusal: LedgerError, isMeant: (exchange: Exchange) => boolean): void
  /** Answers those calls under way that are meant with the refusal at once, whatever they wait for. */
  abandonCalls(refusal: LedgerError, isMeant: (exchange: Exchange) => boolean): void
  /** From now on, what fails because the ledger is closed gets the refusal. */
  retire(refusal: LedgerError): void
  close(): void
}

type Parts = {
  readonly ledger: Ledger
  readonly authenticate: Authenticator
  readonly admit: Admit
  readonly authorization: OngoingAuthorization
  readonly openStreams: OpenStreams
  readonly inFlight: RequestsInFlight
  readonly limits: Limits
  readonly clock: Clock
  readonly isClosing: () => boolean
}

export function createPipeline(parts: Parts): Pipeline {
  const { ledger, authenticate, admit, authorization, openStreams, inFlight, limits, clock, isClosing } = parts
  const surroundings = { clock, aside: inFlight.aside }
  const deadlines = createDeadlines<Exchange>(clock, limits.requestTimeoutMs, (exchange) => exchange.expire())
  const calls = new Map<Call, Exchange>()
  let retired: LedgerError | undefined

  async function run(exchange: Exchange): Promise<void> {
    const { operation, requirement, transport, trace, address } = exchange
    let userId: string | undefined
    let claims: Claims | undefined
    let permission: Permission | undefined
    let call: Call | undefined
    let stream: OpenStream | undefined
    deadlines.start(exchange, exchange.startedMs)
    const begun = () => void deadlines.end(exchange)
    try {
      if (isClosing()) throw shutDown()
      const token = exchange.token()
      // Also where no token is needed: one that is sent has to be of a user that exists.
      let authentication = await authenticate(token)
      claims = 'unauthenticated' in authentication ? undefined : authentication
      exchange.recognize(claims !== undefined)
      userId = claims?.userId
      const decoding = exchange.decode(authentication)
      if (decoding instanceof Promise) {
        await decoding
        // Rights may have changed while the request arrived or was decoded.
        if (requirement !== undefined) authentication = await authenticate(token)
      }
      if (requirement !== undefined) {
        const admitted = await admit(requirement, { token, authentication }, exchange.subject())
        ;({ authentication, permission } = admitted)
      }
      claims = authentication as Claims
      const present = new Call(exchange.answering, trace, surroundings, ledger.readBudget, readerOf(userId, address))
      call = present
      calls.set(call, exchange)
      const elements = exchange.elements(permission!)
      if (elements !== undefined) {
        stream = openStreams.open({ operation, transport, claims, address })
        call.signal.addEventListener('abort', stream.abandon)
        await exchange.sendElements(elements, {
          stream,
          caller: { userId, claims, permission },
          account: call.account,
          begun,
        })
      } else {
        using _watch = exchange.isList ? authorization.watch(claims, (refusal) => present.end(refusal)) : undefined
        await exchange.answer(permission!, call, begun)
      }
    } catch (error) {
      const refusal = (stream && refusalOf(stream.signal)) ?? (call && refusalOf(call.signal))
      if (error instanceof AnswerLost) exchange.answering.destroy()
      else await exchange.refuse(refusal ?? orRetired(error, retired), { userId, claims, permission })
    } finally {
      stream?.[Symbol.dispose]()
      call?.done()
      if (call !== undefined) calls.delete(call)
      deadlines.end(exchange)
      exchange.finish()
    }
  }

  return {
    run,
    endCalls(refusal, isMeant) {
      for (const [call, exchange] of calls) if (isMeant(exchange)) call.end(refusal)
    },
    abandonCalls(refusal, isMeant) {
      for (const [call, exchange] of calls) {
        if (!isMeant(exchange)) continue
        call.end(refusal)
        // Lists end by themselves then; an answer that comes later is dropped.
        if (!exchange.isList) void exchange.refuse(refusal, nobody)
      }
    },
    retire(refusal) {
      retired = refusal
    },
    close: () => deadlines.close(),
  }
}

const nobody: KnownCaller = { userId: undefined, claims: undefined, permission: undefined }

/** The client disconnected before its request was complete, so no answer is sent. */
export class ClientGone extends Error {}

/** `retired` is the refusal for everybody since another ledger took over. */
export function orRetired(error: unknown, retired: LedgerError | undefined): unknown {
  if (retired === undefined || error instanceof DecodeError || error instanceof ClientGone) return error
  if ((error as Error).name === 'AbortError') return error
  return error instanceof LedgerError && error.code !== 'SERVICE_NOT_RUNNING' ? error : retired
}
