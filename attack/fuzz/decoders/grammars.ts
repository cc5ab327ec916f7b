// Decoders of small texts (names, times, numbers, durations) and of the configuration file.
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bytesFrom, identifierFrom, instantFrom, int64From } from '../../../src/api/wire/scalars.ts'
import { durationFromText } from '../../../src/base/duration.ts'
import { LedgerError } from '../../../src/base/errors.ts'
import * as names from '../../../src/base/names.ts'
import { UsageError } from '../../../src/cli/command.ts'
import { loadSettings, printableSettings } from '../../../src/cli/config.ts'
import { readResourceVersion, selectFields } from '../../../src/ledger/administration/update-requests.ts'
import { numericFromDecimal, numericFromText, numericToText, rescaled } from '../../../src/lf/codec/numeric-text.ts'
import {
  dateFromText,
  dateToText,
  instantFromText,
  instantToText,
  timestampFromText,
  timestampToText,
} from '../../../src/lf/codec/time-text.ts'
import {
  comparePackageVersions,
  isName,
  isPackageId,
  isPackageName,
  isPackageVersion,
} from '../../../src/lf/syntax/names.ts'
import { contractIdFromText, contractIdProblem } from '../../../src/lf/values/contract-ids.ts'
import { jsonDecoder, textDecoder } from '../decoder.ts'

function same(text: string, again: unknown, first: unknown): void {
  if (String(again) !== String(first)) throw new Error(`${JSON.stringify(text)} is ${first}, then ${again}`)
}

const problems = [
  ...[names.partyProblem, names.ledgerStringProblem, names.packageIdProblem, names.packageNameProblem],
  ...[names.packageReferenceProblem, names.dottedNameProblem, names.userIdProblem, names.uniqueIdentifierProblem],
  ...[names.partyHintProblem, names.tooLongForIdentifier, names.fingerprintProblem, contractIdProblem],
]

export const smallTexts = textDecoder({
  name: 'names, times and numbers',
  corpus: () => [
    ...[
      'alice',
      `alice::1220${'ab'.repeat(32)}`,
      'quickstart',
      'Main.Sub',
      '1.2.3',
      '#quickstart:Iou:Iou',
      'user@host',
    ],
    ...[`00${'ab'.repeat(64)}`, `01${'ab'.repeat(24)}`, 'ab'.repeat(32)],
    ...['2030-01-01T00:00:00Z', '1970-01-01T00:00:00.000001Z', '9999-12-31T23:59:59.999999+01:00', '2024-02-29'],
    ...['0', '-7', '9223372036854775807', '1.5', '-0.0000000001', '12345678901234567890.1234567890', '5.'],
    ...['90s', '15m', '1h', '30d', 'Bw==', 'AAAA', 'user.metadata.annotations', 'issuer'],
  ],
  read(text) {
    for (const problemOf of problems) {
      const problem = problemOf(text)
      if (problem !== undefined && problem.length > 2_000) throw new Error(`a problem of ${problem.length} characters`)
    }
    for (const test of [isName, isPackageId, isPackageName, isPackageVersion]) test(text)
    if (isPackageVersion(text) && comparePackageVersions(text, text) !== 0) throw new Error(`${text} is not itself`)
    const lengthMs = durationFromText(text)
    if (lengthMs !== undefined && !(Number.isSafeInteger(lengthMs) && lengthMs > 0)) throw new Error(`${lengthMs} ms`)
    readTimes(text)
    readNumbers(text)
    const contractId = contractIdFromText(text)
    if (contractId !== undefined) same(text, contractIdFromText(contractId.text)?.text, contractId.text)
    bytesFrom(text)
    identifierFrom(text)
    orRefusal(() => readResourceVersion(text, 'version'))
    orRefusal(() => selectFields(text.split(','), maskFields, (reason) => new UsageError(reason)))
    return true
  },
  isRefusal: () => false, // Most refusals are return values here; the others are caught in place.
})

const maskFields = ['issuer', 'user.metadata.annotations']

function orRefusal(read: () => unknown): void {
  try {
    read()
  } catch (error) {
    if (!(error instanceof LedgerError || error instanceof UsageError)) throw error
  }
}

function readTimes(text: string): void {
  const micros = instantFromText(text)
  if (micros !== undefined) {
    same(text, timestampFromText(timestampToText(micros)), micros)
    same(text, instantFromText(instantToText(micros)), micros)
  }
  const days = dateFromText(text)
  if (days !== undefined) same(text, dateFromText(dateToText(days)), days)
  instantFrom(text)
}

function readNumbers(text: string): void {
  const exact = numericFromText(text)
  if (exact !== undefined) same(text, numericToText(numericFromText(numericToText(exact))!), numericToText(exact))
  const given = numericFromDecimal(text)
  if (given !== undefined) {
    const scaled = rescaled(given, 37)
    if (typeof scaled !== 'string') same(text, numericFromText(numericToText(scaled))?.unscaled, scaled.unscaled)
  }
  const integer = int64From(text)
  if (integer !== undefined && BigInt.asIntN(64, integer) !== integer) throw new Error(`${integer} has over 64 bits`)
}

/** In memory if possible, because a disk would take most of the time. */
const folder = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()
const file = join(folder, `tallystick-attack-${process.pid}.json`)
process.once('exit', () => rmSync(file, { force: true }))

export const configurations = jsonDecoder({
  name: 'configuration files',
  corpus: () => [
    JSON.stringify({
      http: { host: '127.0.0.1', port: 7575, corsOrigins: ['https://a.example'] },
      store: { kind: 'sqlite', data: 'data' },
      auth: {
        mode: 'jwt',
        keys: [
          { type: 'hs256', secret: 's3cret' },
          { type: 'jwks', url: 'https://x/' },
        ],
      },
      log: { level: 'info' },
      limits: { bodyBytesMax: 1000, requestTimeoutMs: 5 },
      time: { kind: 'static', start: '2030-01-01T00:00:00Z' },
      dars: ['a.dar'],
    }),
    '{}',
    '{"store":{"kind":"postgres","postgresUrl":"postgres://user:s3cret@localhost/x"}}',
  ],
  read(text) {
    writeFileSync(file, text)
    const settings = loadSettings({ config: file }, {})
    checkMasked(printableSettings(settings))
    return true
  },
  isRefusal: (error) => error instanceof UsageError && !/\n|is not JSON.*s3cret/.test(error.message),
})

function checkMasked(shown: unknown): void {
  const { auth, store } = shown as { auth: { keys: { secret?: string }[] }; store: { postgresUrl?: string } }
  const secrets = auth.keys.map(({ secret }) => secret).filter((secret) => secret !== undefined)
  const passwords = [URL.parse(store.postgresUrl ?? '')?.password ?? '']
  for (const shownSecret of [...secrets, ...passwords]) {
    if (shownSecret !== '' && !/^(\*|%2A)+$/i.test(shownSecret)) throw new Error(`a secret is shown: ${shownSecret}`)
  }
}
