// Every route is described consistently: in the rights table, the OpenAPI document and COMPAT.md.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { asyncApiDocument } from '../../src/api/descriptions/asyncapi.ts'
import { openApiDocument } from '../../src/api/descriptions/openapi.ts'
import { component, createComponents } from '../../src/api/descriptions/schema-components.ts'
import { operationOf } from '../../src/api/route.ts'
import { allRoutes } from '../../src/api/routes/all.ts'
import { trackedCantonVersion } from '../../src/api/routes/version.ts'
import { requirements } from '../../src/auth/authorization.ts'
import { errorCodes } from '../../src/base/errors.ts'
import { cantonOperations } from './canton-operations.ts'

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')

const routes = allRoutes('0.0.0', true)
const operations = routes.map(operationOf)
const pages = [...read('src/http/pages.ts').matchAll(/^ {4}'(\/[^']*)': /gm)].map(([, path]) => `GET ${path}`)

describe('routes', () => {
  test('each have a row with their requirement, and each row has its route', () => {
    assert.ok(pages.length > 0, 'the plain pages are found in their file')
    assert.deepEqual(Object.keys(requirements).toSorted(), [...operations, ...pages].toSorted())
  })

  test('require a token, except for the version and what is exchanged for one', () => {
    const open = operations.filter((operation) => requirements[operation] === undefined)
    assert.deepEqual(open, ['GET /v2/version', 'POST /dev/sign-in'])
  })

  test('are unique', () => assert.deepEqual(operations, [...new Set(operations)]))
})

describe('the OpenAPI document', () => {
  const document = openApiDocument(routes, '0.0.0') as unknown as OpenApi
  const listed = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      name: `${method.toUpperCase()} ${path}`,
      path,
      operation,
    })),
  )

  test('lists every route', () => {
    const health = ['GET /livez', 'GET /readyz']
    assert.deepEqual(listed.map(({ name }) => name).toSorted(), [...operations, ...health].toSorted())
    assert.equal(document.info.version, trackedCantonVersion)
  })

  test('contains everything that it refers to', () => {
    const missing = referencesIn(document).filter((reference) => resolve(document, reference) === undefined)
    assert.deepEqual(missing, [])
  })

  test('names every parameter of a path, and no other', () => {
    for (const { name, path, operation } of listed) {
      const inPath = [...path.matchAll(/\{([^}]+)\}/g)].map(([, parameter]) => parameter)
      const named = (operation.parameters ?? [])
        .filter((parameter) => parameter.in === 'path')
        .map((parameter) => parameter.name)
      assert.deepEqual(named, inPath, name)
    }
  })

  test("has an id of its own for every operation, in Canton's words, and no tags", () => {
    const ids = new Map(listed.map(({ name, operation }) => [name, operation.operationId]))
    assert.equal(new Set(ids.values()).size, listed.length)
    for (const [name, id] of [
      ['GET /livez', 'getLivez'],
      ['GET /v2/version', 'getV2Version'],
      ['POST /v2/commands/submit-and-wait-for-transaction', 'postV2CommandsSubmit-and-wait-for-transaction'],
      ['PATCH /v2/users/{user-id}/identity-provider-id', 'patchV2UsersUser-idIdentity-provider-id'],
      ['POST /v2/interactive-submission/executeAndWait', 'postV2Interactive-submissionExecuteandwait'],
    ] as const) {
      assert.equal(ids.get(name), id)
    }
    assert.deepEqual(
      listed.filter(({ operation }) => operation.tags !== undefined),
      [],
    )
  })

  test('has no null, which OpenAPI 3.0 allows only for some schemas, and no second form of an answer', () => {
    const text = JSON.stringify(document)
    assert.doesNotMatch(text, /"nullable"/)
    assert.doesNotMatch(text, /"application\/x-ndjson":/)
    assert.match(text, /With Accept: application\/x-ndjson/)
  })

  test('has one meaning for each component name', () => {
    const meanings = new Map<string, string>()
    for (const schema of titledSchemas()) {
      const components = createComponents('openapi')
      component(schema, components)
      const meaning = JSON.stringify(components.schemas[schema.title])
      assert.equal(meaning, meanings.get(schema.title) ?? meaning, schema.title)
      meanings.set(schema.title, meaning)
    }
    assert.ok(meanings.size > 200)
  })

  test('describes every operation, parameter and property', () => {
    const wordless = listed.flatMap(({ name, operation }) => [
      ...(operation.summary && operation.description ? [] : [name]),
      ...(operation.parameters ?? [])
        .filter(({ description }) => !description)
        .map((parameter) => `${name}: ${parameter.name}`),
    ])
    const properties = Object.entries(document.components.schemas).flatMap(([name, schema]) =>
      wordlessProperties(document, schema, name),
    )
    assert.deepEqual([...wordless, ...properties], [])
  })
})

