// Settings from file, environment and flags: precedence, parsing of texts, and error messages.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { settingsSchema } from '../base/settings.ts'
import { UsageError } from './command.ts'
import { type Flags, loadSettings, printableSettings } from './config.ts'

type Environment = Record<string, string | undefined>

describe('settings', () => {
  test('have defaults for everything that is not optional', () => {
    const { http, store, auth, log, limits, dars } = loadSettings({}, {})
    assert.deepEqual(http, { host: '127.0.0.1', port: 7575, hostNames: [], corsOrigins: [] })
    assert.deepEqual([store.kind, store.data, store.postgresUrl], ['sqlite', './.tallystick', undefined])
    assert.deepEqual(auth, { mode: 'jwt', administrators: [], authorization: true, keys: [] })
    assert.deepEqual([log.level, dars], ['info', []])
    // Canton's own defaults.
    const facts = {
      listElementsMax: 200,
      listWaitMs: 500,
      requestTimeoutMs: 20_000,
      bodyBytesMax: 8 * 1024 * 1024,
      grpcMessageBytesMax: 10 * 1024 * 1024,
      deduplicationDurationMaxMs: 7 * 24 * 3_600_000,
      identityProvidersMax: 16,
      jwksCacheMs: 300_000,
      jwksTimeoutMs: 10_000,
      tokenLifetimeMaxMs: 300_000,
      tokenLeewayMs: 0,
      authorizationCacheMs: 5000,
      userRightsMax: 1000,
      offsetCheckpointMs: 15_000,
      ledgerTimeToleranceMs: 60_000,
      assignmentExclusivityMs: 60_000,
      preparationTimeToleranceMs: 24 * 3_600_000,
    }
    for (const [name, value] of Object.entries(facts)) assert.equal(limits[name as keyof typeof limits], value, name)
  })

  test('come from flags before the environment, the environment before the file, the file before defaults', () => {
    using file = configFile('{"http":{"host":"file","port":1},"log":{"level":"warn"},"auth":{"mode":"off"}}')
    const node = { TALLYSTICK_URL: 'x', TALLYSTICK_TOKEN: 'x', TALLYSTICK_PARTY_ALICE: 'x', TALLYSTICK_TOKEN_APP: 'x' }
    const environment = { ...node, TALLYSTICK_HTTP_PORT: '2', TALLYSTICK_LOG_LEVEL: 'debug', TALLYSTICKY: 'x' }
    const { http, log, auth, limits } = loadSettings({ config: file.path, port: '3' }, environment)
    assert.deepEqual([http.host, http.port, log.level, auth.mode], ['file', 3, 'debug', 'off'])
    assert.equal(limits.userRightsMax, 1000)
  })

  test('use the file named by the environment, unless a flag names another', () => {
    using one = configFile('{"http":{"port":1}}')
    using other = configFile('{"http":{"port":2}}')
    assert.equal(loadSettings({}, { TALLYSTICK_CONFIG: one.path }).http.port, 1)
    assert.equal(loadSettings({ config: other.path }, { TALLYSTICK_CONFIG: one.path }).http.port, 2)
  })

  const flags: [flags: Flags, read: (settings: ReturnType<typeof loadSettings>) => unknown, value: unknown][] = [
    [{ host: '::1' }, ({ http }) => http.host, '::1'],
    [{ port: '0' }, ({ http }) => http.port, 0],
    [{ data: '/d' }, ({ store }) => [store.kind, store.data], ['sqlite', '/d']],
    [{ memory: true }, ({ store }) => store.kind, 'memory'],
    [
      { postgres: 'postgresql://h/d' },
      ({ store }) => [store.kind, store.postgresUrl],
      ['postgres', 'postgresql://h/d'],
    ],
    [{ dar: ['a.dar', 'b.dar'] }, ({ dars }) => dars, ['a.dar', 'b.dar']],
    [{ auth: 'off' }, ({ auth }) => auth.mode, 'off'],
    [{ 'log-level': 'silent' }, ({ log }) => log.level, 'silent'],
  ]
  for (const [given, read, value] of flags) {
    test(`come from the flags ${JSON.stringify(given)}`, () => assert.deepEqual(read(loadSettings(given, {})), value))
  }

  test('a store flag overrides another kind of store in the file', () => {
    using file = configFile('{"store":{"kind":"postgres","postgresUrl":"postgres://h/d"}}')
    assert.equal(loadSettings({ config: file.path, memory: true }, {}).store.kind, 'memory')
    assert.equal(loadSettings({ config: file.path, data: 'x' }, {}).store.kind, 'sqlite')
  })

  const texts: [
    name: string,
    text: string,
    read: (settings: ReturnType<typeof loadSettings>) => unknown,
    value: unknown,
  ][] = [
    ['TALLYSTICK_HTTP_PORT', '80', ({ http }) => http.port, 80],
    ['TALLYSTICK_AUTH_AUTHORIZATION', 'false', ({ auth }) => auth.authorization, false],
    ['TALLYSTICK_DEVELOPMENT', 'true', ({ development }) => development, true],
    ['TALLYSTICK_HTTP_CORS_ORIGINS', '["*"]', ({ http }) => http.corsOrigins, ['*']],
    [
      'TALLYSTICK_HTTP_CORS_ORIGINS',
      'https://a, https://b',
      ({ http }) => http.corsOrigins,
      ['https://a', 'https://b'],
    ],
    ['TALLYSTICK_HTTP_CORS_ORIGINS', '', ({ http }) => http.corsOrigins, []],
    ['TALLYSTICK_LIMITS_TOKEN_LIFETIME_MAX_MS', '0', ({ limits }) => limits.tokenLifetimeMaxMs, 0],
    ['TALLYSTICK_LIMITS_TOKEN_LIFETIME_MAX_MS', 'unlimited', ({ limits }) => limits.tokenLifetimeMaxMs, 'unlimited'],
    ['TALLYSTICK_PARTICIPANT_NAME', '7', ({ participant }) => participant.name, '7'],
    ['TALLYSTICK_LIMITS_BODY_BYTES_MAX', '9', ({ limits }) => limits.bodyBytesMax, 9],
    ['TALLYSTICK_STORE_POSTGRES_URL', 'postgres://h/d', ({ store }) => store.postgresUrl, 'postgres://h/d'],
    ['TALLYSTICK_AUTH_KEYS', '[{"type":"hs256","secret":"x"}]', ({ auth }) => auth.keys[0]?.type, 'hs256'],
  ]
  for (const [name, text, read, value] of texts) {
    test(`come from the environment variable ${name}`, () =>
      assert.deepEqual(read(loadSettings({}, { [name]: text })), value))
  }

  test('each have their own environment variable', () => {
    const names = leaves(settingsSchema as unknown as Schema, []).map(variableOf)
    assert.deepEqual(names, [...new Set(names)])
    assert.ok(names.length > 50)
    for (const name of names) {
      // This value is valid for no setting. If the variable were unknown, the message would be a different one.
      const problem = problemWith({}, { [name]: '{' })
      assert.ok(problem === undefined || !problem.includes('is not a setting'), name)
    }
  })
})

