// A participant as this application knows it: its JSON Ledger API, called as one user. Nothing else of the ledger is used.
import { descriptionOf, errorAnswerOf } from '../../base/error-answer.ts'
import type { Random } from '../../base/random.ts'
import { randomUuid } from '../../base/random.ts'
import { type Answer, createHttpRequests, type Send } from './http-requests.ts'

// biome-ignore lint/suspicious/noExplicitAny: answers of all operations pass through here.
export type Json = any

/** A participant that runs, by its URL and a token of its operator. */
export type ParticipantAccess = {
  readonly url: string
  /** Empty for the user of the token. */
  readonly userId: string
  /** Undefined where none is required. */
  readonly token?: string | undefined
  readonly random: Random
  readonly send?: Send
}

export type Contract = {
  readonly contractId: string
  /** With the id of its package. */
  readonly templateId: string
  readonly packageName: string
  readonly payload: Json
  readonly blob: string
  readonly createdAt: string
  readonly synchronizerId: string
}

export type Submission = {
  readonly actAs: readonly string[]
  readonly readAs?: readonly string[]
  readonly commands: readonly object[]
  /** Contracts that the parties do not see, as `disclosedFrom` makes them. */
  readonly disclosed?: readonly object[]
  /** The same id is accepted once. */
  readonly commandId?: string
  readonly synchronizerId?: string
}

export type Participant = {
  readonly url: string
  /** As which it is called. */
  readonly userId: string
  /** For a command or a submission that has no name of its own. */
  newId(): string
  /** The answer; throws a ParticipantRefusal unless it succeeds. A body of bytes or a stream is sent as it is. */
  call(method: string, path: string, body?: unknown): Promise<Json>
  download(path: string): Promise<AsyncIterable<Uint8Array>>
  /** The offset of its last update. */
  end(): Promise<number>
  /**
   * Contracts of a template (`#package:Module:Template`), or of several, that these parties see, or anybody, with their blobs: active at the end by
   * default.
   */
  contracts(
    template: string | readonly string[],
    parties: readonly string[] | 'anybody',
    offset?: number,
  ): Promise<Contract[]>
  /** The same by the view of an interface, which takes the place of the payload. */
  views(interfaceId: string, parties: readonly string[]): Promise<Contract[]>
  /** The events of the transaction, as its submitters see it. */
  submit(submission: Submission): Promise<Json>
  /** Calls back at each transaction that these parties see from now on. Settles when the stream ends, and says why if it knows. */
  follow(parties: readonly string[], onUpdate: () => void, signal: AbortSignal): Promise<string | undefined>
  /** The ledger's clock, as text. */
  time(): Promise<string>
}

/** What an error of the Ledger API says besides its code. */
export type RefusalDetails = {
  readonly grpcCode?: number | undefined
  /** As a gRPC client sees it. */
  readonly description?: string
  /** What Daml code added to its failure is among it. */
  readonly metadata?: Readonly<Record<string, string>>
}

/** A request that the participant refuses: its status, and its error code and cause. */
export class ParticipantRefusal extends Error {
  readonly status: number
  readonly code: string
  readonly details: RefusalDetails

  constructor(status: number, code: string, message: string, details: RefusalDetails = {}) {
    super(message)
    this.status = status
    this.code = code
    this.details = details
  }
}

/** gRPC codes of refusals that may not happen again: time is up, something is used or gone or busy. */
const transientCodes: ReadonlySet<number | undefined> = new Set([4, 5, 8, 10, 14])

/** Whether the same command may succeed when it is tried again. */
export function isTransient(error: unknown): boolean {
  return error instanceof ParticipantRefusal && transientCodes.has(error.details.grpcCode)
}

const contentionCodes: ReadonlySet<string> = new Set([
  'CONTRACT_NOT_FOUND',
  'LOCAL_VERDICT_LOCKED_CONTRACTS',
  'LOCAL_VERDICT_INACTIVE_CONTRACTS',
  'LOCAL_VERDICT_LOCKED_KEYS',
])

/** Whether somebody else has used a contract that the command names. */
export function isContention(error: unknown): boolean {
  return error instanceof ParticipantRefusal && contentionCodes.has(error.code)
}

/** The longest that the node knows: it ends a stream after it. */
const longestSilenceMs = 2 ** 31 - 1

const httpRequests = createHttpRequests()

const overHttp: Send = (url, options) =>
  httpRequests(url, options).catch(() => Promise.reject(unreachable(`${options.method} ${url}`)))

