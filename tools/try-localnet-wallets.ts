// The steps of try-localnet.ts that need more than one request: offers and requests that are followed, version 2 of the token standard,
// payments of apps, and parties that sign for themselves.
import { generateKeyPairSync, sign } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Json, LocalnetClient, Place } from '../test/fixtures/localnet.ts'

export type Ask = (place: Place, line: string, user?: string, body?: unknown, wanted?: number) => Promise<Json>

export type WalletTrial = {
  readonly ask: Ask
  readonly ledger: LocalnetClient['ledger']
  readonly sender: string
  readonly receiver: string
  readonly dso: string
  readonly synchronizerId: string
}

const run = process.pid
const operator = 'ledger-api-user'
const expiresMicros = (Date.now() + 24 * 3_600_000) * 1000
const waitsMax = 100

/** The first status that is not this one. */
async function statusAfter(status: string, ask: () => Promise<Json>): Promise<Json> {
  for (let count = 0; count < waitsMax; count += 1) {
    const found = await ask()
    if (found?.status !== status) return found
    await pause(100)
  }
  throw new Error(`it stays ${status}`)
}

/** Before anybody has approved transfers. */
export async function followRequests({ ask, sender, receiver, synchronizerId }: WalletTrial): Promise<void> {
  const asSender = (line: string, body: unknown = {}) => ask('app-user', line, 'app-user', body)
  const asReceiver = (line: string, body: unknown = {}) => ask('app-provider', line, 'app-provider', body)
  const wallet = '/api/validator/v0/wallet'
  await asSender(`POST ${wallet}/tap`, { amount: '1000' })
  const offer = { receiver_party_id: receiver, amount: '1', description: 'followed', expires_at: expiresMicros }
  const id = `followed-${run}`
  const made = await asSender(`POST ${wallet}/transfer-offers`, { ...offer, tracking_id: id })
  await asReceiver(`POST ${wallet}/transfer-offers/${made.offer_contract_id}/accept`)
  await statusAfter('accepted', () => asSender(`POST ${wallet}/transfer-offers/${id}/status`))
  await asSender(`POST ${wallet}/buy-traffic-requests`, {
    receiving_validator_party_id: sender,
    domain_id: synchronizerId,
    traffic_amount: 200_000,
    tracking_id: id,
    expires_at: expiresMicros,
  })
  await statusAfter('created', () => asSender(`POST ${wallet}/buy-traffic-requests/${id}/status`))

  const transfers = '/api/validator/v2/wallet/token-standard/transfers'
  for (const [choice, end] of [
    ['accept', asReceiver],
    ['reject', asReceiver],
    ['withdraw', asSender],
  ] as const) {
    const sent = await asSender(`POST ${transfers}`, { ...offer, tracking_id: `${choice}-${run}` })
    await end(`POST ${transfers}/${sent.output.transfer_instruction_cid}/${choice}`)
  }
  const allocated = await asSender('POST /api/validator/v2/allocations', {
    settlement: { executors: [receiver], settlement_ref: { id }, settlement_deadline: expiresMicros },
    transfer_leg_sides: [{ transfer_leg_id: 'leg', side: 'SENDERSIDE', otherside: receiver, amount: '1' }],
    committed: false,
  })
  await asSender(`POST /api/validator/v2/allocations/${allocated.output.allocation_cid}/withdraw`)
}

