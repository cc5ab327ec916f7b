import assert from 'node:assert/strict'
import { test } from 'node:test'
import { validatorFor } from '../../test/fixtures/openapi-validation.ts'
import { fc, testSeed } from '../../test/fixtures/seed.ts'
import { compilerErrors } from '../../test/fixtures/typescript.ts'
import { anyType, anyValueOf } from '../../test/support/lf/arbitrary-values.ts'
import { compareValues } from '../../test/support/lf/compare-values.ts'
import { packageOf, testPackageId } from '../../test/support/lf/data-package.ts'
import { sampleDefinitions, sampleTypes } from '../../test/support/lf/sample-types.ts'
import { createJsonCodec } from '../lf/codec/json.ts'
import type { Identifier, Type } from '../lf/syntax/ast.ts'
import { createSchemaWriter } from './json-schemas.ts'
import { generateTypeScript } from './typescript.ts'
import { writeType } from './typescript-types.ts'

const main = packageOf(testPackageId, sampleDefinitions)
const packages = { main, get: (id: string) => (id === main.id ? main : undefined) }
const { codecFor } = createJsonCodec({ dataTypes: sampleTypes, compare: compareValues })

const encoded: fc.Arbitrary<{ type: Type; json: string }> = anyType.chain((type) =>
  anyValueOf(type, sampleTypes).map((value) => ({ type, json: codecFor(type).encode(value) })),
)

const samples = fc.sample(encoded, { numRuns: 300 })
/** Under these keys TypeScript expects the methods that every object has, not the values of the map. */
const methodKey = new RegExp(`"(${Object.getOwnPropertyNames(Object.prototype).join('|')})":`)
const nameOf = ({ packageId, name }: Identifier) => (packageId === main.id ? `Main.${name}` : undefined)

test(`every encoded value has its generated type (seed ${testSeed})`, async () => {
  const files = generateTypeScript(packages)
  const constants = samples
    .filter(({ json }) => !methodKey.test(json))
    .map(({ type, json }, index) => `export const value${index}: ${writeType(type, nameOf)} = ${json}`)
  const imports = [`import type * as daml from './daml.js'`, `import type * as Main from './test/Main.js'`]
  files.set('values.ts', [...imports, ...constants].join('\n'))
  assert.equal(await compilerErrors(files), '')
})

test(`every encoded value is valid against its schema (seed ${testSeed})`, () => {
  const { schemaOf, components } = createSchemaWriter(packages)
  const schemas = samples.map(({ type }) => schemaOf(type))
  const check = validatorFor(Object.fromEntries(components))
  for (const [index, { json }] of samples.entries()) {
    assert.equal(check(schemas[index]!, JSON.parse(json)), undefined, json)
  }
})

test('schemas say nullable only beside a type, where OpenAPI 3.0 gives it a meaning', () => {
  const { schemaOf, components } = createSchemaWriter(packages)
  const written = [...samples.map(({ type }) => schemaOf(type)), ...components.values()]
  const meaningless = (value: unknown): unknown[] => {
    if (typeof value !== 'object' || value === null) return []
    const isMeaningless = 'nullable' in value && typeof value.nullable === 'boolean' && !('type' in value)
    return [...(isMeaningless ? [value] : []), ...Object.values(value).flatMap(meaningless)]
  }
  assert.ok(JSON.stringify(written).includes('"nullable":true'))
  assert.deepEqual(written.flatMap(meaningless), [])
})