test('a key without limits of its own is subject to those of the node', () => {
  const keys = '[{"type":"hs256","secret":"x"},{"type":"jwks","url":"https://x","tokenLeewayMs":7}]'
  const environment = { TALLYSTICK_AUTH_KEYS: keys, TALLYSTICK_LIMITS_TOKEN_LIFETIME_MAX_MS: '60000' }
  const { auth } = loadSettings({}, environment)
  assert.deepEqual(auth.keys, [
    { type: 'hs256', secret: 'x' },
    { type: 'jwks', url: 'https://x', tokenLeewayMs: 7 },
  ])
})

describe('mistakes in settings', () => {
  const rows: [flags: Flags, environment: Environment, problem: string][] = [
    [{ port: 'x' }, {}, '--port: must be a whole number'],
    [{ port: '1e3' }, {}, '--port: must be a whole number'],
    [{ port: '-1' }, {}, '--port: must be >= 0'],
    [{ port: '65536' }, {}, '--port: must be <= 65535'],
    [{ auth: 'none' }, {}, '--auth: must be one of jwt, off'],
    [{ data: 'a', memory: true }, {}, '--data and --memory exclude each other'],
    [{ data: 'a', postgres: 'postgres://h/d' }, {}, '--data and --postgres exclude each other'],
    [{}, { TALLYSTICK_HTTP_PORT: '' }, 'TALLYSTICK_HTTP_PORT: must be a whole number'],
    [
      {},
      { TALLYSTICK_PORT: '1' },
      'the environment variable TALLYSTICK_PORT is not a setting; did you mean TALLYSTICK_HTTP_PORT?',
    ],
    [{}, { TALLYSTICK_NOPE: '1' }, 'the environment variable TALLYSTICK_NOPE is not a setting'],
    [
      {},
      { TALLYSTICK_TOKEN_LIFETIME_MAX_MS: '1' },
      'the environment variable TALLYSTICK_TOKEN_LIFETIME_MAX_MS is not a setting; did you mean TALLYSTICK_LIMITS_TOKEN_LIFETIME_MAX_MS?',
    ],
    [{}, { tallystick_port: '1' }, ''],
    [{}, { TALLYSTICK_STORE_KIND: 'oracle' }, 'TALLYSTICK_STORE_KIND: must be one of sqlite, memory, postgres'],
    [{}, { TALLYSTICK_STORE_KIND: 'postgres' }, 'store.kind is postgres, but store.postgresUrl is not set'],
    [{ processes: '0' }, {}, '--processes: must be >= 1'],
    [{ processes: '2' }, {}, '--processes: a ledger in SQLite belongs to one process; several need --postgres'],
    [
      { processes: '2', memory: true },
      {},
      '--processes: a ledger in memory belongs to one process; several need --postgres',
    ],
    [
      { processes: '2', postgres: 'postgres://h/d' },
      { TALLYSTICK_DEVELOPMENT: 'true' },
      '--processes: a development node is one process: its journal, faults and snapshots are in it',
    ],
    [{ processes: '2', postgres: 'postgres://h/d' }, {}, ''],
  ]
  for (const [flags, environment, problem] of rows) {
    test(`${JSON.stringify(flags)} with ${JSON.stringify(environment)}`, () => {
      assert.equal(problemWith(flags, environment) ?? '', problem)
    })
  }

  test('never repeat a secret', () => {
    const secrets: [Flags, Environment][] = [
      [{ postgres: 'mysql://me:s3cret@h/d' }, {}],
      [{}, { TALLYSTICK_STORE_POSTGRES_URL: 's3cret' }],
      [{}, { TALLYSTICK_AUTH_KEYS: '[{"type":"hs256","secret":"s3cret","x":1}]' }],
      [{}, { TALLYSTICK_AUTH_KEYS: 's3cret' }],
      [{}, { TALLYSTICK_AUTH_KEYS: '[{"type":"jwks","url":"ftp://me:s3cret@h"}]' }],
    ]
    for (const [flags, environment] of secrets) {
      const problem = problemWith(flags, environment)
      assert.ok(problem !== undefined)
      assert.doesNotMatch(problem, /s3cret/)
    }
  })

  const files: [content: string, problem: RegExp][] = [
    ['', /is not JSON/],
    ['nonsense', /is not JSON/],
    ['{\n"secret": s3cret\n}', /is not JSON: Unexpected token 's'$/],
    ['null', /does not hold a JSON object/],
    ['[]', /does not hold a JSON object/],
    ['"x"', /does not hold a JSON object/],
    ['{"a\\nb":1}', /^a b in .*: there is no such setting$/],
    ['{"prot":1}', /^prot in .*: there is no such setting$/],
    ['{"http":{"prot":1}}', /^http\.prot in .*: there is no such setting; did you mean port\?$/],
    ['{"http":[]}', /^http in .*: must be object$/],
    ['{"http":null}', /^http in .*: must be object$/],
    ['{"limits":{"userRightsMax":1.5}}', /^limits\.userRightsMax in .*: must be a whole number$/],
    ['{"auth":{"keys":[{"type":"rsa"}]}}', /^auth\.keys\.0/],
    ['{"__proto__":{"http":{"port":1}}}', /there is no such setting$/],
  ]
  for (const [content, problem] of files) {
    test(`in a file with ${content || 'nothing'}`, () => {
      using file = configFile(content)
      assert.match(problemWith({ config: file.path }, {}) ?? 'no problem', problem)
    })
  }

  test('a file that is not an object, while a variable sets a value inside it', () => {
    using file = configFile('{"http":7}')
    const problem = problemWith({ config: file.path }, { TALLYSTICK_HTTP_PORT: '1' })
    assert.equal(problem, 'http: must be an object (for TALLYSTICK_HTTP_PORT)')
  })

  test('a missing file', () => {
    assert.match(problemWith({ config: '/nowhere.json' }, {}) ?? '', /^cannot read the configuration: ENOENT/)
  })
})

