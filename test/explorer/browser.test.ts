// The browser that the tests of the explorer start.
import assert from 'node:assert/strict'
import { readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { brotliCompressSync } from 'node:zlib'
import { unpackOnce } from '../fixtures/browser.ts'
import { temporaryFolder } from '../fixtures/process.ts'

test('a browser that is unpacked twice at once stays the file that it was', async () => {
  using folder = temporaryFolder()
  const source = join(folder.path, 'browser.br')
  writeFileSync(source, brotliCompressSync('a browser'))
  const unpacking = [unpackOnce(source, join(folder.path, 'browser')), unpackOnce(source, join(folder.path, 'browser'))]
  const { ino } = statSync(await Promise.race(unpacking))
  for (const executable of await Promise.all(unpacking)) assert.equal(statSync(executable).ino, ino)
  assert.deepEqual(readdirSync(folder.path), ['browser', 'browser.br'])
})
