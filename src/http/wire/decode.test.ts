// Decoding: defaults for what is absent, paths for what is wrong, and no surprise in what comes out.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { Type } from 'typebox'
import { DecodeError, decode, decodeQuery, parseBody } from './decode.ts'
import { boxed, emptyVariant, flag, int32, list, message, oneOf, optional, text, textMap } from './schema.ts'

const inner = message('Inner', { name: text('A name'), notes: textMap('Notes') })
const schema = message('Outer', {
  name: text('A name'),
  isOn: flag('A flag'),
  count: int32('A number'),
  total: Type.Integer({ format: 'int64', default: 0 }),
  names: list(Type.String(), 'Names'),
  inner: optional(inner),
  parts: list(inner, 'Parts'),
  kind: oneOf('Kind', [boxed('Beta', inner), boxed('Alpha', inner), emptyVariant]),
  required: Type.String(),
})

const defaults = { name: '', isOn: false, count: 0, total: 0, names: [], parts: [], kind: { Empty: {} }, required: 'r' }
const given = (fields: object) => decode(schema, { required: 'r', ...fields }, 'body') as unknown
const wrong = (value: string, expected: string, path: string) =>
  `Got value '${value}' with wrong type, expecting ${expected} at '${path}'`

describe('decoding', () => {
  const rows: [title: string, fields: object, result: object][] = [
    ['fills in what is absent', {}, {}],
    ['ignores what it does not know', { unknown: 1, 'in ner': {} }, {}],
    ['takes an optional null as absent', { inner: null }, {}],
    ['fills in what is absent within', { inner: {} }, { inner: { name: '', notes: {} } }],
    ['takes numbers as text', { count: '7', total: '-3' }, { count: 7, total: -3 }],
    ['takes whole decimals', { count: 5.0, total: '5.0' }, { count: 5, total: 5 }],
    ['takes the limits of int32', { count: 2147483647, total: -2147483648 }, { count: 2147483647, total: -2147483648 }],
    ['takes the first of several variants by name', { kind: { Beta: 7, Alpha: { value: {} } } }, alpha()],
    ['takes an empty variant', { kind: { Empty: { any: 1 } } }, {}],
    ['keeps lists in order', { names: ['b', 'a', 'b'] }, { names: ['b', 'a', 'b'] }],
  ]
  for (const [title, fields, result] of rows) {
    test(title, () => assert.deepEqual(given(fields), { ...defaults, ...result }))
  }

  test('gives every caller lists of its own', () => {
    const first = given({}) as { names: string[] }
    first.names.push('x')
    assert.deepEqual(given({}), defaults)
  })

  test('takes whole numbers up to 64 bits where the format says so', () => {
    const large = given({ total: 9007199254740991 }) as { total: number }
    assert.equal(large.total, 9007199254740991)
  })

  test('makes no prototype of what a client calls one', () => {
    const decoded = given(JSON.parse('{"__proto__":{"isOn":true},"inner":{"notes":{"__proto__":"x","a":"y"}}}')) as {
      isOn: boolean
      inner: { notes: object }
    }
    assert.equal(decoded.isOn, false)
    assert.deepEqual(Object.entries(decoded.inner.notes), [
      ['__proto__', 'x'],
      ['a', 'y'],
    ])
  })
})

describe('decoding refuses', () => {
  const rows: [fields: object, problem: string][] = [
    [{ required: undefined }, "Missing required field at 'required'"],
    [{ name: 7 }, wrong('7', 'string', 'name')],
    [{ name: null }, wrong('null', 'string', 'name')],
    [{ isOn: 'true' }, wrong('"true"', "'true' or 'false'", 'isOn')],
    [{ isOn: 0 }, wrong('0', "'true' or 'false'", 'isOn')],
    [{ count: 1.5 }, "Int at 'count'"],
    [{ count: 'x' }, "Int at 'count'"],
    [{ count: '' }, "Int at 'count'"],
    [{ count: ' 1' }, "Int at 'count'"],
    [{ count: '0x10' }, "Int at 'count'"],
    [{ count: true }, "Int at 'count'"],
    [{ count: null }, "Int at 'count'"],
    [{ count: [] }, "Int at 'count'"],
    [{ count: 2147483648 }, "Int at 'count'"],
    [{ count: -2147483649 }, "Int at 'count'"],
    [{ count: Number.POSITIVE_INFINITY }, "Int at 'count'"],
    [{ total: 'x' }, "Long at 'total'"],
    [{ names: 'a' }, wrong('"a"', 'array', 'names')],
    [{ names: null }, wrong('null', 'array', 'names')],
    [{ names: ['a', 7] }, wrong('7', 'string', 'names[1]')],
    [{ inner: [] }, wrong('[]', 'object', 'inner')],
    [{ inner: [1] }, wrong('[…]', 'object', 'inner')],
    [{ inner: { notes: { a: 1 } } }, wrong('1', 'string', 'inner.notes.a')],
    [{ inner: { notes: [] } }, wrong('[]', 'object', 'inner.notes')],
    [{ parts: [{}, { name: {} }] }, wrong('{}', 'string', 'parts[1].name')],
    [{ kind: {} }, "JSON decoding to CNil should never happen at 'kind'"],
    [{ kind: { Gamma: {} } }, "JSON decoding to CNil should never happen at 'kind'"],
    [{ kind: { toString: {} } }, "JSON decoding to CNil should never happen at 'kind'"],
    [{ kind: 'Alpha' }, wrong('"Alpha"', 'object', 'kind')],
    [{ kind: { Alpha: {} } }, "Missing required field at 'kind.Alpha.value'"],
    [{ kind: { Alpha: { value: { name: 1 } } } }, wrong('1', 'string', 'kind.Alpha.value.name')],
    [{ name: 1, isOn: 1 }, wrong('1', 'string', 'name')], // The first problem only.
    [{ name: { a: '\n' } }, wrong('{…}', 'string', 'name')],
    [{ names: '\n\u0007' }, wrong('"\\n\\u0007"', 'array', 'names')],
    [{ names: 'x'.repeat(1000) }, wrong(`"${'x'.repeat(199)}…`, 'array', 'names')],
  ]
  for (const [fields, problem] of rows) {
    test(`${JSON.stringify(fields).slice(0, 60)}`, () => {
      assert.throws(() => given(fields), new DecodeError(`Invalid value for: body (${problem})`))
    })
  }

  test('what is no object, without a path', () => {
    for (const value of [null, 7, 'x', true]) {
      const shown = `Got value '${JSON.stringify(value)}' with wrong type, expecting object`
      assert.throws(() => decode(schema, value, 'body'), new DecodeError(`Invalid value for: body (${shown})`))
    }
  })

  test('with words that stay on one line, whatever the keys are', () => {
    const key = `a\r\nb\t${'k'.repeat(1000)}`
    assert.throws(
      () => given({ inner: { notes: { [key]: 1 } } }),
      ({ message }: Error) => message.length < 400 && !/[\r\n\t]/.test(message),
    )
  })
})

