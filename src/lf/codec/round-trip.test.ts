import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../test/fixtures/seed.ts'
import { anyType, anyValueOf } from '../../../test/support/lf/arbitrary-values.ts'
import { compareValues } from '../../../test/support/lf/compare-values.ts'
import { sampleTypes } from '../../../test/support/lf/sample-types.ts'
import { LedgerError } from '../../base/errors.ts'
import { keptJson, keptProtobuf } from '../../base/exact-json.ts'
import { finishWriting } from '../../protobuf/message-writer.ts'
import type { Type } from '../syntax/ast.ts'
import type { LfValue } from '../values/values.ts'
import { createLedgerValueRendering } from './api-value/render.ts'
import { createValueHash } from './hash.ts'
import { createJsonCodec } from './json.ts'
import { createProtobufCodec } from './protobuf.ts'
import { typeToText } from './shapes.ts'
import { ValueError } from './value-error.ts'

const parts = { dataTypes: sampleTypes, compare: compareValues }
const { codecFor } = createJsonCodec(parts)
const protobuf = createProtobufCodec(parts)
const { contractHash } = createValueHash(sampleTypes)

type Typed = { type: Type; value: LfValue; toString(): string }

const typed: fc.Arbitrary<Typed> = anyType.chain((type) => {
  return anyValueOf(type, sampleTypes).map((value) => ({
    type,
    value,
    toString: () => `${codecFor(type).encode(value)} of type ${typeToText(type)}`,
  }))
})

const hashOf = (type: Type, value: LfValue): string => {
  const templateId = { packageId: 'p', module: 'M', name: 'T' }
  return contractHash({ packageName: 'n', templateId, type, value })
}

/** What a client reads: `Some None` of a type parameter is null for it, as None is. */
const seen = (text: string) => JSON.stringify(JSON.parse(text))
/** As events are kept for rendering: scalars hide nothing. */
const kept = (text: string): unknown => (/^[{[]/.test(text) ? keptJson(text) : JSON.parse(text))

test('JSON and protobuf read what they write, JSON where Canton can', () => {
  fc.assert(
    fc.property(typed, ({ type, value }) => {
      const { encode, decode } = codecFor(type)
      const [text, bytes, hash] = [encode(value), protobuf.encode(value, type), hashOf(type, value)]
      const fromJson = decode(JSON.parse(text))
      const fromBytes = protobuf.decode(bytes, type)
      // Keys of a map that differ only in what is hidden are one key, or in another order, when they are read.
      if (!typeToText(type).includes('GenMap')) assert.equal(seen(encode(fromJson)), seen(text))
      assert.equal(encode(fromBytes), text)
      assert.deepEqual(protobuf.encode(fromBytes, type), bytes)
      assert.equal(hashOf(type, fromBytes), hash)
      if (!/ (null|\t)/.test(text)) {
        assert.equal(encode(fromJson), text)
        assert.deepEqual(protobuf.encode(fromJson, type), bytes)
        assert.equal(hashOf(type, fromJson), hash)
      }
      assert.equal(compareValues(fromBytes, value), 0)
    }),
    { numRuns: 500 },
  )
})

const renderings = [false, true].map((isVerbose) => createLedgerValueRendering(sampleTypes, isVerbose))

test('JSON as protobuf of the Ledger API is read as the same value, with names and without', () => {
  fc.assert(
    fc.property(typed, ({ type, value }) => {
      const { encode, decode } = codecFor(type)
      const text = encode(value)
      for (const { value: render } of renderings) {
        const bytes = finishWriting((writer) => render(writer, kept(text), type))
        const read = decode(keptProtobuf(bytes))
        assert.equal(encode(read), text)
        assert.equal(compareValues(read, value), 0)
      }
    }),
    { numRuns: 500 },
  )
})

test('any bytes are read as a value of the Ledger API, or refused', () => {
  fc.assert(
    fc.property(typed, fc.uint8Array({ maxLength: 40 }), fc.nat(), ({ type, value }, noise, at) => {
      const { encode, decode } = codecFor(type)
      const json = JSON.parse(encode(value))
      const bytes = finishWriting((writer) => renderings[1]!.value(writer, json, type))
      const damaged = Uint8Array.from(bytes)
      if (damaged.length > 0) damaged[at % damaged.length]! ^= 1 << (at % 8)
      for (const given of [noise, bytes.subarray(0, at % (bytes.length + 1)), damaged]) {
        try {
          decode(keptProtobuf(given))
        } catch (error) {
          assert.ok(error instanceof ValueError || error instanceof LedgerError, String(error))
        }
      }
    }),
    { numRuns: 1000 },
  )
})

test('any JSON is read as a value or refused with a ValueError', () => {
  fc.assert(
    fc.property(anyType, fc.jsonValue({ maxDepth: 4 }), (type, json) => {
      onlyValueErrors(() => codecFor(type).decode(json))
    }),
    { numRuns: 1000 },
  )
})

test('JSON of a value with one part replaced is read or refused with a ValueError', () => {
  fc.assert(
    fc.property(typed, fc.nat(), fc.jsonValue({ maxDepth: 1 }), ({ type, value }, at, other) => {
      const json: unknown = JSON.parse(codecFor(type).encode(value))
      onlyValueErrors(() => codecFor(type).decode(replaced(json, at, other)))
    }),
    { numRuns: 1000 },
  )
})

test('any bytes are read as a value or refused with a ValueError', () => {
  fc.assert(
    fc.property(typed, fc.uint8Array({ maxLength: 40 }), fc.nat(), ({ type, value }, noise, at) => {
      const bytes = protobuf.encode(value, type)
      onlyValueErrors(() => protobuf.decode(noise, type))
      onlyValueErrors(() => protobuf.decode(bytes.subarray(0, at % (bytes.length + 1)), type))
      const damaged = Uint8Array.from(bytes)
      if (damaged.length > 0) damaged[at % damaged.length]! ^= 1 << (at % 8)
      onlyValueErrors(() => protobuf.decode(damaged, type))
    }),
    { numRuns: 1000 },
  )
})

function onlyValueErrors(body: () => unknown): void {
  try {
    body()
  } catch (error) {
    assert.ok(error instanceof ValueError, String(error))
  }
}

/** The JSON with the part at the `at`-th step of a walk replaced. */
function replaced(json: unknown, at: number, other: unknown): unknown {
  if (typeof json !== 'object' || json === null) return other
  const keys = Object.keys(json)
  if (keys.length === 0 || at % 5 === 0) return other
  const key = keys[at % keys.length]!
  const copy = Array.isArray(json) ? [...json] : { ...json }
  const parts = copy as Record<string, unknown>
  parts[key] = replaced(parts[key], Math.floor(at / 5), other)
  return copy
}
