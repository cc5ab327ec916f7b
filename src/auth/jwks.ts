// Key sets that issuers publish: fetched on first use, shared by concurrent requests, cached. If the endpoint fails,
// the old keys still serve for a while; if it is slow, requests use them while the refresh goes on in the background. A
// hostile endpoint costs bounded time and memory. Unknown key ids cause a refetch, with back-off while that finds
// nothing.
import { createHash } from 'node:crypto'
import { createLocalJWKSet, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose'
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { Limits } from '../base/settings.ts'
import { shownUrl } from '../base/shown-url.ts'
import { TokenRefused } from './token-refused.ts'

export type KeySets = {
  /** The algorithms that a key of a set may sign with. */
  readonly algorithms: readonly string[]
  /** The set to choose a key from. With `fresh`, it is fetched again because the cached one lacks the key. */
  get(url: string, options?: { fresh: true }): Promise<JWTVerifyGetKey>
  /** The cached set, if it is up to date. */
  known(url: string): JWTVerifyGetKey | undefined
}

type KeySet = {
  keys: JWTVerifyGetKey | undefined
  fetchedAtMs: number
  triedAtMs: number
  /** Failed attempts in a row. */
  failures: number
  /** Shows whether a fetch brought new keys. */
  fingerprint: string
  /** When a key was last requested that the set lacks. */
  missedAtMs: number
  /** Fetches in a row for a missing key that brought nothing new. */
  inVain: number
  pending?: Promise<void>
}

const setsMax = 100
const documentBytesMax = 1024 * 1024
/** Keys of one set: Canton's limit. */
const keysMax = 1000
/** How long an expired set still serves while its endpoint does not answer. */
const outageMs = 3_600_000
/** Least time between two fetches of one set. */
const cooldownMs = 1000
/** How long a request waits for a refresh while the old set still serves. */
const patienceMs = 200
/** Upper bound of the back-off, in cooldowns, for an endpoint that fails or has nothing new. */
const backOffMax = 64

/** Those that Canton takes, and more that issuers use. */
const cantonsAlgorithms = ['RS256', 'ES256', 'ES512']
const moreAlgorithms = ['ES384', 'EdDSA', 'Ed25519']

type Parts = { readonly limits: Limits; readonly clock: Clock; readonly log: Log; readonly isLenient: boolean }

export function createKeySets({ limits, clock, log, isLenient }: Parts): KeySets {
  const sets = new Map<string, KeySet>()

  async function refresh(url: string, set: KeySet, isForMissing: boolean): Promise<void> {
    set.triedAtMs = clock.elapsedMs()
    try {
      const document = await inTime((signal) => fetchKeySet(url, signal))
      set.keys = createLocalJWKSet(document)
      const fingerprint = fingerprintOf(document)
      if (fingerprint !== set.fingerprint) set.inVain = 0
      else if (isForMissing) set.inVain += 1
      set.fingerprint = fingerprint
      set.fetchedAtMs = clock.elapsedMs()
      set.failures = 0
    } catch (error) {
      set.failures += 1
      log.warn({ url: shownUrl(url), reason: reasonOf(error) }, 'a key set could not be fetched')
      if (!isUsable(set)) throw new TokenRefused(`the keys of its issuer could not be fetched: ${reasonOf(error)}`)
    }
  }

  async function inTime<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const late = new AbortController()
    const reason = new DOMException('The operation was aborted due to timeout', 'TimeoutError')
    const timer = clock.after(limits.jwksTimeoutMs, () => late.abort(reason))
    return work(late.signal).finally(() => timer.cancel())
  }

  const isUsable = (set: KeySet) => ageOf(set) < limits.jwksCacheMs + outageMs
  const ageOf = (set: KeySet) => clock.elapsedMs() - set.fetchedAtMs
  const wasJustTried = (set: KeySet, isForMissing: boolean) =>
    clock.elapsedMs() - set.triedAtMs < cooldownMs * backOff(set, isForMissing)

  function backOff(set: KeySet, isForMissing: boolean): number {
    if (!isUsable(set)) return 1
    const failures = Math.max(0, set.failures - 1)
    return Math.min(2 ** (isForMissing ? Math.max(failures, set.inVain) : failures), backOffMax)
  }

  /** Resets the back-off after a quiet time: the next missing key is probably a new one. */
  function missed(set: KeySet): void {
    const nowMs = clock.elapsedMs()
    if (nowMs - set.missedAtMs >= cooldownMs * backOffMax) set.inVain = 0
    set.missedAtMs = nowMs
  }

  /** Waits for a refresh up to `patienceMs`; the refresh itself continues. */
  async function awhile(set: KeySet, pending: Promise<void>): Promise<void> {
    const waitMs = set.triedAtMs + patienceMs - clock.elapsedMs()
    if (waitMs <= 0) return
    const enough = Promise.withResolvers<void>()
    const timer = clock.after(waitMs, enough.resolve)
    await Promise.race([pending, enough.promise])
    timer.cancel()
  }

  return {
    algorithms: isLenient ? [...cantonsAlgorithms, ...moreAlgorithms] : cantonsAlgorithms,
    known(url) {
      const set = sets.get(url)
      return set !== undefined && ageOf(set) < limits.jwksCacheMs ? set.keys : undefined
    },

    async get(url, options) {
      let set = sets.get(url)
      if (set === undefined) {
        set = newKeySet()
        sets.set(url, set)
        if (sets.size > setsMax) sets.delete(sets.keys().next().value!)
      }
      const isForMissing = options?.fresh === true
      if (isForMissing) missed(set)
      const isWanted = isForMissing || set.keys === undefined || ageOf(set) >= limits.jwksCacheMs
      // The endpoint is left alone for a cooldown after a failure and between fetches for unknown keys.
      if (isWanted && (set.pending !== undefined || !wasJustTried(set, isForMissing))) {
        set.pending ??= refresh(url, set, isForMissing).finally(() => {
          delete set.pending
        })
        set.pending.catch(() => undefined) // Those who await it still get the error.
        if (isForMissing || !isUsable(set)) await set.pending
        else await awhile(set, set.pending)
      }
      if (!isUsable(set)) throw new TokenRefused('the keys of its issuer could not be fetched a moment ago')
      return set.keys!
    },
  }
}

