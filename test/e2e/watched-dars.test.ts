// DARs that a node watches, over HTTP and from the command line: what a developer sees after building again.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { type Json, quickstart } from '../fixtures/ledger.ts'
import { startTestNode, type TestNode } from '../fixtures/node.ts'
import { launch, temporaryFolder } from '../fixtures/process.ts'
import { quickstartBytes, rebuiltQuickstart } from '../fixtures/rebuilt-dar.ts'
import { until } from '../fixtures/until.ts'

const [second, third] = [rebuiltQuickstart(), rebuiltQuickstart('not positive', 'never below ')]

async function vetted(node: TestNode): Promise<string> {
  const { json } = await node.call('POST', '/v2/package-vetting/list', { body: {} })
  const named = json.vettedPackages[0].packages.filter(({ packageName }: Json) => packageName === 'quickstart')
  return named.map(({ packageId }: Json) => packageId).join()
}

/** As a compiler does it. */
function replace(file: string, bytes: Uint8Array): void {
  writeFileSync(`${file}.new`, bytes)
  renameSync(`${file}.new`, file)
}

test('a rebuilt DAR takes over, and is there after a restart, a restore and a reset', async () => {
  using folder = temporaryFolder()
  const file = join(folder.path, 'my.dar')
  writeFileSync(file, quickstartBytes)
  await using node = await startTestNode({ store: 'sqlite', settings: { dars: [file], watch: true } })
  assert.equal(await vetted(node), quickstart)
  await node.call('POST', '/dev/snapshots', { body: { name: 'before' } })
  replace(file, second.bytes)
  await until(async () => (await vetted(node)) === second.id)
  await node.call('POST', '/dev/snapshots/before/restore')
  assert.equal(await vetted(node), second.id)
  await node.call('POST', '/dev/reset')
  assert.equal(await vetted(node), second.id)
  await node.restart(() => replace(file, third.bytes))
  assert.equal(await vetted(node), third.id)
  replace(file, quickstartBytes)
  await until(async () => (await vetted(node)) === quickstart)
})

test('without --watch, a DAR that was rebuilt since takes over at the next start of a development node', async () => {
  using folder = temporaryFolder()
  const file = join(folder.path, 'my.dar')
  writeFileSync(file, quickstartBytes)
  await using node = await startTestNode({ store: 'sqlite', settings: { dars: [file] } })
  await node.restart(() => replace(file, second.bytes))
  assert.equal(await vetted(node), second.id)
  const keys = [{ type: 'hs256' as const, secret: 'x'.repeat(32) }]
  const settings = { development: false, auth: { keys }, dars: [file] }
  await using other = await startTestNode({ store: 'sqlite', settings })
  await assert.rejects(
    other.restart(() => replace(file, third.bytes)),
    /cannot upload .*my\.dar: Tried to vet two packages with the same name and version/,
  )
  await other.restart(() => replace(file, second.bytes))
})

test('the DARs of a world file are watched, and may be rebuilt between two starts', async () => {
  using folder = temporaryFolder()
  const [file, world] = [join(folder.path, 'my.dar'), join(folder.path, 'world.json')]
  writeFileSync(file, quickstartBytes)
  writeFileSync(world, JSON.stringify({ dars: ['my.dar'], parties: { alice: {} } }))
  await using node = await startTestNode({ store: 'sqlite', settings: { world, watch: true } })
  replace(file, second.bytes)
  await until(async () => (await vetted(node)) === second.id)
  await node.restart(() => replace(file, third.bytes))
  assert.equal(await vetted(node), third.id)
})

test('start --watch says in one line what it did, and goes on if a DAR is refused', async () => {
  using folder = temporaryFolder()
  const file = join(folder.path, 'my.dar')
  writeFileSync(file, quickstartBytes)
  const environment = { TALLYSTICK_STORE_DATA: join(folder.path, 'data'), TALLYSTICK_AUTH_MODE: 'off' }
  const node = launch(['start', '--port', '0', '--memory', '--dar', file, '--watch'], environment)
  const said = async (pattern: RegExp) => {
    while (!pattern.test(node.errors())) await once(node.process.stderr!, 'data')
    return node
      .errors()
      .split('\n')
      .filter((line) => pattern.test(line))
  }
  await said(/"msg":"started"/)
  replace(file, second.bytes)
  const [line, ...more] = await said(/rebuilt: /)
  assert.equal(more.length, 0)
  const { level, msg, packageId, replaced } = JSON.parse(line!)
  assert.deepEqual([level, packageId, replaced], [30, second.id, [quickstart]])
  assert.match(msg, /^rebuilt: quickstart 1\.0\.0\. The new package is vetted, the old one no longer; /)
  replace(file, Buffer.concat([Buffer.from('hello'), quickstartBytes.subarray(5)]))
  const [refused] = await said(/cannot upload/)
  assert.match(JSON.parse(refused!).msg, /^cannot upload .*my\.dar: .*; waiting for another$/)
  const url = /url +(\S+)/.exec(node.output())![1]
  assert.equal((await fetch(`${url}/readyz`)).status, 200)
  node.process.kill('SIGTERM')
  await once(node.process, 'close')
  assert.equal(node.process.exitCode, 0)
})
