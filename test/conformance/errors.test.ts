// docs/errors.md lists every code that a client can get, with its status.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { refusalResponse } from '../../src/api/errors/error-response.ts'
import { type ErrorCode, errorCodes, LedgerError } from '../../src/base/errors.ts'

test('docs/errors.md lists every code once, with its status', () => {
  const text = readFileSync(new URL('../../docs/errors.md', import.meta.url), 'utf8')
  const documented = [...text.matchAll(/^\| (`[^|]+`) \| ([\d ]+) \|/gm)].flatMap(([, names, numbers]) => {
    const statuses = numbers!.trim().split(' ').map(Number)
    return [...names!.matchAll(/`(\w+)`/g)].map(([, code], index) => [code!, statuses[index] ?? statuses[0]!] as const)
  })
  const actual = Object.keys(errorCodes).map((code) => [code, statusOf(code as ErrorCode)] as const)
  assert.deepEqual(documented.toSorted(byCode), actual.toSorted(byCode))
})

function statusOf(code: ErrorCode): number | undefined {
  return refusalResponse(new LedgerError(code, ''), { traceId: '', explains: true, participant: '' })?.status
}

function byCode([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : a > b ? 1 : 0
}
