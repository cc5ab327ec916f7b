// Which operations of Splice's wallet and validator APIs are served, and what those answer that are not; and how requests are
// refused before and after they reach the ledger.
import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { patientServer } from '../../test/fixtures/patience.ts'
import { refusingValidator as context } from '../../test/fixtures/splice/refusing-validator.ts'
import { signToken } from '../auth/local-tokens.ts'
import type { Log } from '../base/log.ts'
import { audience, publicSecret, tokenOf } from './profile/tokens.ts'
import { createRouteHandler, routeTable } from './serving/routing.ts'
import { isOperator } from './validator/operators.ts'
import { validatorRoutes } from './validator/validator-routes.ts'
import { walletRoutes } from './wallet/wallet-routes.ts'

/** The operations of Splice 0.6.11 and 0.7.4; those with a dash are not served. */
const operations = `
GET v0/wallet/user-status
GET v0/wallet/amulets
POST v0/wallet/tap
POST v0/wallet/self-grant-feature-app-right
GET v0/wallet/balance
GET v0/wallet/app-payment-requests
GET v0/wallet/app-payment-requests/{id}
POST v0/wallet/app-payment-requests/{id}/accept
POST v0/wallet/app-payment-requests/{id}/reject
GET v0/wallet/accepted-app-payments
GET v0/wallet/subscription-requests
GET v0/wallet/subscription-initial-payments
GET v0/wallet/subscriptions
POST v0/wallet/subscription-requests/{id}/accept
POST v0/wallet/subscription-requests/{id}/reject
GET v0/wallet/subscription-requests/{id}
DELETE v0/wallet/subscription-requests/{id}
POST v0/wallet/transfer-offers/{id}/reject
POST v0/wallet/transfer-offers/{id}/accept
POST v0/wallet/transfer-offers/{id}/withdraw
GET v0/wallet/accepted-transfer-offers
GET v0/wallet/app-reward-coupons
GET v0/wallet/validator-reward-coupons
GET v0/wallet/validator-faucet-coupons
GET v0/wallet/validator-liveness-activity-records
GET v0/wallet/sv-reward-coupons
DELETE v0/wallet/cancel-featured-app-rights
POST v0/wallet/transactions
POST v0/wallet/transfer-preapproval
POST v0/wallet/transfer-preapproval/send
POST v0/wallet/token-standard/transfers
GET v0/wallet/token-standard/transfers
POST v0/wallet/token-standard/transfers/{id}/reject
POST v0/wallet/token-standard/transfers/{id}/accept
POST v0/wallet/token-standard/transfers/{id}/withdraw
POST v2/wallet/token-standard/transfers
POST v2/wallet/token-standard/transfers/{id}/reject
POST v2/wallet/token-standard/transfers/{id}/accept
POST v2/wallet/token-standard/transfers/{id}/withdraw
GET v0/wallet/token-standard/allocation-requests
POST v0/wallet/token-standard/allocation-requests/{id}/reject
POST v2/wallet/token-standard/allocation-requests/{id}/reject
GET v0/feature-support
GET v0/allocations
POST v0/allocations
POST v2/allocations
POST v0/allocations/{id}/withdraw
POST v2/allocations/{id}/withdraw
- POST v0/wallet/development-fund-coupons/allocate
- GET v0/wallet/development-fund-coupons
- GET v0/wallet/development-fund-coupons/history
- POST v0/wallet/development-fund-coupons/{id}/withdraw
- GET v0/wallet/minting-delegation-proposals
- POST v0/wallet/minting-delegation-proposals/{id}/accept
- POST v0/wallet/minting-delegation-proposals/{id}/reject
- GET v0/wallet/minting-delegations
- POST v0/wallet/minting-delegations/{id}/reject
POST v0/wallet/transfer-offers
GET v0/wallet/transfer-offers
POST v0/wallet/transfer-offers/{id}/status
POST v0/wallet/buy-traffic-requests
POST v0/wallet/buy-traffic-requests/{id}/status
GET v0/validator-user
POST v0/register
POST v0/admin/users
GET v0/admin/users
POST v0/admin/users/offboard
GET v0/admin/participant/identities
GET v0/admin/participant/global-domain-connection-config
GET v0/admin/transfer-preapprovals/by-party/{id}
DELETE v0/admin/transfer-preapprovals/by-party/{id}
GET v0/admin/transfer-preapprovals
POST v0/admin/external-party/transfer-preapproval/prepare-send
POST v0/admin/external-party/transfer-preapproval/submit-send
POST v0/admin/external-party/topology/generate
POST v0/admin/external-party/topology/submit
POST v0/admin/external-party/setup-proposal
GET v0/admin/external-party/setup-proposal
POST v0/admin/external-party/setup-proposal/prepare-accept
POST v0/admin/external-party/setup-proposal/submit-accept
GET v0/admin/external-party/balance
- POST v0/entry/create
- GET v0/entry/all
`
  .trim()
  .split('\n')

