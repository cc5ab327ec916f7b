// The command line as people and scripts use it. Signals, logs, kills and a command of each kind need bin/tallystick in
// its own process; the others run here, which is cheaper.
import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { get } from 'node:https'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { SignJWT } from 'jose'
import { settingOptions } from '../../src/cli/options.ts'
import { settingRows } from '../../src/cli/setting-list.ts'
import { renderDar } from '../../src/lf/dar/render-dar.ts'
import { createCertificate } from '../fixtures/certificate.ts'
import { runHere, type StartedHere, startHere } from '../fixtures/command.ts'
import { createTestDatabase } from '../fixtures/postgres.ts'
import { assertOneLine, run, start, temporaryFolder } from '../fixtures/process.ts'
import { optionalType, partyType } from '../support/lf/data-package.ts'
import { darWith, writePackage } from '../support/lf/described-package.ts'

// Processes start slowly in parallel, but faster than one after another.
const together = { concurrency: 4 }

describe('tallystick start', together, () => {
  test('prints the URL, the store, how tokens are checked, ready, and a curl line that works, with the only token', async () => {
    using folder = temporaryFolder()
    const data = join(folder.path, 'ledger')
    await using node = await start(['--data', data])
    const { output } = node
    assert.match(output, /^ {2}url +http:\/\/127\.0\.0\.1:\d+$/m)
    assert.match(output, new RegExp(`^ {2}store +SQLite in ${data}$`, 'm'))
    assert.match(output, /^ {2}tokens +JWT, by the local development secret, stored identity providers/m)
    assert.match(output, /^ {2}participant +participant::1220[0-9a-f]{64}$/m)
    assert.match(output, /^ {2}time +wall clock$/m)
    assert.match(output, /^ {2}synchronizers +global, private$/m)
    assert.match(output, /^ {2}packages +quickstart 1\.0\.0$/m)
    assert.match(output, /^ {2}next: .*tallystick dar upload FILE/m)
    assert.match(output, /^ {2}ready in \d+ ms$/m)
    const curl = /^ {2}curl -H 'Authorization: Bearer ([^']+)' (\S+)$/m.exec(output)
    assert.ok(curl)
    assert.equal(output.match(/ey[\w-]+\.[\w-]+\.[\w-]+/g)?.length, 1)
    const answer = await fetch(curl[2]!, { headers: { authorization: `Bearer ${curl[1]}` } })
    assert.equal(answer.status, 200)
    assert.match(await answer.text(), /"participant_admin"/)
    assert.equal(statSync(join(data, 'token-secret')).mode & 0o777, 0o600)
  })

  test('requires no token with --auth off, and says so', async () => {
    await using node = await startHere(['--memory', '--auth', 'off'])
    assert.match(node.output, /^ {2}store +memory/m)
    assert.match(node.output, /^ {2}tokens +off: no token is required, everyone may do everything$/m)
    assert.doesNotMatch(node.output, /Bearer/)
    assert.match(node.output, new RegExp(`^ {2}curl ${node.url}/v2/users$`, 'm'))
    assert.equal((await fetch(`${node.url}/v2/users`)).status, 200)
  })

  test('serves metrics of the ledger and of the process', async () => {
    await using node = await startHere(['--memory'])
    const page = await (await fetch(`${node.url}/metrics`)).text()
    for (const name of ['tallystick_commands_total', 'process_resident_memory_bytes']) {
      assert.ok(page.includes(`# HELP ${name} `), name)
    }
  })

  test('shows its static time, also after a restart', async () => {
    using folder = temporaryFolder()
    const args = ['--data', folder.path, '--static-time', '2030-01-01T00:00:00Z']
    const first = await startHere(args)
    assert.match(first.output, /^ {2}time +static, at 2030-01-01T00:00:00Z; POST \/v2\/time moves it$/m)
    const times = { currentTime: '2030-01-01T00:00:00Z', newTime: '2031-01-01T00:00:00Z' }
    const headers = { authorization: `Bearer ${first.token}` }
    const moved = await fetch(`${first.url}/v2/time`, { method: 'POST', headers, body: JSON.stringify(times) })
    assert.equal(moved.status, 200, await moved.text())
    await first.stop()
    await using second = await startHere(args)
    assert.match(second.output, /^ {2}time +static, at 2031-01-01T00:00:00Z;/m)
  })

  test('answers the origins of --cors, and no others', async () => {
    await using node = await startHere(['--memory', '--cors', 'https://a.example', '--cors', 'https://b.example'])
    const allowed = async (origin: string) =>
      (await fetch(`${node.url}/v2/version`, { headers: { origin } })).headers.get('access-control-allow-origin')
    assert.equal(await allowed('https://b.example'), 'https://b.example')
    assert.equal(await allowed('https://c.example'), null)
  })

  test('serves https with --tls-cert and --tls-key', async () => {
    using folder = temporaryFolder()
    const pair = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
    const [cert, key] = [join(folder.path, 'cert.pem'), join(folder.path, 'key.pem')]
    writeFileSync(cert, createCertificate(pair))
    writeFileSync(key, pair.privateKey.export({ type: 'pkcs8', format: 'pem' }))
    await using node = await startHere(['--memory', '--tls-cert', cert, '--tls-key', key])
    assert.match(node.url, /^https:/)
    const [answer] = await once(get(`${node.url}/livez`, { rejectUnauthorized: false }), 'response')
    assert.equal(answer.statusCode, 200)
    answer.resume()
  })

  test('assumes the user of --user-id with --auth off', async () => {
    const submit = async (url: string) => {
      const body = JSON.stringify({ commandId: 'c', actAs: ['nobody::1220'], commands: [] })
      const answer = await fetch(`${url}/v2/commands/submit-and-wait`, { method: 'POST', body })
      return ((await answer.json()) as { code: string }).code
    }
    await using without = await startHere(['--memory', '--auth', 'off'])
    assert.equal(await submit(without.url), 'INVALID_TOKEN')
    await using node = await startHere(['--memory', '--auth', 'off', '--user-id', 'app'])
    assert.match(node.output, /everyone may do everything as the user app$/m)
    assert.equal(await submit(node.url), 'MISSING_FIELD') // The commands are missing, no longer the user.
  })

  test('creates the administrators that the settings name, and promotes existing users', async () => {
    using folder = temporaryFolder()
    const rightsOf = async ({ url, token }: StartedHere, id: string) => {
      const answer = await fetch(`${url}/v2/users/${id}/rights`, { headers: { authorization: `Bearer ${token}` } })
      return answer.status === 200 ? JSON.stringify(await answer.json()) : answer.status
    }
    const first = await startHere(['--data', folder.path])
    const headers = { authorization: `Bearer ${first.token}` }
    await fetch(`${first.url}/v2/users`, { method: 'POST', headers, body: '{"user":{"id":"known"}}' })
    assert.equal(await rightsOf(first, 'known'), '{"rights":[]}')
    await first.stop()
    await using second = await startHere(['--data', folder.path], { TALLYSTICK_AUTH_ADMINISTRATORS: 'known,new' })
    for (const id of ['known', 'new']) assert.match(String(await rightsOf(second, id)), /ParticipantAdmin/)
    const { output } = await runHere(['token', '--user', 'new', '--data', folder.path])
    const answer = await fetch(`${second.url}/v2/users`, { headers: { authorization: `Bearer ${output.trim()}` } })
    assert.equal(answer.status, 200)
  })

  test('accepts tokens of any lifetime, and tokens without exp, if the limit is 0 or "unlimited"', async () => {
    using folder = temporaryFolder()
    const secret = 'x'.repeat(32)
    const token = await new SignJWT({ scope: 'daml_ledger_api' })
      .setProtectedHeader({ alg: 'HS256' })
      .setSubject('participant_admin')
      .sign(new TextEncoder().encode(secret))
    const config = join(folder.path, 'config.json')
    const statusWith = async (settings: object) => {
      writeFileSync(config, JSON.stringify(settings))
      await using node = await startHere(['--memory', '--config', config])
      return (await fetch(`${node.url}/v2/users`, { headers: { authorization: `Bearer ${token}` } })).status
    }
    const keys = [{ type: 'hs256', secret }]
    assert.equal(await statusWith({ auth: { keys } }), 401)
    assert.equal(await statusWith({ auth: { keys }, limits: { tokenLifetimeMaxMs: 0 } }), 200)
    assert.equal(await statusWith({ auth: { keys: [{ ...keys[0], tokenLifetimeMaxMs: 'unlimited' }] } }), 200)
  })

  test('writes structured logs to standard error, without tokens', async () => {
    await using node = await start(['--memory', '--log-level', 'debug'])
    const headers = { authorization: `Bearer ${node.token}` }
    await fetch(`${node.url}/v2/users`, { method: 'POST', headers, body: '{"user":{"id":"payload-word"}}' })
    await fetch(`${node.url}/v2/users`, { headers: { authorization: 'Bearer wrong.token.here' } })
    await node.stop('SIGTERM')
    const lines = node.errors.trim().split('\n')
    const entries = lines.map((line) => JSON.parse(line) as { operation?: string; msg: string })
    assert.ok(entries.some(({ operation }) => operation === 'POST /v2/users'))
    assert.ok(!node.errors.includes(node.token))
    assert.doesNotMatch(node.errors, /payload-word|wrong\.token|Bearer/)
  })

  test('logs for each refusal the operation, the user and the cause, unless the settings exclude causes', async () => {
    const refusalsWith = async (environment: Record<string, string>) => {
      await using node = await start(['--memory'], environment)
      const headers = { authorization: `Bearer ${node.token}` }
      await fetch(`${node.url}/v2/users/nobody-there`, { headers })
      await fetch(`${node.url}/v2/users`, { method: 'POST', headers, body: '{"user":{"id":7}}' })
      await fetch(`${node.url}/v2/usres`, { headers })
      await fetch(`${node.url}/v2/users`, { method: 'DELETE', headers })
      await node.stop('SIGTERM')
      const entries = node.errors
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
      return entries.filter(({ msg }) => msg === 'request refused')
    }
    const [missing, malformed, unknown, wrong] = await refusalsWith({})
    const { operation, status, code, reason, user } = missing
    assert.deepEqual(
      [operation, status, code, user],
      ['GET /v2/users/{user-id}', 404, 'USER_NOT_FOUND', 'participant_admin'],
    )
    assert.match(reason, /nobody-there/)
    assert.deepEqual([malformed.operation, malformed.status], ['POST /v2/users', 400])
    assert.match(malformed.reason, /user\.id|Invalid value/)
    assert.deepEqual([unknown.status, unknown.asked], [404, 'GET /v2/usres'])
    assert.deepEqual([wrong.status, wrong.asked], [405, 'DELETE /v2/users'])
    const silent = await refusalsWith({ TALLYSTICK_LOG_CAUSES: 'false' })
    assert.deepEqual(
      silent.map(({ status, code }) => [status, code]),
      [
        [404, 'USER_NOT_FOUND'],
        [400, undefined],
        [404, undefined],
        [405, undefined],
      ],
    )
    assert.doesNotMatch(JSON.stringify(silent), /nobody-there|usres/)
  })

  test('logs why a command was rejected that nobody waits for', async () => {
    await using node = await start(['--memory', '--auth', 'off', '--user-id', 'app'])
    const call = async (path: string, body: unknown) => {
      const answer = await fetch(`${node.url}${path}`, { method: 'POST', body: JSON.stringify(body) })
      return { status: answer.status, json: (await answer.json()) as { partyDetails: { party: string } } }
    }
    const { party } = (await call('/v2/parties', { partyIdHint: 'alice' })).json.partyDetails
    const createArguments = { issuer: party, owner: party, amount: '1', currency: 'EUR', observers: [] }
    const commands = [{ CreateCommand: { templateId: '#quickstart:Iou:Iou', createArguments } }]
    assert.equal((await call('/v2/commands/submit-and-wait', { commandId: 'x', actAs: [party], commands })).status, 200)
    const again = { commandId: 'x', submissionId: 'second', actAs: [party], commands }
    assert.equal((await call('/v2/commands/async/submit', again)).status, 200)
    await node.stop('SIGTERM')
    const line = node.errors.split('\n').find((text) => text.includes('"command rejected"')) ?? '{}'
    const { code, reason, submissionId, offset } = JSON.parse(line)
    assert.deepEqual([code, submissionId, offset], ['DUPLICATE_COMMAND', 'second', '4'])
    assert.equal(reason, 'Command submission already exists.')
  })

  test('writes lines for people if the settings ask for them, one per request at debug', async () => {
    await using node = await start(['--memory', '--log-format', 'pretty', '--log-level', 'debug'])
    await fetch(`${node.url}/v2/version`)
    await fetch(`${node.url}/v2/users`)
    await node.stop('SIGTERM')
    const controls = String.fromCharCode(27)
    assert.ok(!node.errors.includes(controls)) // Standard error is not a terminal here.
    assert.match(node.errors, /^\d\d:\d\d:\d\d debug request GET \/v2\/version 200 \d+\.\d ms$/m)
    assert.match(
      node.errors,
      /^\S+ info +request refused GET \/v2\/users 401 code=UNAUTHENTICATED reason="[^"]+" traceId=\S+$/m,
    )
  })

  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    test(`exits with 0 soon after ${signal}`, async () => {
      await using node = await start(['--memory'], { TALLYSTICK_LIMITS_STOP_WITHIN_MS: '3600000' })
      await fetch(`${node.url}/livez`) // Leaves an idle connection open.
      assert.equal(await node.stop(signal), 0)
      assert.match(node.output, /stopping…\n$/)
      await assert.rejects(fetch(`${node.url}/livez`))
    })
  }

  test('keeps everything that was confirmed through a kill -9: users, tokens, and the packages of the first start and of --dar', async () => {
    using folder = temporaryFolder()
    const dar = fileURLToPath(new URL('../lf/keys-lf23.dar', import.meta.url))
    const first = await start(['--data', folder.path, '--dar', dar])
    const headers = { authorization: `Bearer ${first.token}` }
    const packagesOf = async (url: string) => {
      const answer = await fetch(`${url}/v2/packages`, { headers })
      return ((await answer.json()) as { packageIds: string[] }).packageIds
    }
    const packages = /^ {2}packages +quickstart 1\.0\.0, keys-lf23 1\.0\.0$/m
    assert.match(first.output, packages)
    const uploaded = await packagesOf(first.url)
    assert.equal(uploaded.length, 4)
    const created = await fetch(`${first.url}/v2/users`, { method: 'POST', headers, body: '{"user":{"id":"alice"}}' })
    assert.equal(created.status, 200)
    assert.equal(await first.stop('SIGKILL'), null)
    await using second = await start(['--data', folder.path])
    assert.equal((await fetch(`${second.url}/v2/users/alice`, { headers })).status, 200) // The old token works.
    assert.equal(participantOf(second.output), participantOf(first.output))
    assert.match(second.output, packages)
    assert.deepEqual(await packagesOf(second.url), uploaded)
  })

  test('runs on PostgreSQL, where development mode is off by default', async () => {
    await using database = await createTestDatabase()
    using folder = temporaryFolder()
    const config = join(folder.path, 'config.json')
    writeFileSync(config, JSON.stringify({ auth: { keys: [{ type: 'hs256', secret: 'x'.repeat(32) }] } }))
    await using node = await startHere(['--postgres', database.url, '--config', config])
    assert.match(node.output, /^ {2}store +PostgreSQL at 127\.0\.0\.1:\d+\/test_\d+_\d+$/m)
    assert.doesNotMatch(node.output, /Bearer/)
    const refused = await fetch(`${node.url}/v2/users`)
    const { cause } = (await refused.json()) as { cause: string }
    assert.deepEqual([refused.status, cause], [401, 'A security-sensitive error has been received'])
  })
})

