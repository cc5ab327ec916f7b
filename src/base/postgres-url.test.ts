import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { PostgresUrlError, parsePostgresUrl } from './postgres-url.ts'

const rows: [url: string, hosts: string[], role: string][] = [
  ['postgres://u:p@h:5432/db', ['postgres://u:p@h:5432/db'], 'primary'],
  ['postgres://h/db?sslmode=require', ['postgres://h/db?sslmode=require'], 'primary'],
  [
    'postgresql://u:p@h1:5432,h2:5433/db?target_session_attrs=read-write',
    ['postgresql://u:p@h1:5432/db', 'postgresql://u:p@h2:5433/db'],
    'read-write',
  ],
  ['postgres://h1,h2/db?target_session_attrs=any', ['postgres://h1/db', 'postgres://h2/db'], 'any'],
  [
    'postgres://h1,[::1]:5433/db?target_session_attrs=primary&application_name=a',
    ['postgres://h1/db?application_name=a', 'postgres://[::1]:5433/db?application_name=a'],
    'primary',
  ],
  ['postgres://u@/db?host=h1,h2&port=5432,5433', ['postgres://u@h1:5432/db', 'postgres://u@h2:5433/db'], 'primary'],
  ['postgres:///db?host=h1,h2&port=6000', ['postgres://h1:6000/db', 'postgres://h2:6000/db'], 'primary'],
  ['postgres://u:a%40b@h1,h2/db', ['postgres://u:a%40b@h1/db', 'postgres://u:a%40b@h2/db'], 'primary'],
  ['postgres:///db?host=/run/pg', ['postgres://localhost/db?host=%2Frun%2Fpg'], 'primary'],
  ['postgres://%2Frun%2Fpg/db', ['postgres://localhost/db?host=%2Frun%2Fpg'], 'primary'],
  ['postgres://h1:1,h2:2', ['postgres://h1:1', 'postgres://h2:2'], 'primary'],
]

describe('the URL of a PostgreSQL database', () => {
  for (const [url, hosts, role] of rows) {
    test(`${url} names ${hosts.length} of role ${role}`, () => {
      const address = parsePostgresUrl(url)
      assert.deepEqual(
        address.hosts.map((host) => host.url),
        hosts,
      )
      assert.equal(address.role, role)
    })
  }

  test('is shown without its credentials', () => {
    const address = parsePostgresUrl('postgres://me:s3cret@h1:5432,h2:5433/db?password=s3cret')
    assert.equal(address.place, 'postgres://h1:5432,h2:5433/db')
    assert.deepEqual(
      address.hosts.map(({ name }) => name),
      ['h1:5432', 'h2:5433'],
    )
  })

  test('of a replica is that of a standby, unless it says otherwise', () => {
    assert.equal(parsePostgresUrl('postgres://h/db', true).role, 'standby')
    assert.equal(parsePostgresUrl('postgres://h/db?target_session_attrs=any', true).role, 'any')
    assert.throws(() => parsePostgresUrl('postgres://h/db?target_session_attrs=read-write', true), PostgresUrlError)
  })

  const refused: [url: string, problem: RegExp][] = [
    ['postgres://me:s3cret@h:port/db', /^is not a URL$/],
    ['postgres://me:s3cret@h1:1,h2:99999999/db', /^is not a URL$/],
    ['postgres://h1,h2,h3/db?port=1,2', /^has 3 hosts and 2 ports$/],
    ['postgres://h1,h2/db?target_session_attrs=prefer-standby', /^target_session_attrs must be one of primary, /],
    ['postgres://h1/db?target_session_attrs=standby', /^target_session_attrs must be one of primary, read-write, any$/],
  ]
  for (const [url, problem] of refused) {
    test(`${url} is refused`, () => {
      assert.throws(
        () => parsePostgresUrl(url),
        (error: Error) => error instanceof PostgresUrlError && problem.test(error.problem),
      )
    })
  }
})
