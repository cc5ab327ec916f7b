// The command line with a network: how it is started, and how other commands choose a participant.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
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

describe('an OIDC issuer beside a node', () => {
  const flags = ['--memory', '--oidc', '--oidc-port', '0', '--port', '0', '--grpc-port', 'off', '--log-level', 'silent']
  const realm = 'protocol/openid-connect/token'

  async function tokenFrom(issuer: string, form: Readonly<Record<string, string>>) {
    const response = await fetch(`${issuer}/${realm}`, { method: 'POST', body: new URLSearchParams(form) })
    return (await response.json()) as { access_token?: string; error?: string }
  }

  async function userOf(url: string, token: string | undefined) {
    const headers = { authorization: `Bearer ${token}` }
    const response = await fetch(`${url}/v2/authenticated-user`, { headers })
    return response.status === 200 ? ((await response.json()) as { user: { id: string } }).user.id : response.status
  }

  test('signs tokens that every participant accepts, of users that the ledger has', async () => {
    using folder = temporaryFolder()
    const environment = { TALLYSTICK_STORE_DATA: folder.path }
    const stop = Promise.withResolvers<string>()
    const ready = Promise.withResolvers<string>()
    const running = call(['network', 'one', 'two', ...flags], {
      environment,
      stopped: stop.promise,
      onPrint: ready.resolve,
    })
    running.catch(ready.reject)
    try {
      const banner = await ready.promise
      const issuer = /oidc +(http:\/\/localhost:\d+\/realms\/tallystick), password abc123/.exec(banner)![1]!
      const urls = [/url +(\S+)/.exec(banner)![1]!, /two +(\S+)/.exec(banner)![1]!]
      const service = { grant_type: 'client_credentials', client_id: 'administrator', client_secret: 'unsafe' }
      const { access_token: token } = await tokenFrom(issuer, service)
      for (const url of urls) assert.equal(await userOf(url, token), 'participant_admin')
      const alice = { grant_type: 'password', client_id: 'app', username: 'alice', password: 'abc123' }
      const { access_token: ofAlice } = await tokenFrom(issuer, alice)
      assert.equal(await userOf(urls[0]!, ofAlice), 403)
      await call(['user', 'add', 'alice'], { environment })
      assert.equal(await userOf(urls[0]!, ofAlice), 'alice')
      assert.equal((await tokenFrom(issuer, { ...alice, password: 'wrong' })).error, 'invalid_grant')
    } finally {
      stop.resolve('SIGTERM')
      await running
    }
  })

  for (const [words, message] of [
    [['start', '--oidc-port', '1'], /--oidc-port is only for --oidc/],
    [['start', ...flags, '--oidc-port', 'x'], /--oidc-port: x is not a port/],
    [['start', ...flags, '--host', '0.0.0.0'], /0\.0\.0\.0 is not this machine: .*--unsafe listens there/],
    [['start', ...flags, '--oidc-realm', '/nowhere'], /cannot read the realm in \/nowhere/],
    [['start', '--oidc', '--postgres', 'postgres://h/d', '--processes', '2'], /--oidc is for one process/],
  ] as const) {
    test(`${words.join(' ')} is refused`, async () => {
      await assert.rejects(call(words), message)
    })
  }
})