describe('tallystick token', together, () => {
  test('prints just a token, which the node using that folder accepts', async () => {
    using folder = temporaryFolder()
    await using node = await startHere(['--data', folder.path])
    const { code, output, errors } = await run(['token', '--user', 'participant_admin', '--data', folder.path])
    assert.deepEqual([code, errors], [0, ''])
    assert.match(output, /^[\w-]+\.[\w-]+\.[\w-]+\n$/)
    const call = (token: string) =>
      fetch(`${node.url}/v2/users`, { headers: { authorization: `Bearer ${token.trim()}` } })
    assert.equal((await call(output)).status, 200)
    await node.stop()
    const later = await runHere(['token', '--user', 'participant_admin', '--data', folder.path, '--ttl', '90s'])
    assert.equal(later.code, 0, 'works while no node is running')
    const { sub, exp, iat } = payloadOf(later.output)
    assert.deepEqual([sub, exp - iat], ['participant_admin', 90])
    const endless = await runHere(['token', '--user', 'participant_admin', '--data', folder.path, '--ttl', 'unlimited'])
    assert.equal(payloadOf(endless.output).exp, undefined)
  })

  test('finds the folder as the node does: by a flag, the environment or the configuration file', async () => {
    using folder = temporaryFolder()
    const data = join(folder.path, 'ledger')
    const config = join(folder.path, 'config.json')
    writeFileSync(config, JSON.stringify({ store: { data } }))
    await using node = await startHere(['--config', config])
    const ways: [args: string[], environment: Record<string, string>][] = [
      [['--data', data], { TALLYSTICK_STORE_DATA: '/nowhere' }],
      [[], { TALLYSTICK_STORE_DATA: data }],
      [['--config', config], {}],
      [[], { TALLYSTICK_CONFIG: config }],
    ]
    for (const [args, environment] of ways) {
      const { output, errors } = await runHere(['token', '--user', 'participant_admin', ...args], environment)
      assert.equal(errors, '')
      const headers = { authorization: `Bearer ${output.trim()}` }
      assert.equal((await fetch(`${node.url}/v2/users`, { headers })).status, 200)
      const status = await runHere(['status', '--url', node.url, ...args], environment)
      assert.match(status.output, /^participant +participant::1220/m, `${args} ${JSON.stringify(environment)}`)
    }
  })

  test('accepts another audience', async () => {
    using folder = temporaryFolder()
    await using node = await startHere(['--data', folder.path])
    const { output } = await runHere([
      'token',
      '--user',
      'bob',
      '--data',
      folder.path,
      '--audience',
      'https://else.example',
    ])
    assert.equal(payloadOf(output).aud, 'https://else.example')
    const headers = { authorization: `Bearer ${output.trim()}` }
    assert.equal((await fetch(`${node.url}/v2/users`, { headers })).status, 401)
  })
})

