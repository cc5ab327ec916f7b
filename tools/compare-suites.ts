// Finds suites of Canton's ledger-api-test-tool that test/conformance/canton-suites.ts does not have.
//
//   node tools/compare-suites.ts FILE…
//
// The files are those of Canton's sources that list the suites of a version: suites/V2_2.scala, V2_3.scala, V2_dev.scala.
import { readFileSync } from 'node:fs'
import { cantonSuites } from '../test/conformance/canton-suites.ts'

export function unknownSuites(source: string): string[] {
  const known = new Set(cantonSuites.map(({ name }) => name))
  const listed = [...source.matchAll(/\bnew (\w+(?:IT|Tests))\b/g)].map(([, name]) => name!)
  return [...new Set(listed)].filter((name) => !known.has(name))
}

if (import.meta.main) {
  const unknown = process.argv.slice(2).flatMap((file) => unknownSuites(readFileSync(file, 'utf8')))
  for (const name of unknown) process.stdout.write(`${name} is not in the table\n`)
  process.exitCode = unknown.length === 0 ? 0 : 1
}
