// Generates code from Canton's OpenAPI document and from ours, and compiles the same programs against both.
//
//   node tools/try-generators.ts CANTONS-OPENAPI.yaml [--openapi-generator JAR] [--only NAME]
//
// The npm generators are those of tools/generators (node tools/ready.mjs --for-tests); openapi-generator is a jar from
// Maven Central (org.openapitools:openapi-generator-cli), and its languages need mvn, cargo and python3 with pydantic.
// Canton's document is not part of this project.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { openApiDocument } from '../src/api/descriptions/openapi.ts'
import { allRoutes } from '../src/api/routes/all.ts'
import { npmGenerators, tryNpmGenerator } from './openapi/generators.ts'
import { openApiGeneratorLanguages, tryOpenApiGenerator } from './openapi/openapi-generator.ts'

const usage = 'usage: node tools/try-generators.ts CANTONS-OPENAPI.yaml [--openapi-generator JAR] [--only NAME]'
const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { 'openapi-generator': { type: 'string' }, only: { type: 'string' } },
})
const [path] = positionals
if (path === undefined) throw new Error(usage)

const jar = values['openapi-generator']
type Trial = (document: string, into: string) => Promise<string>
const trials: [name: string, trial: Trial][] = [
  ...Object.keys(npmGenerators).map((name): [string, Trial] => [
    name,
    (document, into) => tryNpmGenerator(name, document, into),
  ]),
  ...(jar === undefined ? [] : openApiGeneratorLanguages).map((language): [string, Trial] => [
    language,
    (document, into) => tryOpenApiGenerator(resolve(jar!), language, document, into),
  ]),
]

const folder = mkdtempSync(join(tmpdir(), 'tallystick-generators-'))
try {
  const ours = join(folder, 'openapi.json')
  writeFileSync(ours, JSON.stringify(openApiDocument(allRoutes('0.0.0'), '0.0.0')))
  for (const [name, trial] of trials) {
    if (values.only !== undefined && values.only !== name) continue
    for (const [whose, document] of [
      ['Canton', resolve(path)],
      ['ours', ours],
    ] as const) {
      const into = join(folder, `${name}-${whose}`)
      mkdirSync(into)
      const failure = await trial(document, into)
      process.stdout.write(`${name}, ${whose}: ${failure === '' ? 'compiles' : `fails\n${failure}`}\n`)
      if (failure !== '') process.exitCode = 1
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