describe('tallystick --help', together, () => {
  const rows: [args: string[], words: string[]][] = [
    [[], ['start', 'token', 'config']],
    [['--help'], ['start', 'token', 'config']],
    [['-h'], ['start', 'token', 'config']],
    [['start', '--help'], Object.keys(settingOptions).map((name) => `--${name}`)],
    [
      ['token', '--help'],
      ['--user ID', '--data DIR', '--ttl TIME', '--audience AUD'],
    ],
    [['config', '--help'], ['--config FILE']],
    [['--version'], ['.']],
    [['help'], ['start', 'TALLYSTICK_HTTP_PORT', 'tallystick config']],
    [
      ['help', 'start'],
      ['--cors ORIGIN', '--tls-cert FILE', '--user-id ID', 'TALLYSTICK_AUTH_ADMINISTRATORS'],
    ],
    [
      ['help', 'dar'],
      ['dar inspect', 'dar check', 'dar upload'],
    ],
    [
      ['dar', '--help'],
      ['dar inspect', 'dar check', 'dar upload'],
    ],
    [['help', 'dar', 'inspect'], ['--json']],
    [['dar', 'inspect', '-h'], ['--json']],
    [
      ['status', '--help'],
      ['--url URL', '--json'],
    ],
  ]
  for (const [index, [args, words]] of rows.entries()) {
    test(`tallystick ${args.join(' ')}`, async () => {
      const { code, output, errors } = await (index === 0 ? run : runHere)(args)
      assert.deepEqual([code, errors], [0, ''])
      for (const word of words) assert.ok(output.includes(word), word)
    })
  }
})

