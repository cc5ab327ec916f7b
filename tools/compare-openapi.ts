// Prints how the OpenAPI document of this node differs from Canton's, as code generators see it.
//
//   node tools/compare-openapi.ts CANTONS-OPENAPI.yaml [--all]
//
// Operations and components that only this node has are counted, and printed with --all. COMPAT.md explains the
// differences. Canton's document is not part of this project.
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { parse } from 'yaml'
import { openApiDocument } from '../src/api/descriptions/openapi.ts'
import { allRoutes } from '../src/api/routes/all.ts'
import { compareDocuments, type OpenApi } from './openapi/compare.ts'

const { positionals, values } = parseArgs({ allowPositionals: true, options: { all: { type: 'boolean' } } })
const [path] = positionals
if (path === undefined) throw new Error('usage: node tools/compare-openapi.ts CANTONS-OPENAPI.yaml [--all]')

const canton = parse(readFileSync(path, 'utf8')) as OpenApi
const ours = openApiDocument(allRoutes('0.0.0'), '0.0.0') as unknown as OpenApi
const differences = compareDocuments(canton, ours)
const shown = differences.filter(({ isAddition }) => values.all === true || !isAddition)

let last = ''
for (const { subject, place, text } of shown) {
  if (subject !== last) process.stdout.write(`${subject}\n`)
  process.stdout.write(`  ${place === '' ? '' : `${place}: `}${text}\n`)
  last = subject
}
const additions = differences.filter(({ isAddition }) => isAddition).length
process.stdout.write(
  `${Object.keys(canton.paths).length} paths and ${Object.keys(canton.components.schemas).length} components in Canton; ` +
    `${differences.length - additions} differences; ${additions} operations and components only here\n`,
)
