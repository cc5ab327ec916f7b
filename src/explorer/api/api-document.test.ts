import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openApiDocument } from '../../api/descriptions/openapi.ts'
import { allRoutes } from '../../api/routes/all.ts'
import {
  type ApiDocument,
  apiFrom,
  byGroup,
  createSearch,
  fieldsOf,
  filledPath,
  groupOf,
  losesSomething,
  type Schema,
} from './api-document.ts'

const routes = allRoutes('0.0.0', true)
const api = apiFrom(openApiDocument(routes, '0.0.0') as unknown as ApiDocument)
const operation = (id: string) => api.operations.find((found) => found.id === id)!

describe('operations', () => {
  test('are in the groups of the routes', () => {
    for (const { path, tag } of routes) assert.equal(groupOf(path), tag, path)
    const groups = byGroup(api.operations).map(([group]) => group)
    assert.deepEqual(groups, [...new Set(groups)])
    assert.deepEqual(new Set(groups), new Set(routes.map(({ tag }) => tag)))
  })

  test('have their bodies and answers', () => {
    assert.equal(api.operations.length, routes.length + 2)
    assert.equal(operation('postV2Dars').body?.isBytes, true)
    assert.equal(operation('postV2Users').body?.isBytes, false)
    assert.equal(operation('getV2Users').body, undefined)
    assert.equal(api.operations.filter(({ isDeprecated }) => isDeprecated).length, 11)
  })

  test('that lose something are known', () => {
    const losing = api.operations.filter(({ method, path }) => losesSomething(method, path))
    assert.deepEqual(losing.map(({ method, path }) => `${method} ${path}`).toSorted(), [
      'DELETE /dev/faults',
      'DELETE /dev/faults/{id}',
      'DELETE /dev/snapshots/{name}',
      'DELETE /v2/idps/{idp-id}',
      'DELETE /v2/users/{user-id}',
      'POST /dev/reset',
      'POST /dev/snapshots/{name}/restore',
      'POST /v2/pruning',
    ])
  })

  test('get the path that the reader fills in', () => {
    const values = new Map([
      ['user-id', 'a/b c'],
      ['pageSize', ' 7 '],
      ['pageToken', ''],
      ['other', 'x'],
    ])
    assert.equal(filledPath(operation('getV2UsersUser-idRights'), values), '/v2/users/a%2Fb%20c/rights')
    assert.equal(filledPath(operation('getV2Users'), values), '/v2/users?pageSize=7')
  })
})

describe('the search', () => {
  const search = createSearch(api)
  const found = (text: string) => search(text).map(({ operation: { id } }) => id)

  const cases: [text: string, id: string, field: string | undefined][] = [
    ['GET /v2/version', 'getV2Version', undefined],
    ['upload a dar', 'postV2Dars', undefined],
    ['packageIdSelectionPreference async', 'postV2CommandsAsyncSubmit', 'packageIdSelectionPreference'],
    ['PAGETOKEN users', 'getV2Users', 'pageToken'],
  ]
  for (const [text, id, field] of cases) {
    test(`finds ${id} by ${text}`, () => {
      assert.equal(search(text).find(({ operation: of }) => of.id === id)?.field, field)
      assert.ok(found(text).includes(id))
    })
  }

  test('finds everything by nothing, and nothing by what no operation has', () => {
    assert.equal(found(' ').length, api.operations.length)
    assert.deepEqual(found('version nonsense'), [])
  })
})

describe('the fields of a schema', () => {
  const schemas = new Map<string, Schema>([
    ['Node', { type: 'object', required: ['next'], properties: { next: { $ref: '#/components/schemas/Node' } } }],
    [
      'Kind',
      { oneOf: [{ properties: { A: { $ref: '#/components/schemas/Node' } } }, { $ref: '#/components/schemas/Node' }] },
    ],
  ])

  test('say what is required, deprecated, and what to unfold', () => {
    const fields = fieldsOf(
      {
        type: 'object',
        required: ['id'],
        properties: {
          id: { type: 'integer', format: 'int64', description: 'The id' },
          old: { type: 'string', deprecated: true },
          nodes: { type: 'array', items: { $ref: '#/components/schemas/Node' } },
          byName: { type: 'object', additionalProperties: { $ref: '#/components/schemas/Kind' } },
          colour: { type: 'string', enum: ['red', 'green'] },
          any: {},
        },
      },
      schemas,
    )
    const shown = fields.map(({ name, type, isRequired, isDeprecated, inner }) => [
      ...[name, type, isRequired, isDeprecated],
      inner !== undefined,
    ])
    assert.deepEqual(shown, [
      ['id', 'int64', true, false, false],
      ['old', 'string', false, true, false],
      ['nodes', 'list of object', false, false, true],
      ['byName', 'map to one of 2 kinds', false, false, true],
      ['colour', 'enumeration', false, false, false],
      ['any', 'anything', false, false, false],
    ])
    assert.deepEqual(fields[4]!.values, ['red', 'green'])
    assert.equal(fields[0]!.description, 'The id')
  })

  test('of a union are its alternatives, through lists and maps', () => {
    const kind = { type: 'array', items: { $ref: '#/components/schemas/Kind' } }
    assert.deepEqual(
      fieldsOf(kind, schemas).map(({ name }) => name),
      ['A', 'Node'],
    )
  })
})