describe('a wrong command line exits with 2 and one line', together, () => {
  const rows: [args: string[], message: RegExp, environment?: Record<string, string>][] = [
    [['fly'], /^there is no command fly; try tallystick help$/],
    [['strat'], /^there is no command strat; did you mean tallystick start\?$/],
    [['help', 'fly'], /^there is no command fly/],
    [['dar'], /^dar is not complete: try tallystick dar inspect or tallystick dar check or tallystick dar upload or /],
    [['dar', 'inspct'], /did you mean tallystick dar inspect\?$/],
    [['start', '--memroy'], /^Unknown option '--memroy'; did you mean --memory\?; usage: /],
    [['start', '--tls-cert', 'x.pem'], /http\.tls/],
    [['start', '--auth', 'off', '--user-id', 'a b'], /^--user-id: /],
    [['status', '--url', 'nowhere'], /^--url: nowhere is not a URL$/],
    [['start', '--nope'], /--nope/],
    [['start', 'extra'], /extra/],
    [['start', '--port'], /--port/],
    [['start', '--port', '-1'], /^Option '--port' argument is ambiguous; usage: /],
    [['start', '--port', 'x'], /^--port: must be a whole number$/],
    [['start', '--port', '70000'], /^--port: .*65535/],
    [['start', '--data', ''], /^--data: /],
    [['start', '--auth', 'maybe'], /^--auth: must be one of jwt, off$/],
    [['start', '--data', 'x', '--memory'], /^--data and --memory exclude each other$/],
    [['start', '--postgres', 'postgres://h/d', '--memory'], /--memory and --postgres exclude each other/],
    [['start', '--postgres', 'postgres://me:s3cret@h:99999/d'], /postgres/],
    [['start', '--config', '/nowhere/at/all.json'], /^cannot read the configuration: .*\/nowhere/],
    [['token'], /^--party or --user is missing; usage: /],
    [['token', '--user', 'a b'], /^--user: User ID "a b" does not match/],
    [['token', '--user', 'a', '--ttl', 'soon'], /^--ttl: soon is not a time/],
    [['config'], /^the environment variable TALLYSTICK_NOPE is not a setting$/, { TALLYSTICK_NOPE: '1' }],
    [
      ['config'],
      /TALLYSTICK_HTTP_PROT is not a setting; did you mean TALLYSTICK_HTTP_PORT\?$/,
      { TALLYSTICK_HTTP_PROT: '1' },
    ],
    [
      ['config'],
      /^TALLYSTICK_LIMITS_TOKEN_LIFETIME_MAX_MS: must be a whole number or "unlimited"$/,
      { TALLYSTICK_LIMITS_TOKEN_LIFETIME_MAX_MS: 'forever' },
    ],
    [['config', 'zebra'], /^no setting mentions zebra$/],
    [['config'], /^TALLYSTICK_HTTP_PORT: must be a whole number$/, { TALLYSTICK_HTTP_PORT: 'abc' }],
  ]
  for (const [index, [args, message, environment]] of rows.entries()) {
    test(
      [...Object.entries(environment ?? {}).map((pair) => pair.join('=')), 'tallystick', ...args].join(' '),
      async () => {
        assertOneLine(await (index === 0 ? run : runHere)(args, environment), 2, message)
      },
    )
  }

  const files: [content: string, message: RegExp][] = [
    ['{', /config\.json is not JSON/],
    ['{"htpp":{}}', /htpp.* there is no such setting/],
    ['{"http":{"port":"x"}}', /http\.port in .*config\.json: must be a whole number/],
    ['{"auth":{"keys":[{"type":"hs256"}]}}', /auth\.keys/],
  ]
  for (const [content, message] of files) {
    test(`a configuration of ${content}`, async () => {
      using folder = temporaryFolder()
      const config = join(folder.path, 'config.json')
      writeFileSync(config, content)
      assertOneLine(await runHere(['start', '--config', config]), 2, message)
    })
  }
})

