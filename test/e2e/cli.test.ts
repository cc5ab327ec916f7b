// The command line as people and scripts use it: bin/tallystick in a process of its own.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdirSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { settingOptions } from '../../src/cli/options.ts'
import { createTestDatabase } from '../fixtures/postgres.ts'
import { assertOneLine, run, type Started, start, temporaryFolder } from '../fixtures/process.ts'

// Processes start slowly beside each other, but faster than one after another.
const together = { concurrency: 4 }

describe('tallystick start', together, () => {
  test('prints the URL, the store, how tokens are checked, ready, a token, and a curl line that works', async () => {
    using folder = temporaryFolder()
    const data = join(folder.path, 'ledger')
    await using node = await start(['--data', data])
    const { output } = node
    assert.match(output, /^ {2}url +http:\/\/127\.0\.0\.1:\d+$/m)
    assert.match(output, new RegExp(`^ {2}store +SQLite in ${data}$`, 'm'))
    assert.match(output, /^ {2}tokens +JWT, by the local development secret, stored identity providers/m)
    assert.match(output, /^ {2}participant +participant::1220[0-9a-f]{64}$/m)
    assert.match(output, /^ {2}ready in \d+ ms$/m)
    const token = /^ {2}(ey[\w-]+\.[\w-]+\.[\w-]+)$/m.exec(output)?.[1]
    assert.ok(token)
    const curl = /^ {2}curl -H 'Authorization: Bearer ([^']+)' (\S+)$/m.exec(output)
    assert.ok(curl)
    assert.equal(curl[1], token)
    const answer = await fetch(curl[2]!, { headers: { authorization: `Bearer ${curl[1]}` } })
    assert.equal(answer.status, 200)
    assert.match(await answer.text(), /"participant_admin"/)
    assert.equal(statSync(join(data, 'token-secret')).mode & 0o777, 0o600)
  })

  test('asks for no token with --auth off, and says so', async () => {
    await using node = await start(['--memory', '--auth', 'off'])
    assert.match(node.output, /^ {2}store +memory/m)
    assert.match(node.output, /^ {2}tokens +off: no token is asked for, everybody may do everything$/m)
    assert.doesNotMatch(node.output, /Bearer/)
    assert.equal((await fetch(`${node.url}/v2/users`)).status, 200)
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

  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    test(`ends with 0 and soon after ${signal}`, async () => {
      await using node = await start(['--memory'], { TALLYSTICK_LIMITS_STOP_WITHIN_MS: '120000' })
      await fetch(`${node.url}/livez`) // Leaves an idle connection behind.
      const startedMs = performance.now()
      assert.equal(await node.stop(signal), 0)
      assert.ok(performance.now() - startedMs < 30_000)
      assert.match(node.output, /stopping…\n$/)
      await assert.rejects(fetch(`${node.url}/livez`))
    })
  }

  test('uploads the quickstart package at the first start, and with --dar what is asked for, for good', async () => {
    using folder = temporaryFolder()
    const dar = fileURLToPath(new URL('../lf/keys-lf23.dar', import.meta.url))
    const packagesOf = async ({ url, token }: Started) => {
      const answer = await fetch(`${url}/v2/packages`, { headers: { authorization: `Bearer ${token}` } })
      return ((await answer.json()) as { packageIds: string[] }).packageIds
    }
    await using first = await start(['--data', folder.path, '--dar', dar])
    assert.match(first.output, /^ {2}packages +quickstart 1\.0\.0, keys-lf23 1\.0\.0$/m)
    const uploaded = await packagesOf(first)
    assert.equal(uploaded.length, 4)
    await first.stop('SIGKILL')
    await using second = await start(['--data', folder.path])
    assert.doesNotMatch(second.output, /^ {2}packages/m)
    assert.deepEqual(await packagesOf(second), uploaded)
  })

  test('keeps what was answered through a kill -9', async () => {
    using folder = temporaryFolder()
    const first = await start(['--data', folder.path])
    const headers = { authorization: `Bearer ${first.token}` }
    const created = await fetch(`${first.url}/v2/users`, { method: 'POST', headers, body: '{"user":{"id":"alice"}}' })
    assert.equal(created.status, 200)
    assert.equal(await first.stop('SIGKILL'), null)
    await using second = await start(['--data', folder.path])
    assert.equal((await fetch(`${second.url}/v2/users/alice`, { headers })).status, 200) // The old token, too.
    assert.equal(participantOf(second.output), participantOf(first.output))
  })

  test('runs over PostgreSQL, where nothing is for development by default', async () => {
    await using database = await createTestDatabase()
    using folder = temporaryFolder()
    const config = join(folder.path, 'config.json')
    writeFileSync(config, JSON.stringify({ auth: { keys: [{ type: 'hs256', secret: 'x'.repeat(32) }] } }))
    await using node = await start(['--postgres', database.url, '--config', config])
    assert.match(node.output, /^ {2}store +PostgreSQL at 127\.0\.0\.1:\d+\/test_\d+_\d+$/m)
    assert.doesNotMatch(node.output, /Bearer/)
    const refused = await fetch(`${node.url}/v2/users`)
    const { cause } = (await refused.json()) as { cause: string }
    assert.deepEqual([refused.status, cause], [401, 'A security-sensitive error has been received'])
  })
})