const errors: object[] = []
const log = { error: (fields: object) => errors.push(fields) } as unknown as Log

let server: Server
let url: string
before(async () => {
  const table = routeTable([...validatorRoutes, ...walletRoutes], context, (user) =>
    isOperator(context.validator, user),
  )
  server = createServer(patientServer, createRouteHandler([table], log))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/validator`
})
after(() => server.close())

async function ask(line: string, token?: string, body?: object) {
  const [method, path] = line.split(' ') as [string, string]
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
  const content = body === undefined ? {} : { body: JSON.stringify(body) }
  const response = await fetch(`${url}/${path}`, { method, headers, ...content })
  const text = await response.text()
  return { status: response.status, text, body: text.startsWith('{') ? JSON.parse(text) : undefined }
}

describe('of the operations of Splice’s wallet and validator', () => {
  for (const line of operations) {
    const isServed = !line.startsWith('- ')
    const [method, path] = line.replace('- ', '').replace('{id}', 'one').split(' ') as [string, string]
    test(`${method} ${path} is ${isServed ? 'served' : 'refused by its name'}`, async () => {
      const { status, body } = await ask(`${method} ${path}`)
      if (isServed) return assert.notEqual(status, 404)
      const error = `${method} /api/validator/${path} is not served by tallystick localnet`
      assert.deepEqual([status, body], [404, { error }])
    })
  }

  test('localnet serves no other operations of the wallet and the validator', () => {
    const known = new Set(operations.map((line) => line.replace(/\{[^}]+\}/, '{}')))
    const served = [...validatorRoutes, ...walletRoutes].map(
      ({ method, path }) => `${method} ${path.replace('/api/validator/', '').replace(/\{[^}]+\}/, '{}')}`,
    )
    const others = served.filter((line) => !known.has(line) && !/scan-proxy| (readyz|livez|version|status)$/.test(line))
    assert.deepEqual(others, [])
  })
})

describe('a request is refused in Splice’s words', () => {
  const nowMs = Date.now()
  const ann = tokenOf('ann', nowMs)
  const expired = signToken(publicSecret, { userId: 'ann', audience, lifetimeMs: 1, nowMs: nowMs - 60_000 })
  const foreign = signToken('other secret', { userId: 'ann', audience, lifetimeMs: 60_000, nowMs })
  const elsewhere = signToken(publicSecret, { userId: 'ann', audience: 'https://other', lifetimeMs: 60_000, nowMs })
  const unsigned = Promise.resolve('nonsense')
  const required = 'The resource requires authentication, which was not supplied with the request'
  const invalid = 'The supplied authentication is invalid'
  const missing = (field: string) =>
    `The request content was malformed:\nAttempt to decode value on failed cursor: DownField(${field})`

  const cases: readonly [
    name: string,
    line: string,
    token: Promise<string> | undefined,
    body: object | undefined,
    number,
    string,
  ][] = [
    ['without a token', 'GET v0/wallet/balance', undefined, undefined, 401, required],
    ['with an expired token', 'GET v0/wallet/balance', expired, undefined, 401, invalid],
    ['with a foreign token', 'GET v0/wallet/balance', foreign, undefined, 401, invalid],
    ['with a token for others', 'GET v0/wallet/balance', elsewhere, undefined, 401, invalid],
    ['with a token that is none', 'GET v0/wallet/balance', unsigned, undefined, 401, invalid],
    [
      'of a user without a wallet',
      'GET v0/wallet/balance',
      tokenOf('bob', nowMs),
      undefined,
      404,
      "No wallet found for user 'bob' for operation 'getBalance'",
    ],
    [
      'of a deactivated user',
      'GET v0/wallet/balance',
      tokenOf('dan', nowMs),
      undefined,
      403,
      'Authorization Failed for dan',
    ],
    [
      'of a user who may not act',
      'GET v0/wallet/balance',
      tokenOf('eve', nowMs),
      undefined,
      403,
      'Authorization Failed for eve',
    ],
    ['of a user who is no operator', 'GET v0/admin/users', ann, undefined, 403, 'Authorization Failed for ann'],
    ['to tap less than nothing', 'POST v0/wallet/tap', ann, { amount: '-1.0' }, 400, 'DAML_FAILURE(9,0): no'],
    [
      'to tap a word',
      'POST v0/wallet/tap',
      ann,
      { amount: 'one' },
      400,
      'Failed to decode: Invalid Decimal string "one", as it does not match "-?\\d{1,28}(\\.\\d{1,10})?"',
    ],
    ['to tap nothing', 'POST v0/wallet/tap', ann, {}, 400, missing('amount')],
    [
      'to accept an archived offer',
      'POST v0/wallet/transfer-offers/00/accept',
      ann,
      {},
      404,
      'CONTRACT_NOT_FOUND(9,0): no',
    ],
    [
      'to accept an archived transfer',
      'POST v0/wallet/token-standard/transfers/00/accept',
      ann,
      {},
      404,
      "AmuletTransferInstruction '00' not found.",
    ],
    [
      'to withdraw an archived allocation',
      'POST v0/allocations/00/withdraw',
      ann,
      {},
      404,
      "AmuletAllocation '00' not found.",
    ],
    [
      'to withdraw an archived allocation',
      'POST v2/allocations/00/withdraw',
      ann,
      {},
      404,
      "AmuletAllocation '00' not found.",
    ],
    [
      'to reject an archived request',
      'POST v0/wallet/token-standard/allocation-requests/00/reject',
      ann,
      {},
      404,
      'No AllocationRequest with contract id 00 found.',
    ],
    [
      'to reject an archived request',
      'POST v2/wallet/token-standard/allocation-requests/00/reject',
      ann,
      {},
      404,
      'No AllocationRequest v2 with contract id 00 found.',
    ],
    [
      'for an archived payment',
      'GET v0/wallet/app-payment-requests/00',
      ann,
      undefined,
      404,
      'Contract id not found: ContractId(id = 00, type = splice-wallet-payments:Splice.Wallet.Payment:AppPaymentRequest)',
    ],
    [
      'to accept an archived payment',
      'POST v0/wallet/app-payment-requests/00/accept',
      ann,
      {},
      404,
      'AppPaymentRequest 00 not found, and no matching AcceptedAppPayment could be located.',
    ],
    [
      'to accept an archived subscription',
      'POST v0/wallet/subscription-requests/00/accept',
      ann,
      {},
      404,
      'Contract id not found: ContractId(id = 00, type = splice-wallet-payments:Splice.Wallet.Subscriptions:SubscriptionRequest)',
    ],
    [
      'for an unknown offer',
      'POST v0/wallet/transfer-offers/x/status',
      ann,
      {},
      404,
      "Couldn't find transfer offer with tracking id x",
    ],
    [
      'for unknown traffic',
      'POST v0/wallet/buy-traffic-requests/x/status',
      ann,
      {},
      404,
      "Couldn't find buy traffic request with tracking id x",
    ],
    [
      'for no traffic',
      'POST v0/wallet/buy-traffic-requests',
      ann,
      { receiving_validator_party_id: 'p', domain_id: 's', tracking_id: 't', traffic_amount: 0, expires_at: 1 },
      400,
      'trafficAmount must be positive',
    ],
    [
      'for traffic elsewhere',
      'POST v0/wallet/buy-traffic-requests',
      ann,
      { receiving_validator_party_id: 'p', domain_id: 'x', tracking_id: 't', traffic_amount: 1, expires_at: 1 },
      400,
      'Could not find participant hosting p on domain x',
    ],
    ['for a page without a size', 'POST v0/wallet/transactions', ann, {}, 400, missing('page_size')],
    ['for an empty page', 'POST v0/wallet/transactions', ann, { page_size: 0 }, 400, 'Limit must be at least 1.'],
    [
      'for a page too large',
      'POST v0/wallet/transactions',
      ann,
      { page_size: 1001 },
      400,
      'Exceeded limit maximum (1001 > 1000).',
    ],
    [
      'to send to one who has not approved',
      'POST v0/wallet/transfer-preapproval/send',
      ann,
      { receiver_party_id: 'bob', amount: '1', deduplication_id: 'd' },
      400,
      'Receiver bob does not have a TransferPreapproval',
    ],
    [
      'for the balance of a stranger',
      'GET v0/admin/external-party/balance?party_id=x',
      tokenOf('host-user', nowMs),
      undefined,
      404,
      'No wallet for external party x',
    ],
    [
      'to host a key that is none',
      'POST v0/admin/external-party/topology/generate',
      tokenOf('host-user', nowMs),
      { party_hint: 'x', public_key: 'key' },
      400,
      'Could not decode public key key as a hex string',
    ],
    [
      'to accept a proposal that was not made',
      'POST v0/admin/external-party/setup-proposal/prepare-accept',
      tokenOf('host-user', nowMs),
      { user_party_id: 'x', contract_id: '00' },
      404,
      'No ExternalPartySetupProposal contract found for x',
    ],
    [
      'to submit what is not signed',
      'POST v0/admin/external-party/transfer-preapproval/submit-send',
      tokenOf('host-user', nowMs),
      { submission: { party_id: 'x', transaction: '', signed_tx_hash: 'no', public_key: '00' } },
      400,
      'Unable to parse signed tx hash',
    ],
  ]

  for (const [name, line, token, body, status, error] of cases) {
    test(`${line} is refused in Splice’s words: ${name}`, async () => {
      const answer = await ask(line, await token, body)
      assert.deepEqual([answer.status, answer.body?.error ?? answer.text], [status, error])
      assert.deepEqual(errors, [])
    })
  }
})
