// tallystick sandbox in the place of Canton's: its output, its ports and files, its names, and the flags that it refuses.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { refusedOptions } from '../../src/cli/sandbox/sandbox-options.ts'
import { openAdmin } from '../fixtures/admin-client.ts'
import { call } from '../fixtures/command.ts'
import { assertOneLine, run, temporaryFolder } from '../fixtures/process.ts'
import { openProtoClient } from '../fixtures/proto-client.ts'

const executable = fileURLToPath(new URL('../../bin/tallystick', import.meta.url))
const quickstart = fileURLToPath(new URL('../../packages/quickstart/quickstart.dar', import.meta.url))
const anyPorts = ['--ledger-api-port', '0', '--json-api-port', '0', '--admin-api-port', '0']

type Ports = { readonly ledgerApi: number; readonly adminApi: number; readonly jsonApi: number }

/** A sandbox in its own process; settles when it has printed its last line. */
async function startSandbox(args: readonly string[]) {
  const folder = temporaryFolder()
  const portFile = join(folder.path, 'ports.json')
  const words = [executable, 'sandbox', ...anyPorts, '--canton-port-file', portFile, ...args]
  const child = spawn(process.execPath, words, {
    cwd: folder.path,
    env: { PATH: process.env.PATH, HOME: process.env.HOME },
    stdio: ['pipe', 'pipe', 'pipe'],
    timeout: 240_000,
  })
  let output = ''
  let errors = ''
  const ended = once(child, 'close').then(() => child.exitCode)
  const ready = Promise.withResolvers<void>()
  child.stdout.on('data', (chunk) => {
    output += chunk
    if (output.endsWith('Canton sandbox is ready.\n')) ready.resolve()
  })
  child.stderr.on('data', (chunk) => {
    errors += chunk
  })
  void ended.then(() => ready.reject(new Error(`it ended: ${errors}`)))
  await ready.promise
  return {
    child,
    ended,
    lines: output.trimEnd().split('\n'),
    participants: JSON.parse(readFileSync(portFile, 'utf8')) as Readonly<Record<string, Ports>>,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await ended
      folder[Symbol.dispose]()
    },
  }
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely.
const get = async (port: number, path: string): Promise<any> => (await fetch(`http://127.0.0.1:${port}${path}`)).json()

