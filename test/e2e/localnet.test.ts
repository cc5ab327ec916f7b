// tallystick localnet without Splice's packages: LocalNet's participants, users, parties, tokens, ports and virtual hosts.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request } from 'node:http'
import { createServer } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { WebSocket } from 'ws'
import { tokenOf } from '../../src/splice/profile/tokens.ts'
import { call } from '../fixtures/command.ts'
import { openGrpc } from '../fixtures/grpc.ts'
import { temporaryFolder } from '../fixtures/process.ts'
import { openProtoClient } from '../fixtures/proto-client.ts'
import { until } from '../fixtures/until.ts'

/** Below the ports that the system gives away, and not the same for two runs. */
const offset = 10_000 + (process.pid % 120) * 100

type Localnet = AsyncDisposable & { readonly output: string; readonly environment: Readonly<Record<string, string>> }

/** In this process. */
async function startLocalnet(args: readonly string[], at = offset): Promise<Localnet> {
  const folder = temporaryFolder()
  const stop = Promise.withResolvers<string>()
  const ready = Promise.withResolvers<string>()
  const words = ['localnet', '--no-splice', '--port-offset', String(at), '--log-level', 'silent', ...args]
  const environment = { TALLYSTICK_STORE_DATA: folder.path }
  const running = call(words, { environment, stopped: stop.promise, onPrint: ready.resolve })
  running.catch(ready.reject)
  const output = await ready.promise
  return {
    output,
    environment,
    async [Symbol.asyncDispose]() {
      stop.resolve('SIGTERM')
      await running
      folder[Symbol.dispose]()
    },
  }
}

type Answer = { readonly status: number; readonly text: string; readonly json: Json }
// biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely.
type Json = any

/** With any host name, which fetch does not allow. */
function ask(
  port: number,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  method = 'GET',
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port: port + offset, path, headers, method }, async (response) => {
      const chunks: Buffer[] = []
      for await (const chunk of response) chunks.push(chunk)
      const text = Buffer.concat(chunks).toString()
      const isJson = response.headers['content-type']?.startsWith('application/json')
      resolve({ status: response.statusCode!, text, json: isJson ? JSON.parse(text) : undefined })
    })
    sent.on('error', reject)
    sent.end()
  })
}

