// What the keys of Canton's configuration mean here, as a table. Flags of the sandbox are other spellings of keys, as in
// Canton. A key that is not served is refused by name: nothing that somebody configured is ignored.
// Mirrors Canton's sandbox/sandbox.conf and app/…/cli/Cli.scala.
import type { KeySource } from '../../base/settings.ts'
import { UsageError } from '../command.ts'
import type { HoconObject, HoconValue } from './hocon.ts'

/** A key with its value, and where it was written: `--ledger-api-port`, `-C …` or a file. */
export type CantonEntry = { readonly key: string; readonly value: HoconValue; readonly origin: string }

/** The settings that the keys make: of the sandbox, and of each participant by its name. */
export type CantonConfiguration = {
  readonly participants: ReadonlyMap<string, ParticipantKeys>
  readonly portsFile: string | undefined
  readonly isStaticTime: boolean
}

/** A value, and where somebody wrote it. */
export type Written = { readonly value: string; readonly origin: string }

export type ParticipantKeys = {
  readonly ledgerApiPort?: Written
  readonly ledgerApiAddress?: Written
  readonly jsonApiPort?: Written
  readonly jsonApiAddress?: Written
  readonly jsonApiPortFile?: Written
  readonly adminApiPort?: Written
  readonly adminApiAddress?: Written
  readonly administrator?: Written
  /** Undefined if no token is required. */
  readonly keySources?: readonly KeySource[]
  readonly hasUnlimitedTokens?: true
}

type Meaning =
  /** The name of the value in `ParticipantKeys`. */
  | { readonly is: Exclude<keyof ParticipantKeys, 'keySources' | 'hasUnlimitedTokens'> }
  /** A key that may only have the value that the sandbox has anyway. */
  | { readonly only: string; readonly instead: string }
  | { readonly instead: string }

const persistent = 'the sandbox keeps its ledger in memory; use tallystick start --postgres URL or --data DIR'
const userManagement = 'users are always managed here'
const tls = 'the sandbox has no TLS; use tallystick start --tls-cert FILE --tls-key FILE'

/** Keys after `canton.participants.NAME.`; a row also stands for the keys below it. */
const participantKeys: Readonly<Record<string, Meaning>> = {
  'ledger-api.port': { is: 'ledgerApiPort' },
  'ledger-api.address': { is: 'ledgerApiAddress' },
  'ledger-api.tls': { instead: tls },
  'ledger-api.user-management-service.enabled': { only: 'true', instead: userManagement },
  'ledger-api.user-management-service.additional-admin-user-id': { is: 'administrator' },
  'http-ledger-api.port': { is: 'jsonApiPort' },
  'http-ledger-api.server.port': { is: 'jsonApiPort' },
  'http-ledger-api.address': { is: 'jsonApiAddress' },
  'http-ledger-api.server.address': { is: 'jsonApiAddress' },
  'http-ledger-api.port-file': { is: 'jsonApiPortFile' },
  'http-ledger-api.server.port-file': { is: 'jsonApiPortFile' },
  'http-ledger-api.enabled': { only: 'true', instead: 'the JSON API is always served' },
  'admin-api.port': { is: 'adminApiPort' },
  'admin-api.address': { is: 'adminApiAddress' },
  'admin-api.tls': { instead: tls },
  'storage.type': { only: 'memory', instead: persistent },
  storage: { instead: persistent },
  'testing-time.type': { only: 'monotonic-time', instead: 'use --static-time' },
}

const noSynchronizerNodes = 'sequencers and mediators have no ports here; leave it out'

const otherKeys: Readonly<Record<string, Meaning>> = {
  sequencers: { instead: noSynchronizerNodes },
  mediators: { instead: noSynchronizerNodes },
  monitoring: { instead: 'metrics are at /metrics of the JSON API; TALLYSTICK_TRACES_OTLP_ENDPOINT exports traces' },
}

const unknown: Meaning = { instead: 'tallystick config lists the settings that exist here' }

export function readCantonKeys(entries: readonly CantonEntry[], names: readonly string[]): CantonConfiguration {
  const participants = new Map(names.map((name): [string, Writable<ParticipantKeys>] => [name, {}]))
  let portsFile: string | undefined
  let isStaticTime: boolean | undefined
  for (const entry of entries) {
    const [, participant, rest = ''] = /^participants\.([^.]+)\.(.+)$/.exec(entry.key) ?? []
    if (participant !== undefined) {
      const into = participants.get(participant)
      if (into === undefined) {
        throw refused(entry, `the participants of the sandbox are ${names.join(', ')}; tallystick start runs others`)
      }
      readParticipantKey(into, rest, entry)
    } else if (entry.key === 'parameters.ports-file') portsFile ??= textOf(entry)
    else if (entry.key === 'parameters.clock.type') isStaticTime ??= isSimulated(entry)
    else applyRow(meaningOf(otherKeys, entry.key), entry)
  }
  return { participants, portsFile, isStaticTime: isStaticTime ?? false }
}

