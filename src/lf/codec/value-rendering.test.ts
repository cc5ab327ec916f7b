import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../test/fixtures/seed.ts'
import { anyType, anyValueOf } from '../../../test/support/lf/arbitrary-values.ts'
import { compareValues } from '../../../test/support/lf/compare-values.ts'
import { dataType, intType, textMapType } from '../../../test/support/lf/data-package.ts'
import { sampleTypes } from '../../../test/support/lf/sample-types.ts'
import { keptJson } from '../../base/exact-json.ts'
import { MessageWriter } from '../../protobuf/message-writer.ts'
import type { Type } from '../syntax/ast.ts'
import { createLedgerValueRendering } from './api-value/render.ts'
import { createJsonCodec } from './json.ts'
import { JsonReader, UnexpectedFormat } from './json-reader.ts'
import { planOf } from './value-plan.ts'
import { compilePlan } from './value-rendering.ts'

const { codecFor } = createJsonCodec({ dataTypes: sampleTypes, compare: compareValues })
const byType = [false, true].map((isVerbose) => createLedgerValueRendering(sampleTypes, isVerbose))
const reader = new JsonReader()

function written(write: (writer: MessageWriter) => void): Uint8Array {
  const writer = new MessageWriter()
  write(writer)
  return writer.finish()
}

/** A type without a plan grows without end. */
const planned = anyType.filter((type) => planOf(type, sampleTypes) !== undefined)
const typed = planned.chain((type) =>
  anyValueOf(type, sampleTypes).map((value) => ({ type, json: codecFor(type).encode(value) })),
)

test('a value is rendered by plan as it is by type', () => {
  fc.assert(
    fc.property(typed, ({ type, json }) => {
      for (const [index, isVerbose] of [false, true].entries()) {
        const { value } = compilePlan(planOf(type, sampleTypes)!, isVerbose)
        reader.start(json)
        assert.deepEqual(
          written((writer) => value(reader, writer)),
          written((writer) =>
            byType[index]!.value(writer, /^[{[]/.test(json) ? keptJson(json) : JSON.parse(json), type),
          ),
        )
      }
    }),
    { numRuns: 300 },
  )
})

test('what is no value of the type is refused, wherever text is cut', () => {
  fc.assert(
    fc.property(typed, fc.nat(), ({ type, json }, at) => {
      const cut = json.slice(0, at % json.length)
      const { value } = compilePlan(planOf(type, sampleTypes)!, false)
      reader.start(cut)
      assert.throws(() => written((writer) => value(reader, writer)), UnexpectedFormat)
    }),
    { numRuns: 300 },
  )
})

test('the keys of a text map are in the order of their code points', () => {
  const rendered = (json: string, type: Type) => written((writer) => byType[0]!.value(writer, JSON.parse(json), type))
  const keysIn = (bytes: Uint8Array) => Buffer.from(bytes).toString('latin1').match(/k?\d+/g)
  assert.deepEqual(keysIn(rendered('{"k":"1","10":"1","2":"1"}', textMapType(intType))), ['10', '2'])
})

test('a type that grows without end has no plan', () => {
  assert.equal(planOf(dataType('Growing', intType), sampleTypes), undefined)
  assert.ok(planOf(dataType('Everything'), sampleTypes)!.length > 10)
})