describe('tallystick localnet', () => {
  let localnet: Localnet
  let bearer: { readonly authorization: string }
  let token: string
  before(async () => {
    token = await tokenOf('ledger-api-user', 0)
    bearer = { authorization: `Bearer ${token}` }
    localnet = await startLocalnet(['--memory', '--multi-sync', '--oidc'])
  })
  after(() => localnet[Symbol.asyncDispose]())

  async function post(port: number, path: string, body: object): Promise<Json> {
    const headers = { ...bearer, 'content-type': 'application/json' }
    const url = `http://127.0.0.1:${port + offset}${path}`
    const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
    assert.equal(response.status, 200, await response.clone().text())
    return response.json()
  }

  test('localnet says that its tokens are unsafe', () => {
    assert.match(localnet.output, /UNSAFE: HS256 with the secret "unsafe"/)
  })

  const participants = [
    ['app-user', 2000, 'participant', 'app_user_localnet-localparty-1'],
    ['app-provider', 3000, 'participant', 'app_provider_localnet-localparty-1'],
    ['sv', 4000, 'sv', 'sv'],
  ] as const
  for (const [name, port, idName, hint] of participants) {
    test(`${name} has LocalNet's names, users and parties`, async () => {
      const { json: id } = await ask(port + 975, '/v2/parties/participant-id', bearer)
      const [, namespace] = new RegExp(`^${idName}::(1220[0-9a-f]{64})$`).exec(id.participantId)!
      const party = `${hint}::${namespace}`
      for (const user of ['ledger-api-user', name]) {
        const { json } = await ask(port + 975, `/v2/users/${user}`, bearer)
        assert.equal(json.user.primaryParty, party)
        const { json: rights } = await ask(port + 975, `/v2/users/${user}/rights`, bearer)
        const acts = rights.rights.flatMap(({ kind }: Json) => kind.CanActAs?.value.party ?? [])
        assert.ok(acts.includes(party))
      }
      const { json } = await ask(port + 903, '/api/validator/v0/validator-user')
      assert.deepEqual(json, { party_id: party, user_name: 'ledger-api-user', featured: false })
    })

    test(`${name} has LocalNet's synchronizers`, async () => {
      const { json } = await ask(port + 975, '/v2/state/connected-synchronizers', bearer)
      const found = json.connectedSynchronizers.map((one: Json) => [
        one.synchronizerAlias,
        one.synchronizerId.split('::')[0],
      ])
      const app = name === 'sv' ? [] : [['app-synchronizer', 'app-synchronizer']]
      assert.deepEqual(found.toSorted(), [...app, ['global', 'global-domain']])
    })

    test(`${name} has the package with which clients of Canton greet, on each of its synchronizers`, async () => {
      const packageMetadataFilter = { packageNamePrefixes: ['canton-builtin-admin-workflow-ping'] }
      const { vettedPackages } = await post(port + 975, '/v2/package-vetting/list', { packageMetadataFilter })
      const { json: id } = await ask(port + 975, '/v2/parties/participant-id', bearer)
      const own = vettedPackages.filter((one: Json) => one.participantId === id.participantId)
      assert.equal(own.length, name === 'sv' ? 1 : 2)
      const { json } = await ask(port + 975, `/v2/users/${name}`, bearer)
      const party = json.user.primaryParty
      const createArguments = { id: 'p-1', initiator: party, responder: party }
      await post(port + 975, '/v2/commands/submit-and-wait', {
        commands: [
          {
            CreateCommand: {
              templateId: '#canton-builtin-admin-workflow-ping:Canton.Internal.Ping:Ping',
              createArguments,
            },
          },
        ],
        commandId: `ping-${name}`,
        actAs: [party],
      })
    })

    test(`${name} is healthy on its two health ports`, async () => {
      assert.deepEqual((await ask(port + 900, '/health')).json, 'healthy')
      await using health = openGrpc(`http://127.0.0.1:${port + 961 + offset}`)
      const { code, messages } = await health.call('/grpc.health.v1.Health/Check', new Uint8Array())
      assert.deepEqual([code, messages[0]?.toString('hex')], [0, '0801'])
      assert.equal((await ask(port + 903, '/api/validator/readyz')).status, 200)
    })

    test(`${name} is found by host names on its UI port`, async () => {
      const own = (await ask(port + 975, '/v2/parties/participant-id', bearer)).text
      for (const host of ['json-ledger-api.localhost', 'canton.localhost']) {
        assert.equal((await ask(port, '/v2/parties/participant-id', { ...bearer, host })).text, own)
      }
      for (const host of ['wallet.localhost', 'ans.localhost', 'localhost']) {
        assert.equal((await ask(port, '/api/validator/readyz', { host })).status, 200)
      }
      using client = openProtoClient(`http://127.0.0.1:${port + offset}`, token)
      const { response } = await (await client.of('PartyManagementService')).getParticipantId({})
      assert.equal(response.participantId, JSON.parse(own).participantId)
    })
  }

  test('localnet relays WebSockets of the JSON Ledger API', async () => {
    const socket = new WebSocket(`ws://127.0.0.1:${2000 + offset}/v2/updates`, ['daml.ws.auth', `jwt.token.${token}`], {
      headers: { host: 'json-ledger-api.localhost' },
    })
    await new Promise((resolve, reject) => socket.on('open', resolve).on('error', reject))
    socket.close()
  })

  test('localnet serves scan beside the virtual hosts of the super validator', async () => {
    for (const [port, host] of [
      [5012, 'localhost'],
      [4000, 'scan.localhost'],
      [4000, 'localhost'],
    ] as const) {
      const { json } = await ask(port, '/api/scan/v0/dso-party-id', { host })
      assert.match(json.dso_party_id, /^DSO::1220/)
      assert.equal((await ask(port, '/registry/metadata/v1/info', { host })).json.adminId, json.dso_party_id)
    }
    assert.match((await ask(5014, '/api/sv/version')).json.simulated, /no BFT/)
  })

  test('localnet refuses tokens that are missing, foreign or for another audience', async () => {
    const path = '/api/validator/v0/scan-proxy/dso-party-id'
    const foreign = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ4In0.AAAA'
    assert.equal((await ask(2903, path, bearer)).status, 200)
    assert.deepEqual(
      [(await ask(2903, path)).status, (await ask(2903, path, { authorization: `Bearer ${foreign}` })).status],
      [401, 401],
    )
    assert.equal((await ask(2975, '/v2/users', { authorization: `Bearer ${foreign}` })).status, 401)
  })

  test('only the operator of a validator administers it', async () => {
    const path = '/api/validator/v0/admin/users/offboard?username=nobody'
    const wallet = { authorization: `Bearer ${await tokenOf('app-user', 0)}` }
    assert.deepEqual((await ask(2903, path, wallet, 'POST')).json, { error: 'Authorization Failed for app-user' })
    const stranger = { authorization: `Bearer ${await tokenOf('nobody', 0)}` }
    assert.equal((await ask(2903, path, stranger, 'POST')).status, 403)
  })

  test('localnet refuses by name what it does not serve', async () => {
    assert.deepEqual(await ask(2903, '/api/validator/v0/admin/nothing', bearer), {
      status: 404,
      text: '{"error":"GET /api/validator/v0/admin/nothing is not served by tallystick localnet"}',
      json: { error: 'GET /api/validator/v0/admin/nothing is not served by tallystick localnet' },
    })
    assert.equal((await ask(5012, '/api/scan/v0/dso', {}, 'DELETE')).status, 405)
    assert.deepEqual(
      [(await ask(5012, '//')).status, (await ask(5012, '/api/%zz')).status, (await ask(5012, 'http://[')).status],
      [400, 400, 400],
    )
    assert.match((await ask(5012, '/api/scan/v0/dso')).json.error, /not founded/)
  })

  const grants: readonly [realm: string, form: Readonly<Record<string, string>>, user: string, home: number][] = [
    [
      'AppProvider',
      {
        grant_type: 'client_credentials',
        client_id: 'app-provider-validator',
        client_secret: 'AL8648b9SfdTFImq7FV56Vd0KHifHBuC',
      },
      'c87743ab-80e0-4b83-935a-4c0582226691',
      3000,
    ],
    [
      'AppUser',
      { grant_type: 'password', client_id: 'app-user-unsafe', username: 'app-user', password: 'abc123' },
      '92a520cb-2f09-4e55-b465-d178c6cfe5e4',
      2000,
    ],
  ]
  for (const [realm, form, user, home] of grants) {
    test(`localnet accepts tokens of ${realm} where their user is known`, async () => {
      const path = `/realms/${realm}/protocol/openid-connect/token`
      const issued = await fetch(`http://127.0.0.1:${8082 + offset}${path}`, {
        method: 'POST',
        body: new URLSearchParams(form),
      })
      const { access_token: token, refresh_token: refresh } = (await issued.json()) as Json
      const own = { authorization: `Bearer ${token}` }
      assert.equal((await ask(home + 975, '/v2/authenticated-user', own)).json.user.id, user)
      assert.equal((await ask(home + 903, '/api/validator/v0/scan-proxy/dso-party-id', own)).status, 200)
      assert.equal((await ask(home === 2000 ? 3975 : 2975, '/v2/authenticated-user', own)).status, 403)
      const administration = '/api/validator/v0/admin/users/offboard?username=nobody'
      const isOperator = form.grant_type === 'client_credentials'
      assert.equal((await ask(home + 903, administration, own, 'POST')).status === 403, !isOperator)
      if (refresh === undefined) return
      const wrong = { authorization: `Bearer ${refresh}` }
      assert.equal((await ask(home + 975, '/v2/authenticated-user', wrong)).status, 401)
      assert.equal((await ask(home + 903, '/api/validator/v0/scan-proxy/dso-party-id', wrong)).status, 401)
    })
  }

  test('localnet serves registries of instruments of one’s own on the ports of scan', async () => {
    const { environment } = localnet
    const provider = (...words: string[]) => call([...words, '--participant', 'app-provider'], { environment })
    await provider('token', 'instrument', 'create', 'EUR', '--admin', 'bank', '--stand-in')
    await provider('token', 'mint', '7', 'EUR')
    for (const [port, host] of [[5012, 'localhost'] as const, [4000, 'scan.localhost'] as const]) {
      const { json } = await ask(port, '/tokens/bank/registry/metadata/v1/instruments/EUR', { host })
      assert.deepEqual([json.symbol, json.totalSupply], ['EUR', '7.0000000000'])
    }
    assert.equal((await ask(5012, '/tokens/nobody/registry/metadata/v1/info')).status, 404)
  })

  test('commands of wallets find the validator beside the participant, and say what it refuses', async () => {
    const place = ['--url', `http://127.0.0.1:${3975 + offset}`]
    await assert.rejects(call(['balance', ...place]), /the wallet refused: .*\[splice-wallet\]/)
    await assert.rejects(
      call(['balance', '--url', `http://127.0.0.1:${5012 + offset}`]),
      /is no participant of a LocalNet/,
    )
  })

  test('localnet names the port beside the participants that another program has', async () => {
    await using taken = createServer().listen(8082 + offset + 50, '127.0.0.1')
    await once(taken, 'listening')
    await assert.rejects(
      startLocalnet(['--memory', '--oidc'], offset + 50),
      new RegExp(
        `${8082 + offset + 50} \\(OIDC issuer\\): another program has it; choose other ports with --port-offset`,
      ),
    )
  })

  test('localnet names the port that another network has', async () => {
    await assert.rejects(startLocalnet(['--memory']), new RegExp(`${2975 + offset}.*--port-offset`))
  })

  test('localnet listens beyond this machine only when told that this is unsafe', async () => {
    await assert.rejects(startLocalnet(['--memory', '--host', '0.0.0.0']), /0\.0\.0\.0 is not this machine: .*--unsafe/)
  })

  test('localnet refuses unknown releases, hints and offsets', async () => {
    await assert.rejects(
      call(['localnet', '--splice-version', '0.0.1']),
      /--splice-version: 0\.0\.1 is not known; there are 0\.6\.11/,
    )
    await assert.rejects(call(['localnet', '--oidc-realm', 'x.json']), /--oidc-realm is only for --oidc/)
    await assert.rejects(call(['localnet', '--party-hint', 'me']), /--party-hint: me is not company-role-number/)
    await assert.rejects(
      call(['localnet', '--port-offset', '70000']),
      /--port-offset: it is a whole number up to 60521/,
    )
    await assert.rejects(
      call(['localnet', '--splice-dars', '/nowhere']),
      /Splice 0\.6\.11 needs splice-amulet-0\.1\.21\.dar/,
    )
  })

  test('localnet opens the ledger that it has founded, and founds it again after a reset', async () => {
    using folder = temporaryFolder()
    const at = offset + 50
    const users = async () =>
      (await ask(2975 + 50, '/v2/users', bearer)).json.users.map(({ id, primaryParty }: Json) => [id, primaryParty])
    let first: Json
    {
      await using _one = await startLocalnet(['--data', folder.path], at)
      first = await users()
      assert.equal(first.length, 3)
    }
    await using _again = await startLocalnet(['--data', folder.path], at)
    assert.deepEqual(await users(), first)
    assert.equal((await ask(2975 + 50, '/dev/reset', bearer, 'POST')).status, 200)
    await until(async () => (await users()).length === 3)
    assert.deepEqual(await users(), first)
  })
})