describe('tallystick sandbox', { concurrency: 3 }, () => {
  test('ends its output as Canton’s does, writes its ports, and serves its three APIs without tokens', async () => {
    using folder = temporaryFolder()
    const [portFile, jsonPortFile] = [join(folder.path, 'port'), join(folder.path, 'json-port')]
    await using sandbox = await startSandbox(['--port-file', portFile, '--json-api-port-file', jsonPortFile])
    const { sandbox: ports } = sandbox.participants
    assert.ok(ports)
    assert.deepEqual(Object.keys(sandbox.participants), ['sandbox'])
    assert.deepEqual(sandbox.lines.slice(-2), [
      `sandbox listening at ports: ${ports.ledgerApi}(gRPC) and ${ports.jsonApi}(HTTP)`,
      'Canton sandbox is ready.',
    ])
    assert.equal(readFileSync(portFile, 'utf8'), String(ports.ledgerApi))
    assert.equal(readFileSync(jsonPortFile, 'utf8'), `${ports.jsonApi}\n`)

    const { participantId } = await get(ports.jsonApi, '/v2/parties/participant-id')
    assert.match(participantId, /^sandbox::1220[0-9a-f]{64}$/)
    const { connectedSynchronizers } = await get(ports.jsonApi, '/v2/state/connected-synchronizers')
    assert.deepEqual(
      connectedSynchronizers.map((one: { synchronizerAlias: string }) => one.synchronizerAlias),
      ['synchronizer-1'],
    )
    assert.deepEqual((await get(ports.jsonApi, '/v2/packages')).packageIds, [])
    using grpc = openProtoClient(`http://127.0.0.1:${ports.ledgerApi}`, '')
    const parties = await grpc.of('PartyManagementService')
    assert.equal((await parties.getParticipantId({})).response.participantId, participantId)
    using admin = openAdmin(`http://127.0.0.1:${ports.adminApi}`)
    const { kind } = await admin.call('ParticipantStatusService/ParticipantStatus')
    const { ledgerApi: ledger, adminApi, jsonApi: json } = ports
    assert.deepEqual(
      [kind.status.commonStatus.uid, { ...kind.status.commonStatus.ports }],
      [participantId, { ledger, admin: adminApi, json }],
    )
    sandbox.child.kill('SIGTERM')
    assert.equal(await sandbox.ended, 0)
  })

  test('has the DARs of its flags when it is ready, and static time that begins in 1970', async () => {
    await using sandbox = await startSandbox([
      '--static-time',
      '--dar',
      `${quickstart},${quickstart}`,
      '--dar',
      quickstart,
    ])
    const { jsonApi } = sandbox.participants.sandbox!
    assert.equal((await get(jsonApi, '/v2/packages')).packageIds.length, 2)
    assert.equal((await get(jsonApi, '/v2/time')).currentTime, '1970-01-01T00:00:00Z')
  })

  test('runs three participants with --multi-sync, sidebox on the second synchronizer only', async () => {
    const ports = ['pebblebox', 'sidebox'].flatMap((name) =>
      ['http-ledger-api', 'ledger-api', 'admin-api'].map((api) => `canton.participants.${name}.${api}.port=0`),
    )
    await using sandbox = await startSandbox(['--multi-sync', '-C', ports.join(','), '--dar', quickstart])
    const { participants } = sandbox
    assert.deepEqual(Object.keys(participants), ['sandbox', 'pebblebox', 'sidebox'])
    assert.deepEqual(
      sandbox.lines.slice(-4).map((line) => line.split(' ')[0]),
      ['sidebox', 'pebblebox', 'sandbox', 'Canton'],
    )
    const connected = { sandbox: ['1', '2'], pebblebox: ['1', '2'], sidebox: ['2'] }
    for (const [name, numbers] of Object.entries(connected)) {
      const { jsonApi, adminApi } = participants[name]!
      const { participantId } = await get(jsonApi, '/v2/parties/participant-id')
      assert.match(participantId, new RegExp(`^${name}::1220`))
      assert.equal((await get(jsonApi, '/v2/packages')).packageIds.length, 2)
      using admin = openAdmin(`http://127.0.0.1:${adminApi}`)
      const status = (await admin.call('ParticipantStatusService/ParticipantStatus')).kind.status
      assert.deepEqual([status.commonStatus.uid, status.commonStatus.ports.json], [participantId, jsonApi])
      const answer = await admin.call('SynchronizerConnectivityService/ListConnectedSynchronizers')
      assert.deepEqual(
        answer.connectedSynchronizers.map((one: { synchronizerAlias: string }) => one.synchronizerAlias).sort(),
        numbers.map((number) => `synchronizer-${number}`),
      )
    }
  })

  test('stops when its input is closed, if it is asked to', async () => {
    await using sandbox = await startSandbox(['--shutdown-stdin-close', '--wall-clock-time', '--no-tty'])
    sandbox.child.stdin.write('what it is sent does not matter\n')
    sandbox.child.stdin.end()
    assert.equal(await sandbox.ended, 0)
  })

  test('stops when it is ready, if it is asked to', async () => {
    await using sandbox = await startSandbox(['--exit-after-bootstrap'])
    assert.equal(await sandbox.ended, 0)
  })

  test('names the flag of a port that is taken', async () => {
    const taken: Server = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    try {
      const port = String((taken.address() as { port: number }).port)
      for (const flag of ['--ledger-api-port', '--admin-api-port', '--json-api-port']) {
        const { code, errors } = await run(['sandbox', ...anyPorts, flag, port])
        assert.equal(code, 1)
        assert.match(errors, new RegExp(`^tallystick: .*port ${port} .*taken.*${flag}\\n$`))
      }
    } finally {
      taken.close()
    }
  })

  for (const [name, { type, short, instead }] of Object.entries(refusedOptions)) {
    test(`refuses ${short ? `-${short}` : `--${name}`} by name, with what to use instead`, async () => {
      const words = short ? [`-${short}x=y`] : type === 'string' ? [`--${name}`, 'x'] : [`--${name}`]
      const message = `${short ? `-${short}` : `--${name}`} is not served: ${instead}`
      await assert.rejects(call(['sandbox', ...words]), { message })
    })
  }

  test('refuses flags that no sandbox has', async () => {
    assertOneLine(await run(['sandbox', '--json-api-prt', '1']), 2, /did you mean --json-api-port\?/)
  })
})
