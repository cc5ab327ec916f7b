// The command line with a network: how it is started, and how other commands choose a participant.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call } from '../fixtures/command.ts'
import { run, start, temporaryFolder } from '../fixtures/process.ts'

test('a network is started by names, and commands talk to the participant that they name', async () => {
  using folder = temporaryFolder()
  const where = { TALLYSTICK_STORE_DATA: folder.path }
  await using _node = await start(['alice', 'bank@global', '--memory', '--auth', 'off'], where, 'network')
  const here = async (...words: string[]) =>
    JSON.parse((await call([...words, '--json'], { environment: where })).output)
  const hosted = async (participant: string) =>
    Object.fromEntries(
      (await here('party', 'list', '--participant', participant)).map(
        ({ party, isLocal }: { party: string; isLocal: boolean }) => [party.split('::')[0], isLocal],
      ),
    )
  await call(['party', 'add', 'bob', '--participant', 'bank'], { environment: where })
  assert.deepEqual(await hosted('bank'), { alice: false, bank: true, bob: true })
  assert.deepEqual(await hosted('alice'), { alice: true, bank: false, bob: false })
  await assert.rejects(
    call(['party', 'list', '--participant', 'carol'], { environment: where }),
    /there is no participant carol; the node has alice, bank$/,
  )
})

test('a command beside a network finds each participant in its environment', async () => {
  const config = { network: { participants: [{ name: 'alice' }, { name: 'the-bank' }] } }
  const script =
    'Promise.all(["ALICE","THE_BANK"].map(n=>fetch(process.env["TALLYSTICK_URL_"+n]+"/livez").then(r=>r.status))).then(s=>console.log(s.join()))'
  const { code, output, errors } = await run(['exec', '--', process.execPath, '-e', script], {
    TALLYSTICK_NETWORK_PARTICIPANTS: JSON.stringify(config.network.participants),
  })
  assert.deepEqual([code, output.trim()], [0, '200,200'], errors)
})
