// Whether a localnet has what its users were told: after lost answers were looked up, every sum is exact.
import assert from 'node:assert/strict'
import { setTimeout } from 'node:timers/promises'
import { sumOf, unitsFrom } from '../../src/splice/ledger/decimals.ts'
import type { Json, LocalnetClient } from '../../test/fixtures/localnet.ts'
import { type Parties, users } from './localnet-load.ts'
import type { Locked, Model, Unanswered } from './localnet-model.ts'

const base = '/api/validator/v0'

/** The history as far as it was read: what exists by it. */
export type History = { after: string | undefined; readonly ids: Set<string>; readonly amounts: Map<string, bigint> }

export const createHistory = (): History => ({ after: undefined, ids: new Set(), amounts: new Map() })

/** Nobody is at work now. */
export async function check(client: LocalnetClient, model: Model, parties: Parties, history: History): Promise<void> {
  await comeToRest(client)
  await lookUp(client, model)
  const snapshot = await answerOf(client, 'scan', 'POST /api/scan/v0/state/acs/force')
  await checkHoldings(client, model, parties, snapshot)
  await checkHistory(client, history)
  await checkRounds(client)
}

const restMs = 400
const restsWanted = 3
const patienceMs = 60_000

/** Automations do what is due, then nothing: a step that is repeated for ever would go on. */
async function comeToRest(client: LocalnetClient): Promise<void> {
  const end = async () => (await client.ledger('sv', 'GET /v2/state/ledger-end'))!.json.offset
  const deadline = performance.now() + patienceMs
  for (let [last, rests] = [-1, 0]; rests < restsWanted; ) {
    assert.ok(performance.now() < deadline, 'the automations do not come to rest')
    await setTimeout(restMs)
    const now = await end()
    rests = now === last ? rests + 1 : 0
    last = now
  }
}

async function lookUp(client: LocalnetClient, model: Model): Promise<void> {
  for (const one of model.unanswered.splice(0)) {
    if (one.lock !== undefined) await lookUpLock(client, model, one, one.lock)
    else if (one.consumed === undefined ? await wasCompleted(client, one) : await wasConsumed(client, one)) one.note()
  }
}

/** A command that succeeded has a completion. */
async function wasCompleted(client: LocalnetClient, { sender, commandId }: Unanswered): Promise<boolean> {
  const { json: user } = (await client.ledger(sender, 'GET /v2/users/ledger-api-user'))!
  const request = { userId: 'ledger-api-user', parties: [user.user.primaryParty], beginExclusive: 0 }
  const line = 'POST /v2/commands/completions?limit=100000&stream_idle_timeout_ms=500'
  const { json } = (await client.ledger(sender, line, request))!
  return json.some(({ completionResponse }: Json) => {
    const completion = completionResponse?.Completion?.value
    return completion?.commandId === commandId && (completion.status?.code ?? 0) === 0
  })
}

async function wasConsumed(client: LocalnetClient, { sender, consumed }: Unanswered): Promise<boolean> {
  const locks = await Promise.all(users.filter(({ at }) => at === sender).map((user) => locksOf(client, user.name)))
  return !locks.flat().some((one) => one.contractId === consumed)
}

type Found = { readonly contractId: string; readonly sender: string; readonly amount: string }

/** The transfers and allocations that a user sees. */
async function locksOf(client: LocalnetClient, name: string): Promise<Found[]> {
  const { at } = users.find((user) => user.name === name)!
  const read = async (path: string): Promise<Json> =>
    (await client.ask(at, `GET ${base}/${path}`, { user: name }))!.json
  const { transfers } = await read('wallet/token-standard/transfers')
  const { allocations } = await read('allocations')
  return [
    ...transfers.map(({ contract_id: contractId, payload }: Json) => ({
      contractId,
      sender: payload.transfer.sender,
      amount: payload.transfer.amount,
    })),
    ...allocations.map(({ contract }: Json) => {
      const { sender, amount } = contract.payload.allocation.transferLeg
      return { contractId: contract.contract_id, sender, amount }
    }),
  ]
}

