import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { type HoconValue, parseHocon } from './hocon.ts'

/** As JSON shows it. */
function plain(value: HoconValue): unknown {
  if (typeof value === 'string') return value
  if (value instanceof Map) return Object.fromEntries([...value].map(([key, one]) => [key, plain(one)]))
  return (value as readonly HoconValue[]).map(plain)
}

suite('a configuration of Canton', () => {
  const cases: [name: string, text: string, want: unknown][] = [
    ['is empty', '', {}],
    ['has no braces around it', 'a = 1', { a: '1' }],
    ['has braces around it', '{ "a": 1, "b": true }', { a: '1', b: 'true' }],
    ['joins keys with dots', 'a.b.c = x\na.b { d: y }', { a: { b: { c: 'x', d: 'y' } } }],
    ['quotes keys with dots', 'a."b.c".d = x', { a: { 'b.c': { d: 'x' } } }],
    ['takes the later value', 'a = 1\na = 2', { a: '2' }],
    ['merges objects', 'a { b = 1, c = 2 }\na { c = 3 }', { a: { b: '1', c: '3' } }],
    ['has comments', '# one\na = 1 // two\n// three\nb = 2', { a: '1', b: '2' }],
    ['quotes texts', 'a = "x # y"\nb = "\\u0041\\n"', { a: 'x # y', b: 'A\n' }],
    ['quotes texts of several lines', 'a = """x\n"y"\n"""', { a: 'x\n"y"\n' }],
    ['has lists of objects', 'a = [{ b = 1 }\n { b = 2 }], c = [x, y]', { a: [{ b: '1' }, { b: '2' }], c: ['x', 'y'] }],
    ['ends lines as Windows does', 'a = 1\r\nb {\r\n c = 2\r\n}\r\n', { a: '1', b: { c: '2' } }],
  ]
  for (const [name, text, want] of cases) test(name, () => assert.deepEqual(plain(parseHocon(text, 'a.conf')), want))

  const refused: [text: string, problem: string][] = [
    ['a = 1\ninclude "b.conf"', 'a.conf, line 2: include is not supported; give every file with -c'],
    [`a = ${'$'}{b}`, 'a.conf, line 1: substitutions ($…) are not supported; write the value'],
    ['a += 1', 'a.conf, line 1: += is not supported; write the whole list'],
    ['a = 1 2', 'a.conf, line 1: a line holds one value; quote texts with spaces or signs'],
    ['a', 'a.conf, line 1: = or { is missing after a'],
    ['a =', 'a.conf, line 1: a value is missing'],
    ['a {\n b = 1', 'a.conf, line 2: } is missing'],
    ['a = [1', 'a.conf, line 1: ] is missing'],
    ['\na = "x', 'a.conf, line 2: a quoted text has no end'],
    ['a = "\\x"', 'a.conf, line 1: a quoted text has an escape that JSON does not know'],
    ['{ a = 1 } b = 2', 'a.conf, line 1: nothing may follow the last }'],
    ['= 1', 'a.conf, line 1: = is no key'],
    [`${'a {'.repeat(60)}`, 'a.conf, line 1: this is nested too deeply'],
  ]
  for (const [text, message] of refused) {
    test(`refuses ${JSON.stringify(text.slice(0, 30))}`, () => {
      assert.throws(() => parseHocon(text, 'a.conf'), { message })
    })
  }
})
