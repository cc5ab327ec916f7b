import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compareValues } from '../../../test/support/lf/compare-values.ts'
import {
  boolType,
  contractIdType,
  dataType,
  dateType,
  genMapType,
  intType,
  listType,
  numericType,
  optionalType,
  partyType,
  textMapType,
  textType,
  timeType,
  unitType,
} from '../../../test/support/lf/data-package.ts'
import { sampleTypes } from '../../../test/support/lf/sample-types.ts'
import type { Type } from '../syntax/ast.ts'
import { createJsonCodec } from './json.ts'
import { createProtobufCodec } from './protobuf.ts'
import { typeToText } from './shapes.ts'
import type { ValueErrorCode } from './value-error.ts'

const parts = { dataTypes: sampleTypes, compare: compareValues }
const { codecFor } = createJsonCodec({ ...parts, isLenient: true })
const { encode, decode } = createProtobufCodec(parts)

const contract = `00${'1f'.repeat(33)}`
const nested = optionalType(optionalType(intType))

/** Bytes worked out by hand from value.proto. Spaces set off nested messages. */
const written: [type: Type, json: unknown, hex: string][] = [
  [unitType, {}, '0a00'],
  [boolType, true, '1001'],
  [boolType, false, '1000'],
  [intType, 0, '1800'],
  [intType, -1, '1801'],
  [intType, '9223372036854775807', '18feffffffffffffffff01'],
  [intType, '-9223372036854775808', '18ffffffffffffffffff01'],
  [dateType, '1970-01-02', '2001'],
  [dateType, '1969-12-31', '20ffffffffffffffffff01'],
  [timeType, '1970-01-01T00:00:00.000001Z', '290100000000000000'],
  [timeType, '1969-12-31T23:59:59.999999Z', '29ffffffffffffffff'],
  [numericType(2), '-1.5', '3205 2d312e3530'],
  [numericType(0), '5', '3202 352e'],
  [partyType, 'al', '3a02 616c'],
  [textType, '', '4200'],
  [textType, 'é', '4202 c3a9'],
  [contractIdType, contract, `4a22 ${contract}`],
  [nested, [], '5200'],
  [nested, [[]], '5204 0a02 5200'],
  [nested, [[1]], '5208 0a06 5204 0a02 1802'],
  [listType(boolType), [], '5a00'],
  [listType(boolType), [true, false], '5a08 0a02 1001 0a02 1000'],
  [genMapType(intType, boolType), [], '6200'],
  [genMapType(intType, boolType), [[1, true]], '620a 0a08 0a02 1802 1202 1001'],
  [textMapType(boolType), { '': true, a: true }, '82010f 0a04 1202 1001 0a07 0a01 61 1202 1001'],
  [dataType('Empty'), {}, '6a00'],
  [dataType('Optionals'), {}, '6a00'],
  [dataType('Optionals'), { y: 1 }, '6a10 0a04 0a02 5200 0a08 0a06 5204 0a02 1802'],
  [dataType('Shape'), { tag: 'Point', value: {} }, '720b 0a05 506f696e74 1202 0a00'],
  [dataType('Colour'), 'Red', '7a05 0a03 526564'],
]

for (const [type, json, spaced] of written) {
  const hex = spaced.replaceAll(' ', '')
  test(`${typeToText(type)} ${JSON.stringify(json)} is ${hex}`, () => {
    const value = codecFor(type).decode(json)
    assert.equal(Buffer.from(encode(value, type)).toString('hex'), hex)
    assert.equal(codecFor(type).encode(decode(Buffer.from(hex, 'hex'), type)), codecFor(type).encode(value))
  })
}

const invalid = 'INVALID_ARGUMENT'
const mismatch = 'INTERPRETATION_UPGRADE_ERROR_TRANSLATION_FAILED'
const localId = `00${'ab'.repeat(32)}`

