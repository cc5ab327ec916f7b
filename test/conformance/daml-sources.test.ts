// The Daml sources of the sample project against its DAR. No Daml compiler is at hand where the tests run, so this compares
// what can be read off both: packages, records, choices and their types, and who signs, sees and controls.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'
import { decodeDar } from '../../src/lf/dar/dar.ts'
import { outlineOfPackage, outlineOfSource } from '../fixtures/daml-outline.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const project = join(root, 'examples', 'iou-desk')
const bytes = readFileSync(join(project, 'quickstart.dar'))
const { package: compiled } = decodeDar(bytes).main
const sources = globSync('daml/*.daml', { cwd: project }).map((file) => readFileSync(join(project, file), 'utf8'))

describe('the Daml sources of the sample project', () => {
  test('declare what its DAR declares', () => {
    const declared = sources.flatMap(outlineOfSource).sort()
    assert.ok(declared.includes('Iou: template TransferOffer: choice TransferOffer_Withdraw controller iou.owner'))
    assert.deepEqual(declared, outlineOfPackage(compiled))
  })

  test('are a package of the same name, version and LF version', () => {
    const { name, version, 'build-options': options } = parse(readFileSync(join(project, 'daml.yaml'), 'utf8'))
    assert.deepEqual({ name, version }, { name: compiled.name, version: compiled.version })
    assert.ok(options.includes(`--target=${compiled.languageVersion}`))
  })

  test('stand beside the DAR that a new node has', () => {
    assert.ok(bytes.equals(readFileSync(join(root, 'packages', 'quickstart', 'quickstart.dar'))))
  })

  for (const [mistake, from, to] of [
    ['a field', 'viewers : [Party]', 'viewer : [Party]'],
    ['a type', 'other : ContractId Iou', 'other : ContractId IouProposal'],
    ['a controller', 'controller iou.owner', 'controller iou.issuer'],
    ['an observer', 'observer newOwner ::', 'observer'],
    ['whether a choice consumes', 'nonconsuming choice', 'choice'],
    ['a result', 'IouProposal_Reject : ()', 'IouProposal_Reject : Bool'],
  ] as const) {
    test(`are noticed when they differ in ${mistake}`, () => {
      const changed = sources.map((text) => text.replace(from, to))
      assert.notDeepEqual(changed, sources)
      assert.notDeepEqual(changed.flatMap(outlineOfSource).sort(), outlineOfPackage(compiled))
    })
  }
})
