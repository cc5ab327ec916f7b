// The code of a thread is compiled once, by the process that ends first, and taken by those after it unless it is damaged.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempDisposableSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'

const tried = `
const [module, starter] = process.argv.slice(1)
const { compiledThread } = await import(module)
const { Script } = await import('node:vm')
const { readFileSync } = await import('node:fs')
const cachedData = compiledThread(new URL(starter))
const source = readFileSync(new URL(starter.replace('.mjs', '.cjs')), 'utf8')
console.log(cachedData === undefined ? 'none' : new Script(source, { cachedData }).cachedDataRejected ? 'rejected' : 'taken')`

test('compiled code of a thread is kept for the next process, and not taken if it is damaged or of another source', () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'thread-code-'))
  const kept = () =>
    readdirSync(folder.path, { recursive: true, encoding: 'utf8' }).filter((name) => /\.cjs-/.test(name))
  const start = () => {
    const files = [new URL('./thread-code.ts', import.meta.url), pathToFileURL(join(folder.path, 'some-thread.mjs'))]
    const args = ['--input-type=module', '-e', tried, ...files.map(({ href }) => href)]
    const env = { ...process.env, NODE_COMPILE_CACHE: join(folder.path, 'cache') }
    return execFileSync(process.execPath, args, { env, encoding: 'utf8' }).trim()
  }
  writeFileSync(join(folder.path, 'some-thread.cjs'), '(function (require) { return require })')
  assert.equal(start(), 'none')
  assert.equal(start(), 'taken')

  const [file] = kept().map((name) => join(folder.path, name))
  const damaged = readFileSync(file!)
  damaged[damaged.length - 1]! ^= 1
  writeFileSync(file!, damaged)
  assert.equal(start(), 'none')
  assert.equal(start(), 'taken')

  writeFileSync(join(folder.path, 'some-thread.cjs'), '(function (require) { return exports })') // As long as before.
  assert.equal(start(), 'none')
  assert.equal(kept().length, 2)
})
