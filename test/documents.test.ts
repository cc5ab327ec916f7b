// The lists in documents match the code: settings in docs/settings.md, metrics in docs/metrics.md.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { settingRows } from '../src/cli/setting-list.ts'
import { metricsDocument } from '../tools/metrics-document.ts'
import { settingsDocument } from '../tools/settings-document.ts'
import { startTestNode } from './fixtures/node.ts'

describe('settings', () => {
  test('are listed in docs/settings.md as the code has them (tools/settings-document.ts writes the list)', () => {
    const document = readFileSync('docs/settings.md', 'utf8')
    assert.equal(document, settingsDocument(document))
  })

  test('are named in its hand-written part only if they exist', () => {
    const [byHand] = readFileSync('docs/settings.md', 'utf8').split('## All settings')
    const rows = settingRows()
    const known = new Set(rows.flatMap(({ name, variable, flags }) => [name, variable, ...flags]))
    const named = byHand!.matchAll(/\b(?:TALLYSTICK_[A-Z_]+[A-Z]|(?:http|auth|limits|log)\.[A-Za-z.]+)|--[a-z][a-z-]+/g)
    const others = ['TALLYSTICK_CONFIG', '--config', '--json']
    assert.deepEqual(
      [...named].map(([name]) => name).filter((name) => !known.has(name) && !others.includes(name)),
      [],
    )
  })

  test('are all used by the code', () => {
    const sources = globSync('src/**/*.ts', { exclude: ['**/*.test.ts', 'src/base/settings.ts'] })
    const text = sources.map((file) => readFileSync(file, 'utf8')).join('\n')
    const unread = settingRows().filter(({ path }) => !new RegExp(`\\b${path.at(-1)}\\b`).test(text))
    assert.deepEqual(
      unread.map(({ name }) => name),
      [],
    )
  })
})

describe('metrics', () => {
  for (const store of ['memory', 'sqlite', 'postgres'] as const) {
    test(`of a node over ${store} are those in docs/metrics.md (tools/metrics-document.ts writes the list)`, async () => {
      await using node = await startTestNode({ store })
      const document = readFileSync('docs/metrics.md', 'utf8')
      assert.equal(document, metricsDocument(document, (await node.call('GET', '/metrics')).text))
    })
  }

  test('are named in the hand-written part of docs/metrics.md only if they exist', () => {
    const [byHand, list] = readFileSync('docs/metrics.md', 'utf8').split('## All metrics')
    const named = [...byHand!.matchAll(/tallystick_\w+/g)].map(([name]) => name)
    assert.deepEqual(
      named.filter((name) => !list!.includes(`| \`${name}\` |`)),
      [],
    )
  })
})