/** A user waits for one answer at a time, so what nobody knows is what it has asked for last. */
async function lookUpLock(
  client: LocalnetClient,
  model: Model,
  unanswered: Unanswered,
  lock: Omit<Locked, 'contractId'>,
): Promise<void> {
  const found = (await locksOf(client, lock.sender)).find(
    ({ contractId, sender, amount }) =>
      !model.locked.has(contractId) && sender.startsWith(lock.sender) && unitsFrom(amount) === lock.units,
  )
  if (found !== undefined) model.lock({ ...lock, contractId: found.contractId })
  else if (unanswered.commandId !== undefined && (await wasCompleted(client, unanswered))) {
    model.sent(lock.sender, lock.receiver, lock.units) // At once, to somebody who had approved.
  }
}

/** By scan, and by the wallets of the users. */
async function checkHoldings(client: LocalnetClient, model: Model, parties: Parties, snapshot: Json): Promise<void> {
  const body = { ...snapshot, owner_party_ids: [...parties.values()] }
  const { summaries } = await answerOf(client, 'scan', 'POST /api/scan/v1/holdings/summary', body)
  for (const { name, at } of users) {
    const { free, locked } = model.holdings.get(name)!
    const wanted = { free, locked }
    const summary = summaries.find((one: Json) => one.party_id === parties.get(name))
    const byScan = {
      free: unitsFrom(summary?.total_unlocked_coin ?? '0'),
      locked: unitsFrom(summary?.total_locked_coin ?? '0'),
    }
    assert.deepEqual(byScan, wanted, `scan about ${name}`)
    const { json } = (await client.ask(at, `GET ${base}/wallet/amulets`, { user: name }))!
    const total = (list: Json[]) => {
      const amounts = list.map(({ contract }) => contract.contract.payload)
      return unitsFrom(sumOf(amounts.map((payload) => (payload.amulet ?? payload).amount.initialAmount)))
    }
    assert.deepEqual({ free: total(json.amulets), locked: total(json.locked_amulets) }, wanted, `the wallet of ${name}`)
  }
}

const holdingTemplate = /:Splice\.Amulet:(Locked)?Amulet$/

/** All updates, each once; what they create and archive is what the registry says there is. */
async function checkHistory(client: LocalnetClient, history: History): Promise<void> {
  const { ids, amounts } = history
  for (;;) {
    const after = history.after && { after: { after_migration_id: 0, after_record_time: history.after } }
    const { transactions } = await answerOf(client, 'scan', 'POST /api/scan/v2/updates', { page_size: 200, ...after })
    if (transactions.length === 0) break
    for (const transaction of transactions) {
      assert.ok(!ids.has(transaction.update_id), 'an update is in the history twice')
      ids.add(transaction.update_id)
      for (const event of Object.values<Json>(transaction.events_by_id)) follow(event, amounts)
      history.after = transaction.record_time
    }
  }
  const supply = [...amounts.values()].reduce((sum, units) => sum + units, 0n)
  const { totalSupply } = await answerOf(client, 'scan', 'GET /registry/metadata/v1/instruments/Amulet')
  assert.equal(unitsFrom(totalSupply), supply, 'the supply is not what the history adds up to')
}

/** Events come sorted by id, so an archival may come before its creation: then the two cancel each other. */
function follow(event: Json, amounts: Map<string, bigint>): void {
  if (!holdingTemplate.test(event.template_id)) return
  const id = event.contract_id
  if (event.event_type === 'created_event') {
    const { amulet, amount } = event.create_arguments
    amounts.set(id, (amounts.get(id) ?? 0n) + unitsFrom((amulet?.amount ?? amount).initialAmount)!)
  } else if (event.consuming) amounts.set(id, 0n)
}

/** Three are open, one after the other. */
async function checkRounds(client: LocalnetClient): Promise<void> {
  const { open_mining_rounds: open } = await answerOf(
    client,
    'scan',
    'POST /api/scan/v0/open-and-issuing-mining-rounds',
    {},
  )
  const numbers = Object.values<Json>(open)
    .map(({ contract }) => Number(contract.payload.round.number))
    .toSorted((one, other) => one - other)
  const [first = 0] = numbers
  assert.deepEqual(numbers, [first, first + 1, first + 2])
}

async function answerOf(client: LocalnetClient, place: 'scan', line: string, body?: unknown): Promise<Json> {
  const reply = await client.ask(place, line, { body })
  assert.ok(reply !== undefined && reply.status === 200, `${line}: ${JSON.stringify(reply)}`)
  return reply.json
}
