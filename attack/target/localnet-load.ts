// Users of a localnet at work: they tap, send, lock, accept, reject and withdraw Amulet, and note every answer.
import assert from 'node:assert/strict'
import { setTimeout } from 'node:timers/promises'
import { unitsFrom } from '../../src/splice/ledger/decimals.ts'
import { type Dice, pick } from '../../test/fixtures/dice.ts'
import type { Json, LocalnetClient, Reply } from '../../test/fixtures/localnet.ts'
import type { Locked, Model } from './localnet-model.ts'

export type User = { readonly name: string; readonly at: 'app-user' | 'app-provider' }

export const users: readonly User[] = [
  { name: 'ann', at: 'app-user' },
  { name: 'bob', at: 'app-provider' },
  { name: 'cat', at: 'app-user' },
  { name: 'dan', at: 'app-provider' },
]

/** Their parties, by name. */
export type Parties = ReadonlyMap<string, string>

/** Dollars buy this many Amulet at LocalNet's price. */
const amuletPerDollar = 200n

/** Nothing expires during a campaign, however far its clock is moved, and nothing may live longer than 90 days. */
const expiresMicros = () => (Date.now() + 60 * 24 * 3_600_000) * 1000
const base = '/api/validator/v0'

/** Onboarding is repeatable. */
export async function onboard(client: LocalnetClient): Promise<Parties> {
  const parties = new Map<string, string>()
  for (const { name, at } of users) {
    const reply = await client.ask(at, `POST ${base}/admin/users`, { user: 'ledger-api-user', body: { name } })
    assert.equal(reply?.status, 200, JSON.stringify(reply?.json))
    parties.set(name, reply.json.party_id)
  }
  return parties
}

type Desk = {
  readonly client: LocalnetClient
  readonly model: Model
  readonly parties: Parties
  readonly dice: Dice
  /** Contracts that somebody decides on already. */
  readonly claimed: Set<string>
  /** Makes ids that were never used. */
  nextId(): string
}

/** What a user does next, and how likely. */
const deeds = [
  tap,
  tap,
  lockTransfer,
  lockTransfer,
  lockTransfer,
  decide,
  decide,
  decide,
  decide,
  allocate,
  preapprove,
  send,
  send,
  repeatTap,
]

export async function work(user: User, desk: Desk, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await pick(desk.dice, deeds)(user, desk)
    await setTimeout(desk.dice(30))
  }
}

/** Moves the ledger's clock, by which rounds open and close. */
export async function moveClock(client: LocalnetClient, dice: Dice, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await setTimeout(dice(1_500))
    await client.ledger('sv', 'POST /dev/time', { advance: pick(dice, ['1m', '5m', '10m', '25m']) })
  }
}

const asUser = ({ client }: Desk, { name, at }: User, line: string, body?: unknown) =>
  client.ask(at, line.replace(' ', ` ${base}/`), { user: name, ...(body !== undefined && { body }) })

/** Whether it was done; undefined if nobody knows. */
function wasDone(reply: Reply | undefined): boolean | undefined {
  if (reply === undefined || reply.status >= 500) return undefined
  return reply.status < 400
}

async function tap(user: User, desk: Desk): Promise<void> {
  const dollars = 1 + desk.dice(50)
  const id = desk.nextId()
  const reply = await asUser(desk, user, 'POST wallet/tap', { amount: String(dollars), command_id: id })
  const note = () => desk.model.tapped(user.name, BigInt(dollars) * amuletPerDollar * 10n ** 10n)
  noteOrAsk(desk, reply, { sender: user.at, commandId: `tap-${user.name}-${id}`, note })
}

/** A command that was accepted is not accepted again. */
async function repeatTap(user: User, desk: Desk): Promise<void> {
  const body = { amount: '1', command_id: desk.nextId() }
  const first = await asUser(desk, user, 'POST wallet/tap', body)
  const note = () => desk.model.tapped(user.name, amuletPerDollar * 10n ** 10n)
  noteOrAsk(desk, first, { sender: user.at, commandId: `tap-${user.name}-${body.command_id}`, note })
  if (first?.status !== 200) return
  const second = await asUser(desk, user, 'POST wallet/tap', body)
  assert.notEqual(second?.status, 200, 'a tap with the same command id was accepted twice')
}