describe('the AsyncAPI document', () => {
  const document = asyncApiDocument(allRoutes('0.0.0'), '0.0.0') as unknown as AsyncApi
  const channels = Object.entries(document.channels)

  test('lists every stream, with the ids of Canton', () => {
    assert.deepEqual(
      channels.map(([path, { subscribe, publish }]) => [
        path,
        subscribe.operationId,
        publish.operationId,
        ...[subscribe, publish].map(({ message }) => message.$ref.split('/').at(-1)),
      ]),
      [
        [
          '/v2/commands/completions',
          'onV2CommandsCompletions',
          'sendV2CommandsCompletions',
          'Either_JsCantonError_CompletionStreamResponse',
          'CompletionStreamRequest',
        ],
        [
          '/v2/commands/command-completions',
          'onV2CommandsCommand-completions',
          'sendV2CommandsCommand-completions',
          'Either_JsCantonError_CompletionStreamResponse',
          'GetCompletionsRequest',
        ],
        [
          '/v2/updates',
          'onV2Updates',
          'sendV2Updates',
          'Either_JsCantonError_JsGetUpdatesResponse',
          'GetUpdatesRequest',
        ],
        [
          '/v2/updates/flats',
          'onV2UpdatesFlats',
          'sendV2UpdatesFlats',
          'Either_JsCantonError_JsGetUpdatesResponse',
          'GetUpdatesRequest',
        ],
        [
          '/v2/updates/trees',
          'onV2UpdatesTrees',
          'sendV2UpdatesTrees',
          'Either_JsCantonError_JsGetUpdateTreesResponse',
          'GetUpdatesRequest',
        ],
        [
          '/v2/state/active-contracts',
          'onV2StateActive-contracts',
          'sendV2StateActive-contracts',
          'Either_JsCantonError_JsGetActiveContractsResponse',
          'GetActiveContractsRequest',
        ],
      ],
    )
  })

  test('contains everything that it refers to', () => {
    const missing = referencesIn(document).filter((reference) => resolve(document, reference) === undefined)
    assert.deepEqual(missing, [])
  })

  test('expresses null as JSON Schema does', () => {
    assert.doesNotMatch(JSON.stringify(document), /"nullable"/)
    const { JsCantonError, JsTransaction } = document.components.schemas
    assert.deepEqual(JsCantonError!.properties!.traceId!.type, ['string', 'null'])
    assert.deepEqual(JsTransaction!.properties!.traceContext!.oneOf, [
      { $ref: '#/components/schemas/TraceContext' },
      { type: 'null' },
    ])
    assert.equal(JsTransaction!.properties!.updateId!.type, 'string')
  })

  test('has the schemas of the OpenAPI document', () => {
    const { schemas } = (openApiDocument(routes, '0.0.0') as unknown as OpenApi).components
    for (const [name, schema] of Object.entries(document.components.schemas)) {
      const same = name.startsWith('Either_') ? schema : schemas[name]!
      assert.deepEqual(Object.keys(schema.properties ?? {}), Object.keys(same.properties ?? {}), name)
    }
  })
})

describe('COMPAT.md', () => {
  test('has a row for every operation', () => {
    const rows = compatOperations()
    assert.deepEqual(
      operations.filter((operation) => !rows.has(operation)),
      [],
    )
  })

  test('has a row for every operation of Canton, and marks every other row as ours', () => {
    const rows = compatOperations()
    assert.equal(cantonOperations.length, 67)
    assert.deepEqual(
      cantonOperations.filter((operation) => !rows.has(operation)),
      [],
    )
    const more = [...rows].filter(([operation]) => !cantonOperations.includes(operation))
    assert.deepEqual(
      more.filter(([, row]) => !/\| Ours;/.test(row)).map(([operation]) => operation),
      [],
    )
  })

  test('says yes only for existing operations', () => {
    const claimed = [...compatOperations()]
      .filter(([, row]) => /^(yes|partly)\b/i.test(statusOf(row)))
      .map(([name]) => name)
    const existing = new Set([...operations, ...pages])
    assert.deepEqual(
      claimed.filter((operation) => !existing.has(operation)),
      [],
    )
  })

  test('does not say "not yet" for an existing operation', () => {
    const denied = [...compatOperations()]
      .filter(([, row]) => /^(no|not yet)\b/i.test(statusOf(row)))
      .map(([name]) => name)
    assert.deepEqual(
      denied.filter((operation) => operations.includes(operation)),
      [],
    )
  })

  test('has a row for every error code', () => {
    const rows = tableRows().flatMap((row) => /^\|\s*`([A-Z][A-Z0-9_]+)`/.exec(row)?.[1] ?? [])
    assert.deepEqual(
      Object.keys(errorCodes).filter((code) => !rows.includes(code)),
      [],
    )
  })

  test('names the tracked version', () => assert.ok(read('COMPAT.md').includes(trackedCantonVersion)))
})

