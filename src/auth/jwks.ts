// Key sets that issuers publish. Fetched when first needed, shared by all who wait, kept for a time; an outage of the
// endpoint is bridged with the keys known before, and a hostile one costs a bounded time and size.
import { createLocalJWKSet, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose'
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { Limits } from '../base/settings.ts'
import { shownUrl } from '../base/shown-url.ts'
import { TokenRefused } from './token-refused.ts'

export type KeySets = {
  /** The set to choose a key from. With `fresh`, one fetched because the known one lacks the wanted key. */
  get(url: string, options?: { fresh: true }): Promise<JWTVerifyGetKey>
}

type KeySet = { keys: JWTVerifyGetKey | undefined; fetchedAtMs: number; triedAtMs: number; pending?: Promise<void> }

const setsMax = 100

export function createKeySets(limits: Limits, clock: Clock, log: Log): KeySets {
  const sets = new Map<string, KeySet>()

  async function refresh(url: string, set: KeySet): Promise<void> {
    set.triedAtMs = clock.elapsedMs()
    try {
      set.keys = createLocalJWKSet(await fetchKeySet(url, limits))
      set.fetchedAtMs = clock.elapsedMs()
    } catch (error) {
      log.warn({ url: shownUrl(url), reason: reasonOf(error) }, 'a key set could not be fetched')
      if (!isUsable(set)) throw new TokenRefused(`the keys of its issuer could not be fetched: ${reasonOf(error)}`)
    }
  }

  const isUsable = (set: KeySet) => ageOf(set) < limits.jwksCacheMs + limits.jwksOutageMs
  const ageOf = (set: KeySet) => clock.elapsedMs() - set.fetchedAtMs
  const wasJustTried = (set: KeySet) => clock.elapsedMs() - set.triedAtMs < limits.jwksCooldownMs

  return {
    async get(url, options) {
      let set = sets.get(url)
      if (set === undefined) {
        set = { keys: undefined, fetchedAtMs: -Infinity, triedAtMs: -Infinity }
        sets.set(url, set)
        if (sets.size > setsMax) sets.delete(sets.keys().next().value!)
      }
      const isWanted = options?.fresh === true || set.keys === undefined || ageOf(set) >= limits.jwksCacheMs
      // After a failure, and between two fetches for keys nobody knows, the endpoint is left alone for a moment.
      if (isWanted && (set.pending !== undefined || !wasJustTried(set))) {
        set.pending ??= refresh(url, set).finally(() => {
          delete set.pending
        })
        await set.pending
      }
      if (!isUsable(set)) throw new TokenRefused('the keys of its issuer could not be fetched a moment ago')
      return set.keys!
    },
  }
}

async function fetchKeySet(url: string, { jwksTimeoutMs, jwksBytesMax, jwksKeysMax }: Limits): Promise<JSONWebKeySet> {
  const place = new URL(url)
  const { username, password } = place
  const credentials = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64')
  place.username = ''
  place.password = '' // A URL with a password is not fetched, and repeated in the error that says so.
  const response = await fetch(place, {
    redirect: 'error', // A config names where keys come from; the endpoint does not choose another place.
    headers: { accept: 'application/json', ...(username !== '' && { authorization: `Basic ${credentials}` }) },
    signal: AbortSignal.timeout(jwksTimeoutMs),
  })
  if (!response.ok) throw new Error(`the endpoint answered ${response.status}`)
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.length
    if (size > jwksBytesMax) throw new Error(`the answer is larger than ${jwksBytesMax} bytes`)
    chunks.push(chunk)
  }
  const document: unknown = JSON.parse(Buffer.concat(chunks).toString())
  const keys = (document as { keys?: unknown } | null)?.keys
  if (!Array.isArray(keys)) throw new Error('the answer is not a JSON Web Key Set')
  if (keys.length > jwksKeysMax) throw new Error(`the answer holds more than ${jwksKeysMax} keys`)
  return document as JSONWebKeySet
}

function reasonOf(error: unknown): string {
  const { message, cause } = error as Error & { cause?: Error & { code?: string } }
  return cause === undefined ? message : `${message} (${cause.code ?? cause.message})`
}
