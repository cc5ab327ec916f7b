// Invalid DARs: the zip file, its directory, its manifest, its entries. Each row breaks a valid DAR in one way.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deflateRawSync } from 'node:zlib'
import { archiveOf, createPackageWriter, darOf, payloadOf } from '../../../test/support/lf/package-writer.ts'
import { sampleArchive, sampleDar } from '../../../test/support/lf/sample-package.ts'
import { ArchiveError } from '../archive/archive-error.ts'
import { zipLimits } from '../archive/limits.ts'
import { decodeDar, openDar, type SeenEntries } from './dar.ts'
import { manifestFromText } from './manifest.ts'
import { readZipDirectory, readZipEntry } from './zip.ts'
import { writeZip } from './zip-writing.ts'

const dalf = sampleArchive(1)
const emptyDalf = archiveOf(payloadOf(createPackageWriter(2).finish(), '2'))
const mebibyte = 1024 * 1024

test('a DAR contains its packages, the main one first, each with its original bytes', () => {
  const dar = decodeDar(
    darOf({ 'main.dalf': dalf, 'other.dalf': emptyDalf }, { 'Sdk-Version': '3.5.2', Name: 'sample' }),
  )
  assert.deepEqual([dar.manifest.name, dar.manifest.sdkVersion], ['sample', '3.5.2'])
  assert.equal(dar.main, dar.packages[0])
  const found = dar.packages.map(({ package: { languageVersion, name } }) => [languageVersion, name])
  assert.deepEqual(found, [
    ['2.1', 'test-package'],
    ['2.2', 'test-package'],
  ])
  assert.deepEqual(Buffer.from(dar.main.bytes), dalf)
})

test('entries that the manifest does not name are not read', () => {
  const dar = darOf({ 'main.dalf': dalf, 'Main.hi': Buffer.alloc(9) }, { Dalfs: 'main.dalf' })
  assert.equal(decodeDar(dar).packages.length, 1)
})

test('a duplicate package counts once', () => {
  assert.equal(decodeDar(darOf({ 'a.dalf': dalf, 'b.dalf': dalf })).packages.length, 1)
})

test('stored entries and comments at the end of the zip file are read', () => {
  const stored = darOf({ 'main.dalf': dalf }, {}, 0)
  const comment = Buffer.from('a comment')
  stored.writeUInt16LE(comment.length, stored.length - 2)
  assert.equal(decodeDar(Buffer.concat([stored, comment])).packages.length, 1)
})

test('a zip file is read as it was written, with the same bytes each time', () => {
  const files: [string, Buffer][] = [
    ['META-INF/MANIFEST.MF', Buffer.from('a: b')],
    ['größe.dalf', Buffer.alloc(100_000, 'x')],
    ['empty', Buffer.alloc(0)],
  ]
  for (const level of [0, 9]) {
    const zip = readZipDirectory(writeZip(files, level))
    const read = [...zip.entries.values()].map((entry) => [entry.name, Buffer.from(readZipEntry(zip, entry, 100_000))])
    assert.deepEqual(read, files)
    assert.deepEqual(writeZip(files, level), Buffer.from(zip.bytes))
  }
  assert.ok(writeZip(files).length < 1000)
})

test('an entry that was seen before has the same id and bytes; one that differs in a bit is read as it is', () => {
  const seen: SeenEntries = new Map()
  const dar = darOf({ 'main.dalf': dalf, 'other.dalf': emptyDalf }, {}, 0)
  const shown = (file: Uint8Array) => openDar(file, seen).packages.map(({ id, bytes }) => [id, Buffer.from(bytes)])
  const first = shown(dar)
  assert.equal(seen.size, 2)
  assert.deepEqual(shown(dar), first)
  assert.equal(seen.size, 2)
  const changed = Buffer.from(dar)
  changed[dar.indexOf(dalf) + dalf.length - 1]! ^= 1
  assert.throws(() => openDar(changed, seen), /is damaged: its checksum differs/)
})

