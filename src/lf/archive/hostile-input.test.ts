// Whatever the bytes, reading them returns a package or throws an ArchiveError: nothing else is thrown, nothing hangs.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../test/fixtures/seed.ts'
import { archiveOf, darOf, payloadOf } from '../../../test/support/lf/package-writer.ts'
import { sampleDar, samplePackage } from '../../../test/support/lf/sample-package.ts'
import { decodeDar } from '../dar/dar.ts'
import { decodeArchive } from './archive.ts'
import { ArchiveError } from './archive-error.ts'
import { bodiesIn, decodePackage } from './package.ts'

const minor = fc.constantFrom(1 as const, 2 as const, 3 as const)
const edits = fc.array(fc.record({ at: fc.nat(), to: fc.nat(255), kind: fc.constantFrom('set', 'drop', 'add') }), {
  minLength: 1,
  maxLength: 8,
})

/** Writing them takes longer than reading them. */
const samples = { 1: samplePackage(1), 2: samplePackage(2), 3: samplePackage(3) }
const dars = { 1: sampleDar(1), 2: sampleDar(2), 3: sampleDar(3) }

type Edit = { at: number; to: number; kind: string }

function edited(bytes: Buffer, changes: readonly Edit[]): Buffer {
  const content = [...bytes]
  for (const { at, to, kind } of changes) {
    const index = at % (content.length + 1)
    if (kind === 'set') content[Math.min(index, content.length - 1)] = to
    else if (kind === 'drop') content.splice(index, 1)
    else content.splice(index, 0, to)
  }
  return Buffer.from(content)
}

/** Returns whether the bytes were accepted. */
function isAccepted(decode: () => unknown): boolean {
  try {
    decode()
    return true
  } catch (error) {
    assert(error instanceof ArchiveError, `not an ArchiveError: ${error instanceof Error ? error.stack : error}`)
    assert(error.message.length < 2000)
    return false
  }
}

test('random bytes are refused', () => {
  const bytes = fc.uint8Array({ maxLength: 300 })
  fc.assert(fc.property(bytes, (content) => !isAccepted(() => decodeDar(content))))
  fc.assert(fc.property(bytes, (content) => !isAccepted(() => decodeArchive(content))))
  const asPackage = (content: Uint8Array) => darOf({ a: archiveOf(payloadOf(content, '2')) })
  fc.assert(fc.property(bytes, (content) => !isAccepted(() => decodeDar(asPackage(content)))))
})

test('a DAR with some bytes changed is read or refused', () => {
  const property = fc.property(minor, edits, (minor, changes) => {
    isAccepted(() => decodeDar(edited(dars[minor], changes)))
  })
  fc.assert(property, { numRuns: 500 })
})

test('a package with some bytes changed is read or refused, whether its bodies are checked or not', () => {
  let accepted = 0
  const property = fc.property(minor, edits, fc.boolean(), (minor, changes, isChecked) => {
    const bytes = edited(samples[minor], changes)
    const read = () => {
      const { package: decoded, checkBodies } = decodePackage(bytes, 'id', minor)
      if (isChecked) checkBodies()
      for (const module of decoded.modules.values()) for (const body of bodiesIn(module)) body()
    }
    if (isAccepted(read)) accepted++
  })
  fc.assert(property, { numRuns: 3000 })
  assert(accepted > 0, 'some changes leave a good package')
})

test('a checked package never fails when a body is read', () => {
  const property = fc.property(minor, edits, (minor, changes) => {
    const bytes = edited(samples[minor], changes)
    const decoded = { package: undefined as ReturnType<typeof decodePackage>['package'] | undefined }
    const isGood = isAccepted(() => {
      const { package: found, checkBodies } = decodePackage(bytes, 'id', minor)
      checkBodies()
      decoded.package = found
    })
    if (!isGood) return
    for (const module of decoded.package!.modules.values()) for (const body of bodiesIn(module)) body()
  })
  fc.assert(property, { numRuns: 2000 })
})