type Writable<T> = { -readonly [key in keyof T]: T[key] }

/** The first entry counts: flags come before -C, and -C before files. */
function readParticipantKey(into: Writable<ParticipantKeys>, key: string, entry: CantonEntry): void {
  if (key === 'ledger-api.auth-services') into.keySources ??= keySourcesFrom(entry)
  else if (key === 'ledger-api.max-token-lifetime') {
    if (!/^inf(inity)?$/i.test(textOf(entry))) throw refused(entry, 'TALLYSTICK_LIMITS_TOKEN_LIFETIME_MAX_MS sets it')
    into.hasUnlimitedTokens = true
  } else {
    const meaning = meaningOf(participantKeys, key)
    if ('is' in meaning) into[meaning.is] ??= { value: textOf(entry), origin: entry.origin }
    else applyRow(meaning, entry)
  }
}

function applyRow(meaning: Meaning, entry: CantonEntry): void {
  if ('only' in meaning && entry.value === meaning.only) return
  if ('instead' in meaning) throw refused(entry, meaning.instead)
}

/** The row of the key, or of the longest part of it that has one. */
function meaningOf(rows: Readonly<Record<string, Meaning>>, key: string): Meaning {
  for (let part = key; part !== ''; part = part.slice(0, Math.max(0, part.lastIndexOf('.')))) {
    if (!Object.hasOwn(rows, part)) continue
    const row = rows[part]!
    if (part === key || !('is' in row)) return row
  }
  return unknown
}

function isSimulated(entry: CantonEntry): boolean {
  const type = textOf(entry)
  if (type !== 'sim-clock' && type !== 'wall-clock') throw refused(entry, 'it is sim-clock or wall-clock')
  return type === 'sim-clock'
}

function textOf(entry: CantonEntry): string {
  if (typeof entry.value !== 'string') throw refused(entry, 'it has one value')
  return entry.value
}

function refused({ key, origin }: Pick<CantonEntry, 'key' | 'origin'>, instead: string): UsageError {
  return new UsageError(`${origin}: canton.${key} is not served as it is written; ${instead}`)
}

const certificateTypes = ['jwt-rs-256-crt', 'jwt-es-256-crt', 'jwt-es-512-crt']

/** The keys of an authentication service that sources of keys have here, too. */
function keySourcesFrom(entry: CantonEntry): readonly KeySource[] {
  const services = Array.isArray(entry.value) ? (entry.value as readonly HoconValue[]) : []
  if (services.length === 0 || !services.every((one) => one instanceof Map))
    throw refused(entry, 'it is a list of objects')
  return (services as readonly HoconObject[]).map((service) => keySourceFrom(service, entry))
}

function keySourceFrom(service: HoconObject, entry: CantonEntry): KeySource {
  const known = ['type', 'secret', 'url', 'certificate', 'target-audience', 'target-scope']
  const stranger = [...service.keys()].find((name) => !known.includes(name))
  if (stranger !== undefined) {
    throw refused({ ...entry, key: `${entry.key}.${stranger}` }, 'TALLYSTICK_AUTH_KEYS takes all that exists here')
  }
  const part = (name: string) => {
    const value = service.get(name)
    if (typeof value !== 'string') throw refused({ ...entry, key: `${entry.key}.${name}` }, 'it is a text')
    return value
  }
  const acceptance = {
    ...(service.has('target-audience') && { targetAudience: part('target-audience') }),
    ...(service.has('target-scope') && { targetScope: part('target-scope') }),
  }
  const type = part('type')
  if (type === 'unsafe-jwt-hmac-256') return { type: 'hs256', secret: part('secret'), ...acceptance }
  if (type === 'jwt-jwks') return { type: 'jwks', url: part('url'), ...acceptance }
  if (certificateTypes.includes(type)) return { type: 'certificate', file: part('certificate'), ...acceptance }
  throw refused(entry, `its type may be unsafe-jwt-hmac-256, jwt-jwks, ${certificateTypes.join(', ')}`)
}
