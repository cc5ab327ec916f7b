// tallystick tap, balance and transfer, against a participant and a validator that answer as LocalNet's do.
import assert from 'node:assert/strict'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, beforeEach, describe, test } from 'node:test'
import { decodeJwt } from 'jose'
import { call } from '../fixtures/command.ts'
import { temporaryFolder } from '../fixtures/process.ts'

const namespace = `1220${'ab'.repeat(32)}`
const own = `app_provider_localnet-localparty-1::${namespace}`
const receiver = `app_user_localnet-localparty-1::${namespace}`
const other = `app_user_second::${namespace}`

// biome-ignore lint/suspicious/noExplicitAny: tests look into bodies freely.
type Json = any
type Answer = { readonly status?: number; readonly body?: Json; readonly text?: string }

const pending = [own, other].map((sender, index) => ({
  contract_id: `00${index}a`,
  payload: { transfer: { sender, receiver, amount: '5.5000000000', executeBefore: '2030-01-02T00:00:00Z' } },
}))

const answers: Readonly<Record<string, Answer>> = {
  'GET /v2/users/ledger-api-user': { body: { user: { id: 'ledger-api-user', primaryParty: own } } },
  'GET /v2/time': { body: { currentTime: '2030-01-01T00:00:00Z' } },
  'GET wallet/balance': {
    body: {
      round: 3,
      effective_unlocked_qty: '2000.0000000000',
      effective_locked_qty: '0.5000000000',
      total_holding_fees: '0.0000000000',
    },
  },
  'GET wallet/user-status': { body: { party_id: own } },
  'POST wallet/tap': { body: { contract_id: '00ff' } },
  'POST wallet/token-standard/transfers': { body: { output: { receiver_holding_cids: ['00aa'] } } },
  'GET wallet/token-standard/transfers': { body: { transfers: pending } },
  ...Object.fromEntries(
    ['accept', 'reject', 'withdraw'].map((verb) => [
      `POST wallet/token-standard/transfers/000a/${verb}`,
      { body: { output: {} } },
    ]),
  ),
}