test('printed settings mask secrets and nothing else', () => {
  using file = configFile(
    JSON.stringify({
      store: { kind: 'postgres', postgresUrl: 'postgres://me:s3cret@h/d' },
      auth: {
        keys: [
          { type: 'hs256', secret: 's3cret', targetScope: 'scope' },
          { type: 'certificate', file: 'cert.pem' },
          { type: 'jwks', url: 'https://keys.example/set', tokenLeewayMs: 5 },
          { type: 'jwks', url: 'https://me:s3cret@keys.example/set?key=s3cret' },
        ],
      },
    }),
  )
  const settings = loadSettings({ config: file.path }, {})
  const printed = printableSettings(settings) as typeof settings
  assert.doesNotMatch(JSON.stringify(printed), /s3cret/)
  assert.equal(printed.store.postgresUrl, '***')
  const [shared, certificate, keySet, opened] = settings.auth.keys
  assert.deepEqual(printed.auth.keys, [
    { ...shared, secret: '***' },
    certificate,
    keySet,
    { ...opened, url: 'https://***@keys.example/set?key=***' },
  ])
  assert.deepEqual(printed.limits, settings.limits)
  assert.equal(settings.store.postgresUrl, 'postgres://me:s3cret@h/d') // The settings themselves are unchanged.
})

type Schema = { readonly properties?: Readonly<Record<string, Schema>> }

function leaves({ properties }: Schema, path: readonly string[]): string[][] {
  if (properties === undefined) return [[...path]]
  return Object.entries(properties).flatMap(([name, part]) => leaves(part, [...path, name]))
}

function variableOf(path: readonly string[]): string {
  return ['TALLYSTICK', ...path].map((name) => name.replaceAll(/([a-z])([A-Z])/g, '$1_$2').toUpperCase()).join('_')
}

function problemWith(flags: Flags, environment: Environment): string | undefined {
  try {
    loadSettings(flags, environment)
    return undefined
  } catch (error) {
    assert.ok(error instanceof UsageError, String((error as Error).stack))
    assert.doesNotMatch(error.message, /\n/)
    return error.message
  }
}

function configFile(content: string): Disposable & { path: string } {
  const folder = mkdtempSync(join(tmpdir(), 'tallystick-config-'))
  const path = join(folder, 'config.json')
  writeFileSync(path, content)
  return { path, [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) }
}
