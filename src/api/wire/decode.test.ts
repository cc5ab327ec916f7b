// Decoding: defaults for absent fields, paths for errors, and no surprise in the result.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Type } from 'typebox'
import { fc } from '../../../test/fixtures/seed.ts'
import { keptJson, parseExactly } from '../../base/exact-json.ts'
import { allRoutes } from '../routes/all.ts'
import {
  DecodeError,
  damlValueNames,
  decode,
  decodeBody,
  decodeInt64Param,
  decodeLargeBody,
  decodeQuery,
  parseBody,
} from './decode.ts'
import {
  boxed,
  bytes,
  choiceOf,
  configured,
  damlValue,
  emptyVariant,
  fieldMask,
  flag,
  flat,
  identifier,
  int32,
  int64,
  list,
  mapOf,
  message,
  olderFlag,
  oneOf,
  optional,
  optionalInDocument,
  optionalInt64,
  requiredInt64,
  text,
  textMap,
  timestamp,
  undefaulted,
  variants,
} from './schema.ts'

const inner = message('Inner', { name: text('A name'), notes: textMap('Notes') })
const schema = message('Outer', {
  name: text('A name'),
  isOn: flag('A flag'),
  count: int32('A number'),
  total: int64('A large number'),
  names: list(Type.String(), 'Names'),
  inner: optional(inner),
  parts: list(inner, 'Parts'),
  kind: oneOf('Kind', [boxed('Beta', inner), boxed('Alpha', inner), emptyVariant()]),
  required: Type.String(),
})

const nested = (depth: number): unknown[] => (depth === 0 ? [] : [nested(depth - 1)])

const defaults = {
  name: '',
  isOn: false,
  count: 0,
  total: 0n,
  names: [],
  parts: [],
  kind: { Empty: {} },
  required: 'r',
}
const given = (fields: object) => decode(schema, { required: 'r', ...fields }, 'body') as unknown
const refused = (problem: string) => new DecodeError(`Invalid value for: body (${problem})`)
const wrong = (value: string, expected: string, path: string) =>
  `Got value '${value}' with wrong type, expecting ${expected} at '${path}'`

