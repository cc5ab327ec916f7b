import assert from 'node:assert/strict'
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import {
  filesOpenToOthers,
  makePrivateFile,
  makePrivateFolder,
  publishPrivateFile,
  writePrivateFile,
} from './private-files.ts'

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)

describe('private files', { skip: process.platform === 'win32' && 'Windows has no modes' }, () => {
  for (const umask of [0, 0o022, 0o077]) {
    test(`give others no rights with umask ${umask.toString(8).padStart(3, '0')}`, () => {
      using place = temporaryFolder()
      const before = process.umask(umask)
      try {
        const folder = join(place.path, 'a', 'b')
        makePrivateFolder(folder)
        makePrivateFile(join(folder, 'empty'))
        writePrivateFile(join(folder, 'written'), 'secret')
        const paths = [join(place.path, 'a'), folder, join(folder, 'empty'), join(folder, 'written')]
        assert.deepEqual(paths.map(modeOf), ['700', '700', '600', '600'])
        assert.deepEqual(
          filesOpenToOthers(folder, () => true),
          [],
        )
      } finally {
        process.umask(before)
      }
    })
  }

  test('are written once', () => {
    using place = temporaryFolder()
    const file = join(place.path, 'key')
    writePrivateFile(file, 'first')
    assert.throws(() => writePrivateFile(file, 'second'), { code: 'EEXIST' })
    makePrivateFile(file)
    assert.equal(statSync(file).size, 5)
  })

  test('appear whole, are written once, and leave no temporary file', () => {
    using place = temporaryFolder()
    const file = join(place.path, 'key')
    publishPrivateFile(file, 'first')
    assert.throws(() => publishPrivateFile(file, 'second'), { code: 'EEXIST' })
    assert.equal(readFileSync(file, 'utf8'), 'first')
    assert.deepEqual(readdirSync(place.path), ['key'])
  })

  test('files that others can read or change are found, unless the folder protects them', () => {
    using place = temporaryFolder()
    const file = join(place.path, 'ledger')
    const hidden = join(place.path, 'hidden')
    writeFileSync(file, '')
    chmodSync(file, 0o640)
    writePrivateFile(hidden, '')
    writeFileSync(join(place.path, 'foreign'), '', { mode: 0o644 })
    const found: [folderMode: number, want: string[]][] = [
      [0o700, []],
      [0o755, [file]],
      [0o770, [place.path, file]],
    ]
    for (const [mode, want] of found) {
      chmodSync(place.path, mode)
      assert.deepEqual(
        filesOpenToOthers(place.path, (name) => name !== 'foreign'),
        want,
        mode.toString(8),
      )
    }
    assert.deepEqual(
      filesOpenToOthers(join(place.path, 'nowhere'), () => true),
      [],
    )
  })
})

function temporaryFolder(): Disposable & { path: string } {
  const path = mkdtempSync(join(tmpdir(), 'tallystick-private-'))
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}
