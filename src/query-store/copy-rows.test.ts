import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bytesCell, copyLine, jsonCell, partiesCell, textCell } from './copy-rows.ts'

/** PostgreSQL's text format: a backslash begins an escape, and a cell is null if it is `\N`. */
const cases: readonly [what: string, cell: unknown, text: string][] = [
  ['a text with tab, line break and backslash', textCell('a\tb\nc\rd\\'), 'a\\tb\\nc\\rd\\\\'],
  ['the character zero in a text', textCell('a\0b'), 'a\ufffdb'],
  ['JSON with quotes', jsonCell({ a: '"' }), '{"a":"\\\\""}'],
  ['JSON with a line break', jsonCell('a\nb'), '"a\\\\nb"'],
  ['JSON with the character zero', jsonCell('a\0b'), '"a\\\\ufffdb"'],
  ['JSON with what looks like that', jsonCell('\\u0000'), '"\\\\\\\\u0000"'],
  ['JSON null', jsonCell(null), 'null'],
  ['no parties', partiesCell(undefined), '{}'],
  ['two parties', partiesCell(['a::1', 'b::2']), '{"a::1","b::2"}'],
  ['bytes', bytesCell(Buffer.from([1, 255])), '\\\\x01ff'],
  ['a row', copyLine([1, 'a', true, undefined]), '1\ta\ttrue\t\\N\n'],
]

for (const [what, cell, text] of cases) test(what, () => assert.equal(cell, text))

test('a cell without bytes has no value', () => assert.equal(bytesCell(Buffer.alloc(0)), undefined))
