import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { fc } from '../../test/fixtures/seed.ts'
import { decimalOf, exactNumberOf, integerOf, JsonScan, keptJson, parseExactly, placeOf } from './exact-json.ts'

describe('a number', () => {
  const kept = [
    '1234567890123456',
    '-9007199254740993',
    '0.1234567890123456789',
    '1e400',
    '-1e-400',
    '1.2345678901234567E2',
    '9'.repeat(5000),
  ]
  for (const source of kept) {
    test(`${source.slice(0, 40)} keeps its digits`, () => {
      const parsed = parseExactly(`{"a":[${source} , 1]}`) as { a: unknown[] }
      assert.equal(exactNumberOf(parsed.a[0]), source)
      assert.equal(parsed.a[1], 1)
    })
  }

  for (const source of ['0', '-5', '123456789012345', '0.1', '1e22', '1E-7', '100.25']) {
    test(`${source} is read as JSON.parse reads it`, () => assert.equal(parseExactly(source), Number(source)))
  }

  test('within a text is text', () => {
    const text = '{"a\\\\":"1234567890123456789","b\\"":"\\\\\\"1234567890123456789"}'
    assert.deepEqual(parseExactly(text), JSON.parse(text))
  })

  for (const text of ['01234567890123456789', '1234567890123456.', '-', '{"a":1234567890123456789', '"', '"\\"']) {
    test(`${text} stays invalid JSON`, () => assert.throws(() => parseExactly(text), SyntaxError))
  }

  test('means the same without its exponent', () => {
    const rows = [
      ['1.2345678901234567e3', '1234.5678901234567'],
      ['12345678901234567e-3', '12345678901234.567'],
      ['-12345678901234567e-18', '-0.012345678901234567'],
      ['0.12345678901234567e1', '1.2345678901234567'],
      ['1.2345678901234567e20', '123456789012345670000'],
      ['1e400', '1e400'],
      ['12.5', '12.5'],
    ]
    for (const [source, text] of rows) assert.equal(decimalOf(source!), text)
  })

  test('is whole with zeros after its point', () => {
    assert.equal(integerOf('9007199254740993.00'), 9007199254740993n)
    assert.equal(integerOf('9007199254740993.5'), undefined)
    assert.equal(integerOf('9'.repeat(5000)), undefined)
  })
})

test('all other JSON is read as JSON.parse reads it', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 5 }), (json) => {
      const withoutMarks = (value: unknown): unknown =>
        JSON.parse(JSON.stringify(value), (_, part) =>
          exactNumberOf(part) === undefined ? part : Number(part.slice(1)),
        )
      assert.deepEqual(withoutMarks(parseExactly(json)), JSON.parse(json))
    }),
  )
})

test('values of given names are kept as text, however the text is cut into slices', () => {
  const value = '{ "x" : [1234567890123456789, "}", {"createArguments":[]}] }'
  const json = `{"a":[{"createArguments" : ${value} ,"n":1},{"createArguments":"text"},{"createArguments":[]}],"b":2}`
  for (const slice of [1, 7, 1000]) {
    const scan = new JsonScan(json, { names: ['createArguments'] })
    while (scan.run(slice));
    assert.deepEqual(scan.kept, [value, '[]'])
    const parsed = JSON.parse(scan.result())
    assert.equal(placeOf(parsed.a[0].createArguments), 0)
    assert.equal(parsed.a[1].createArguments, 'text')
    assert.equal(placeOf(parsed.a[2].createArguments), 1)
    assert.equal(parsed.b, 2)
    assert.equal(scan.values, 9)
  }
  assert.equal(keptJson('[]'), '\0[]')
})