describe('a node that cannot start exits with 1 and one line', together, () => {
  test('on a port in use', async () => {
    await using server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as { port: number }
    const result = await run(['start', '--memory', '--port', String(port)])
    assertOneLine(result, 1, new RegExp(`^port ${port} on 127\\.0\\.0\\.1 is taken; .*--port$`))
  })

  test('on an address of another machine', async () => {
    const result = await runHere(['start', '--memory', '--port', '0', '--host', '203.0.113.1'])
    assertOneLine(result, 1, /203\.0\.113\.1.*--host$/)
  })

  test('with a data folder that cannot be created', async () => {
    using folder = temporaryFolder()
    const file = join(folder.path, 'file')
    writeFileSync(file, '')
    assertOneLine(await runHere(['start', '--port', '0', '--data', file]), 1, /^cannot use the data folder .*file: /)
    const inside = await runHere(['start', '--port', '0', '--data', join(file, 'data')])
    assertOneLine(inside, 1, /^cannot use the data folder /)
  })

  test('with a data folder that is not writable', { skip: isRoot() && 'root may write anywhere' }, async () => {
    using folder = temporaryFolder()
    const data = join(folder.path, 'data')
    mkdirSync(data, { mode: 0o555 })
    assertOneLine(await runHere(['start', '--port', '0', '--data', data]), 1, /^cannot write to the data folder /)
  })

  test('with a ledger file that is not a database', async () => {
    using folder = temporaryFolder()
    writeFileSync(join(folder.path, 'ledger.sqlite'), 'x'.repeat(10_000))
    assertOneLine(await runHere(['start', '--port', '0', '--data', folder.path]), 1, /^cannot open the ledger in /)
  })

  test('with a folder that another node is using', async () => {
    using folder = temporaryFolder()
    await using _node = await startHere(['--data', folder.path])
    const result = await run(['start', '--port', '0', '--data', folder.path])
    assertOneLine(result, 1, /^another node is already running over .*--data$/)
  })

  test('with an unreachable database, whose password is not shown', async () => {
    const args = ['start', '--port', '0', '--postgres', 'postgres://me:s3cret@127.0.0.1:1/db']
    const atOnce = { TALLYSTICK_STORE_POSTGRES_START_MS: '0' }
    const refused = /^cannot reach the database at postgres:\/\/127\.0\.0\.1:1\/db: .*ECONNREFUSED/
    assertOneLine(await runHere(args, atOnce), 1, refused)
    const { code, errors } = await run(args, { TALLYSTICK_STORE_POSTGRES_START_MS: '400' })
    assert.equal(code, 1)
    assert.equal(errors.match(/the start waits for the database/g)?.length, 1, errors)
    assert.match(errors.trim().split('\n').at(-1)!.replace('tallystick: ', ''), refused)
    assert.doesNotMatch(errors, /s3cret/)
  })

  test('with a database that does not exist, without waiting for it', async () => {
    await using database = await createTestDatabase()
    const result = await runHere(['start', '--port', '0', '--postgres', `${database.url}_not`])
    assertOneLine(result, 1, /^cannot reach the database at .*: database "\w+" does not exist$/)
  })

  test('without a key to verify tokens', async () => {
    await using database = await createTestDatabase()
    const result = await runHere(['start', '--port', '0', '--postgres', database.url])
    assertOneLine(result, 1, /^there is no key to verify tokens: /)
  })

  test('with a DAR that does not exist', async () => {
    assertOneLine(await runHere(['start', '--memory', '--port', '0', '--dar', '/nowhere.dar']), 1, /\/nowhere\.dar/)
  })

  test('with a file that is not a DAR', async () => {
    const result = await runHere(['start', '--memory', '--port', '0', '--dar', fileURLToPath(import.meta.url)])
    assertOneLine(result, 1, /^cannot upload \S+cli\.test\.ts: Dar file is corrupt \(this is not a zip file, .*\)$/)
  })

  test('with a certificate that does not exist', async () => {
    const environment = {
      TALLYSTICK_HTTP_TLS_CERTIFICATE_FILE: '/nowhere.pem',
      TALLYSTICK_HTTP_TLS_KEY_FILE: '/nowhere',
    }
    assertOneLine(
      await runHere(['start', '--memory', '--port', '0'], environment),
      1,
      /^cannot use \/nowhere.pem and \/nowhere for TLS: /,
    )
  })

  test('when a token is requested for a folder without a node', async () => {
    using folder = temporaryFolder()
    const result = await runHere(['token', '--user', 'a', '--data', folder.path])
    assertOneLine(result, 1, /^there is no token secret in .*first start$/)
  })
})

