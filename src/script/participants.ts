// The participants that a script talks to, each by the Ledger API over JSON and nothing else. How a request gets there is
// not known here.
import { descriptionOf, type ErrorAnswer, errorAnswerOf } from '../base/error-answer.ts'
import { Unanswered } from './failures.ts'

export type Request = {
  /** The name of the participant; undefined for the default one. */
  readonly participant: string | undefined
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly body: string | undefined
}

export type Answer = { readonly status: number; readonly text: string }

/** Throws an Unanswered if the participant cannot be reached. */
export type Call = (request: Request) => Promise<Answer>

/** Plain data, so that it can be given to a thread. */
export type ParticipantNames = {
  readonly hasDefault: boolean
  readonly names: readonly string[]
  readonly participantsOfParties: Readonly<Record<string, string>>
  /** Who submits on which participant, if not the order's user; empty leaves it to the token. */
  readonly userIds?: readonly (readonly [name: string | undefined, userId: string])[]
}

/** Whatever is in an answer: it comes from outside. */
// biome-ignore lint/suspicious/noExplicitAny: the shape of an answer is that of its operation.
export type Json = any

export type Participant = {
  readonly name: string | undefined
  readonly userId: string | undefined
  /** The answer as JSON. A refusal is thrown as a Refused. */
  call(method: Request['method'], path: string, body?: unknown): Promise<Json>
}

export type Participants = {
  /** The one with this name; the default one if there is none, or no name is given. */
  named(name: string | undefined): Participant
  /** The one that hosts all these parties. */
  of(parties: readonly string[]): Participant
  remember(party: string, participant: string | undefined): void
}

/** The participant refused a request. */
export class Refused extends Unanswered {
  readonly error: ErrorBody

  constructor(error: ErrorBody) {
    super(statusText(error), 'StatusRuntimeException')
    this.error = error
  }
}

export type ErrorBody = ErrorAnswer & { readonly status: number }

export function createParticipants(
  { hasDefault, names, participantsOfParties, userIds = [] }: ParticipantNames,
  call: Call,
): Participants {
  const known = new Set(names)
  const users = new Map(userIds)
  const byName = new Map<string | undefined, Participant>()
  const ofParties = new Map(Object.entries(participantsOfParties))

  function named(wanted: string | undefined): Participant {
    const name = wanted !== undefined && known.has(wanted) ? wanted : undefined
    if (name === undefined && !hasDefault) {
      throw new Unanswered(wanted === undefined ? 'No default participant' : noneNamed(wanted))
    }
    let participant = byName.get(name)
    if (participant === undefined) {
      participant = createParticipant(name, users.get(name), call)
      byName.set(name, participant)
    }
    return participant
  }

  return {
    named,
    of(parties) {
      const hosts = parties.map((party) => named(ofParties.get(party)))
      const [first] = hosts
      if (first === undefined) throw new Unanswered('at least one party is needed')
      if (hosts.some((host) => host !== first)) {
        const allocated = parties.map(
          (party, index) => `${party} on ${hosts[index]!.name ?? 'the default participant'}`,
        )
        throw new Unanswered(
          `All parties must be on the same participant but parties were allocated as follows: ${allocated.join(', ')}`,
        )
      }
      return first
    },
    remember(party, participant) {
      if (participant !== undefined) ofParties.set(party, participant)
    },
  }
}

const noneNamed = (name: string): string => `No participant ${name} and no default participant`

function createParticipant(name: string | undefined, userId: string | undefined, call: Call): Participant {
  return {
    name,
    userId,
    async call(method, path, body) {
      const text = body === undefined ? undefined : JSON.stringify(body)
      const answer = await call({ participant: name, method, path, body: text })
      if (answer.status >= 400) throw new Refused({ status: answer.status, ...errorAnswerOf(answer.text) })
      return answer.text === '' ? undefined : JSON.parse(answer.text)
    },
  }
}

/** By number, as gRPC names its codes. */
const grpcNames = [
  ...['OK', 'CANCELLED', 'UNKNOWN', 'INVALID_ARGUMENT', 'DEADLINE_EXCEEDED', 'NOT_FOUND', 'ALREADY_EXISTS'],
  ...['PERMISSION_DENIED', 'RESOURCE_EXHAUSTED', 'FAILED_PRECONDITION', 'ABORTED', 'OUT_OF_RANGE', 'UNIMPLEMENTED'],
  ...['INTERNAL', 'UNAVAILABLE', 'DATA_LOSS', 'UNAUTHENTICATED'],
]

function statusText(error: ErrorBody): string {
  return `${grpcNames[error.grpcCode ?? -1] ?? 'UNKNOWN'}: ${descriptionOf(error)}`
}

/** All pages of a list. */
export async function* pagesOf(participant: Participant, path: string): AsyncIterable<Json> {
  let pageToken = ''
  do {
    const mark = path.includes('?') ? '&' : '?'
    const query = pageToken === '' ? '' : `${mark}pageToken=${encodeURIComponent(pageToken)}`
    const page = await participant.call('GET', `${path}${query}`)
    yield page
    pageToken = page.nextPageToken ?? ''
  } while (pageToken !== '')
}