test('any JSON decodes to the shape of the schema or is refused', () => {
  const field = fc.oneof(fc.jsonValue({ maxDepth: 4 }), fc.constantFrom('', 'x', 0, false, null))
  const input = fc.oneof(
    fc.jsonValue({ maxDepth: 4 }),
    fc.record(Object.fromEntries(Object.keys(schema.properties).map((name) => [name, field])), { requiredKeys: [] }),
  )
  fc.assert(
    fc.property(input, (value) => {
      let decoded: object
      try {
        decoded = decode(schema, value, 'body')
      } catch (error) {
        assert.ok(error instanceof DecodeError && /^Invalid value for: body \([^\n]+\)$/.test(error.message))
        return
      }
      const { inner: _, ...rest } = decoded as Record<string, unknown>
      assert.deepEqual(Object.keys(rest).toSorted(), Object.keys(defaults).toSorted())
      assert.deepEqual(decode(schema, decoded, 'body'), decoded)
    }),
    { numRuns: 500 },
  )
})

describe('a query', () => {
  const query = Type.Object({
    size: int32('A number'),
    token: text('A text'),
    names: list(Type.String(), 'Names'),
    isOn: Type.Boolean({ default: true }),
  })
  const rows: [given: Record<string, unknown>, result: object | string][] = [
    [{}, { size: 0, token: '', names: [], isOn: true }],
    [
      { size: '7', other: 'x' },
      { size: 7, token: '', names: [], isOn: true },
    ],
    [{ names: 'a' }, { size: 0, token: '', names: ['a'], isOn: true }],
    [{ names: ['a', 'b'] }, { size: 0, token: '', names: ['a', 'b'], isOn: true }],
    [{ size: '' }, 'size'],
    [{ size: 'x' }, 'size'],
    [{ size: ['1', '2'] }, 'size'],
    [{ token: ['a', 'b'] }, 'token'],
    [{ isOn: 'false' }, { size: 0, token: '', names: [], isOn: false }],
    [{ isOn: 'TRUE' }, { size: 0, token: '', names: [], isOn: true }],
    [{ isOn: '' }, 'isOn'],
    [{ isOn: '1' }, 'isOn'],
    [{ isOn: ['true', 'false'] }, 'isOn'],
  ]
  for (const [parameters, result] of rows) {
    test(`of ${JSON.stringify(parameters)}`, () => {
      if (typeof result === 'object') assert.deepEqual(decodeQuery(query, parameters), result)
      else {
        const problem = new DecodeError(`Invalid value for: query parameter ${result}`)
        assert.throws(() => decodeQuery(query, parameters), problem)
      }
    })
  }
})

describe('a body', () => {
  test('is read as JSON', () => assert.deepEqual(parseBody(' {"a":[1,null]}\n'), { a: [1, null] }))

  test('that is empty says so', () => {
    for (const body of ['', ' \n\t']) {
      assert.throws(() => parseBody(body), new DecodeError('Invalid value for: body (exhausted input)'))
    }
  })

  test('that is no JSON is refused in one short line', () => {
    const long = `{"a":"${'x'.repeat(10_000)}`
    for (const body of ['xyz', '{"a":', '{}x', '{a:1}', "{'a':1}", '\ufeff{}', '"\n"', '\0', long]) {
      assert.throws(
        () => parseBody(body),
        (error) =>
          error instanceof DecodeError &&
          /^Invalid value for: body \([^\n\0]+\)$/.test(error.message) &&
          error.message.length < 300,
        body.slice(0, 20),
      )
    }
  })

  test('that is deep neither overflows the stack nor the answer', () => {
    const deep = parseBody(`${'['.repeat(200_000)}${']'.repeat(200_000)}`)
    assert.throws(() => given({ name: deep }), DecodeError)
    assert.deepEqual(given({ unknown: deep }), defaults)
  })
})

function alpha(): object {
  return { kind: { Alpha: { value: { name: '', notes: {} } } } }
}