type Schema = {
  $ref?: string
  type?: string | string[]
  description?: string
  properties?: Record<string, Schema>
  items?: Schema
  oneOf?: Schema[]
  allOf?: Schema[]
  additionalProperties?: Schema
}

type Operation = {
  summary?: string
  description?: string
  operationId: string
  tags?: string[]
  parameters?: { name: string; in: string; description?: string }[]
}

type OpenApi = {
  info: { version: string }
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema> }
}

type Messages = { operationId: string; message: { $ref: string } }

type AsyncApi = {
  channels: Record<string, { subscribe: Messages; publish: Messages }>
  components: { schemas: Record<string, Schema>; messages: Record<string, object> }
}

type Titled = { readonly title: string }

/** Every schema with a title in the routes, including repetitions. */
function titledSchemas(): Titled[] {
  const found = new Set<Titled>()
  const visit = (value: unknown) => {
    if (typeof value !== 'object' || value === null || found.has(value as Titled)) return
    if ('title' in value && typeof value.title === 'string') found.add(value as Titled)
    Object.values(value).forEach(visit)
  }
  for (const { body, response, streaming } of routes) [body, response, streaming?.element].forEach(visit)
  return [...found]
}

function referencesIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, part]) => (key === '$ref' ? [part as string] : referencesIn(part)))
}

function resolve(document: object, reference: string): Schema | undefined {
  const [hash, ...path] = reference.split('/')
  if (hash !== '#') return undefined
  return path.reduce<unknown>((part, name) => (part as Record<string, unknown> | undefined)?.[name], document) as Schema
}

/** A property has its own description or that of the schema it refers to; a wrapper has that of its content. */
function wordlessProperties(document: OpenApi, schema: Schema, path: string): string[] {
  const parts: [string, Schema][] = Object.entries(schema.properties ?? {}).map(([name, part]) => [
    `${path}.${name}`,
    part,
  ])
  const wordless = parts.filter(([, part]) => !isDescribed(document, part)).map(([name]) => name)
  const inner: [string, Schema][] = [
    ...parts,
    ...(schema.items ? [[`${path}[]`, schema.items] as [string, Schema]] : []),
    ...(schema.additionalProperties ? [[`${path}{}`, schema.additionalProperties] as [string, Schema]] : []),
    ...(schema.oneOf ?? []).map((part): [string, Schema] => [path, part]),
  ]
  return [...wordless, ...inner.flatMap(([name, part]) => wordlessProperties(document, part, name))]
}

function isDescribed(document: OpenApi, schema: Schema): boolean {
  if (schema.description) return true
  const reference = schema.$ref ?? schema.allOf?.[0]?.$ref
  if (reference) return isDescribed(document, resolve(document, reference)!)
  const names = Object.keys(schema.properties ?? {})
  if (names.length === 1 && names[0] === 'value') return isDescribed(document, schema.properties!.value!)
  return (
    schema.oneOf?.every((variant) => isDescribed(document, Object.values(variant.properties ?? {})[0] ?? variant)) ??
    false
  )
}

function tableRows(): string[] {
  return read('COMPAT.md')
    .split('\n')
    .filter((line) => line.startsWith('|'))
}

/** The second cell: yes, partly or not yet. */
function statusOf(row: string): string {
  return row.split('|')[2]!.trim()
}

/** The operations of all tables, each with its row. */
function compatOperations(): Map<string, string> {
  return new Map(
    tableRows().flatMap((row) => {
      const found = /\b(GET|POST|PUT|PATCH|DELETE)\b[`\s|]+(\/[^\s`|]+)/.exec(row)
      return found === null ? [] : [[`${found[1]} ${found[2]}`, row] as const]
    }),
  )
}
