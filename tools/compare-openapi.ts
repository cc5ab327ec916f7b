// Prints how the OpenAPI document of this node differs from Canton's, operation by operation and field by field.
//
//   node tools/compare-openapi.ts CANTONS-OPENAPI.yaml [--all]
//
// What is stricter about an answer or more lenient about a request breaks no client; it is only counted, unless --all.
// COMPAT.md explains what is printed. Canton's document is read from wherever it lies and is not part of this project.
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { parse } from 'yaml'
import { openApiDocument } from '../src/http/openapi.ts'
import { allRoutes } from '../src/http/routes/all.ts'
import { compareDocuments, type OpenApi } from './openapi/compare.ts'

const { positionals, values } = parseArgs({ allowPositionals: true, options: { all: { type: 'boolean' } } })
const [path] = positionals
if (path === undefined) throw new Error('usage: node tools/compare-openapi.ts CANTONS-OPENAPI.yaml [--all]')

const canton = parse(readFileSync(path, 'utf8')) as OpenApi
const ours = openApiDocument(allRoutes('0.0.0'), '0.0.0') as unknown as OpenApi
const differences = compareDocuments(canton, ours)
const shown = differences.filter(({ isRefinement }) => values.all === true || !isRefinement)

let last = ''
for (const { operation, place, text } of shown) {
  if (operation !== last) process.stdout.write(`${operation}\n`)
  process.stdout.write(`  ${place === '' ? '' : `${place}: `}${text}\n`)
  last = operation
}
const refinements = differences.filter(({ isRefinement }) => isRefinement).length
process.stdout.write(
  `${Object.keys(canton.paths).length} paths; ${differences.length - refinements} differences; ` +
    `${refinements} places where an answer promises more or a request asks for less\n`,
)
