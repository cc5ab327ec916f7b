// Writes every table of cases in this folder as JSON, for the recorder: write.ts FOLDER
import { readdirSync, writeFileSync } from 'node:fs'

const folder = process.argv[2]
for (const file of readdirSync(import.meta.dirname).filter((name) => name.endsWith('.cases.ts'))) {
  const { default: cases } = await import(`./${file}`)
  const json = JSON.stringify(cases).replace(/[^ -~]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)
  writeFileSync(`${folder}/${file.replace('.cases.ts', '.json')}`, json)
}
