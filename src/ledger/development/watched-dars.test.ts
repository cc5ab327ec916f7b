import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { testSettings } from '../../../test/fixtures/node.ts'
import { createTestClock } from '../../base/clock.ts'
import { LedgerError, StartError } from '../../base/errors.ts'
import { lookMs, patienceMs } from '../../lf/dar/changing-file.ts'
import { watchedDars, watchFiles } from './watched-dars.ts'

const whole = (text: string) => Buffer.concat([Buffer.from(text), endOfZip])
/** Of an empty zip file. */
const endOfZip = Buffer.concat([Buffer.from('PK\x05\x06', 'latin1'), Buffer.alloc(18)])

function watching() {
  const folder = mkdtempSync(join(tmpdir(), 'tallystick-watched-'))
  const file = join(folder, 'dist', 'my.dar')
  const clock = createTestClock(0)
  const uploads: string[] = []
  const lines: string[] = []
  const line = (level: string) => (_fields: object, message: string) => void lines.push(`${level} ${message}`)
  const log = { isDebug: false, debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') }
  const packages = {
    async takeOver({ bytes }: { readonly bytes: Uint8Array }) {
      const text = Buffer.from(bytes).toString('latin1').split('PK')[0]!
      uploads.push(text)
      if (text === 'bad') throw new LedgerError('INVALID_DAR', 'Dar file is corrupt', { context: { why: 'torn' } })
      return { main: { id: text, name: 'my', version: '1.0.0' } as never, replaced: [], outdated: [] }
    },
  }
  const watched = watchFiles([file], { receivers: () => [packages], clock, log })
  mkdirSync(join(folder, 'dist'))
  return {
    ...{ folder, file, uploads, lines, watched, packages },
    /** Lets the watcher look so many times. */
    async looks(count: number) {
      for (let done = 0; done < count; done += 1) {
        clock.advance(lookMs)
        await watched.aside(async () => undefined)
        await new Promise(setImmediate) // Then it plans its next look.
      }
    },
    async [Symbol.asyncDispose]() {
      await watched[Symbol.asyncDispose]()
      rmSync(folder, { recursive: true })
    },
  }
}

describe('a watched DAR', () => {
  test('is uploaded as it is, and again when it has changed and then stayed the same', async () => {
    await using parts = watching()
    const { file, uploads, watched, packages, looks } = parts
    writeFileSync(file, whole('one'))
    await watched.upload([file], packages)
    watched.start()
    await looks(3)
    assert.deepEqual(uploads, ['one'])
    writeFileSync(file, whole('second'))
    await looks(1)
    assert.deepEqual(uploads, ['one'])
    writeFileSync(file, whole('the third'))
    await looks(1)
    assert.deepEqual(uploads, ['one'])
    await looks(3)
    assert.deepEqual(uploads, ['one', 'the third'])
  })

  test('may be replaced, with its folder, and may be missing meanwhile', async () => {
    await using parts = watching()
    const { folder, file, uploads, lines, watched, packages, looks } = parts
    await watched.upload([file], packages)
    assert.deepEqual([uploads, lines.length], [[], 1])
    assert.match(lines[0]!, /^warn cannot read the DAR: ENOENT.*; waiting for another$/)
    watched.start()
    await looks(1)
    mkdirSync(join(folder, 'new'))
    writeFileSync(join(folder, 'new', 'my.dar'), whole('one'))
    rmSync(join(folder, 'dist'), { recursive: true })
    renameSync(join(folder, 'new'), join(folder, 'dist'))
    await looks(2)
    assert.deepEqual([uploads, lines.slice(1)], [['one'], [`info my 1.0.0 is there (${file})`]])
    rmSync(file)
    await looks(2)
    writeFileSync(file, whole('other'))
    await looks(2)
    assert.deepEqual(uploads, ['one', 'other'])
  })

  test('is not read while it is being written; one that stays torn is refused', async () => {
    await using parts = watching()
    const { file, uploads, watched, looks } = parts
    watched.start()
    writeFileSync(file, 'torn')
    await looks(4)
    assert.deepEqual(uploads, [])
    writeFileSync(file, Buffer.concat([readFileSync(file), whole(', no more')]))
    await looks(2)
    assert.deepEqual(uploads, ['torn, no more'])
    writeFileSync(file, 'torn')
    await looks(2 + patienceMs / lookMs)
    assert.deepEqual(uploads, ['torn, no more', 'torn'])
  })

  test('that is refused has a line, and waits for a change', async () => {
    await using parts = watching()
    const { file, uploads, lines, watched, looks } = parts
    watched.start()
    writeFileSync(file, whole('bad'))
    await looks(5)
    assert.deepEqual(uploads, ['bad'])
    assert.deepEqual(lines, [`warn cannot upload ${file}: Dar file is corrupt (torn); waiting for another`])
    writeFileSync(file, whole('better'))
    await looks(2)
    assert.deepEqual(uploads, ['bad', 'better'])
  })
})

test('only development nodes watch, and only if there is something to watch', () => {
  const parts = { receivers: () => assert.fail(), clock: createTestClock(0), log: undefined as never }
  const other = testSettings({ development: false, dars: ['x.dar'] })
  assert.throws(() => watchedDars(other, [], parts), new StartError('only a development node watches DARs'))
  assert.throws(() => watchedDars(testSettings({ development: true }), [], parts), /^Error: there is no DAR to watch/)
  const watched = watchedDars(testSettings({ development: true, dars: ['x.dar'] }), ['y.dar', 'x.dar'], parts)
  assert.deepEqual(watched.files, ['x.dar', 'y.dar'])
})
