import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { filterNamesOf, parseNameFilter } from './name-filter.ts'

const foo = filterNamesOf('pkg', 'a.b.c', 'Foo')
const bar = filterNamesOf('pkg', 'a.b.c', 'Bar')
const baz = filterNamesOf('other', 'g.e.f', 'Baz')

describe('a filter of contracts', () => {
  const cases: readonly [expression: string, selected: string][] = [
    ['*', 'foo bar baz'],
    ['!*', ''],
    ['pkg:*', 'foo bar'],
    ['pkg:a.b.c.Bar', 'bar'],
    ['pkg:a.b.c:Bar', 'bar'],
    ['a.b.c:Bar', 'bar'],
    ['a.b.c.*', 'foo bar'],
    ['* & !pkg:a.b.c.Bar', 'foo baz'],
    ['(a.b.c.Foo | a.b.c.Bar)', 'foo bar'],
    ['(a.b.c.* & !(a.b.c.Foo | a.b.c.Bar) | g.e.f.Baz)', 'baz'],
    ['a.b.c.Foo|g.e.f.*&!other:*', 'foo'],
    ['! ! *:Foo', 'foo'],
  ]
  for (const [expression, selected] of cases) {
    test(`${expression} selects ${selected || 'nothing'}`, () => {
      const { selects } = parseNameFilter(expression, 'FILTER')
      const found = Object.entries({ foo, bar, baz }).filter(([, names]) => selects(names))
      assert.equal(found.map(([name]) => name).join(' '), selected)
    })
  }
})

describe('a filter of parties', () => {
  const cases: readonly [expression: string, party: string, isSelected: boolean][] = [
    ['Alice::* | Bob::*', 'Bob::1220', true],
    ['Alice::* | Bob::*', 'Bobby::1220', false],
    ['Alice* | (Charlie* & !(*::3))', 'Charlie::3', false],
    ['Alice* | (Charlie* & !(*::3))', 'Charlie::4', true],
    ['* & !Alice::*', 'Alice::1220', false],
    ['a.c::1', 'abc::1', false],
  ]
  for (const [expression, party, isSelected] of cases) {
    test(`${expression} ${isSelected ? 'selects' : 'leaves out'} ${party}`, () =>
      assert.equal(parseNameFilter(expression, 'FILTER').selects([party]), isSelected))
  }
})

const mistakes: readonly [expression: string, problem: RegExp][] = [
  ['', /a name is missing before its end/],
  ['a |', /a name is missing before its end/],
  ['| a', /a name is missing before \|/],
  ['(a', /a \) is missing/],
  ['a)', /\) is not expected/],
  ['a b', /b is not expected/],
]
for (const [expression, problem] of mistakes) {
  test(`"${expression}" is no filter`, () => assert.throws(() => parseNameFilter(expression, 'FILTER'), problem))
}
