import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, suite, test } from 'node:test'
import type { Settings } from '../../base/settings.ts'
import { readSandbox, type SandboxFlags } from './sandbox-settings.ts'

const folder = mkdtempSync(join(tmpdir(), 'tallystick-sandbox-'))
after(() => rmSync(folder, { recursive: true }))

function fileWith(text: string, name = 'canton.conf'): string {
  const file = join(folder, name)
  writeFileSync(file, text)
  return file
}

const value = (pair: string): SandboxFlags => ({ 'config-value': [pair] })
const participant = 'canton.participants.sandbox'

suite('a sandbox', () => {
  test('has the ports, names and stores of Canton’s', () => {
    const { settings, portFiles } = readSandbox({}, {})
    const { http, grpc, admin, auth, store, participant, synchronizers, time, compatibility } = settings
    assert.deepEqual([http.port, grpc.port, admin.port], [6864, 6865, 6866])
    assert.deepEqual([http.host, admin.host], ['127.0.0.1', '127.0.0.1'])
    assert.deepEqual([auth.mode, store.kind, time.kind, compatibility], ['off', 'memory', 'wall', 'canton-3.5'])
    assert.deepEqual([participant.name, synchronizers!.map(({ alias }) => alias)], ['sandbox', ['synchronizer-1']])
    assert.deepEqual(portFiles, { all: undefined, jsonApi: new Map() })
  })

  type Case = [name: string, flags: SandboxFlags, read: (settings: Settings) => unknown, want: unknown]
  const cases: Case[] = [
    ['--json-api-port', { 'json-api-port': '7575' }, ({ http }) => http.port, 7575],
    ['--ledger-api-port', { 'ledger-api-port': '1' }, ({ grpc }) => grpc.port, 1],
    ['--port', { port: '2' }, ({ grpc }) => grpc.port, 2],
    ['--admin-api-port', { 'admin-api-port': '3' }, ({ admin }) => admin.port, 3],
    [
      '--static-time',
      { 'static-time': true },
      ({ time }) => [time.kind, time.start],
      ['static', '1970-01-01T00:00:00Z'],
    ],
    ['-C of a port', value(`${participant}.ledger-api.port=4`), ({ grpc }) => grpc.port, 4],
    ['a flag before -C', { port: '5', ...value(`${participant}.ledger-api.port=4`) }, ({ grpc }) => grpc.port, 5],
    [
      '-C of several',
      value(`${participant}.ledger-api.port=4,${participant}.admin-api.port=5`),
      ({ admin }) => admin.port,
      5,
    ],
    ['-C of the clock', value('canton.parameters.clock.type=sim-clock'), ({ time }) => time.kind, 'static'],
    ['the store it has anyway', value(`${participant}.storage.type=memory`), ({ store }) => store.kind, 'memory'],
    [
      'addresses of both APIs',
      value(`${participant}.ledger-api.address=0.0.0.0,${participant}.http-ledger-api.address=0.0.0.0`),
      ({ http, admin }) => [http.host, admin.host],
      ['0.0.0.0', '127.0.0.1'],
    ],
    ['-v', { verbose: true }, ({ log }) => log.level, 'debug'],
    ['--log-level-stdout', { 'log-level-stdout': 'OFF' }, ({ log }) => log.level, 'silent'],
    ['--log-encoder', { 'log-encoder': 'json' }, ({ log }) => log.format, 'json'],
  ]
  for (const [name, flags, read, want] of cases) {
    test(`takes ${name}`, () => assert.deepEqual(read(readSandbox(flags, {}).settings), want))
  }

  test('reads configuration files, of which the last counts, below flags and -C', () => {
    const one = fileWith(`canton.participants.sandbox { ledger-api.port = 1, admin-api.port = 2 }`, 'one.conf')
    const two = fileWith(`canton { participants { sandbox { ledger-api { port = 3 } } } }`, 'two.conf')
    const ports = ({ settings }: ReturnType<typeof readSandbox>) => [settings.grpc.port, settings.admin.port]
    assert.deepEqual(ports(readSandbox({ config: [`${one},${two}`] }, {})), [3, 2])
    assert.deepEqual(ports(readSandbox({ config: [two, one] }, {})), [1, 2])
    assert.deepEqual(ports(readSandbox({ config: [one], 'admin-api-port': '9' }, {})), [1, 9])
  })

  test('requires tokens if the file has authentication services', () => {
    const file = fileWith(`canton.participants.sandbox.ledger-api {
      auth-services = [{ type = unsafe-jwt-hmac-256, secret = "unsafe", target-audience = "https://canton.network.global" }]
      max-token-lifetime = Inf
      user-management-service { enabled = true, additional-admin-user-id = "ledger-api-user" }
    }`)
    const { auth, limits } = readSandbox({ config: [file] }, {}).settings
    const key = { type: 'hs256', secret: 'unsafe', targetAudience: 'https://canton.network.global' }
    assert.deepEqual([auth.mode, auth.keys, auth.administrators], ['jwt', [key], ['ledger-api-user']])
    assert.equal(limits.tokenLifetimeMaxMs, 'unlimited')
  })

  test('writes port files where flags or keys say', () => {
    assert.equal(readSandbox({ 'canton-port-file': 'x' }, {}).portFiles.all, 'x')
    assert.equal(readSandbox(value('canton.parameters.ports-file=y'), {}).portFiles.all, 'y')
    assert.deepEqual(readSandbox({ 'json-api-port-file': 'z' }, {}).portFiles.jsonApi, new Map([['sandbox', 'z']]))
  })

  test('has three participants and two synchronizers with --multi-sync', () => {
    const flags = { 'multi-sync': true, ...value('canton.participants.sidebox.ledger-api.port=1') }
    const { http, synchronizers, network } = readSandbox(flags, {}).settings
    assert.deepEqual(
      [http.port, synchronizers!.map(({ alias }) => alias)],
      [6864, ['synchronizer-1', 'synchronizer-2']],
    )
    const [sandbox, pebblebox, sidebox] = network.participants
    assert.deepEqual(sandbox, { name: 'sandbox' })
    assert.deepEqual([pebblebox!.port, pebblebox!.grpcPort, pebblebox!.adminPort], [7864, 7865, 7866])
    assert.deepEqual([sidebox!.port, sidebox!.grpcPort, sidebox!.adminPort], [8864, 1, 8866])
    assert.deepEqual(sidebox!.synchronizers, ['synchronizer-2'])
    const address = { 'multi-sync': true, ...value('canton.participants.sidebox.admin-api.address=x') }
    assert.throws(() => readSandbox(address, {}), {
      message: /^canton\.participants\.sidebox: it has ports of its own/,
    })
  })

  test('takes other settings from the environment', () => {
    assert.equal(readSandbox({}, { TALLYSTICK_SEED: 'x' }).settings.seed, 'x')
  })

  const refused: [name: string, flags: SandboxFlags, message: RegExp][] = [
    ['a port that is none', { 'json-api-port': 'x' }, /^--json-api-port: must be a whole number$/],
    ['a port beyond all', value(`${participant}.admin-api.port=99999`), /^-C: must be <= 65535$/],
    ['a key without a value', value('canton.x'), /^-C canton\.x: it is KEY=VALUE$/],
    ['a key outside canton', value('a.b=1'), /^-C: a\.b is not served: keys of Canton begin with canton\.$/],
    [
      'an unknown key',
      value(`${participant}.parameters.engine.x=1`),
      /^-C: canton\.participants\.sandbox\.parameters\.engine\.x is not served as it is written; tallystick config lists/,
    ],
    [
      'a store on disk',
      value(`${participant}.storage.type=postgres`),
      /tallystick start --postgres URL or --data DIR$/,
    ],
    ['parts of a store', value(`${participant}.storage.config.url=x`), /tallystick start --postgres URL/],
    ['a key below one with a value', value(`${participant}.ledger-api.port.x=1`), /port\.x is not served/],
    [
      'another participant',
      value('canton.participants.bank.ledger-api.port=1'),
      /the participants of the sandbox are sandbox;/,
    ],
    [
      'ports of sequencers',
      value('canton.sequencers.sequencer1.public-api.port=1'),
      /sequencers and mediators have no ports/,
    ],
    ['one address alone', value(`${participant}.ledger-api.address=0.0.0.0`), /^-C: both APIs listen at one address/],
    [
      'users that are not managed',
      value(`${participant}.ledger-api.user-management-service.enabled=false`),
      /always managed/,
    ],
    ['another clock', value('canton.parameters.clock.type=remote'), /it is sim-clock or wall-clock$/],
    ['two clocks', { 'static-time': true, 'wall-clock-time': true }, /exclude each other$/],
    [
      'a DAR that is not there',
      { dar: ['/nowhere/a.dar,/nowhere/b.dar'] },
      /missing DAR file\(s\): \/nowhere\/a\.dar, \/nowhere/,
    ],
    [
      'a log file',
      { 'log-file-appender': 'rolling' },
      /^--log-file-appender rolling is not served: there is no log file/,
    ],
    ['an unknown level', { 'log-level-stdout': 'LOUD' }, /^--log-level-stdout: must be one of TRACE, DEBUG/],
    ['a file that is not there', { config: ['/nowhere/x.conf'] }, /^cannot read the configuration: /],
  ]
  for (const [name, flags, message] of refused) {
    test(`refuses ${name}`, () => assert.throws(() => readSandbox(flags, {}), { message }))
  }

  test('refuses authentication services that do not exist here, by name', () => {
    const file = fileWith('canton.participants.sandbox.ledger-api.auth-services = [{ type = kerberos }]')
    assert.throws(() => readSandbox({ config: [file] }, {}), {
      message: /auth-services .*unsafe-jwt-hmac-256, jwt-jwks/,
    })
    const other = fileWith(
      'canton.participants.sandbox.ledger-api.auth-services = [{ type = jwt-jwks, url = "x", odd = 1 }]',
    )
    assert.throws(() => readSandbox({ config: [other] }, {}), { message: /auth-services\.odd is not served/ })
  })
})