export function createParticipant({ url, userId, token, random, send = overHttp }: ParticipantAccess): Participant {
  const headers = {
    'content-type': 'application/json',
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  }

  async function ask(method: string, path: string, body?: unknown): Promise<Answer> {
    const isBytes = body instanceof Uint8Array || body instanceof ReadableStream
    const content = body === undefined || isBytes ? body : JSON.stringify(body)
    const response = await send(`${url}${path}`, {
      method,
      headers,
      ...(content !== undefined && { body: content }),
    })
    if (response.ok) return response
    const text = await response.text()
    throw refusalFrom(response.status, text, `${method} ${path}`)
  }

  async function call(method: string, path: string, body?: unknown): Promise<Json> {
    return jsonFrom(await (await ask(method, path, body)).text())
  }

  const end = async (): Promise<number> => (await call('GET', '/v2/state/ledger-end')).offset

  async function active(
    filters: readonly object[],
    parties: readonly string[] | 'anybody',
    offset?: number,
  ): Promise<Contract[]> {
    const cumulative = filters.map((identifierFilter) => ({ identifierFilter }))
    const eventFormat =
      parties === 'anybody'
        ? { filtersForAnyParty: { cumulative } }
        : { filtersByParty: Object.fromEntries(parties.map((party) => [party, { cumulative }])) }
    const activeAtOffset = offset ?? (await end())
    const contracts: Contract[] = []
    let pageToken: string | undefined
    do {
      const page = await call('POST', '/v2/state/active-contracts-page', { activeAtOffset, eventFormat, pageToken })
      for (const { contractEntry } of page.activeContracts) {
        const { createdEvent, synchronizerId } = contractEntry.JsActiveContract ?? {}
        if (createdEvent !== undefined) contracts.push(contractFrom(createdEvent, synchronizerId))
      }
      pageToken = page.nextPageToken || undefined
    } while (pageToken !== undefined)
    return contracts
  }

  return {
    url,
    userId,
    newId: () => randomUuid(random),
    call,
    end,
    download: async (path) => (await ask('GET', path)).body,
    contracts: (template, parties, offset) => active([template].flat().map(templateFilter), parties, offset),
    views: (interfaceId, parties) =>
      active(
        [{ InterfaceFilter: { value: { interfaceId, includeInterfaceView: true, includeCreatedEventBlob: true } } }],
        parties,
      ),
    async submit({ actAs, readAs = [], commands, disclosed = [], commandId = randomUuid(random), synchronizerId }) {
      const eventFormat = {
        filtersByParty: Object.fromEntries([...actAs, ...readAs].map((party) => [party, { cumulative: [] }])),
        verbose: true,
      }
      const request = {
        commands: {
          commandId,
          userId,
          actAs,
          readAs,
          commands,
          disclosedContracts: disclosed,
          ...(synchronizerId !== undefined && { synchronizerId }),
        },
        transactionFormat: { eventFormat, transactionShape: 'TRANSACTION_SHAPE_LEDGER_EFFECTS' },
      }
      return (await call('POST', '/v2/commands/submit-and-wait-for-transaction', request)).transaction
    },
    async follow(parties, onUpdate, signal) {
      const beginExclusive = await end()
      const eventFormat = {
        filtersByParty: Object.fromEntries(parties.map((party) => [party, { cumulative: [] }])),
        verbose: false,
      }
      const includeTransactions = { eventFormat, transactionShape: 'TRANSACTION_SHAPE_ACS_DELTA' }
      const response = await send(`${url}/v2/updates?stream_idle_timeout_ms=${longestSilenceMs}`, {
        method: 'POST',
        // Its own connection: a node that closes would wait for one that is kept for later requests.
        headers: { ...headers, accept: 'application/x-ndjson', connection: 'close' },
        body: JSON.stringify({ beginExclusive, updateFormat: { includeTransactions } }),
        signal,
      })
      onUpdate() // Something may have happened before the stream began.
      const decoder = new TextDecoder()
      let line = ''
      for await (const chunk of response.body) {
        const parts = (line + decoder.decode(chunk, { stream: true })).split('\n')
        line = parts.pop()!
        if (parts.some((part) => part.includes('"Transaction"'))) onUpdate()
        const ending = parts.map(jsonFrom).find((part) => typeof part?.code === 'string')
        if (ending !== undefined) return ending.code
      }
      return undefined
    },
    time: async () => (await call('GET', '/v2/time')).currentTime,
  }
}

/** As commands name a contract that their parties do not see. */
export function disclosedFrom({ templateId, contractId, blob, synchronizerId }: Contract): object {
  return { templateId, contractId, createdEventBlob: blob, synchronizerId }
}

function templateFilter(templateId: string): object {
  return { TemplateFilter: { value: { templateId, includeCreatedEventBlob: true } } }
}

/** A created event as a contract. */
export function contractFrom(event: Json, synchronizerId: string): Contract {
  const {
    contractId,
    templateId,
    packageName,
    createArgument,
    interfaceViews = [],
    createdEventBlob,
    createdAt,
  } = event
  const view = interfaceViews.find((one: Json) => one.viewValue !== undefined)?.viewValue
  const payload = view ?? createArgument
  return { contractId, templateId, packageName, payload, blob: createdEventBlob, createdAt, synchronizerId }
}

/** It stops, or has stopped. */
function unreachable(request: string): ParticipantRefusal {
  const description = 'The participant cannot be reached'
  return new ParticipantRefusal(503, 'UNREACHABLE', `${request}: ${description}`, { grpcCode: 14, description })
}

function refusalFrom(status: number, text: string, request: string): ParticipantRefusal {
  const answer = errorAnswerOf(text)
  const { code = 'UNKNOWN', cause, grpcCode, context: metadata } = answer
  const details = { grpcCode, description: descriptionOf(answer), metadata }
  return new ParticipantRefusal(status, code, `${request}: ${code}: ${cause}`, details)
}

function jsonFrom(text: string): Json {
  try {
    return text === '' ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}