const manifests: readonly (readonly [title: string, text: string, want: object])[] = [
  [
    'long lines go on after one space, and a second space belongs to the value',
    'Manifest-Version: 1.0\nMain-Dalf: a-ve\n ry-long-name.dalf\nDalfs: a-very-long-name.dalf,\n  b.da\n lf\nFormat: daml-lf\n',
    { mainDalf: 'a-very-long-name.dalf', dalfs: ['a-very-long-name.dalf', 'b.dalf'] },
  ],
  [
    'lines may end as on Windows, and names may be in any case',
    'main-dalf: a\r\nDALFS: b, a\r\nFormat: daml-lf\r\nName: n\r\n',
    { mainDalf: 'a', dalfs: ['a', 'b'], name: 'n' },
  ],
  [
    'sections after the first are not read',
    'Main-Dalf: a\nDalfs: a\nFormat: daml-lf\n\nName: other\nMain-Dalf: b\n',
    { mainDalf: 'a', dalfs: ['a'], name: undefined },
  ],
]

for (const [title, text, want] of manifests) {
  test(`in a manifest, ${title}`, () => {
    assert.deepEqual(manifestFromText(text), { name: undefined, sdkVersion: undefined, ...want })
  })
}

test('a manifest without one of its three attributes is refused', () => {
  const attributes = { 'Main-Dalf': 'a', Dalfs: 'a,', Format: 'daml-lf' }
  for (const absent of Object.keys(attributes)) {
    const lines = Object.entries(attributes).map(([name, value]) => (name === absent ? '' : `${name}: ${value}\n`))
    assert.throws(() => manifestFromText(lines.join('')), { message: `META-INF/MANIFEST.MF has no ${absent}` })
  }
})

const zeros = (mebibytes: number) => Buffer.alloc(mebibytes * mebibyte)

const dars: readonly (readonly [title: string, dar: () => Uint8Array, message: RegExp])[] = [
  ['no bytes', () => Buffer.alloc(0), /not a zip file/],
  ['bytes that are not a zip', () => Buffer.from('hello, this is a text file and not an archive'), /not a zip file/],
  ['its end cut off', () => sampleDar(1).subarray(0, -30), /not a zip file, or its end is missing/],
  ['its second half cut off', () => sampleDar(1).subarray(0, 100), /^the zip file is cut off$/],
  ['less than a header', () => sampleDar(1).subarray(0, 10), /not a zip file/],
  ['its beginning cut off', () => sampleDar(1).subarray(40), /directory is damaged at entry 1 of 2/],
  ['no manifest', () => writeZip([['main.dalf', dalf]]), /has no "META-INF\/MANIFEST.MF", so this is not a DAR/],
  ['another Format', () => darOf({ a: dalf }, { Format: 'jar' }), /has the Format "jar"/],
  ['an empty Main-Dalf', () => darOf({ a: dalf }, { 'Main-Dalf': '' }), /has no "", though .* names it/],
  ['empty Dalfs', () => darOf({ a: dalf }, { Dalfs: '' }), /has no "", though .* names it/],
  ['an empty Format', () => darOf({ a: dalf }, { Format: '' }), /has the Format ""/],
  ['an empty name among its Dalfs', () => darOf({ a: dalf }, { Dalfs: 'a,,a' }), /has no "", though .* names it/],
  ['a manifest line without a name', () => darOf({ a: dalf }, { '': 'x' }), /a line without a name: ": x"/],
  ['a missing main package', () => darOf({ a: dalf }, { 'Main-Dalf': 'b' }), /has no "b", though .* names it/],
  ['a missing package', () => darOf({ a: dalf }, { Dalfs: 'a, c' }), /has no "c", though .* names it/],
  ['an invalid package', () => darOf({ 'x.dalf': Buffer.from('text') }), /^x\.dalf: archive: /],
  ['too many entries', () => manyEntries(), /has 10001 entries, more than the 10000 allowed/],
  ['a package too large', () => resized(darOf({ a: dalf }), 33 * mebibyte), /would have 34603008 bytes, more than/],
  ['packages too large together', () => largeTogether(), /packages would have \d+ bytes, more than the 268435456/],
  [
    'a zip bomb that declares its size',
    () => darOf({ a: zeros(8) }),
    /would inflate \d+ bytes to 8388608: this looks like a zip bomb/,
  ],
  [
    'a zip bomb that lies about its size',
    () => resized(darOf({ a: zeros(8) }), 1000),
    /inflates to more than the 1000 bytes it declares/,
  ],
  [
    'an entry shorter than declared',
    () => resized(darOf({ a: dalf }), dalf.length + 9),
    /bytes where the zip directory says/,
  ],
  [
    'a manifest too large',
    () => darOf({ a: dalf }, { Name: 'n'.repeat(mebibyte) }),
    /MANIFEST.MF" would have .* more than/,
  ],
  ['a damaged entry', () => damaged(), /"a" is damaged: its checksum differs/],
  [
    'an entry that does not inflate',
    () => patched(darOf({ a: dalf }, {}, 0), 10, 8),
    /"a" is damaged: it does not inflate/,
  ],
  ['another compression method', () => patched(darOf({ a: dalf }), 10, 12), /compressed with method 12/],
  ['an encrypted entry', () => patched(darOf({ a: dalf }), 8, 1), /"a" is encrypted/],
  ['an entry that lies elsewhere', () => patched(darOf({ a: dalf }), 42, 3), /not where the zip directory says/],
  ['an entry beyond the end', () => patched(darOf({ a: dalf }), 22, 0xff), /"a" is cut off/],
  [
    'a directory entry that is too long',
    () => patched(darOf({ a: dalf }), 28, 9999),
    /directory is cut off at entry 2 of 2/,
  ],
  ['a name twice', () => twice(), /holds "a" twice/],
]