function newKeySet(): KeySet {
  const never = -Infinity
  return {
    keys: undefined,
    fetchedAtMs: never,
    triedAtMs: never,
    failures: 0,
    fingerprint: '',
    missedAtMs: never,
    inVain: 0,
  }
}

/** Independent of the order in which the keys are published. */
function fingerprintOf({ keys }: JSONWebKeySet): string {
  const hash = createHash('sha256')
  for (const key of keys.map((one) => JSON.stringify(one)).sort()) hash.update(`${key}\n`)
  return hash.digest('base64')
}

async function fetchKeySet(url: string, signal: AbortSignal): Promise<JSONWebKeySet> {
  const place = new URL(url)
  const { username, password } = place
  const credentials = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64')
  place.username = ''
  place.password = '' // fetch refuses URLs with credentials, and its error repeats them.
  const response = await fetch(place, {
    redirect: 'error', // The endpoint must not redirect to another source of keys.
    headers: { accept: 'application/json', ...(username !== '' && { authorization: `Basic ${credentials}` }) },
    signal,
  })
  if (!response.ok) throw new Error(`the endpoint answered ${response.status}`)
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.length
    if (size > documentBytesMax) throw new Error(`the answer is larger than ${documentBytesMax} bytes`)
    chunks.push(chunk)
  }
  const document: unknown = JSON.parse(Buffer.concat(chunks).toString())
  const keys = (document as { keys?: unknown } | null)?.keys
  if (!Array.isArray(keys)) throw new Error('the answer is not a JSON Web Key Set')
  if (keys.length > keysMax) throw new Error(`the answer holds more than ${keysMax} keys`)
  return document as JSONWebKeySet
}

function reasonOf(error: unknown): string {
  const { message, cause } = error as Error & { cause?: Error & { code?: string } }
  return cause === undefined ? message : `${message} (${cause.code ?? cause.message})`
}
