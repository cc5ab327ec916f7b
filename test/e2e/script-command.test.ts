// tallystick script: scripts against a running node, with the flags of `dpm script`.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { StartError } from '../../src/base/errors.ts'
import { UsageError } from '../../src/cli/command.ts'
import { leaveNodeRecord } from '../../src/cli/node-record.ts'
import { startInProcess } from '../../src/kit/in-process.ts'
import type { RunningNode } from '../../src/kit/running-node.ts'
import { call } from '../fixtures/command.ts'
import { temporaryFolder } from '../fixtures/process.ts'
import { scriptsDar } from '../fixtures/script-runner.ts'

describe('scripts against a node', () => {
  const folder = temporaryFolder()
  let node: RunningNode
  const at = (name: string) => join(folder.path, name)
  const json = (name: string) => JSON.parse(readFileSync(at(name), 'utf8'))
  const script = (...words: string[]) => call(['script', '--dar', scriptsDar, ...words])
  const there = (...words: string[]) =>
    script('--url', node.participants[0]!.url, '--token', node.token, '--user-id', 'daml-script', ...words)

  before(async () => {
    node = await startInProcess({ time: 'static' })
    writeFileSync(at('number.json'), '21')
    writeFileSync(at('token'), `${node.token}\n`)
  })
  after(async () => {
    await node.close()
    folder[Symbol.dispose]()
  })

  test('a script gets its argument from a file, and leaves its result in one', async () => {
    const files = ['--input-file', at('number.json'), '--output-file', at('out/result.json')]
    const { output, code } = await there('--script-name', 'Scripts:doubled', ...files)
    assert.deepEqual([output, code, json('out/result.json')], ['Scripts:doubled SUCCESS', 0, 42])
  })

  test('files have numbers, with all their digits', async () => {
    writeFileSync(at('large.json'), '4611686018427387903')
    const files = ['--input-file', at('large.json'), '--output-file', at('large-result.json')]
    await there('--script-name', 'Scripts:doubled', ...files)
    assert.equal(readFileSync(at('large-result.json'), 'utf8'), '9223372036854775806\n')
  })

  test('the DAR is uploaded on request, and the ledger keeps what scripts do', async () => {
    const { output, code } = await there('--upload-dar', 'true', '--script-name', 'Scripts:coinIsThere')
    assert.deepEqual([output, code], ['Scripts:coinIsThere SUCCESS', 0])
    const again = await there('--script-name', 'Scripts:coinIsThere')
    assert.match(again.output, /^Scripts:coinIsThere FAILURE\n {2}AllocateParty: INVALID_ARGUMENT: .*already exists/m)
    assert.equal(again.code, 1)
  })

  test('several scripts have a summary', async () => {
    const scripts = ['--script-name', 'Scripts:now', '--script-name', 'Scripts:failing']
    const { code } = await there(...scripts, '--json-test-summary', at('summary.json'))
    const summary = json('summary.json')
    assert.match(summary['Scripts:now'].result, /^1970-01-01T/)
    assert.match(summary['Scripts:failing'].error, /^User failure: CHOSEN/)
    assert.equal(code, 1)
  })

  test('the time is as the participant has it, unless a flag says otherwise', async () => {
    const now = ['--script-name', 'Scripts:now', '--output-file', at('now.json')]
    await there(...now)
    assert.match(json('now.json'), /^1970-/)
    await there(...now, '-w')
    assert.doesNotMatch(json('now.json'), /^1970-/)
  })

  test('participants come from a file, and the token from another', async () => {
    const one = { url: node.participants[0]!.url, user_id: 'daml-script' }
    writeFileSync(at('config.json'), JSON.stringify({ participants: { one }, party_participants: {} }))
    const config = ['--participant-config', at('config.json'), '--access-token-file', at('token'), '-s']
    const { output } = await script(...config, '--script-name', 'Scripts:now')
    assert.match(output, /No default participant/)
    writeFileSync(
      at('config.json'),
      JSON.stringify({ default_participant: one, participants: {}, party_participants: {} }),
    )
    assert.equal((await script(...config, '--script-name', 'Scripts:now')).output, 'Scripts:now SUCCESS')
  })

  test('a list of scripts needs no node', async () => {
    await script('--list-scripts-json', at('list.json'))
    assert.ok(json('list.json').includes('Scripts:now'))
    assert.ok(!json('list.json').includes('Scripts:doubled'))
  })

  test('mistakes are told before anything runs', async () => {
    const rejects = (words: string[], error: object) => assert.rejects(there(...words), error)
    const requires = `the script Scripts:doubled in ${scriptsDar} requires an argument: give it with --input-file`
    await rejects(['--script-name', 'Scripts:doubled'], new StartError(requires))
    const takesNone = `the script Scripts:now in ${scriptsDar} takes no arguments`
    await rejects(['--script-name', 'Scripts:now', '--input-file', at('number.json')], new StartError(takesNone))
    await rejects(
      ['--script-name', 'Scripts:alocate'],
      /has no script Scripts:alocate; did you mean Scripts:allocate\?$/,
    )
    await rejects([], new UsageError('--all or --script-name must be specified'))
    await rejects(['--all', '--script-name', 'a'], new UsageError('--all and --script-name flags are incompatible'))
    await rejects(['--all', '-s', '-w'], new UsageError('--static-time and --wall-clock-time exclude each other'))
    await rejects(['--ledger-port', '6865'], new UsageError('Must specify both --ledger-host and --ledger-port'))
    await rejects(['--all', '--ide-ledger'], new UsageError('--url and --ide-ledger exclude each other'))
    await assert.rejects(
      script('--all', '--ide-ledger', '--ide-ledger-protocol-version', 'V34'),
      new UsageError('--ide-ledger-protocol-version: the ledger is that of V35; V34 is not served'),
    )
    await assert.rejects(
      script('--all', '--ide-ledger', '--upload-dar', 'true'),
      new UsageError('Cannot upload dar to IDELedger.'),
    )
    await assert.rejects(script('--all', '--pem', 'key.pem'), /--pem .*a token says who calls/)
  })

  test('a host and a port lead to the JSON Ledger API, also from the gRPC port of a node of this machine', async () => {
    const { url } = node.participants[0]!
    const at = (port: number | string) => ['--ledger-host', 'localhost', '--ledger-port', String(port)]
    const now = ['--script-name', 'Scripts:now', '--token', node.token, '--data', folder.path]
    assert.equal((await script(...at(new URL(url).port), ...now)).output, 'Scripts:now SUCCESS')
    await assert.rejects(script(...at(1), ...now), /nothing at localhost:1 serves the JSON Ledger API/)
    using _record = leaveNodeRecord(folder.path, { url, grpcUrl: 'http://127.0.0.1:1', pid: process.pid })
    assert.equal((await script(...at(1), ...now, '--admin-port', '2')).output, 'Scripts:now SUCCESS')
  })

  test('the time comes over gRPC from a participant whose JSON Ledger API lacks it, as that of Canton', async () => {
    const own = await startInProcess({ time: 'static', grpcPort: 0 })
    const { url, grpcUrl } = own.participants[0]!
    const { hostname, port } = new URL(grpcUrl!)
    const asCanton = createServer(async ({ url: path = '', headers: { authorization = '' } }, response) => {
      if (path.startsWith('/v2/time')) return response.writeHead(404).end('{}')
      const answer = await fetch(new URL(path, url), { headers: { authorization } })
      response.writeHead(answer.status).end(await answer.text())
    }).listen(0, '127.0.0.1')
    await once(asCanton, 'listening')
    const { port: jsonPort } = asCanton.address() as AddressInfo
    const travel = [
      '--script-name',
      'Scripts:timeTravel',
      '--url',
      `http://127.0.0.1:${jsonPort}`,
      '--token',
      own.token,
    ]
    const without = await script(...travel)
    assert.match(without.output, /SetTime: the participant has its time only over gRPC/)
    const { output } = await script(...travel, '--ledger-host', hostname, '--ledger-port', port)
    assert.match(output, /SetTime: INVALID_ARGUMENT: .*backwards/)
    const now = ['--script-name', 'Scripts:now', '--output-file', at('time.json')]
    await script(...now, ...travel.slice(2), '--ledger-host', hostname, '--ledger-port', port)
    assert.match(json('time.json'), /^1970-01-03T/)
    asCanton.close()
    await own.close()
  })

  test('on a ledger in memory, each script begins with an empty one', async () => {
    const scripts = ['--script-name', 'Scripts:now', '--script-name', 'Scripts:coinIsThere']
    const { output } = await script('--ide-ledger', ...scripts)
    assert.equal(output, 'Scripts:coinIsThere SUCCESS\nScripts:now SUCCESS')
    assert.equal((await script('--ide-ledger', ...scripts)).code, 0)
    const out = ['--output-file', at('ide.json')]
    await script('--ide-ledger', '--script-name', 'Scripts:now', ...out)
    assert.match(json('ide.json'), /^1970-/)
  })

  test('an input of another type fails with its reason', async () => {
    writeFileSync(at('wrong.json'), '{"a":1}')
    const { output } = await there('--script-name', 'Scripts:doubled', '--input-file', at('wrong.json'))
    assert.match(output, /^Scripts:doubled FAILURE\n {2}\S/)
  })
})