describe('tallystick config', together, () => {
  test('prints every setting: flags before the environment, the environment before the file, then defaults', async () => {
    using folder = temporaryFolder()
    const config = join(folder.path, 'config.json')
    const http = { host: '10.0.0.1', port: 1001, corsOrigins: ['https://file.example'] }
    writeFileSync(config, JSON.stringify({ http, log: { level: 'warn' }, limits: { userRightsMax: 5 } }))
    const environment = {
      TALLYSTICK_HTTP_PORT: '1002',
      TALLYSTICK_LOG_LEVEL: 'error',
      TALLYSTICK_HTTP_CORS_ORIGINS: '["https://environment.example"]',
      TALLYSTICK_CONFIG: config,
    }
    const { code, output, errors } = await run(['config', '--json', '--port', '1003'], environment)
    assert.deepEqual([code, errors], [0, ''])
    const settings = JSON.parse(output)
    assert.equal(settings.http.port, 1003)
    assert.equal(settings.log.level, 'error')
    assert.deepEqual(settings.http.corsOrigins, ['https://environment.example'])
    assert.equal(settings.http.host, '10.0.0.1')
    assert.equal(settings.limits.userRightsMax, 5)
    assert.equal(settings.limits.listElementsMax, 200)
    assert.equal(settings.store.kind, 'sqlite')
  })

  test('masks secrets', async () => {
    using folder = temporaryFolder()
    const config = join(folder.path, 'config.json')
    const keys = [
      { type: 'hs256', secret: 's3cret-of-tokens', targetAudience: 'told' },
      { type: 'jwks', url: 'https://told.example/' },
    ]
    writeFileSync(config, JSON.stringify({ auth: { keys } }))
    const { output } = await runHere([
      'config',
      '--json',
      '--config',
      config,
      '--postgres',
      'postgres://me:s3cret@h/db',
    ])
    assert.doesNotMatch(output, /s3cret/)
    const settings = JSON.parse(output)
    assert.deepEqual([settings.auth.keys[0].secret, settings.auth.keys[0].targetAudience], ['***', 'told'])
    assert.equal(settings.auth.keys[1].url, 'https://told.example/')
  })
})

