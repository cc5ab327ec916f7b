// Daml Scripts that a development node runs itself: for its API, for the test kit, and when its ledger is new.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { StartError } from '../../src/base/errors.ts'
import { startInProcess } from '../../src/kit/in-process.ts'
import { createTestNode } from '../../src/kit/test-node.ts'
import { startTestNode } from '../fixtures/node.ts'
import { temporaryFolder } from '../fixtures/process.ts'
import { scriptsDar } from '../fixtures/script-runner.ts'

const coin = '#scripts-lf23:Scripts:Coin'

describe('a node runs a script', () => {
  let node: ReturnType<typeof createTestNode>
  before(async () => {
    node = createTestNode(await startInProcess({ dars: [scriptsDar], time: 'static' }))
  })
  after(() => node.close())

  test('and lists those of uploaded packages', async () => {
    const { scripts } = await node.call('GET', '/dev/scripts')
    const doubled = scripts.find(({ name }: { name: string }) => name === 'Scripts:doubled')
    assert.deepEqual(
      [doubled.packageName, doubled.packageVersion, doubled.takesArgument],
      ['scripts-lf23', '1.0.0', true],
    )
  })

  test('with its argument, and returns its result', async () => {
    assert.equal(await node.runScript('Scripts:doubled', { input: '21' }), '42')
    assert.match(await node.runScript('Scripts:now'), /^1970-01-01T/)
  })

  test('on its own ledger, which keeps what the script did', async () => {
    await node.reset()
    assert.deepEqual(await node.runScript('Scripts:coinIsThere', { package: 'scripts-lf23' }), ['1'])
    assert.equal((await node.contracts(coin)).length, 1)
  })

  test('and says why it failed, where, and what it had done', async () => {
    await node.reset()
    await assert.rejects(node.runScript('Scripts:coinTooMany'), (error: Error) => {
      const lines = error.message.split('\n')
      assert.deepEqual(lines.slice(0, 4), [
        'the script Scripts:coinTooMany failed:',
        '  Submit: Expected submit to fail but it succeeded',
        '  at ask at Scripts:41:3',
        '  what it had done:',
      ])
      assert.match(lines[4]!, /^ {2}└─ create Scripts:Coin /)
      return true
    })
  })

  test('and refuses what cannot run', async () => {
    const refuses = (name: string, options: object, words: RegExp) =>
      assert.rejects(node.runScript(name, options), words)
    await refuses(
      'Scripts:doubld',
      {},
      /there is no script Scripts:doubld in the uploaded packages; did you mean Scripts:doubled\?/,
    )
    await refuses('Scripts:now', { package: 'other' }, /there is no script Scripts:now in other/)
    await refuses('Scripts:doubled', {}, /the script Scripts:doubled requires an argument: give it as input/)
    await refuses('Scripts:now', { input: 1 }, /the script Scripts:now takes no argument/)
    await refuses('Scripts:doubled', { input: { a: 1 } }, /the script Scripts:doubled failed:\n {2}\S/)
  })

  test('and fails it if an answer is lost', async () => {
    await node.reset()
    await node.call('POST', '/dev/faults', { loseAnswer: true })
    await assert.rejects(node.runScript('Scripts:coinIsThere'), /Submit: the answer was lost\n/)
    await node.call('DELETE', '/dev/faults')
    assert.equal((await node.contracts(coin)).length, 1)
  })

  test('one at a time for each user', async () => {
    const sleep = () => node.runScript('Scripts:sleep', { input: '300000' })
    const results = await Promise.allSettled([sleep(), sleep()])
    assert.deepEqual(results.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
    const refused = results.find((result) => result.status === 'rejected')!
    assert.match(refused.reason.message, /PARTICIPANT_BACKPRESSURE: .*runs a script already/)
    assert.match(await node.runScript('Scripts:now'), /^1970/)
  })
})

describe('a ledger begins with a script', () => {
  test('once, also after a reset and a restart', async () => {
    const settings = { dars: [scriptsDar], initScript: 'Scripts:coinIsThere' }
    await using node = await startTestNode({ store: 'sqlite', settings })
    const coins = async () => {
      const { json } = await node.call('GET', '/v2/state/ledger-end')
      return json.offset
    }
    const end = await coins()
    assert.ok(end > 0)
    await node.call('POST', '/v2/parties', { body: { partyIdHint: 'bob' } })
    assert.ok((await coins()) > end)
    await node.restart()
    assert.ok((await coins()) > end)
    await node.call('POST', '/dev/reset')
    assert.equal(await coins(), end)
  })

  test('that a world file names', async () => {
    using folder = temporaryFolder()
    const world = join(folder.path, 'world.yaml')
    writeFileSync(world, `dars: [${scriptsDar}]\nparties: { bob: {} }\ninit-script: Scripts:coinIsThere\n`)
    await using node = await startTestNode({ store: 'memory', settings: { world } })
    const { json } = await node.call('GET', '/v2/parties')
    const hints = json.partyDetails.map(({ party }: { party: string }) => party.split('::')[0])
    assert.ok(hints.includes('ann') && hints.includes('bob'))
    writeFileSync(world, 'init-script: nonsense\n')
    await assert.rejects(
      startTestNode({ store: 'memory', settings: { world } }),
      /world.yaml:1: init-script: expected Module:name, found "nonsense"/,
    )
  })

  test('or not at all: a failure leaves no ledger behind', async () => {
    const start = (initScript: string) =>
      startTestNode({ store: 'memory', settings: { dars: [scriptsDar], initScript } })
    await assert.rejects(
      start('Scripts:failing'),
      new StartError(
        'the init script Scripts:failing failed: User failure: CHOSEN (error category 9): by a script; after ask at Scripts:41:3',
      ),
    )
    await assert.rejects(
      start('Scripts:missing'),
      /the init script Scripts:missing cannot run: .*there is no script Scripts:missing/,
    )
    await assert.rejects(start('Scripts:doubled'), /requires an argument/)
  })
})