/** An app of the sender itself asks it to pay, once and regularly. */
export async function payApps({ ask, ledger, sender, dso }: WalletTrial): Promise<void> {
  const asSender = (line: string, body?: unknown) => ask('app-user', line, 'app-user', body)
  const wallet = '/api/validator/v0/wallet'
  const created = async (entity: string, createArguments: object): Promise<string> => {
    const templateId = `#splice-wallet-payments:Splice.Wallet.${entity}`
    const commands = { commandId: `${entity}-${run}-${Math.random()}`, userId: operator, actAs: [sender], readAs: [] }
    const reply = await ledger('app-user', 'POST /v2/commands/submit-and-wait-for-transaction', {
      commands: { ...commands, commands: [{ CreateCommand: { templateId, createArguments } }] },
    })
    return reply!.json.transaction.events[0].CreatedEvent.contractId
  }
  const amount = { amount: '1', unit: 'AmuletUnit' }
  const payment = {
    sender,
    receiverAmounts: [{ receiver: sender, amount }],
    provider: sender,
    dso,
    expiresAt: new Date(expiresMicros / 1000).toISOString(),
    description: 'ticket',
  }
  const first = await created('Payment:AppPaymentRequest', payment)
  await asSender(`GET ${wallet}/app-payment-requests/${first}`)
  await asSender(`POST ${wallet}/app-payment-requests/${first}/accept`, {})
  await asSender(
    `POST ${wallet}/app-payment-requests/${await created('Payment:AppPaymentRequest', payment)}/reject`,
    {},
  )
  const day = { microseconds: String(86_400_000_000) }
  const subscription = {
    subscriptionData: { sender, receiver: sender, provider: sender, dso, description: 'news' },
    payData: { paymentAmount: amount, paymentInterval: day, paymentDuration: day },
  }
  const request = await created('Subscriptions:SubscriptionRequest', subscription)
  await asSender(`GET ${wallet}/subscription-requests/${request}`)
  await asSender(`POST ${wallet}/subscription-requests/${request}/accept`, {})
  const other = await created('Subscriptions:SubscriptionRequest', subscription)
  await asSender(`POST ${wallet}/subscription-requests/${other}/reject`, {})
}

/** A party with a key of its own is set up, gets Amulet, and sends some to the receiver, who has approved. */
export async function hostExternalParty({ ask, receiver }: WalletTrial): Promise<void> {
  const base = '/api/validator/v0/admin/external-party'
  const asOperator = (line: string, body?: unknown) => ask('app-user', line, operator, body)
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const public_key = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('hex')
  const signed = (hash: string) => sign(null, Buffer.from(hash, 'hex'), privateKey).toString('hex')
  const topology = await asOperator(`POST ${base}/topology/generate`, { party_hint: `external-${run}`, public_key })
  const signed_topology_txs = topology.topology_txs.map(({ topology_tx, hash }: Json) => {
    return { topology_tx, signed_hash: signed(hash) }
  })
  const { party_id } = await asOperator(`POST ${base}/topology/submit`, { public_key, signed_topology_txs })
  const submission = ({ transaction, tx_hash }: Json) => {
    return { submission: { party_id, transaction, signed_tx_hash: signed(tx_hash), public_key } }
  }
  const { contract_id } = await asOperator(`POST ${base}/setup-proposal`, { user_party_id: party_id })
  const accepting = { user_party_id: party_id, contract_id }
  const accept = await asOperator(`POST ${base}/setup-proposal/prepare-accept`, accepting)
  await asOperator(`POST ${base}/setup-proposal/submit-accept`, submission(accept))
  const funds = { receiver_party_id: party_id, amount: '10', deduplication_id: `external-${run}` }
  await ask('app-user', 'POST /api/validator/v0/wallet/transfer-preapproval/send', 'app-user', funds)
  await asOperator(`GET ${base}/balance?party_id=${encodeURIComponent(party_id)}`)
  const expires_at = new Date(expiresMicros / 1000).toISOString()
  const wish = { sender_party_id: party_id, receiver_party_id: receiver, amount: 4, expires_at, nonce: 0 }
  const send = await asOperator(`POST ${base}/transfer-preapproval/prepare-send`, wish)
  await asOperator(`POST ${base}/transfer-preapproval/submit-send`, submission(send))
  const proxy = '/api/validator/v0/scan-proxy'
  const query = `sender=${encodeURIComponent(party_id)}&nonce=0`
  await statusAfter('created', async () => {
    const found = await ask('app-user', `GET ${proxy}/transfer-command/status?${query}`, 'app-user')
    return (Object.values(found.transfer_commands_by_contract_id)[0] as Json).status
  })
  const counter = `transfer-command-counter/${encodeURIComponent(party_id)}`
  await ask('app-user', `GET ${proxy}/${counter}`, 'app-user')
  await ask('scan', `GET /api/scan/v0/${counter}`)
  await ask('scan', `GET /api/scan/v0/transfer-command/status?${query}`)
  // So that the next trial begins as this one did.
  const preapproval = `/api/validator/v0/admin/transfer-preapprovals/by-party/${encodeURIComponent(receiver)}`
  await ask('app-provider', `DELETE ${preapproval}`, operator)
}
