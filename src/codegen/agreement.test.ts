import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { validatorFor } from '../../test/fixtures/openapi-validation.ts'
import { compilerErrors } from '../../test/fixtures/typescript.ts'
import { createJsonCodec } from '../lf/codec/json.ts'
import type { Identifier, Type } from '../lf/syntax/ast.ts'
import { anyType, anyValueOf } from '../lf/testing/arbitrary-values.ts'
import { compareValues } from '../lf/testing/compare-values.ts'
import { packageOf, testPackageId } from '../lf/testing/data-package.ts'
import { sampleDefinitions, sampleTypes } from '../lf/testing/sample-types.ts'
import { createSchemaWriter } from './json-schemas.ts'
import { generateTypeScript } from './typescript.ts'
import { writeType } from './typescript-types.ts'

const main = packageOf(testPackageId, sampleDefinitions)
const packages = { main, get: (id: string) => (id === main.id ? main : undefined) }
const { codecFor } = createJsonCodec({ dataTypes: sampleTypes, compare: compareValues })

const encoded: fc.Arbitrary<{ type: Type; json: string }> = anyType.chain((type) =>
  anyValueOf(type, sampleTypes).map((value) => ({ type, json: codecFor(type).encode(value) })),
)

const seed = Number(process.env.TALLYSTICK_TYPES_SEED ?? Math.floor(Math.random() * 2 ** 31))
const samples = fc.sample(encoded, { numRuns: 300, seed })
/** Under these keys TypeScript expects the methods that every object has, not the values of the map. */
const methodKey = new RegExp(`"(${Object.getOwnPropertyNames(Object.prototype).join('|')})":`)
const nameOf = ({ packageId, name }: Identifier) => (packageId === main.id ? `Main.${name}` : undefined)

test(`every encoded value has its generated type (TALLYSTICK_TYPES_SEED=${seed})`, async () => {
  const files = generateTypeScript(packages)
  const constants = samples
    .filter(({ json }) => !methodKey.test(json))
    .map(({ type, json }, index) => `export const value${index}: ${writeType(type, nameOf)} = ${json}`)
  const imports = [`import type * as daml from './daml.js'`, `import type * as Main from './test/Main.js'`]
  files.set('values.ts', [...imports, ...constants].join('\n'))
  assert.equal(await compilerErrors(files), '')
})

test(`every encoded value is valid against its schema (TALLYSTICK_TYPES_SEED=${seed})`, () => {
  const { schemaOf, components } = createSchemaWriter(packages)
  const schemas = samples.map(({ type }) => schemaOf(type))
  const check = validatorFor(Object.fromEntries(components))
  for (const [index, { json }] of samples.entries()) {
    assert.equal(check(schemas[index]!, JSON.parse(json)), undefined, json)
  }
})
