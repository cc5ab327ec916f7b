// SECURITY.md names the tests of its promises: all of them exist, and every campaign of `npm run attack` is named.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { campaigns } from '../../attack/campaigns/all.ts'

const root = new URL('../../', import.meta.url)
const text = readFileSync(new URL('SECURITY.md', root), 'utf8')
const promises = text.slice(text.indexOf('## Promises'), text.indexOf('## Not promised'))
const rows = promises.split('\n').filter((line) => line.startsWith('|') && !/^\|(-|.*\| tested by)/.test(line))
const namedCampaigns = [...promises.matchAll(/\*([^*\n]+)\*/g)].map(([, name]) => name!.trim())

describe('SECURITY.md', () => {
  test('names a test or a campaign for each promise', () => {
    assert.ok(rows.length > 20)
    assert.deepEqual(
      rows.filter((row) => !/`[^`]+\.test\.ts`|campaigns? \*/.test(row)),
      [],
    )
  })

  test('names only tests and documents that exist', () => {
    const files = [...text.matchAll(/`((?:src|test)\/[^`]+)`|\]\(([^)]+)\)/g)].map(([, file, link]) => file ?? link!)
    assert.deepEqual(
      files.filter((file) => !existsSync(new URL(file, root))),
      [],
    )
  })

  test('names campaigns that exist, and all of them', () => {
    const isNamed = (name: string) => namedCampaigns.some((one) => one === name || isFamily(one, name))
    assert.deepEqual(
      campaigns.map(({ name }) => name).filter((name) => !isNamed(name)),
      [],
    )
    const isThere = (one: string) => campaigns.some(({ name }) => name === one || isFamily(one, name))
    const headings = /^(A package's author)$/
    assert.deepEqual(
      namedCampaigns.filter((one) => !headings.test(one) && !isThere(one)),
      [],
    )
  })
})

/** `decoder: …` stands for all decoders. */
function isFamily(one: string, name: string): boolean {
  return one.endsWith('…') && name.startsWith(one.slice(0, -1))
}