describe('decoding', () => {
  const rows: [title: string, fields: object, result: object][] = [
    ['fills in what is absent', {}, {}],
    ['ignores what it does not know', { unknown: 1, 'in ner': {} }, {}],
    ['takes an optional null as absent', { inner: null }, {}],
    ['fills in what is absent within', { inner: {} }, { inner: { name: '', notes: {} } }],
    ['takes numbers as text', { count: '7', total: '-3' }, { count: 7, total: -3n }],
    ['takes whole decimals', { count: 5.0, total: '5.0' }, { count: 5, total: 5n }],
    [
      'takes the limits of int32',
      { count: 2147483647, total: -2147483648 },
      { count: 2147483647, total: -2147483648n },
    ],
    ['takes the first of several variants by name', { kind: { Beta: 7, Alpha: { value: {} } } }, alpha()],
    ['takes an empty variant', { kind: { Empty: { any: 1 } } }, {}],
    ['keeps lists in order', { names: ['b', 'a', 'b'] }, { names: ['b', 'a', 'b'] }],
  ]
  for (const [title, fields, result] of rows) {
    test(title, () => assert.deepEqual(given(fields), { ...defaults, ...result }))
  }

  test('gives every caller its own lists', () => {
    const first = given({}) as { names: string[] }
    first.names.push('x')
    assert.deepEqual(given({}), defaults)
  })

  test('sets no prototype from a key of the client', () => {
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
    [{ total: null }, "Long at 'total'"],
    [{ total: 1.5 }, "Long at 'total'"],
    [{ total: 1e300 }, "Long at 'total'"],
    [{ total: '9'.repeat(1_000_000) }, "Long at 'total'"],
    [{ names: 'a' }, wrong('"a"', 'array', 'names')],
    [{ names: null }, wrong('null', 'array', 'names')],
    [{ names: ['a', 7] }, wrong('7', 'string', 'names[1]')],
    [{ inner: [] }, "Missing required field at 'inner.name'"],
    [{ inner: 7 }, "Missing required field at 'inner.name'"],
    [{ inner: { notes: { a: 1 } } }, wrong('1', 'string', 'inner.notes.a')],
    [{ inner: { notes: [] } }, wrong('[]', 'object', 'inner.notes')],
    [{ parts: [{}, { name: {} }] }, wrong('{}', 'string', 'parts[1].name')],
    [{ kind: {} }, "JSON decoding to CNil should never happen at 'kind'"],
    [{ kind: { Gamma: {} } }, "JSON decoding to CNil should never happen at 'kind'"],
    [{ kind: { toString: {} } }, "JSON decoding to CNil should never happen at 'kind'"],
    [{ kind: 'Alpha' }, "JSON decoding to CNil should never happen at 'kind'"],
    [{ kind: { Alpha: {} } }, "Missing required field at 'kind.Alpha.value'"],
    [{ kind: { Alpha: { value: { name: 1 } } } }, wrong('1', 'string', 'kind.Alpha.value.name')],
    [{ name: 1, isOn: 1 }, wrong('1', 'string', 'name')], // Only the first problem.
    [{ name: { a: '\n', b: [1, null, {}] } }, wrong('{"a":"\\n","b":[1,null,{}]}', 'string', 'name')],
    [{ name: ['x'.repeat(3000)] }, wrong('[…]', 'string', 'name')],
    [{ name: nested(50) }, wrong('[…]', 'string', 'name')],
    [{ names: '\n\u0007' }, wrong('"\\n\\u0007"', 'array', 'names')],
    [{ names: 'x'.repeat(1000) }, wrong(`"${'x'.repeat(199)}…`, 'array', 'names')],
  ]
  for (const [fields, problem] of rows) {
    test(`${JSON.stringify(fields).slice(0, 60)}`, () => {
      assert.throws(() => given(fields), new DecodeError(`Invalid value for: body (${problem})`))
    })
  }

  test('anything but an object, as if its first field were missing', () => {
    const [first] = Object.keys(schema.properties)
    for (const value of [null, 7, 'x', true, []]) {
      const shown = `Missing required field at '${first}'`
      assert.throws(() => decode(schema, value, 'body'), new DecodeError(`Invalid value for: body (${shown})`))
    }
  })

  test('in one line, whatever the keys are', () => {
    const key = `a\r\nb\t${'k'.repeat(1000)}`
    assert.throws(
      () => given({ inner: { notes: { [key]: 1 } } }),
      ({ message }: Error) => message.length < 400 && !/[\r\n\t]/.test(message),
    )
  })
})

describe('a number of 64 bits', () => {
  const number = message('Number', { n: int64('A number') })
  const rows: [json: string, n: bigint | undefined][] = [
    ['5', 5n],
    ['"5"', 5n],
    ['5.0', 5n],
    ['"-5.00"', -5n],
    ['9007199254740991', 9007199254740991n],
    ['9007199254740993', 9007199254740993n],
    ['"9007199254740993"', 9007199254740993n],
    ['9007199254740993.0', 9007199254740993n],
    ['9223372036854775807', 9223372036854775807n],
    ['-9223372036854775808', -9223372036854775808n],
    ['9223372036854775808', undefined],
    ['"-9223372036854775809"', undefined],
    ['99999999999999999999999', undefined],
    ['1e300', undefined],
    ['1.5', undefined],
  ]
  for (const [json, n] of rows) {
    test(`${json} is ${n ?? 'none'}`, () => {
      const body = `{"n":${json}}`
      if (n !== undefined) assert.deepEqual(decodeBody(number, body, 'specification'), { n })
      else assert.throws(() => decodeBody(number, body, 'specification'), refused("Long at 'n'"))
    })
  }

  test('is exact in values of Daml too, as their decoder reads it', () => {
    const any = message('Any', { n: int64('A number'), value: damlValue('A value') })
    const body = '{"n":9007199254740993,"value":{"a":[9007199254740993]}}'
    const { n, value } = decodeBody(any, body, 'specification')
    assert.equal(n, 9007199254740993n)
    assert.deepEqual(value, parseExactly('{"a":[9007199254740993]}'))
  })

  test('is not a long text', () => {
    const texts = message('Texts', { a: text('A text') })
    const problem = "Got value '9007199254740993' with wrong type, expecting string at 'a'"
    assert.throws(() => decodeBody(texts, '{"a":9007199254740993}', 'specification'), refused(problem))
  })

  test('does not make a deep body overflow', () => {
    const deep = `{"n":1,"value":${'['.repeat(200_000)}1234567890123456789${']'.repeat(200_000)}}`
    assert.deepEqual(decodeBody(number, deep, 'specification'), { n: 1n })
  })

  test('of the path is refused without detail', () => {
    assert.equal(decodeInt64Param({ offset: '12' }, 'offset'), 12n)
    const problem = new DecodeError('Invalid value for: path parameter offset')
    for (const offset of ['x', '', '1e3', '9223372036854775808']) {
      assert.throws(() => decodeInt64Param({ offset }, 'offset'), problem)
    }
  })
})

describe('a scalar', () => {
  const scalars = message('Scalars', {
    at: optional(timestamp('A time')),
    blob: bytes('Bytes'),
    id: optional(identifier('A type')),
    shape: optional(choiceOf(['A', 'B'], 'A choice')),
  })
  const day = 1_577_836_800_000_000n // 2020-01-01
  const taken: [fields: object, result: object][] = [
    [{}, { blob: new Uint8Array() }],
    [{ at: '2020-01-01T00:00:00Z' }, { at: day }],
    [{ at: '2020-01-01T00:00:00.000001999Z' }, { at: day + 1n }],
    [{ at: '2020-01-01t01:30:00+01:30' }, { at: day }],
    [{ at: '0001-01-01T00:00:00Z' }, { at: -62_135_596_800_000_000n }],
    [{ blob: 'AQID' }, { blob: Buffer.from([1, 2, 3]) }],
    [{ blob: 'AQ==' }, { blob: Buffer.from([1]) }],
    [{ blob: 'AQ' }, { blob: Buffer.from([1]) }],
    [{ id: '#p:M.N:T' }, { id: '#p:M.N:T' }],
    [{ id: ':M:T::' }, { id: ':M:T' }],
    [{ shape: 'B' }, { shape: 'B' }],
  ]
  for (const [fields, result] of taken) {
    test(`${JSON.stringify(fields)} is taken`, () => {
      const { blob, ...rest } = decode(scalars, fields, 'body')
      const { blob: wanted = [], ...others } = result as { blob?: Uint8Array }
      assert.deepEqual([[...blob], rest], [[...wanted], others])
    })
  }

  const format = 'not matching the expected format (<package>:<moduleName>:<entityName>)'
  const refusals: [fields: object, problem: string][] = [
    [{ at: 'X' }, "Text 'X' could not be parsed at index 0 at 'at'"],
    [{ at: '' }, "Text '' could not be parsed at index 0 at 'at'"],
    [{ at: '2020-01-01' }, "Text '2020-01-01' could not be parsed at index 10 at 'at'"],
    [{ at: '2020-01-01T00:00Z' }, "Text '2020-01-01T00:00Z' could not be parsed at index 16 at 'at'"],
    [{ at: '2020-02-30T00:00:00Z' }, "Text '2020-02-30T00:00:00Z' could not be parsed at index 0 at 'at'"],
    [
      { at: '2020-01-01T00:00:00Zx' },
      "Text '2020-01-01T00:00:00Zx' could not be parsed, unparsed text found at index 20 at 'at'",
    ],
    [{ at: 7 }, wrong('7', 'string', 'at')],
    [{ blob: '%' }, "The string is not a valid Base64: % at 'blob'"],
    [{ blob: 'A' }, "The string is not a valid Base64: A at 'blob'"],
    [{ blob: 'AQ=' }, "The string is not a valid Base64: AQ= at 'blob'"],
    [{ blob: 'AQ==AQ==' }, "The string is not a valid Base64: AQ==AQ== at 'blob'"],
    [{ id: 'a:b' }, `Invalid identifier format (a:b) ${format} at 'id'`],
    [{ id: 'a:b:c:d' }, `Invalid identifier format (a:b:c:d) ${format} at 'id'`],
    [{ id: '' }, `Invalid identifier format () ${format} at 'id'`],
    [{ shape: 'C' }, "Unrecognized enum value C. Supported values: [A, B] at 'shape'"],
    [{ shape: 1 }, wrong('1', 'string', 'shape')],
  ]
  for (const [fields, problem] of refusals) {
    test(`${JSON.stringify(fields)} is refused`, () => {
      assert.throws(() => decode(scalars, fields, 'body'), refused(problem))
    })
  }

  test('missing from a choice is reported in the words of Canton', () => {
    const shaped = message('Shaped', { shape: choiceOf(['A'], 'A choice') })
    const filledIn = '{"Unrecognized":{"unrecognizedValue":0}}'
    assert.throws(() => decode(shaped, {}, 'body'), refused(wrong(filledIn, 'string', 'shape')))
  })
})

describe('a configured message', () => {
  const relaxed = message('Relaxed', { a: Type.String(), b: Type.String() })
  const part = configured('Part', { x: Type.String(), y: damlValue('Anything') })
  const whole = configured('Whole', {
    one: Type.String(),
    two: Type.Array(variants('Member', [flat('Part', part)])),
    three: list(Type.String(), 'Names'),
    four: optional(relaxed),
  })

  const refusals: [given: object, problem: string][] = [
    [{}, "Missing required field at 'one', Missing required field at 'two'"],
    [{ two: null }, `Missing required field at 'one', ${wrong('null', 'array', 'two')}`],
    [
      { one: 'x', two: [{ Part: {} }, { Part: { x: 1, y: null } }] },
      "Missing required field at 'two[0].Part.x', Missing required field at 'two[0].Part.y', " +
        wrong('1', 'string', 'two[1].Part.x'),
    ],
    [{ one: 'x', two: [{}] }, "JSON decoding to CNil should never happen at 'two[0]'"],
    [{ two: [], four: {} }, "Missing required field at 'one', Missing required field at 'four.a'"],
  ]
  for (const [given, problem] of refusals) {
    test(`reports everything wrong with ${JSON.stringify(given)}`, () => {
      assert.throws(() => decode(whole, given, 'body'), refused(problem))
    })
  }

  test('takes null for the default, and for a Daml value', () => {
    const given = { one: 'x', two: [{ Part: { x: 'x', y: null } }], three: null, four: null }
    assert.deepEqual(decode(whole, given, 'body'), { one: 'x', two: [{ Part: { x: 'x', y: null } }], three: [] })
  })

  test('reports at most twenty problems', () => {
    const given = { one: 'x', two: Array.from({ length: 1000 }, () => ({ Part: { name: 1 } })) }
    assert.throws(
      () => decode(whole, given, 'body'),
      ({ message }: Error) => message.split(' at ').length === 21,
    )
  })
})

test('a map has values of one kind', () => {
  const schema = message('Mapped', { by: mapOf('Map_Value', message('Value', { n: int64('A number') }), 'By name') })
  const decoded = decode(schema, { by: { a: {}, __proto__: null, b: { n: 2 } } }, 'body')
  assert.deepEqual(Object.entries(decoded.by), [
    ['a', { n: 0n }],
    ['b', { n: 2n }],
  ])
  assert.throws(() => decode(schema, { by: { a: { n: 'x' } } }, 'body'), refused("Long at 'by.a.n'"))
})

test('what the specification requires has a default in Canton', () => {
  const schema = message('Required', { n: requiredInt64('A number') })
  assert.throws(() => decode(schema, {}, 'body'), refused("Missing required field at 'n'"))
  assert.deepEqual(decode(schema, {}, 'body', 'canton-3.5'), { n: 0n })
  assert.throws(() => decode(schema, { n: null }, 'body', 'canton-3.5'), refused("Long at 'n'"))
})

describe('with the rules of Canton', () => {
  const schema = configured('Request', {
    place: optionalInDocument(text('A place')),
    names: optionalInDocument(list(Type.String(), 'Names')),
    until: undefaulted(timestamp('A time')),
    shape: choiceOf(['A'], 'A choice'),
  })
  const rows: [given: unknown, problem: string][] = [
    [{ names: [], shape: 'A' }, "Missing required field at 'place'"],
    [
      { place: null, names: null, shape: 'A' },
      `${wrong('null', 'string', 'place')}, ${wrong('null', 'array', 'names')}`,
    ],
    [{ place: '', names: [] }, "Missing required field at 'shape'"],
    [null, ['place', 'names', 'until', 'shape'].map((name) => `Missing required field at '${name}'`).join(', ')],
  ]
  for (const [given, problem] of rows) {
    test(`${JSON.stringify(given)} is refused`, () => {
      assert.throws(() => decode(schema, given, 'body', 'canton-3.5'), refused(problem))
    })
  }

  test('what its document does not require has a default by the specification', () => {
    assert.deepEqual(decode(schema, { names: null, shape: 'A' }, 'body'), { place: '', names: [], shape: 'A' })
  })

  test('an old flag may be null', () => {
    const older = message('Older', { verbose: olderFlag('A flag') })
    for (const compatibility of ['specification', 'canton-3.5'] as const) {
      assert.deepEqual(decode(older, { verbose: null }, 'body', compatibility), { verbose: false })
    }
  })
})

test('a message without fields that is no object is named by its place only where nothing is set, as in Canton', () => {
  const none = message('Nothing', {})
  const holder = message('Holder', { kind: oneOf('Kind', [boxed('Nothing', none), emptyVariant()]) })
  for (const given of [7, 'x', true, [], [{}]]) {
    const refusal = (kind: unknown) => () => decode(holder, { kind }, 'body', 'canton-3.5')
    assert.throws(refusal({ Nothing: { value: given } }), refused('HNil'))
    assert.throws(refusal({ Empty: given }), refused("HNil at 'kind.Empty'"))
  }
})

test('any JSON decodes to the shape of the schema or is refused', () => {
  const field = fc.oneof(fc.jsonValue({ maxDepth: 4 }), fc.constantFrom('', 'x', 0, false, null))
  const fields = Object.fromEntries(Object.keys(schema.properties).map((name) => [name, field]))
  const input = fc.oneof(
    fc.jsonValue({ maxDepth: 4 }),
    fc.record(fields, { requiredKeys: [] }),
    // Nearly all of the others are refused.
    fc.record(
      { required: fc.string(), count: fc.integer(), total: fc.maxSafeInteger() },
      { requiredKeys: ['required'] },
    ),
  )
  const asJson = (decoded: object) =>
    JSON.parse(JSON.stringify(decoded, (_, value) => (typeof value === 'bigint' ? String(value) : value)))
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
      assert.deepEqual(decode(schema, asJson(decoded), 'body'), decoded)
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
    limit: optionalInt64('A large number'),
  })
  const rows: [given: Record<string, unknown>, result: object | string][] = [
    [{}, { size: 0, token: '', names: [], isOn: true }],
    [
      { size: '7', other: 'x' },
      { size: 7, token: '', names: [], isOn: true },
    ],
    [{ names: 'a' }, { size: 0, token: '', names: ['a'], isOn: true }],
    [{ names: ['a', 'b'] }, { size: 0, token: '', names: ['a', 'b'], isOn: true }],
    [{ limit: '7' }, { size: 0, token: '', names: [], isOn: true, limit: 7n }],
    [{ limit: 'x' }, 'limit'],
    [{ limit: '' }, 'limit'],
    [{ size: '' }, 'size'],
    [{ size: 'x' }, 'size'],
    [{ size: ['1', '2'] }, 'size (multiple values)'],
    [{ token: ['a', 'b'] }, 'token (multiple values)'],
    [{ isOn: 'false' }, { size: 0, token: '', names: [], isOn: false }],
    [{ isOn: 'TRUE' }, { size: 0, token: '', names: [], isOn: true }],
    [{ isOn: '' }, 'isOn'],
    [{ isOn: '1' }, 'isOn'],
    [{ isOn: ['true', 'false'] }, 'isOn (multiple values)'],
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

  test('refuses a field mask whose unknown fields have keys that are no numbers', () => {
    const maskOf = (key: string) => ({ unknownFields: { fields: { [key]: {} } } })
    assert.doesNotThrow(() => decode(fieldMask, maskOf('7'), 'body'))
    const problem = "Invalid value for: body (Couldn't decode key. at 'unknownFields.fields.additionalProp1')"
    assert.throws(() => decode(fieldMask, maskOf('additionalProp1'), 'body'), new DecodeError(problem))
  })

  test('that is not JSON is refused in one short line', () => {
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

  test('that is deep overflows neither the stack nor the answer', () => {
    const deep = parseBody(`${'['.repeat(200_000)}${']'.repeat(200_000)}`)
    assert.throws(() => given({ name: deep }), DecodeError)
    assert.deepEqual(given({ unknown: deep }), defaults)
  })
})

function alpha(): object {
  return { kind: { Alpha: { value: { name: '', notes: {} } } } }
}

describe('a large body', () => {
  const turn = async () => undefined
  const commands = Type.Object({
    commands: Type.Array(configured('Create', { id: text('An id'), createArguments: damlValue('A value') })),
  })

  test('is decoded like any other, except that Daml values stay text', async () => {
    const value = `{"items":[${'[1234567890123456789],'.repeat(50_000)}{}]}`
    const body = `{"commands":[{"id":"a","createArguments":${value}},{"id":"b","createArguments":"x"}]}`
    let turns = 0
    const counted = async () => {
      turns += 1
    }
    const decoded = await decodeLargeBody(commands, body, 'specification', { valuesMax: 10, turn: counted })
    assert.deepEqual(decoded.commands, [
      { id: 'a', createArguments: keptJson(value) },
      { id: 'b', createArguments: 'x' },
    ])
    assert.ok(turns >= body.length / 2 ** 17, 'others are answered in between')
  })

  test('may not hold too many other values', async () => {
    for (const body of [`[${'[],'.repeat(100_000)}[]]`, `{${'"a":0,'.repeat(100_000)}"a":0}`, '['.repeat(200_000)]) {
      await assert.rejects(
        decodeLargeBody(commands, body, 'specification', { valuesMax: 50_000, turn }),
        new DecodeError('The request body holds more than 50000 values besides Daml values', 413),
      )
    }
  })

  test('is refused like any other', async () => {
    const wrong = `{"commands":[{"id":${'1'.repeat(20)},"createArguments":[]}]}`
    await assert.rejects(
      decodeLargeBody(commands, wrong, 'specification', { valuesMax: 50_000, turn }),
      refused("Got value '11111111111111111111' with wrong type, expecting string at 'commands[0].id'"),
    )
    await assert.rejects(
      decodeLargeBody(commands, '{"commands":', 'specification', { valuesMax: 50_000, turn }),
      DecodeError,
    )
  })

  test('keeps the Daml values of every field that has them, in every request', () => {
    const names = new Set<string>()
    const visit = (schema: Readonly<Record<string, unknown>>, name: string) => {
      const isAnything = schema.type === undefined && schema.anyOf === undefined && name !== ''
      if (isAnything) names.add(name)
      for (const [key, part] of Object.entries(schema.properties ?? {})) visit(part, key)
      for (const part of Object.values(schema.patternProperties ?? {})) visit(part as never, '')
      for (const part of (schema.anyOf ?? []) as never[]) visit(part, '')
      if (schema.items !== undefined) visit(schema.items as never, '')
    }
    for (const { body } of allRoutes('0.0.0', true)) if (typeof body === 'object') visit(body as never, '')
    assert.deepEqual([...names].sort(), [...damlValueNames].sort())
  })
})

test('with the rules of Canton, paths begin at the innermost message', () => {
  const rows: [fields: object, problem: string][] = [
    [{ inner: 7 }, "Missing required field at 'name'"],
    [{ parts: [{}, { name: {} }] }, wrong('{}', 'string', 'name')],
    [{ kind: {} }, "JSON decoding to CNil should never happen at 'kind'"],
    [{ kind: { Alpha: {} } }, "Missing required field at 'value'"],
    [{ names: ['a', 7] }, wrong('7', 'string', 'names[1]')],
  ]
  for (const [fields, problem] of rows) {
    assert.throws(() => decode(schema, { required: 'x', ...fields }, 'body', 'canton-3.5'), refused(problem))
  }
})
