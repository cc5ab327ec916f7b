// The tests of decoding once more, with compiled readers: each message is read often enough first.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { openDar } from '../dar/dar.ts'
import type { Content } from './content.ts'
import { int32, unit } from './contents.ts'
import { createDecoding } from './decoding.ts'
import { form, many, message, once, oneOf } from './message.ts'

const decodings = 600

for (const dar of ['packages/quickstart/quickstart.dar', 'test/lf/keys-lf23.dar']) {
  const packages = openDar(readFileSync(dar)).packages
  for (let i = 0; i < decodings; i += 1) for (const one of packages) one.decode().checkBodies()
}
await import('./archive.test.ts')
await import('./expressions.test.ts')
await import('./definitions.test.ts')
await import('./hostile-input.test.ts')

/** New each time: a reader that was compiled stays so. */
const list = (): Content<unknown> =>
  message('List', [many(1, 'items', int32, { min: 1 }), once(2, 'last', int32)], (items, last) => {
    return [...items, last]
  })
const choice = (): Content<unknown> =>
  oneOf<unknown>('Choice', [form(1, 'one', int32), form(2, 'none', unit), form(3, 'late', int32, 3)])

const inputs: readonly (readonly [title: string, content: () => Content<unknown>, bytes: readonly number[]])[] = [
  ['numbers one by one', list, [6, 0x08, 1, 0x08, 2, 0x10, 3]],
  ['packed numbers', list, [6, 0x0a, 2, 1, 2, 0x10, 3]],
  ['a packed list that is cut off', list, [3, 0x0a, 2, 1]],
  ['an absent number', list, [2, 0x08, 1]],
  ['an empty list', list, [2, 0x10, 3]],
  ['a field given twice', list, [6, 0x08, 1, 0x10, 3, 0x10, 4]],
  ['an unknown field', list, [2, 0x18, 1]],
  ['a wrong wire type', list, [2, 0x12, 0]],
  ['a form', choice, [2, 0x08, 7]],
  ['another form', choice, [2, 0x12, 0]],
  ['no form', choice, [0]],
  ['two forms', choice, [4, 0x08, 7, 0x12, 0]],
  ['a form and an unknown field', choice, [4, 0x08, 7, 0x20, 0]],
  ['a form that the version does not have', choice, [2, 0x18, 1]],
  ['a form with a wrong wire type', choice, [2, 0x10, 1]],
  ['a message that reaches beyond its end', choice, [9, 0x08, 7]],
]

for (const [title, content, bytes] of inputs) {
  test(`${title}: compiled readers read the same`, () => {
    assert.deepEqual(outcome(bytes, content().compiled!()), outcome(bytes, content().read))
  })
}

function outcome(bytes: readonly number[], read: (decoding: ReturnType<typeof createDecoding>) => unknown): unknown {
  const decoding = createDecoding(Uint8Array.from(bytes), 'abc', 1, undefined)
  try {
    return { found: read(decoding), at: decoding.position, depth: decoding.depth }
  } catch (error) {
    return (error as Error).message
  }
}