describe('commands of wallets', () => {
  const server = createServer()
  let url: string
  let overrides: Readonly<Record<string, Answer>>
  let requests: { readonly line: string; readonly user: string; readonly body: Json }[]
  const folder = temporaryFolder()

  before(async () => {
    server.on('request', async (request, response) => {
      const line = `${request.method} ${request.url!.replace('/api/validator/v0/', '')}`
      const { authorization = '' } = request.headers
      requests.push({ line, user: decodeJwt(authorization.replace('Bearer ', '')).sub!, body: await bodyOf(request) })
      const found = overrides[line] ?? answers[line] ?? partiesFor(line) ?? { status: 404, body: { error: line } }
      response.statusCode = found.status ?? 200
      response.end(found.text ?? JSON.stringify(found.body))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  after(() => {
    server.close()
    server.closeAllConnections()
    folder[Symbol.dispose]()
  })
  beforeEach(() => {
    overrides = {}
    requests = []
  })

  const run = (...words: string[]) =>
    call([...words, '--url', url, '--wallet', url], { environment: { TALLYSTICK_STORE_DATA: folder.path } })

  const printed: readonly [words: readonly string[], output: string][] = [
    [['tap', '10'], 'app-provider has 2000 Amulet, with what 10 dollars buy'],
    [['tap', '10', '--json'], '{\n  "contract_id": "00ff"\n}'],
    [
      ['balance'],
      `user          app-provider
party         ${own}
available     2000 Amulet
locked        0.5 Amulet
holding fees  0 Amulet
round         3`,
    ],
    [['transfer', '1.5', 'app_user_localnet'], `sent 1.5 Amulet to ${receiver}`],
    [
      ['transfer', 'list'],
      `TRANSFER  FROM                                TO                              AMOUNT      EXPIRES
000a      app_provider_localnet-localparty-1  app_user_localnet-localparty-1  5.5 Amulet  2030-01-02T00:00:00Z
001a      app_user_second                     app_user_localnet-localparty-1  5.5 Amulet  2030-01-02T00:00:00Z`,
    ],
    ...['accept', 'reject', 'withdraw'].map((verb): [string[], string] => [
      ['transfer', verb, '000…'],
      `${verb === 'withdraw' ? 'withdrew' : `${verb}ed`} 5.5 Amulet from app_provider_localnet-localparty-1 to app_user_localnet-localparty-1`,
    ]),
  ]
  for (const [words, output] of printed) {
    test(`${words.join(' ')} prints what the wallet answers`, async () => {
      assert.equal((await run(...words)).output, output)
    })
  }

  test('a tap is made by the user whose wallet it is', async () => {
    await run('tap', '10')
    await run('tap', '10.25', '--user', 'alice')
    const taps = requests.filter(({ line }) => line === 'POST wallet/tap')
    assert.deepEqual(
      taps.map(({ user, body }) => [user, body]),
      [
        ['app-provider', { amount: '10' }],
        ['alice', { amount: '10.25' }],
      ],
    )
  })

  test("a transfer names its receiver, and expires by the ledger's clock", async () => {
    overrides = { 'POST wallet/token-standard/transfers': { body: { output: { transfer_instruction_cid: '00bb' } } } }
    const { output } = await run('transfer', '3', receiver, '--expires', '15m', '--description', 'rent')
    assert.equal(output, `offered 3 Amulet to ${receiver}, who accepts it with\ntallystick transfer accept 00bb`)
    const { tracking_id: trackingId, ...rest } = requests.at(-1)!.body
    assert.match(trackingId, /^[0-9a-f-]{36}$/)
    assert.deepEqual(rest, {
      receiver_party_id: receiver,
      amount: '3',
      description: 'rent',
      expires_at: Date.parse('2030-01-01T00:15:00Z') * 1000,
    })
  })

  const mistakes: readonly [words: readonly string[], reason: RegExp, overrides?: Readonly<Record<string, Answer>>][] =
    [
      [['tap', '0'], /0 is not an amount: a positive number such as 12\.5/],
      [['tap', '1.00000000001'], /is not an amount/],
      [['tap', 'much'], /much is not an amount/],
      [['transfer', '1', receiver, '--expires', 'soon'], /--expires: soon is not a time such as 15m or 1d/],
      [['transfer', '1', receiver, '--from', 'bank'], /--admin and --from are only for --instrument/],
      [['transfer', '1', 'nobody'], /there is no party nobody/],
      [['transfer', '1', 'app_user'], /several parties begin with app_user/],
      [['transfer', 'accept', '77'], /no transfer 77 waits in the wallet of app-provider/],
      [['transfer', 'accept', '00'], /several transfers begin with 00: 000a, 001a/],
      [['balance', '--wallet', 'here'], /--wallet: here is not a URL/],
      [['balance', '--wallet', 'http://127.0.0.1:1'], /cannot reach .* Wallets are served by tallystick localnet/],
      [
        ['tap', '5', '--user', 'bob'],
        /the wallet refused: No wallet found for user 'bob'$/,
        { 'POST wallet/tap': { status: 404, body: { error: "No wallet found for user 'bob'" } } },
      ],
      [
        ['balance'],
        /the wallet refused: The supplied authentication is invalid; it does not accept the token/,
        { 'GET wallet/balance': { status: 401, text: 'The supplied authentication is invalid' } },
      ],
      [
        ['balance'],
        /is no participant of a LocalNet, as tallystick localnet starts it; --user names a wallet/,
        { 'GET /v2/users/ledger-api-user': { status: 401, body: {} } },
      ],
    ]
  for (const [words, reason, given = {}] of mistakes) {
    test(`${words.join(' ')} is refused: ${reason.source}`, async () => {
      overrides = given
      const args = words.includes('--wallet') ? [...words, '--url', url] : [...words, '--url', url, '--wallet', url]
      await assert.rejects(call(args, { environment: { TALLYSTICK_STORE_DATA: folder.path } }), reason)
    })
  }
})

/** Parties whose ids begin as the request asks. */
function partiesFor(line: string): Answer | undefined {
  const [, filter] = /^GET \/v2\/parties\?filter-party=(.*)$/.exec(line) ?? []
  if (filter === undefined) return undefined
  const found = [own, receiver, other].filter((party) => party.startsWith(decodeURIComponent(filter)))
  return { body: { partyDetails: found.map((party) => ({ party, isLocal: true })), nextPageToken: '' } }
}

async function bodyOf(request: IncomingMessage): Promise<Json> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return chunks.length === 0 ? undefined : JSON.parse(Buffer.concat(chunks).toString())
}
