// Writes the list in docs/metrics.md from a node's /metrics page; the text before the list is written by hand.
//   node_modules/.bin/node tools/metrics-document.ts
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { loadSettings } from '../src/cli/config.ts'
import { startNode } from '../src/node/node.ts'

const file = fileURLToPath(new URL('../docs/metrics.md', import.meta.url))
const start = '## All metrics\n'

/** The whole document, with the list from the page. */
export function metricsDocument(current: string, page: string): string {
  const types = new Map([...page.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => [name!, type!]))
  const rows = [...page.matchAll(/^# HELP (tallystick_\S+) (.*)$/gm)].map(
    ([, name, help]) => `| \`${name}\` | ${types.get(name!)} | ${help} |`,
  )
  const table = ['| metric | type | meaning |', '|---|---|---|', ...rows.sort()].join('\n')
  return `${current.slice(0, current.indexOf(start))}${start}\n${table}\n`
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await using node = await startNode(loadSettings({ memory: true, port: '0', 'log-level': 'silent' }, {}))
  const page = await (await fetch(`${node.url}/metrics`)).text()
  writeFileSync(file, metricsDocument(readFileSync(file, 'utf8'), page))
}
