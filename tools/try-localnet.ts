// Tries every route of LocalNet's APIs on a localnet that runs, over the real packages of Splice, and compares each answer with what
// test/fixtures/splice says. It onboards users, taps, sends and locks; it prints what differs, and which routes it did not try.
//
//   node_modules/.bin/node tools/try-localnet.ts [--port-offset N]
import { parseArgs } from 'node:util'
import { registryRoutes } from '../src/splice/registry/registry-routes.ts'
import { scanRoutes } from '../src/splice/scan/scan-routes.ts'
import { statusRoutes } from '../src/splice/serving/status-routes.ts'
import { validatorRoutes } from '../src/splice/validator/validator-routes.ts'
import { walletRoutes } from '../src/splice/wallet/wallet-routes.ts'
import { createLocalnetClient, type Json, type Place } from '../test/fixtures/localnet.ts'
import { followRequests, hostExternalParty, payApps } from './try-localnet-wallets.ts'

const { values } = parseArgs({ options: { 'port-offset': { type: 'string', default: '0' } } })
const client = createLocalnetClient(Number(values['port-offset']))
const routes = [...scanRoutes, ...registryRoutes, ...statusRoutes('sv'), ...validatorRoutes, ...walletRoutes]
const tried = new Set<string>()
const problems: string[] = []
const operator = 'ledger-api-user'
const run = process.pid

const base = '/api/validator/v0'
const expiresMicros = (Date.now() + 10 * 24 * 3_600_000) * 1000

/** The answer, if it was the wanted one. */
async function ask(place: Place, line: string, user?: string, body?: unknown, wanted = 200): Promise<Json> {
  const [method, path] = line.split('?')[0]!.split(' ') as [string, string]
  try {
    const reply = await client.ask(place, line, { user, body })
    if (reply?.status !== wanted) {
      problems.push(`${line}: ${reply?.status} instead of ${wanted}: ${JSON.stringify(reply?.json)?.slice(0, 300)}`)
    } else if (wanted === 200) noteTried(method, path)
    return reply?.json
  } catch (error) {
    problems.push((error as Error).message.slice(0, 600))
    return undefined
  }
}

function noteTried(method: string, path: string): void {
  const matching = routes.filter(
    (route) => route.method === method && new RegExp(`^${route.path.replaceAll(/\{[^}]+\}/g, '[^/]+')}$`).test(path),
  )
  const route = matching.find((one) => !one.path.includes('{')) ?? matching[0]
  if (route !== undefined) tried.add(`${method} ${route.path}`)
}

/** Those that are asked for nothing. */
async function plainReads(): Promise<void> {
  for (const { method, path, access } of routes) {
    if (method !== 'GET' || path.includes('{') || ownSteps.has(path)) continue
    const place = path.startsWith('/api/validator') ? 'app-user' : 'scan'
    const user = access === 'operator' ? operator : access === 'user' ? 'app-user' : undefined
    await ask(place, `GET ${path}`, user)
  }
}

/** Reads that need parameters, or are refused. */
const ownSteps = new Set([
  '/api/scan/v0/migrations/schedule',
  '/api/scan/v0/state/acs/snapshot-timestamp',
  '/api/scan/v0/state/acs/snapshot-timestamp-after',
  '/api/scan/v0/transfer-command/status',
  '/api/validator/v0/scan-proxy/transfer-command/status',
  '/api/validator/v0/admin/external-party/balance',
])