async function lockTransfer(user: User, desk: Desk): Promise<void> {
  const receiver = otherThan(user, desk.dice)
  const units = someUnits(user, desk)
  const body = { ...transferTo(receiver, units, desk), expires_at: expiresMicros(), tracking_id: desk.nextId() }
  const reply = await asUser(desk, user, 'POST wallet/token-standard/transfers', body)
  const parts = { kind: 'transfer', sender: user.name, receiver: receiver.name, units } as const
  if (wasDone(reply) === undefined) return askLater(desk, user, parts, `transfer-${body.tracking_id}`)
  if (wasDone(reply) === false) return
  const { transfer_instruction_cid: contractId, receiver_holding_cids: received } = reply!.json.output
  if (contractId !== undefined) desk.model.lock({ ...parts, contractId })
  else if (received !== undefined) desk.model.sent(user.name, receiver.name, units)
  else assert.fail(`a transfer has neither come to its receiver nor waits for it: ${JSON.stringify(reply!.json)}`)
}

async function allocate(user: User, desk: Desk): Promise<void> {
  const receiver = otherThan(user, desk.dice)
  const units = someUnits(user, desk)
  const body = {
    settlement: {
      executor: desk.parties.get(receiver.name),
      settlement_ref: { id: desk.nextId() },
      requested_at: 0,
      allocate_before: expiresMicros(),
      settle_before: expiresMicros(),
    },
    transfer_leg_id: 'leg',
    transfer_leg: { receiver: desk.parties.get(receiver.name), amount: textOf(units) },
  }
  const reply = await asUser(desk, user, 'POST allocations', body)
  const parts = { kind: 'allocation', sender: user.name, receiver: receiver.name, units } as const
  if (wasDone(reply) === undefined) return askLater(desk, user, parts)
  if (wasDone(reply)) desk.model.lock({ ...parts, contractId: reply!.json.output.allocation_cid })
}

/** The receiver of a transfer accepts or rejects it; senders take back what is theirs. */
async function decide(user: User, desk: Desk): Promise<void> {
  const { model, claimed, dice } = desk
  const own = [...model.locked.values()].filter(
    ({ contractId, sender, receiver, kind }) =>
      !claimed.has(contractId) && (sender === user.name || (receiver === user.name && kind === 'transfer')),
  )
  if (own.length === 0) return
  const { contractId, kind, receiver } = pick(dice, own)
  claimed.add(contractId)
  const isReceiver = receiver === user.name
  const choice = isReceiver ? pick(dice, ['accept', 'accept', 'reject']) : 'withdraw'
  const path = kind === 'transfer' ? 'wallet/token-standard/transfers' : 'allocations'
  const reply = await asUser(desk, user, `POST ${path}/${contractId}/${choice}`, {})
  const note = () => model.unlock(contractId, choice === 'accept')
  noteOrAsk(desk, reply, { sender: user.at, consumed: contractId, note })
  if (wasDone(reply) !== undefined) claimed.delete(contractId)
}

async function preapprove(user: User, desk: Desk): Promise<void> {
  await asUser(desk, user, 'POST wallet/transfer-preapproval', {})
}

async function send(user: User, desk: Desk): Promise<void> {
  const receiver = otherThan(user, desk.dice)
  const units = someUnits(user, desk)
  const id = desk.nextId()
  const body = { ...transferTo(receiver, units, desk), deduplication_id: id }
  const reply = await asUser(desk, user, 'POST wallet/transfer-preapproval/send', body)
  const note = () => desk.model.sent(user.name, receiver.name, units)
  noteOrAsk(desk, reply, { sender: user.at, commandId: `preapproval-send-${id}`, note })
}

function noteOrAsk({ model }: Desk, reply: Reply | undefined, later: Model['unanswered'][number]): void {
  const isDone = wasDone(reply)
  if (isDone === undefined) model.unanswered.push(later)
  else if (isDone) later.note()
}

/** The answer was lost: the contract is found later among those that nobody knows. */
function askLater({ model }: Desk, { at }: User, lock: Omit<Locked, 'contractId'>, commandId?: string): void {
  model.unanswered.push({ sender: at, lock, ...(commandId !== undefined && { commandId }), note: () => undefined })
}

function transferTo({ name }: User, units: bigint, { parties }: Desk) {
  return { receiver_party_id: parties.get(name), amount: textOf(units), description: 'campaign' }
}

function otherThan({ name }: User, dice: Dice): User {
  return pick(
    dice,
    users.filter((user) => user.name !== name),
  )
}

/** Up to a third of what the user has, and sometimes more than everything. */
function someUnits({ name }: User, { model, dice }: Desk): bigint {
  const { free } = model.holdings.get(name)!
  if (dice(20) === 0) return free + unitsFrom('1')!
  return (free * BigInt(1 + dice(1_000_000))) / 3_000_000n + 1n
}

const textOf = (units: bigint): string => `${units / 10n ** 10n}.${String(units % 10n ** 10n).padStart(10, '0')}`

export type { Desk, Json }
