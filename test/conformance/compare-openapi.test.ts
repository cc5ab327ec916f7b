// tools/compare-openapi.ts with small documents: what counts as a difference.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compareDocuments, type OpenApi } from '../../tools/openapi/compare.ts'

type Json = Readonly<Record<string, unknown>>

const text: Json = { type: 'string' }
const record = (properties: Json, more: Json = {}): Json => ({ type: 'object', properties, ...more })
const of = (Named: Json, schemas: Readonly<Record<string, Json>> = {}): OpenApi => ({
  paths: {},
  components: { schemas: { Named, ...schemas } },
})
const serving = (post: Json, path = '/x'): OpenApi => ({ paths: { [path]: { post } }, components: { schemas: {} } })
const answer = (...types: string[]): Json => ({
  responses: { 200: { content: Object.fromEntries(types.map((type) => [type, { schema: text }])) } },
})

const cases: [what: string, canton: OpenApi, ours: OpenApi, told: string[]][] = [
  ['the same', of(record({ a: text })), of(record({ a: text })), []],
  [
    'other words',
    of(record({ a: { ...text, description: 'One' } })),
    of(record({ a: text }, { description: 'Two' })),
    [],
  ],
  [
    'a field that is called as words are',
    of(record({ description: text })),
    of(record({})),
    ['Named properties.description: only in Canton'],
  ],
  ['a field more', of(record({})), of(record({ a: text })), ['Named properties.a: only here']],
  [
    'another order of fields, which is one of arguments',
    of(record({ a: text, b: text })),
    of(record({ b: text, a: text })),
    ['Named properties: the order is a, b in Canton, b, a here'],
  ],
  [
    'another type',
    of(record({ a: text })),
    of(record({ a: { type: 'integer' } })),
    ['Named properties.a.type: "string" in Canton, "integer" here'],
  ],
  [
    'null if there is none',
    of(record({ a: text })),
    of(record({ a: { ...text, nullable: true } })),
    ['Named properties.a.nullable: only here'],
  ],
  [
    'other required fields, in any order',
    of(record({}, { required: ['a', 'b', 'c'] })),
    of(record({}, { required: ['c', 'b', 'd'] })),
    ['Named required: "a" only in Canton', 'Named required: "d" only here'],
  ],
  [
    'a reference to another component of the same shape',
    of({ $ref: '#/components/schemas/A' }, { A: text, B: text }),
    of({ $ref: '#/components/schemas/B' }, { A: text, B: text }),
    ['Named $ref: "#/components/schemas/A" in Canton, "#/components/schemas/B" here'],
  ],
  ['a variant less', of({ oneOf: [text, text] }), of({ oneOf: [text] }), ['Named oneOf: 2 in Canton, 1 here']],
  ['a component less', of(text, { Other: text }), of(text), ['Other: only in Canton']],
  ['a component more', of(text), of(text, { Other: text }), ['(Other: only here)']],
  [
    'another id, and tags',
    serving({ operationId: 'postX' }),
    serving({ operationId: 'POST_x', tags: ['X'] }),
    ['POST /x tags: only here', 'POST /x operationId: "postX" in Canton, "POST_x" here'],
  ],
  [
    'a second media type',
    serving(answer('application/json')),
    serving(answer('application/json', 'application/x-ndjson')),
    ['POST /x responses.200.content.application/x-ndjson: only here'],
  ],
  [
    'a parameter that is required',
    serving({ parameters: [{ name: 'a', in: 'query', required: false }] }),
    serving({ parameters: [{ name: 'a', in: 'query', required: true }] }),
    ['POST /x parameters[0].required: false in Canton, true here'],
  ],
  ['another operation', serving({}), serving({}, '/y'), ['POST /x: only in Canton', '(POST /y: only here)']],
]

for (const [what, canton, ours, told] of cases) {
  test(`two documents: ${what}`, () => {
    const found = compareDocuments(canton, ours).map(({ subject, place, text, isAddition }) => {
      const words = `${subject}${place === '' ? '' : ` ${place}`}: ${text}`
      return isAddition ? `(${words})` : words
    })
    assert.deepEqual(found, told)
  })
}