async function wallets(
  sender: string,
  receiver: string,
  synchronizerId: string,
): Promise<{ instruction: string; allocation: string }> {
  const asSender = (line: string, body?: unknown, wanted?: number) =>
    ask('app-user', line.replace(' ', ` ${base}/`), 'app-user', body, wanted)
  const asReceiver = (line: string, body?: unknown) =>
    ask('app-provider', line.replace(' ', ` ${base}/`), 'app-provider', body)
  const named = `try-${run}`
  await ask('app-user', `POST ${base}/admin/users`, operator, { name: named })
  await ask('app-user', `POST ${base}/register`, `${named}-self`)
  await ask('app-user', `POST ${base}/admin/users/offboard?username=${named}`, operator, {})
  await asSender('POST wallet/tap', { amount: '1000' })
  await asSender('POST wallet/tap', { amount: '-1' }, 400)
  await asSender('POST wallet/self-grant-feature-app-right', {})
  await asSender('DELETE wallet/cancel-featured-app-rights')

  let last = 0
  const nextId = () => {
    last += 1
    return `${run}-${last}`
  }
  const transfer = () => ({
    receiver_party_id: receiver,
    amount: '1.5',
    description: 'try',
    expires_at: expiresMicros,
    tracking_id: nextId(),
  })
  const offered = async () => (await asSender('POST wallet/transfer-offers', transfer()))?.offer_contract_id
  await asReceiver(`POST wallet/transfer-offers/${await offered()}/accept`, {})
  await asReceiver(`POST wallet/transfer-offers/${await offered()}/reject`, {})
  await asSender(`POST wallet/transfer-offers/${await offered()}/withdraw`, {})
  await asSender('POST wallet/transfer-offers', { ...transfer(), tracking_id: `${run}-told` })
  await asSender(`POST wallet/transfer-offers/${run}-told/status`, {})
  const traffic = { receiving_validator_party_id: sender, domain_id: synchronizerId, traffic_amount: 300_000 }
  const bought = { ...traffic, tracking_id: `${run}-traffic`, expires_at: expiresMicros }
  await asSender('POST wallet/buy-traffic-requests', bought)
  await asSender(`POST wallet/buy-traffic-requests/${run}-traffic/status`, {})
  const transfers = 'wallet/token-standard/transfers'
  const sent = async (version = 'v0') => {
    const line = `POST ${base.replace('v0', version)}/${transfers}`
    return (await ask('app-user', line, 'app-user', transfer()))?.output?.transfer_instruction_cid
  }
  for (const version of ['v0', 'v2']) {
    const path = `${base.replace('v0', version)}/${transfers}`
    await ask('app-provider', `POST ${path}/${await sent(version)}/accept`, 'app-provider', {})
    await ask('app-provider', `POST ${path}/${await sent(version)}/reject`, 'app-provider', {})
    await ask('app-user', `POST ${path}/${await sent(version)}/withdraw`, 'app-user', {})
  }
  const allocated = async () => {
    const settlement = {
      executor: receiver,
      settlement_ref: { id: nextId() },
      requested_at: 0,
      allocate_before: expiresMicros,
      settle_before: expiresMicros,
    }
    const leg = { transfer_leg_id: 'leg', transfer_leg: { receiver, amount: '2' } }
    return (await asSender('POST allocations', { settlement, ...leg }))?.output?.allocation_cid
  }
  await asSender(`POST allocations/${await allocated()}/withdraw`, {})
  const instruction = await sent()
  const allocation = await allocated()
  await asReceiver('POST wallet/transfer-preapproval', {})
  const send = { receiver_party_id: receiver, amount: '1', description: 'try', deduplication_id: `${run}` }
  await asSender('POST wallet/transfer-preapproval/send', send)
  await ask('app-provider', `GET ${base}/admin/transfer-preapprovals/by-party/${receiver}`, operator)
  await ask('scan', `GET /api/scan/v0/transfer-preapprovals/by-party/${receiver}`)
  await ask('app-user', `GET ${base}/scan-proxy/transfer-preapprovals/by-party/${receiver}`, 'app-user')
  await asSender('POST wallet/transactions', { page_size: 100 })
  await ask('scan', `GET /api/scan/v0/featured-apps/${sender}`)
  return { instruction, allocation }
}

async function registry(instruction: string, allocation: string, parties: readonly [string, string]): Promise<void> {
  for (const [place, prefix, user] of [
    ['scan', '', undefined],
    ['app-user', `${base}/scan-proxy`, 'app-user'],
  ] as const) {
    const post = (path: string, body: unknown = {}) => ask(place, `POST ${prefix}/registry/${path}`, user, body)
    await ask(place, `GET ${prefix}/registry/metadata/v1/instruments/Amulet`, user)
    for (const version of ['v1', 'v2'] as const) {
      await post(`transfer-instruction/${version}/transfer-factory`, transferBetween(version, parties))
    }
    for (const version of ['v1', 'v2']) {
      await post(`allocation-instruction/${version}/allocation-factory`)
      for (const choice of ['accept', 'reject', 'withdraw']) {
        await post(`transfer-instruction/${version}/${instruction}/choice-contexts/${choice}`)
      }
      for (const choice of version === 'v1' ? ['execute-transfer', 'withdraw', 'cancel'] : ['withdraw', 'cancel']) {
        await post(`allocations/${version}/${allocation}/choice-contexts/${choice}`)
      }
    }
    const allocations = [{ allocationCid: allocation }]
    await post('allocation/v2/settlement-factory', { choiceArguments: { allocations } })
    await ask(place, `POST ${prefix}/registry/transfer-instruction/v1/00/choice-contexts/accept`, user, {}, 404)
  }
}

function transferBetween(version: 'v1' | 'v2', [from, to]: readonly [string, string]): object {
  const holder = (party: string) => (version === 'v1' ? party : { owner: party, provider: null, id: '' })
  const transfer = {
    ...{ sender: holder(from), receiver: holder(to), amount: '1.0', instrumentId: { admin: dsoParty, id: 'Amulet' } },
    ...{ requestedAt: '2030-01-01T00:00:00Z', executeBefore: '2030-01-02T00:00:00Z' },
    ...{ inputHoldingCids: [], meta: { values: {} } },
  }
  const extraArgs = { context: { values: {} }, meta: { values: {} } }
  return { choiceArguments: { expectedAdmin: dsoParty, actors: [from], transfer, extraArgs } }
}