describe('tallystick config without --json', together, () => {
  test('has every setting with its value, its meaning, its default, and where the value comes from', async () => {
    using folder = temporaryFolder()
    const config = join(folder.path, 'config.json')
    writeFileSync(
      config,
      JSON.stringify({ limits: { userRightsMax: 5 }, auth: { keys: [{ type: 'hs256', secret: 's3cret' }] } }),
    )
    const { code, output, errors } = await runHere(['config', '--config', config, '--port', '1003'], {
      TALLYSTICK_HTTP_CORS_ORIGINS: 'https://a.example, https://b.example',
    })
    assert.deepEqual([code, errors], [0, ''])
    assert.doesNotMatch(output, /s3cret/)
    const entry = (name: string) => new RegExp(`^ {2}${name} .*\n.*\n.*$`, 'm').exec(output)?.[0]
    assert.equal(
      entry('http.port'),
      `  http.port = 1003  [from --port]
      Port to listen on; 0 takes any free one
      whole number; default 7575; TALLYSTICK_HTTP_PORT, --port`,
    )
    assert.match(entry('limits.userRightsMax')!, new RegExp(`= 5 {2}\\[from ${config}\\]`))
    assert.match(
      entry('http.corsOrigins')!,
      /= \["https:\/\/a\.example","https:\/\/b\.example"\] {2}\[from TALLYSTICK_HTTP_CORS_ORIGINS\]/,
    )
    assert.match(entry('limits.tokenLifetimeMaxMs')!, /= 300000 \(5 min\) {2}\[default\]/)
    assert.match(entry('auth.userId')!, /\(not set\)/)
    assert.equal(new Set(output.match(/TALLYSTICK_[A-Z_]+/g)).size, settingRows().length)
  })

  test('shows the settings that mention a word', async () => {
    const { output } = await runHere(['config', 'cors'])
    assert.deepEqual(output.match(/^ {2}\S+/gm), ['  http.corsOrigins'])
  })
})

describe('tallystick status', together, () => {
  test('shows a ready node, and exits with 0', async () => {
    using folder = temporaryFolder()
    await using node = await startHere(['--data', folder.path])
    const { code, output, errors } = await runHere(['status', '--url', node.url, '--data', folder.path])
    assert.deepEqual([code, errors], [0, ''])
    assert.match(output, /^state +ready$/m)
    assert.match(output, /^synchronizers +global, private$/m)
    assert.match(output, /^ledger end +0$/m)
    const json = await runHere(['status', '--json', '--url', node.url, '--token', node.token])
    const { state, participantId } = JSON.parse(json.output)
    assert.deepEqual([state, participantId], ['ready', participantOf(node.output)])
    const bare = await runHere(['status', '--url', node.url, '--data', join(folder.path, 'none')])
    assert.equal(bare.code, 0)
    assert.doesNotMatch(bare.output, /participant/)
  })

  test('finds the node where the settings say that it listens', async () => {
    using folder = temporaryFolder()
    await using node = await startHere(['--data', folder.path])
    const config = join(folder.path, 'config.json')
    writeFileSync(config, JSON.stringify({ http: { host: '0.0.0.0' }, store: { data: folder.path } }))
    const { code, output } = await runHere(['status', '--config', config], {
      TALLYSTICK_HTTP_PORT: new URL(node.url).port,
    })
    assert.equal(code, 0, output)
    assert.match(output, new RegExp(`^url +${RegExp.escape(node.url)}$`, 'm'))
    assert.match(output, /^participant +participant::/m)
  })

  test('exits with 1 if nothing answers', async () => {
    const { code, output } = await run(['status', '--json', '--url', 'http://127.0.0.1:1'])
    assert.deepEqual([code, JSON.parse(output).state], [3, 'not running'])
  })
})

describe('tallystick dar upload', together, () => {
  const dar = fileURLToPath(new URL('../lf/keys-lf23.dar', import.meta.url))

  test('uploads a package to the node on this machine', async () => {
    using folder = temporaryFolder()
    await using node = await startHere(['--data', folder.path])
    const { code, output, errors } = await run(['dar', 'upload', dar, '--url', node.url, '--data', folder.path])
    assert.deepEqual([code, errors], [0, ''])
    assert.match(output, /^uploaded keys-lf23 1\.0\.0 \([0-9a-f]{64}\) to http/)
    const packageId = /[0-9a-f]{64}/.exec(output)![0]
    const answer = await fetch(`${node.url}/v2/packages`, { headers: { authorization: `Bearer ${node.token}` } })
    assert.ok(((await answer.json()) as { packageIds: string[] }).packageIds.includes(packageId))
    const refused = await runHere(['dar', 'upload', dar, '--url', node.url, '--token', 'x.y.z'])
    assertOneLine(refused, 1, /^the node refused: /)
  })

  test('reports that nothing answers', async () => {
    assertOneLine(await runHere(['dar', 'upload', dar, '--url', 'http://127.0.0.1:1']), 3, /^cannot reach http/)
  })
})

