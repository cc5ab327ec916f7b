// A fork as a rehearsal uses it: its API, with all rights. It is a ledger of its own, so everything may be tried on it.
import { type ErrorAnswer, errorAnswerOf } from '../base/error-answer.ts'
import { errorWords } from '../base/error-words.ts'
import type { LedgerClient } from '../ledger-client/ledger-client.ts'

export type ForkAccess = {
  readonly client: LedgerClient
  /** Bytes are sent as they are, anything else as JSON. */
  send(path: string, body: unknown): Promise<{ readonly status: number; readonly text: string }>
}

/** Undefined if the fork does what is asked, else why it does not. */
export async function refusalOf(fork: ForkAccess, path: string, body: unknown): Promise<string | undefined> {
  const answer = await errorOf(fork, path, body)
  return answer && errorWords({ ...answer, hint: undefined })
}

export async function errorOf(fork: ForkAccess, path: string, body: unknown): Promise<ErrorAnswer | undefined> {
  const { status, text } = await fork.send(path, body)
  return status === 200 ? undefined : errorAnswerOf(text)
}
