// Writes docs/world-schema.json, the schema of world files, from the code.
//   node_modules/.bin/node tools/world-schema.ts
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { worldSchema } from '../src/ledger/development/world-schema.ts'

export function worldSchemaDocument(): string {
  const schema = { $schema: 'https://json-schema.org/draft/2020-12/schema', ...worldSchema }
  return `${JSON.stringify(schema, (name, value) => (name === 'expects' ? undefined : value), 2)}\n`
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(fileURLToPath(new URL('../docs/world-schema.json', import.meta.url)), worldSchemaDocument())
}
