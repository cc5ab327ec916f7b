// tools/compare-openapi.ts on small documents: what counts as a difference, and what only makes things easier.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compareDocuments, type OpenApi, type Schema } from '../../tools/openapi/compare.ts'

const text: Schema = { type: 'string' }
const record = (properties: Record<string, Schema>, required: readonly string[] = []): Schema => ({
  type: 'object',
  properties,
  required,
})

function documentOf(request: Schema, answer: Schema, schemas: Record<string, Schema> = {}): OpenApi {
  const content = (schema: Schema) => ({ content: { 'application/json': { schema } } })
  const post = { requestBody: content(request), responses: { 200: content(answer) } }
  return { paths: { '/x': { post } }, components: { schemas } }
}

const a = record({ a: text })
const named = { $ref: '#/components/schemas/Named' }

const cases: [what: string, canton: OpenApi, ours: OpenApi, told: string[]][] = [
  ['the same', documentOf(a, a), documentOf(a, a), []],
  ['a field less', documentOf(a, a), documentOf(a, record({})), ['answer.a: field only in Canton']],
  ['a field more', documentOf(record({}), a), documentOf(a, a), ['request.a: field only here']],
  [
    'another type',
    documentOf(a, a),
    documentOf(a, record({ a: { type: 'integer', format: 'int64' } })),
    ['answer.a: string in Canton, integer int64 here'],
  ],
  [
    'a request that asks for less, an answer that promises more',
    documentOf(record({ a: text }, ['a']), a),
    documentOf(a, record({ a: text }, ['a'])),
    ['(request.a: required only in Canton)', '(answer.a: required only here)'],
  ],
  [
    'a request that asks for more, an answer that promises less',
    documentOf(a, record({ a: text }, ['a'])),
    documentOf(record({ a: text }, ['a']), a),
    ['request.a: required only here', 'answer.a: required only in Canton'],
  ],
  [
    'another enum',
    documentOf(a, record({ a: { ...text, enum: ['X', 'Y'] } })),
    documentOf(a, record({ a: { ...text, enum: ['X'] } })),
    ['answer.a: one of X, Y in Canton, of X here'],
  ],
  [
    'a variant less',
    documentOf(a, { oneOf: [a, record({ b: text })] }),
    documentOf(a, { oneOf: [a] }),
    ['answer.b: variant only in Canton'],
  ],
  [
    'a component that contains itself, named once or spelled out',
    documentOf(named, named, { Named: record({ inner: named }) }),
    documentOf({ allOf: [named] }, named, { Named: record({ inner: { allOf: [named] } }) }),
    [],
  ],
  ['an operation less', documentOf(a, a), { paths: {}, components: { schemas: {} } }, ['only in Canton']],
]

for (const [what, canton, ours, told] of cases) {
  test(`two documents: ${what}`, () => {
    const found = compareDocuments(canton, ours).map(({ place, text, isRefinement }) => {
      const words = place === '' ? text : `${place}: ${text}`
      return isRefinement ? `(${words})` : words
    })
    assert.deepEqual(found, told)
  })
}