const refused: [type: Type, hex: string, code: ValueErrorCode, reason: RegExp][] = [
  [intType, '', invalid, /^cannot parse Value: the value is not set/],
  [intType, '18', invalid, /cut off/],
  [intType, '18001800', invalid, /more than one field/],
  [intType, '1001', mismatch, /^mismatching type: a value of kind bool$/],
  [intType, '9a0600', mismatch, /^mismatching type: an unknown kind of value$/],
  [unitType, '0a020800', invalid, /does not end where it should/],
  [dateType, '20ffffffff07', invalid, /out of bound Date 2147483647/],
  [timeType, '29ffffffffffffff7f', invalid, /out of bound Timestamp/],
  [numericType(2), '32032d312e', mismatch, /^Non-normalized Numeric: the type expects scale 2, but .* scale 0$/],
  [numericType(2), '3201 31', invalid, /Could not read Numeric string "1"/],
  [partyType, '3a01 2e', invalid, /non expected character 0x2e in Daml-LF Party/],
  [textType, '4201 00', mismatch, /^Value contains malformed text: Text contains null character$/],
  [textType, '4201 ff', invalid, /not valid UTF-8/],
  [textType, '4205 61', invalid, /cut off, or a length is wrong/],
  [contractIdType, '4a01 00', invalid, /cannot parse contractId "00"/],
  [contractIdType, `4a21 ${localId}`, mismatch, /^Encountered non-suffixed Contract ID 00ab/],
  [nested, '5204 1202 5200', invalid, /a field is missing or unknown/],
  [listType(boolType), '5a03 0a02 10', invalid, /cut off/],
  [textMapType(boolType), '82010c 0a04 1202 1001 0a04 1202 1001', invalid, /key "" duplicated/],
  [
    genMapType(intType, boolType),
    '6214 0a08 0a02 1802 1202 1001 0a08 0a02 1802 1202 1001',
    mismatch,
    /non-strictly ordered/,
  ],
  [dataType('Colour'), '7a05 0a03 526566', mismatch, /there is no enum constructor Ref/],
  [dataType('Shape'), '7207 0a01 50 1202 0a00', mismatch, /there is no variant constructor P/],
  [dataType('Iou'), '6a00', mismatch, /^Unexpected non-optional extra template field type/],
  [dataType('Empty'), '6a06 0a04 0a02 1802', mismatch, /^Found non-optional extra field at index 0/],
  [dataType('Empty'), '6a0a 0a08 0a06 5204 0a02 1802', mismatch, /^Found an optional contract field .* at index 0/],
  [dataType('Empty'), '6a06 0a04 0a02 5200', mismatch, /^Unexpected trailing None in record\.$/],
  [dataType('Optionals'), '6a06 0a04 0a02 5200', mismatch, /^Unexpected trailing None in record\.$/],
]

for (const [type, hex, code, reason] of refused) {
  test(`${hex || 'nothing'} is refused as ${typeToText(type)}: ${reason.source}`, () => {
    assert.throws(
      () => decode(Buffer.from(hex.replaceAll(' ', ''), 'hex'), type),
      (error) => {
        assert.equal((error as { code: string }).code, code)
        assert.match((error as { reason: string }).reason, reason)
        return true
      },
    )
  })
}

test('contracts from before normalisation may end in None, and None may be dropped', () => {
  const bytes = Buffer.from('6a060a040a025200', 'hex')
  for (const name of ['Optionals', 'Empty']) {
    const value = decode(bytes, dataType(name), { allowsTrailingNone: true })
    assert.equal(codecFor(dataType(name)).encode(value), '{}')
  }
})

test('bytes nested deeper than 100 values are refused', () => {
  const chain = (links: number): Type => (links === 0 ? intType : listType(chain(links - 1)))
  const nest = (levels: number): Buffer => {
    if (levels === 0) return Buffer.from('1800', 'hex')
    const inner = nest(levels - 1)
    const item = Buffer.concat([Buffer.of(0x0a), length(inner.length), inner])
    return Buffer.concat([Buffer.of(0x5a), length(item.length), item])
  }
  const length = (count: number): Buffer => Buffer.from(count < 128 ? [count] : [(count & 127) | 128, count >> 7])
  assert.ok(decode(nest(100), chain(100)))
  assert.throws(() => decode(nest(101), chain(101)), {
    code: 'INVALID_ARGUMENT',
    reason: /maximum nesting level of 100/,
  })
})
