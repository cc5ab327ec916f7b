import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../test/fixtures/seed.ts'
import { anyType, anyValueOf } from '../../test/support/lf/arbitrary-values.ts'
import { compareValues } from '../../test/support/lf/compare-values.ts'
import { sampleTypes } from '../../test/support/lf/sample-types.ts'
import { keptJson } from '../base/exact-json.ts'
import { createLedgerValueRendering } from '../lf/codec/api-value/render.ts'
import { createJsonCodec } from '../lf/codec/json.ts'
import { finishWriting } from '../protobuf/message-writer.ts'
import { openCursor } from '../protobuf/wire-reading.ts'
import { readValue } from './grpc-values.ts'

const { codecFor } = createJsonCodec({ dataTypes: sampleTypes, compare: compareValues })
const { value: render } = createLedgerValueRendering(sampleTypes, true)

/** Without what only types tell of Optionals around Optionals: how many lists there are around a content, or none. */
function compared(value: unknown): unknown {
  if (Array.isArray(value)) return value.length < 2 ? compared(value[0] ?? null) : value.map(compared)
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value).map(([name, content]) => [name, compared(content)])
  return Object.fromEntries(fields.filter(([, content]) => content !== null))
}

test('values are those of the JSON Ledger API', () => {
  const typed = anyType.chain((type) => anyValueOf(type, sampleTypes).map((value) => ({ type, value })))
  fc.assert(
    fc.property(typed, ({ type, value }) => {
      const text = codecFor(type).encode(value)
      if (/ (null|\t)/.test(text)) return // A Some of a type parameter is hidden in JSON.
      const kept = /^[{[]/.test(text) ? keptJson(text) : JSON.parse(text)
      const bytes = finishWriting((writer) => render(writer, kept, type))
      const read = readValue(openCursor(bytes, 'value'))
      assert.deepEqual(compared(read), compared(JSON.parse(text)))
    }),
    { numRuns: 500 },
  )
})
