import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createTestClock } from '../base/clock.ts'
import { withProgress } from './progress.ts'
import { createTableWriter, renderTable } from './table.ts'

const titles = ['NAME', 'TEXT']

describe('a table', () => {
  const rows: [title: string, cells: string[][], width: number | undefined, wanted: string][] = [
    [
      'is aligned',
      [
        ['a', 'x'],
        ['long name', 'y'],
      ],
      undefined,
      'NAME       TEXT\na          x\nlong name  y',
    ],
    ['is only its titles without rows', [], undefined, 'NAME  TEXT'],
    ['is cut to a width', [['a', 'x'.repeat(40)]], 16, `NAME  TEXT\na     ${'x'.repeat(9)}…`],
    [
      'cuts the widest column first',
      [['n'.repeat(12), 'x'.repeat(30)]],
      26,
      `NAME          TEXT\n${'n'.repeat(12)}  ${'x'.repeat(11)}…`,
    ],
    ['is not cut elsewhere', [['a', 'x'.repeat(300)]], undefined, `NAME  TEXT\na     ${'x'.repeat(300)}`],
    ['does not let text control the terminal', [['a\u001b[2J', 'b\nc']], undefined, 'NAME   TEXT\na [2J  b c'],
  ]
  for (const [title, cells, width, wanted] of rows) {
    test(title, () => assert.equal(renderTable(titles, cells, width), wanted))
  }

  test('whose rows come one by one takes its widths from the first hundred', () => {
    const lines: string[] = []
    const table = createTableWriter(titles, { print: (text) => lines.push(text), width: undefined })
    for (let row = 0; row < 99; row += 1) table.add(['name', String(row)])
    assert.deepEqual(lines, [])
    table.add(['long name', '99'])
    assert.equal(lines.join('\n').split('\n').length, 101)
    table.add(['a', 'b'])
    assert.equal(lines.at(-1), 'a          b')
    table.add(['a name that is longer than those before', 'b']) // No terminal, so nothing is lost.
    table.end()
    assert.equal(lines.at(-1), 'a name that is longer than those before  b')
  })

  test('that follows something prints each row at once', () => {
    const lines: string[] = []
    const table = createTableWriter(titles, { print: (text) => lines.push(text), width: undefined }, { live: [6, 4] })
    table.add(['a', 'b'])
    assert.deepEqual(lines, ['NAME    TEXT', 'a       b'])
  })
})

test('work that takes longer than a second says so, and quick work does not', async () => {
  const clock = createTestClock(0)
  const told: string[] = []
  const showProgress = (text: string) => void told.push(text)
  const { promise, resolve } = Promise.withResolvers<number>()
  const work = withProgress('restoring', { showProgress }, promise, clock)
  clock.advance(999)
  assert.deepEqual(told, [])
  clock.advance(10_001)
  assert.deepEqual(told, ['restoring… (1 s)', 'restoring… (11 s)'])
  resolve(7)
  assert.equal(await work, 7)
  clock.advance(60_000)
  assert.equal(told.length, 2)
})