for (const [title, dar, expected] of dars) {
  test(`a DAR with ${title} is refused`, () => {
    assert.throws(
      () => decodeDar(dar()),
      (error) => {
        assert(error instanceof ArchiveError)
        assert.match(error.message, expected)
        return true
      },
    )
  })
}

test('a zip bomb costs no more than the size it declares', () => {
  const bomb = resized(darOf({ a: zeros(16) }), 1000)
  const before = process.memoryUsage().arrayBuffers
  assert.throws(() => decodeDar(bomb), ArchiveError)
  assert(process.memoryUsage().arrayBuffers - before < 2 * mebibyte)
})

test('the directory is checked before anything is inflated', () => {
  assert(deflateRawSync(zeros(8)).length * zipLimits.ratioMax < 8 * mebibyte)
})

// ── Zip files that no tool writes

/** Overwrites two bytes of the directory's last entry, `a`. */
function patched(dar: Buffer, offset: number, value: number): Buffer {
  dar.writeUInt16LE(value, lastDirectoryEntry(dar) + offset)
  return dar
}

function resized(dar: Buffer, size: number): Buffer {
  dar.writeUInt32LE(size, lastDirectoryEntry(dar) + 24)
  return dar
}

function lastDirectoryEntry(dar: Buffer): number {
  return dar.lastIndexOf(Buffer.from([0x50, 0x4b, 0x01, 0x02]))
}

function damaged(): Buffer {
  const dar = darOf({ a: dalf }, {}, 0)
  const content = dar.indexOf(dalf)
  dar[content + 100]! ^= 1
  return dar
}

function twice(): Buffer {
  const dar = darOf({ a: dalf, b: dalf }, { Dalfs: 'a' })
  dar[lastDirectoryEntry(dar) + 46] = 'a'.charCodeAt(0)
  return dar
}

function manyEntries(): Uint8Array {
  const entries: Record<string, Uint8Array> = {}
  for (let i = 0; i < zipLimits.entriesMax; i++) entries[`${i}.hi`] = new Uint8Array(0)
  return darOf(entries, { 'Main-Dalf': '0.hi', Dalfs: '0.hi' }, 0)
}

function largeTogether(): Buffer {
  const dar = darOf({ a: dalf, b: dalf, c: dalf })
  let entry = dar.indexOf(Buffer.from([0x50, 0x4b, 0x01, 0x02]))
  for (; entry >= 0; entry = dar.indexOf(Buffer.from([0x50, 0x4b, 0x01, 0x02]), entry + 1)) {
    if (dar[entry + 46] !== 'M'.charCodeAt(0)) dar.writeUInt32LE(100 * mebibyte, entry + 24)
  }
  return dar
}
