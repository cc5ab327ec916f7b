// What Canton answered, in a few letters for each request: enough for a test without a Canton to see that our answers are
// still the same. Ids, times and offsets are left out, but for those that are the same on both sides.
import { createHash } from 'node:crypto'
import { type Correspondence, offsetFields, tokens } from './correspondence.ts'
import type { Answer } from './side.ts'
import type { Compared } from './verdicts.ts'

const length = 6
/** For answers that differ as COMPAT.md declares. */
export const uncompared = '-'.repeat(length)
const perLine = 18

export function fingerprintOf({ canton, ours, differences }: Compared, ids: Correspondence): string {
  const fingerprint = answerFingerprint(canton, ids)
  return differences.length === 0 && answerFingerprint(ours, ids) === fingerprint ? fingerprint : uncompared
}

export function answerFingerprint({ status, text, json }: Answer, ids: Correspondence): string {
  const content = json === undefined ? text : JSON.stringify(masked(json, ids))
  return createHash('sha256').update(`${status} ${content}`).digest('base64url').slice(0, length)
}

export function fingerprintText(fingerprints: readonly string[]): string {
  const lines: string[] = []
  for (let at = 0; at < fingerprints.length; at += perLine) lines.push(fingerprints.slice(at, at + perLine).join(' '))
  return `${lines.join('\n')}\n`
}

export function fingerprintsIn(text: string): string[] {
  return text.trim().split(/\s+/)
}

function masked(value: unknown, ids: Correspondence, field = ''): unknown {
  if (typeof value === 'string') return maskedText(value, ids)
  if (typeof value === 'number') return offsetFields.has(field) ? 'offset' : value
  if (Array.isArray(value)) return value.map((item) => masked(item, ids))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, item]) => [maskedText(key, ids), masked(item, ids, key)] as const)
  return entries.sort(([a], [b]) => (a < b ? -1 : 1))
}

function maskedText(text: string, ids: Correspondence): string {
  return text.replaceAll(tokens, (token) => (ids.isFixed(token) ? token : '*'))
}