/** What scan says about the DSO, and about a member of its synchronizer. */
async function rest(dso: string, synchronizerId: string, memberId: string): Promise<void> {
  for (const path of ['amulet-rules', 'external-party-amulet-rules', 'ans-rules', 'open-and-issuing-mining-rounds']) {
    await ask('scan', `POST /api/scan/v0/${path}`, undefined, {})
  }
  await ask('scan', 'POST /api/scan/v0/admin/sv/voteresults', undefined, { limit: 10 })
  await ask('scan', 'GET /api/scan/v0/migrations/schedule', undefined, undefined, 404)
  await ask('scan', `GET /api/scan/v0/domains/${synchronizerId}/members/${memberId}/traffic-status`)
  await ask('scan', `GET /api/scan/v0/featured-apps/by-provider/${dso}`)
  await ask('scan', 'GET /api/scan/v0/featured-apps/by-contract-id/00')
  await ask('app-user', `GET ${base}/scan-proxy/featured-apps/${dso}`, 'app-user')
  await ask('app-user', `POST ${base}/scan-proxy/ans-rules`, 'app-user', {})
  for (const [place, prefix, user] of [
    ['scan', '/api/scan/v0', undefined],
    ['app-user', `${base}/scan-proxy`, 'app-user'],
  ] as const) {
    await ask(place, `GET ${prefix}/ans-entries/by-party/${dso}`, user)
    await ask(place, `GET ${prefix}/ans-entries/by-name/dso.ans`, user)
  }
}

/** All updates in all shapes, and the whole state after the last one. */
async function history(owner: string): Promise<void> {
  for (const line of ['v0/updates', 'v1/updates', 'v2/updates', 'v0/events']) {
    let after: string | undefined
    for (let count = -1; count !== 0; ) {
      const place = after && { after: { after_migration_id: 0, after_record_time: after } }
      const page = await ask('scan', `POST /api/scan/${line}`, undefined, { page_size: 50, ...place })
      const items: Json[] = page?.transactions ?? page?.events?.map(({ update }: Json) => update) ?? []
      count = items.length
      after = items.at(-1)?.record_time
      if (count > 0) await ask('scan', `GET /api/scan/${line}/${items[0].update_id}`)
    }
  }
  const { record_time: time } = await ask('scan', 'POST /api/scan/v0/state/acs/force', undefined, {})
  const dates = 'GET /api/scan/v0/state/acs/snapshot-timestamp'
  await ask('scan', `${dates}?before=${time}&migration_id=0`)
  await ask('scan', `${dates}-after?after=2000-01-01T00:00:00Z&migration_id=0`)
  const snapshot = { migration_id: 0, record_time: time }
  for (const version of ['v0', 'v1']) {
    for (const [path, more] of [
      ['state/acs', {}],
      ['holdings/state', { owner_party_ids: [owner] }],
    ] as const) {
      let after: number | undefined
      do {
        const body = { ...snapshot, ...more, page_size: 20, after }
        after = (await ask('scan', `POST /api/scan/${version}/${path}`, undefined, body))?.next_page_token
      } while (after !== undefined)
    }
    const summary = { ...snapshot, owner_party_ids: [owner] }
    await ask('scan', `POST /api/scan/${version}/holdings/summary`, undefined, summary)
    await ask('app-user', `POST /api/validator/${version}/scan-proxy/holdings/summary`, 'app-user', summary)
  }
}

const partyOf = async (place: Place): Promise<string> => (await ask(place, `GET ${base}/validator-user`)).party_id
const [sender, receiver] = [await partyOf('app-user'), await partyOf('app-provider')]
const dso = await ask('scan', 'GET /api/scan/v0/dso')
const { json: member } = (await client.ledger('app-user', 'GET /v2/parties/participant-id'))!
const { dso_party_id: dsoParty, amulet_rules: rules } = dso
const trial = { ask, ledger: client.ledger, sender, receiver, dso: dsoParty, synchronizerId: rules.domain_id }
await followRequests(trial)
await payApps(trial)
const { instruction, allocation } = await wallets(sender, receiver, rules.domain_id)
await hostExternalParty(trial)
await registry(instruction, allocation, [sender, receiver])
await rest(dsoParty, rules.domain_id, `PAR::${member.participantId}`)
await history(sender)
await plainReads()

const untried = routes.map(({ method, path }) => `${method} ${path}`).filter((line) => !tried.has(line))
process.stdout.write(`${routes.length} routes, ${tried.size} tried, ${problems.length} problems\n`)
for (const line of untried) process.stdout.write(`not tried: ${line}\n`)
for (const problem of problems) process.stdout.write(`${problem}\n`)
if (problems.length > 0) process.exitCode = 1