describe('tallystick token', together, () => {
  test('prints just a token, which the node over that folder accepts', async () => {
    using folder = temporaryFolder()
    await using node = await start(['--data', folder.path])
    const { code, output, errors } = await run(['token', '--user', 'participant_admin', '--data', folder.path])
    assert.deepEqual([code, errors], [0, ''])
    assert.match(output, /^[\w-]+\.[\w-]+\.[\w-]+\n$/)
    const call = (token: string) =>
      fetch(`${node.url}/v2/users`, { headers: { authorization: `Bearer ${token.trim()}` } })
    assert.equal((await call(output)).status, 200)
    await node.stop('SIGTERM')
    const later = await run(['token', '--user', 'participant_admin', '--data', folder.path, '--ttl', '90s'])
    assert.equal(later.code, 0, 'works while no node is running')
    const { sub, exp, iat } = payloadOf(later.output)
    assert.deepEqual([sub, exp - iat], ['participant_admin', 90])
  })

  test('takes another audience', async () => {
    using folder = temporaryFolder()
    await using node = await start(['--data', folder.path])
    const { output } = await run([
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
  ]
  for (const [args, words] of rows) {
    test(`tallystick ${args.join(' ')}`, async () => {
      const { code, output, errors } = await run(args)
      assert.deepEqual([code, errors], [0, ''])
      for (const word of words) assert.ok(output.includes(word), word)
    })
  }
})

describe('a command line that is wrong ends with 2 and one line', together, () => {
  const rows: [args: string[], message: RegExp, environment?: Record<string, string>][] = [
    [['fly'], /^there is no command fly/],
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
    [['token'], /^--user is missing$/],
    [['token', '--user', 'a b'], /^--user: User ID "a b" does not match/],
    [['token', '--user', 'a', '--ttl', 'soon'], /^--ttl: soon is not a time/],
    [['config'], /^the environment variable TALLYSTICK_NOPE is not a setting$/, { TALLYSTICK_NOPE: '1' }],
    [['config'], /^TALLYSTICK_HTTP_PORT: must be a whole number$/, { TALLYSTICK_HTTP_PORT: 'abc' }],
  ]
  for (const [args, message, environment] of rows) {
    test(
      [...Object.entries(environment ?? {}).map((pair) => pair.join('=')), 'tallystick', ...args].join(' '),
      async () => {
        assertOneLine(await run(args, environment), 2, message)
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
      assertOneLine(await run(['start', '--config', config]), 2, message)
    })
  }
})

describe('a node that cannot start ends with 1 and one line', together, () => {
  test('on a port that is taken', async () => {
    await using server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as { port: number }
    const result = await run(['start', '--memory', '--port', String(port)])
    assertOneLine(result, 1, new RegExp(`^port ${port} on 127\\.0\\.0\\.1 is taken; .*--port$`))
  })

  test('on an address of another machine', async () => {
    const result = await run(['start', '--memory', '--port', '0', '--host', '203.0.113.1'])
    assertOneLine(result, 1, /203\.0\.113\.1.*--host$/)
  })

  test('over a data folder that cannot be one', async () => {
    using folder = temporaryFolder()
    const file = join(folder.path, 'file')
    writeFileSync(file, '')
    assertOneLine(await run(['start', '--port', '0', '--data', file]), 1, /^cannot use the data folder .*file: /)
    const inside = await run(['start', '--port', '0', '--data', join(file, 'data')])
    assertOneLine(inside, 1, /^cannot use the data folder /)
  })

  test('over a data folder that may not be written', { skip: isRoot() && 'root may write anywhere' }, async () => {
    using folder = temporaryFolder()
    const data = join(folder.path, 'data')
    mkdirSync(data, { mode: 0o555 })
    assertOneLine(await run(['start', '--port', '0', '--data', data]), 1, /^cannot write to the data folder /)
  })

  test('over a ledger that is none', async () => {
    using folder = temporaryFolder()
    writeFileSync(join(folder.path, 'ledger.sqlite'), 'x'.repeat(10_000))
    assertOneLine(await run(['start', '--port', '0', '--data', folder.path]), 1, /^cannot open the ledger in /)
  })

  test('over a folder that another node has', async () => {
    using folder = temporaryFolder()
    await using _node = await start(['--data', folder.path])
    const result = await run(['start', '--port', '0', '--data', folder.path])
    assertOneLine(result, 1, /^another node is already running over .*--data$/)
  })

  test('over a database that cannot be reached, whose password it keeps', async () => {
    const result = await run(['start', '--port', '0', '--postgres', 'postgres://me:s3cret@127.0.0.1:1/db'])
    assertOneLine(result, 1, /^cannot reach the database at postgres:\/\/127\.0\.0\.1:1\/db: .*ECONNREFUSED/)
  })

  test('without a key that verifies tokens', async () => {
    await using database = await createTestDatabase()
    const result = await run(['start', '--port', '0', '--postgres', database.url])
    assertOneLine(result, 1, /^no key verifies tokens: /)
  })

  test('with a DAR that is not there', async () => {
    assertOneLine(await run(['start', '--memory', '--port', '0', '--dar', '/nowhere.dar']), 1, /\/nowhere\.dar/)
  })

  test('with a DAR that is none', async () => {
    const result = await run(['start', '--memory', '--port', '0', '--dar', fileURLToPath(import.meta.url)])
    assertOneLine(result, 1, /^cannot upload \S+cli\.test\.ts: Dar file is corrupt \(this is not a zip file, .*\)$/)
  })

  test('with a certificate that is not there', async () => {
    const environment = {
      TALLYSTICK_HTTP_TLS_CERTIFICATE_FILE: '/nowhere.pem',
      TALLYSTICK_HTTP_TLS_KEY_FILE: '/nowhere',
    }
    assertOneLine(
      await run(['start', '--memory', '--port', '0'], environment),
      1,
      /^cannot use \/nowhere.pem and \/nowhere for TLS: /,
    )
  })

  test('when a token is asked of a folder without a node', async () => {
    using folder = temporaryFolder()
    const result = await run(['token', '--user', 'a', '--data', folder.path])
    assertOneLine(result, 1, /^there is no token secret in .*first start$/)
  })
})

describe('tallystick config', together, () => {
  test('prints every setting: flags before the environment, that before the file, that before defaults', async () => {
    using folder = temporaryFolder()
    const config = join(folder.path, 'config.json')
    const http = { host: '10.0.0.1', port: 1001, corsOrigins: ['https://file.example'] }
    writeFileSync(config, JSON.stringify({ http, log: { level: 'warn' }, limits: { usersPageMax: 5 } }))
    const environment = {
      TALLYSTICK_HTTP_PORT: '1002',
      TALLYSTICK_LOG_LEVEL: 'error',
      TALLYSTICK_HTTP_CORS_ORIGINS: '["https://environment.example"]',
      TALLYSTICK_CONFIG: config,
    }
    const { code, output, errors } = await run(['config', '--port', '1003'], environment)
    assert.deepEqual([code, errors], [0, ''])
    const settings = JSON.parse(output)
    assert.equal(settings.http.port, 1003)
    assert.equal(settings.log.level, 'error')
    assert.deepEqual(settings.http.corsOrigins, ['https://environment.example'])
    assert.equal(settings.http.host, '10.0.0.1')
    assert.equal(settings.limits.usersPageMax, 5)
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
    const { output } = await run(['config', '--config', config, '--postgres', 'postgres://me:s3cret@h/db'])
    assert.doesNotMatch(output, /s3cret/)
    const settings = JSON.parse(output)
    assert.deepEqual([settings.auth.keys[0].secret, settings.auth.keys[0].targetAudience], ['***', 'told'])
    assert.equal(settings.auth.keys[1].url, 'https://told.example/')
  })
})

describe('tallystick dar inspect', together, () => {
  const file = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url))
  const quickstart = file('packages/quickstart/quickstart.dar')

  test('shows templates with fields and choices, and interfaces with who implements them', async () => {
    const { code, output } = await run(['dar', 'inspect', quickstart])
    assert.equal(code, 0)
    assert.match(output, /^quickstart 1\.0\.0: 2 packages/)
    assert.match(output, /template Iou:Iou\n\s+issuer : Party\n/)
    assert.match(output, /choice Iou_Split : Iou_SplitResult\n\s+amount : Numeric 10\n/)
    assert.match(output, /interface Holding:Holding[\s\S]*implemented by Iou:Iou/)
  })

  test('prints the same as JSON', async () => {
    const { output } = await run(['dar', 'inspect', quickstart, '--json'])
    const { name, packages } = JSON.parse(output)
    assert.equal(name, 'quickstart')
    assert.deepEqual(packages[0].interfaces[0].name, 'Holding:Holding')
  })

  const refusals: [what: string, args: string[], code: number, line: RegExp][] = [
    ['a file that is not there', ['/nowhere.dar'], 1, /^cannot read the DAR: .*\/nowhere\.dar/],
    ['a file that is no DAR', [file('package.json')], 1, /^\S+package\.json is not a DAR that runs here: /],
    ['no file at all', [], 2, /^FILE is missing; usage: /],
    ['two files', [quickstart, 'other'], 2, /^other is too much; usage: /],
  ]
  for (const [what, args, code, line] of refusals) {
    test(`refuses ${what}`, async () => assertOneLine(await run(['dar', 'inspect', ...args]), code, line))
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
