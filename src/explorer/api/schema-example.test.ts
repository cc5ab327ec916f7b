import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openApiDocument } from '../../api/descriptions/openapi.ts'
import { allRoutes } from '../../api/routes/all.ts'
import { type ApiDocument, apiFrom, type Schema } from './api-document.ts'
import { exampleOf } from './schema-example.ts'

const api = apiFrom(openApiDocument(allRoutes('0.0.0', true), '0.0.0') as unknown as ApiDocument)
const bodyOf = (id: string) => api.operations.find((operation) => operation.id === id)!.body!.schema

describe('an example', () => {
  test('has the required fields, and those that are known where their type fits', () => {
    const known = new Map<string, string | number | string[]>([
      ['userId', 'alice'],
      ['actAs', ['alice::1']],
      ['commandId', 7],
    ])
    const { value, decisions } = exampleOf(bodyOf('postV2CommandsSubmit-and-wait'), api.schemas, { known })
    assert.deepEqual(value, {
      commands: [{ CreateCommand: { templateId: '', createArguments: {} } }],
      commandId: '',
      actAs: ['alice::1'],
      userId: 'alice',
    })
    assert.deepEqual(
      decisions.map(({ path, options, chosen }) => [path, options[chosen]]),
      [['commands.0', 'CreateCommand']],
    )
  })

  test('takes the alternative that was chosen', () => {
    const schema = bodyOf('postV2CommandsSubmit-and-wait')
    const [decision] = exampleOf(schema, api.schemas).decisions
    const choices = new Map([['commands.0', decision!.options.indexOf('ExerciseCommand')]])
    const { commands } = exampleOf(schema, api.schemas, { choices }).value as { commands: object[] }
    assert.deepEqual(Object.keys(commands[0]!), ['ExerciseCommand'])
  })

  test('exists for every body, with and without optional fields', () => {
    for (const { id, body } of api.operations) {
      if (body === undefined || body.isBytes) continue
      for (const withOptional of [false, true]) {
        const { value } = exampleOf(body.schema, api.schemas, { withOptional })
        assert.equal(typeof value, 'object', id)
        assert.ok(JSON.stringify(value).length < 20_000, id)
      }
    }
  })

  const values: [schema: Schema, value: unknown][] = [
    [{ type: 'string', description: 'A party' }, 'bob::1'],
    [{ type: 'string', description: '10 decimals' }, '1.0'],
    [{ type: 'string', description: '64 bits' }, '1'],
    [{ type: 'string', format: 'date' }, '2030-01-01'],
    [{ type: 'string', enum: ['SHAPE_UNSPECIFIED', 'SHAPE_ROUND'] }, 'SHAPE_ROUND'],
    [{ type: 'array', maxItems: 1, items: { type: 'string' } }, []],
    [{ type: 'array', minItems: 2, items: { type: 'integer' } }, [0, 0]],
    [{ type: 'boolean' }, false],
    [{}, {}],
  ]
  for (const [schema, value] of values) {
    test(`of ${JSON.stringify(schema)} is ${JSON.stringify(value)}`, () => {
      assert.deepEqual(exampleOf(schema, new Map(), { known: new Map([['party', 'bob::1']]) }).value, value)
    })
  }

  test('of a recursive type ends', () => {
    const tree = { $ref: '#/components/schemas/Tree' }
    const schemas = new Map<string, Schema>([
      [
        'Tree',
        {
          oneOf: [
            { type: 'object', required: ['Branch'], properties: { Branch: tree } },
            { type: 'object', required: ['Leaf'], properties: { Leaf: { type: 'string' } } },
          ],
        },
      ],
      [
        'Endless',
        { type: 'object', required: ['more'], properties: { more: { $ref: '#/components/schemas/Endless' } } },
      ],
    ])
    assert.deepEqual(exampleOf(tree, schemas).value, { Leaf: '' })
    assert.ok(JSON.stringify(exampleOf({ $ref: '#/components/schemas/Endless' }, schemas).value).length < 1_000)
  })

  test('has no prototype to fall into', () => {
    const properties = JSON.parse('{"__proto__": {"type": "string"}, "constructor": {"type": "string"}}')
    const { value } = exampleOf({ type: 'object', required: ['__proto__', 'constructor'], properties }, new Map())
    assert.equal(JSON.stringify(value), '{"__proto__":"","constructor":""}')
  })
})
