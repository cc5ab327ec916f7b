// Uploads are type-checked: an invalid package is refused with Canton's error and the reference's text, in place or in a
// thread, and a package that the node knows is not read again.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTestNode } from '../fixtures/node.ts'
import { illTypedPackage } from '../support/engine/ill-typed-package.ts'
import { createExpressionWriter } from '../support/lf/expression-writer.ts'
import {
  archiveOf,
  createPackageWriter,
  darOf,
  enlargedDar,
  goodFlags,
  payloadOf,
} from '../support/lf/package-writer.ts'
import { message, varint } from '../support/lf/proto-writer.ts'
import { sampleArchive, sampleDar } from '../support/lf/sample-package.ts'

const invalid = illTypedPackage('invalid', ({ write, types }) => ({
  returns: types.int,
  body: write.pure(types.int, write.text('one')),
}))
const id = invalid.templateId.split(':')[0]
const found = `validation error in choice Go in template ${id}:Main:T: type mismatch`
const text = `com.digitalasset.daml.lf.validation.ETypeMismatch: ${found}:\n * expected type: Int64\n * found type: Text`

test('an ill-typed package is refused with its reason, wherever it is read', async () => {
  await using node = await startTestNode()
  for (const body of [invalid.dar, enlargedDar(invalid.dar)]) {
    for (const path of ['/v2/dars', '/v2/packages', '/v2/dars/validate']) {
      const { status, json } = await node.call('POST', path, { body })
      assert.equal(status, 400)
      assert.equal(json.code, 'DAR_VALIDATION_ERROR')
      assert.equal(json.cause, 'Package validation failed.')
      assert.equal(json.errorCategory, 8)
      assert.equal(json.context.validationError, text)
    }
  }
  const { packageIds } = (await node.call('GET', '/v2/packages')).json
  assert.ok(!packageIds.includes(id))
})

/** A package that nests deeper than the stack of the node's own thread is: a chain of `some`s. */
function deepDar(depth: number): Buffer {
  const w = createPackageWriter(2)
  const write = createExpressionWriter(w, 'Main')
  let type = w.builtinType('Int64')
  let inner = w.expression(write.number(1n))
  const unit = w.builtinType('Unit')
  for (let level = 0; level < depth; level++) {
    inner = w.expression(write.let('x', unit, w.expression(write.unit), inner))
  }
  type = w.builtinType('Int64')
  w.addModule(varint(1, w.dottedName('Main')), goodFlags, write.define('deep', type, inner))
  return darOf({
    'deep.dalf': archiveOf(
      payloadOf(w.finish(message(4, varint(1, w.string('deep')), varint(2, w.string('1.0.0')))), '2'),
    ),
  })
}

test('a package that is nested deep is checked in a thread, and is fine', async () => {
  await using node = await startTestNode()
  const { status, text: answer } = await node.call('POST', '/v2/dars', { body: deepDar(3_000) })
  assert.equal(status, 200, answer)
})

test('a package that is known is not read again, and its DAR may hold new ones', async () => {
  await using node = await startTestNode()
  const first = sampleDar(1)
  assert.equal((await node.call('POST', '/v2/dars', { body: first })).status, 200)
  // The same main package with another one beside it, which LF 2.1 allows.
  const other = sampleArchive(1, undefined, { name: 'other', version: '1.0.0' }, false)
  const both = darOf({ 'sample.dalf': sampleArchive(1, undefined, undefined, false), 'other.dalf': other })
  for (const path of ['/v2/dars/validate', '/v2/dars']) {
    const { status, text: answer } = await node.call('POST', path, { body: both })
    assert.equal(status, 200, answer)
  }
  const { packageIds } = (await node.call('GET', '/v2/packages')).json
  assert.equal(packageIds.length, new Set(packageIds).size)
})

test('a package may not refer to one of a newer language version', async () => {
  await using node = await startTestNode()
  const newer = sampleArchive(2, undefined, { name: 'newer', version: '1.0.0' }, false)
  const newerId = (await import('../../src/lf/archive/archive.ts')).openArchive(newer).id
  const w = createPackageWriter(1)
  const write = createExpressionWriter(w, 'Main')
  const type = w.constructorType(w.id('Main', 'Iou', newerId))
  w.addModule(varint(1, w.dottedName('Main')), goodFlags, write.data('Uses', 5, ['iou', type]))
  const older = archiveOf(payloadOf(w.finish(), '1'))
  const olderId = (await import('../../src/lf/archive/archive.ts')).openArchive(older).id
  const body = darOf({ 'older.dalf': older, 'newer.dalf': newer })
  const { status, json } = await node.call('POST', '/v2/dars', { body })
  assert.equal(status, 400)
  const problem = `package ${olderId} using version 2.1 depends on package ${newerId} using newer version 2.2`
  const name = 'com.digitalasset.daml.lf.validation.EModuleVersionDependencies'
  assert.equal(json.context.validationError, `${name}: validation error: ${problem}`)
})
