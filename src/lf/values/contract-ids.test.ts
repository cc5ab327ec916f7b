import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  contractIdFromBytes,
  contractIdFromText,
  contractIdToBytes,
  contractIdVersion,
  foreignIdProblem,
  isRelative,
  isSuffixed,
} from './contract-ids.ts'

const v1 = (suffixBytes: number): string => `00${'ab'.repeat(32)}${'12'.repeat(suffixBytes)}`
const v2 = (suffix: string): string => `01${'cd'.repeat(12)}${suffix}`

const valid: [text: string, want: [version: string, suffixed: boolean, relative: boolean]][] = [
  [v1(0), ['V1', false, false]],
  [v1(1), ['V1', true, false]],
  [v1(94), ['V1', true, false]],
  [v2(''), ['V2', false, false]],
  [v2('00'), ['V2', true, true]],
  [v2('7f'), ['V2', true, true]],
  [v2('80'), ['V2', true, false]],
  [v2('ff'.repeat(33)), ['V2', true, false]],
]

for (const [text, want] of valid) {
  test(`${text.slice(0, 8)}… of ${text.length / 2} bytes is a contract id`, () => {
    const id = contractIdFromText(text)
    assert.ok(id)
    assert.deepEqual([contractIdVersion(id), isSuffixed(id), isRelative(id)], want)
    assert.deepEqual(contractIdFromBytes(contractIdToBytes(id)), id)
  })
}

const invalid = ['', '00', v1(95), v1(0).slice(2), v1(1).slice(1), v1(1).toUpperCase(), v2('00'.repeat(34)), v2('0')]

for (const text of [...invalid, `02${'00'.repeat(32)}`, `${v1(1)} `, v1(1).replace('a', 'g'), '#12:0']) {
  test(`"${text.slice(0, 8)}" of ${text.length} characters is not a contract id`, () => {
    assert.equal(contractIdFromText(text), undefined)
  })
}

test('only absolute ids may come from outside', () => {
  const problems = [v1(0), v1(1), v2(''), v2('00'), v2('80')].map((text) => foreignIdProblem(contractIdFromText(text)!))
  assert.deepEqual(problems, [
    'non-suffixed V1 Contract IDs are forbidden',
    undefined,
    'non-suffixed V2 Contract IDs are forbidden',
    'relative Contract IDs are forbidden',
    undefined,
  ])
})
