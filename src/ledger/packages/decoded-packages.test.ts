import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sampleArchive } from '../../lf/testing/sample-package.ts'
import { createDecodedPackages } from './decoded-packages.ts'

const dalf = sampleArchive(1)

/** Every id is the sample package; counts how often each is loaded. */
function loader() {
  const loads: string[] = []
  const load = async (id: string) => {
    loads.push(id)
    return id === 'unknown' ? undefined : dalf
  }
  return { loads, load }
}

test('a package is decoded once, also for several who ask at the same time', async () => {
  const { loads, load } = loader()
  const packages = createDecodedPackages(10 * dalf.length, load)
  const [first, second] = await Promise.all([packages.get('a'), packages.get('a')])
  assert.equal(first!.name, 'test-package')
  assert.equal(first, second)
  assert.equal(await packages.get('a'), first)
  assert.deepEqual(loads, ['a'])
})

test('what was not asked for the longest makes room', async () => {
  const { loads, load } = loader()
  const packages = createDecodedPackages(2 * dalf.length, load)
  for (const id of ['a', 'b', 'a', 'c', 'a', 'b']) await packages.get(id)
  assert.deepEqual(loads, ['a', 'b', 'c', 'b'])
})

test('a package that is larger than all the room is answered and not kept', async () => {
  const { loads, load } = loader()
  const packages = createDecodedPackages(1, load)
  assert.equal((await packages.get('a'))!.name, 'test-package')
  await packages.get('a')
  assert.deepEqual(loads, ['a', 'a'])
})

test('what is unknown is asked for again', async () => {
  const { loads, load } = loader()
  const packages = createDecodedPackages(dalf.length, load)
  assert.equal(await packages.get('unknown'), undefined)
  await packages.get('unknown')
  assert.deepEqual(loads, ['unknown', 'unknown'])
})