describe('tallystick dar check', together, () => {
  const folder = mkdtempSync(join(tmpdir(), 'dar-check-'))
  after(() => rmSync(folder, { recursive: true }))
  const written = (file: string, name: string, version: string, fields: Record<string, typeof partyType>) => {
    const Main = { data: { Iou: { record: fields } }, templates: { Iou: {} } }
    writeFileSync(join(folder, file), darWith(writePackage({ name, version, modules: { Main } })))
    return join(folder, file)
  }
  const first = written('first.dar', 'iou', '1.0.0', { owner: partyType })
  const second = written('second.dar', 'iou', '1.1.0', { owner: partyType, note: optionalType(partyType) })
  const broken = written('broken.dar', 'iou', '1.2.0', { owner: partyType })
  const other = written('other.dar', 'other', '1.0.0', { owner: partyType })
  const illTyped = join(folder, 'ill-typed.dar')
  const data = { Iou: { variant: { A: partyType } } }
  writeFileSync(illTyped, darWith(writePackage({ name: 'iou', modules: { Main: { data, templates: { Iou: {} } } } })))

  test('shows what was added and ends with 0 when nothing breaks', async () => {
    const { code, output } = await runHere(['dar', 'check', second, '--against', first])
    assert.equal(code, 0)
    assert.match(output, /iou 1\.0\.0 → 1\.1\.0: a valid upgrade\n {2}added\n.*field note : Optional Party added\n/)
  })

  test('shows what breaks and ends with 1', async () => {
    const { code, output } = await runHere(['dar', 'check', broken, '--against', first, '--against', second])
    assert.equal(code, 1)
    assert.match(
      output,
      /iou 1\.1\.0 → 1\.2\.0: not a valid upgrade\n {2}breaks\n.*field note : Optional Party removed/,
    )
  })

  test('shows what is wrong with the types, and ends with 1', async () => {
    const { code, output } = await runHere(['dar', 'check', illTyped])
    assert.equal(code, 1)
    const error = 'EExpectedTemplatableType: validation error in template [0-9a-f]{64}:Main:Iou: expected .*'
    const conclusion = 'a node would refuse it: one thing is wrong'
    assert.match(
      output,
      new RegExp(`\\n  wrong: iou 1.0.0: ${error}\\n    DAR_VALIDATION_ERROR\\n\\n${conclusion}\\n$`),
    )
  })

  test('prints the same as JSON', async () => {
    const { code, output } = await runHere(['dar', 'check', broken, '--against', second, '--json'])
    assert.equal(code, 1)
    const [upgrade] = JSON.parse(output).upgrades
    assert.deepEqual(
      [upgrade.past.version, upgrade.present.version, upgrade.breaks[0].rule],
      ['1.1.0', '1.2.0', 'RecordFieldsMissing'],
    )
  })

  test('refuses a file that has no version of the package', async () => {
    const refused = await runHere(['dar', 'check', second, '--against', other])
    assertOneLine(refused, 1, /other\.dar has no package named iou: its main package is other$/)
  })
})

describe('tallystick dar inspect', together, () => {
  const file = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url))
  const quickstart = file('packages/quickstart/quickstart.dar')

  test('shows templates with fields and choices, and interfaces with their implementations', async () => {
    const { code, output } = await runHere(['dar', 'inspect', quickstart])
    assert.equal(code, 0)
    assert.match(output, /^quickstart 1\.0\.0: 2 packages/)
    assert.match(output, /template Iou:Iou\n\s+issuer : Party\n/)
    assert.match(output, /choice Iou_Split : Iou_SplitResult\n\s+amount : Numeric 10\n/)
    assert.match(output, /interface Holding:Holding[\s\S]*implemented by Iou:Iou/)
    // The result type of a choice, down to the last field.
    assert.match(
      output,
      /choice Iou_Split : Iou_SplitResult\n.*\n {6}returns Iou_SplitResult\n {8}\w+ : ContractId Iou\n/,
    )
  })

  test('prints the same as JSON', async () => {
    const [text, json] = await Promise.all([
      runHere(['dar', 'inspect', quickstart]),
      runHere(['dar', 'inspect', quickstart, '--json']),
    ])
    assert.equal(json.code, 0)
    const description = JSON.parse(json.output)
    assert.deepEqual([description.name, description.packages[0].interfaces[0].name], ['quickstart', 'Holding:Holding'])
    assert.equal(renderDar(description).trim(), text.output.trim())
  })

  const refusals: [what: string, args: string[], code: number, line: RegExp][] = [
    ['a missing file', ['/nowhere.dar'], 1, /^cannot read the DAR: .*\/nowhere\.dar/],
    ['a file that is not a DAR', [file('package.json')], 1, /^\S+package\.json is not a DAR that runs here: /],
    ['no file at all', [], 2, /^FILE is missing; usage: /],
    ['two files', [quickstart, 'other'], 2, /^other is too much; usage: /],
  ]
  for (const [what, args, code, line] of refusals) {
    test(`refuses ${what}`, async () => assertOneLine(await runHere(['dar', 'inspect', ...args]), code, line))
  }
})

function participantOf(output: string): string | undefined {
  return /participant +(\S+)/.exec(output)?.[1]
}

function payloadOf(token: string): { sub: string; aud: string; exp: number; iat: number } {
  return JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString())
}

function isRoot(): boolean {
  return process.getuid?.() === 0
}
