// What is encoded and decoded again is the same package.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { decodeArchive } from '../../../src/lf/archive/archive.ts'
import { decodeDar } from '../../../src/lf/dar/dar.ts'
import type { Module, Package } from '../../../src/lf/syntax/ast.ts'
import { encodePackage } from './package-encoder.ts'

const root = join(import.meta.dirname, '../../..')

for (const file of globSync('test/lf/{expressions-lf2[12],keys-lf23}.dar', { cwd: root })) {
  test(`${file} is the same when it is encoded again`, () => {
    const given = decodeDar(readFileSync(join(root, file))).packages[0]!.package
    const { archive } = encodePackage(given)
    assert.deepEqual(plain(decodeArchive(archive).package), plain(given))
  })
}

/** Without locations, which are not encoded, and without the package's own id. */
function plain(given: Package): unknown {
  const show = (part: unknown): unknown => {
    if (typeof part === 'function') return show(part())
    if (part instanceof Map) return [...part].map(([key, value]) => [key, show(value)])
    if (Array.isArray(part)) return part.map(show)
    if (typeof part !== 'object' || part === null) return part === given.id ? 'self' : part
    return Object.fromEntries(
      Object.entries(part)
        .filter(([key]) => key !== 'location')
        .map(([key, value]) => [key, key === 'packageId' ? ownOr(value) : show(value)]),
    )
  }
  const ownOr = (id: unknown): unknown => (id === given.id ? 'self' : id)
  const modules = [...given.modules.values()].map(({ synonyms: _, ...module }: Module) => show(module))
  return { name: given.name, version: given.version, modules }
}
