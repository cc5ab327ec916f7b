// Code generators over our OpenAPI document, and programs written against the names that Canton's document gives.
// tools/try-generators.ts shows that the same programs compile against Canton's document.
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { openApiDocument } from '../../src/http/openapi.ts'
import { allRoutes } from '../../src/http/routes/all.ts'
import { areInstalled, npmGenerators, tryNpmGenerator } from '../../tools/openapi/generators.ts'
import { temporaryFolder } from '../fixtures/process.ts'

describe('code generators', () => {
  for (const name of Object.keys(npmGenerators)) {
    test(`a program over the code of ${name} compiles`, async () => {
      assert.ok(areInstalled(), 'the generators are not installed: run node tools/ready.mjs --generators')
      using folder = temporaryFolder()
      const document = join(folder.path, 'openapi.json')
      writeFileSync(document, JSON.stringify(openApiDocument(allRoutes('0.0.0'), '0.0.0')))
      const into = join(folder.path, 'code')
      mkdirSync(into)
      assert.equal(await tryNpmGenerator(name, document, into), '')
    })
  }
})
