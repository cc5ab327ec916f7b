import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Point } from '../../engine/compile/coverage.ts'
import { type Described, filePage, overviewPage } from './coverage-pages.ts'
import { lcovText } from './lcov.ts'
import { sourceCoverage } from './source-coverage.ts'

const hostile = '<script>alert("&")</script>'
const packageId = 'p'

function place(startLine: number, startColumn: number, endLine: number, endColumn: number): Point {
  return { kind: 'place', at: { packageId, module: hostile, startLine, startColumn, endLine, endColumn } }
}

function described(source: string | undefined): Described {
  return { packageName: () => hostile, sourceOf: () => source, pageOf: () => `${hostile}/x y.html` }
}

const extremes = [-(2 ** 31), -1, 0, 3, 2 ** 31 - 1]
const points: Point[] = [
  ...extremes.flatMap((start) => extremes.map((end) => place(start, start, end, end))),
  {
    kind: 'arm',
    at: { packageId, module: hostile, startLine: 0, startColumn: 0, endLine: 0, endColumn: 0 },
    of: hostile,
    arm: 0,
    pattern: hostile,
  },
  { kind: 'attempted choice', packageId, name: hostile },
]

test('no name and no source becomes markup, whatever the places are', () => {
  const coverage = sourceCoverage(
    points,
    new Map([
      [`completed choice p ${hostile}`, 1],
      [`attempted choice p ${hostile}`, 1],
    ]),
  )
  const [file] = coverage.files
  const pages = [
    overviewPage({ coverage, described: described(undefined) }),
    ...[undefined, '', `a line\n${hostile}\r\nanother`].map((source) => filePage(file!, described(source))),
  ]
  for (const html of pages) {
    assert.ok(html.includes('&lt;script&gt;alert(&quot;&amp;&quot;)&lt;/script&gt;'))
    assert.doesNotMatch(html, /<script|alert\("/)
  }
})

test('inner places decide what is marked', () => {
  const at = (startColumn: number, endColumn: number) => place(0, startColumn, 0, endColumn)
  const counts = new Map([
    [`place p ${hostile} 0 0 0 9`, 1],
    [`place p ${hostile} 0 6 0 7`, 2],
  ])
  const { files } = sourceCoverage([at(4, 9), at(6, 7), at(0, 9)], counts)
  assert.match(filePage(files[0]!, described('012345678')), /<td>0123<mark>45<\/mark>6<mark>78<\/mark><\/td>/)
  assert.deepEqual(files[0]!.lines.get(1), { count: 1, isPartial: true })
})

test('LCOV tells a case that was never reached from one whose arm was not taken', () => {
  const arm = (line: number, index: number): Point => {
    const at = { packageId, module: 'M', startLine: line, startColumn: 0, endLine: line, endColumn: 9 }
    return { kind: 'arm', at, of: 'M:f 0', arm: index, pattern: '_' }
  }
  const counts = new Map([['arm p M 4 0 4 9 M:f 0 1', 3]])
  const { files } = sourceCoverage([arm(7, 1), arm(4, 1), arm(7, 0), arm(4, 0)], counts)
  assert.deepEqual(lcovText(files, () => 'M.daml').split('\n'), [
    ...['TN:', 'SF:M.daml', 'BRDA:5,0,0,0', 'BRDA:5,0,1,3', 'BRDA:8,1,0,-', 'BRDA:8,1,1,-', 'BRF:4', 'BRH:1'],
    ...['LF:0', 'LH:0', 'end_of_record', ''],
  ])
})
