// Nodes that start at the same moment over an empty database, and a client that writes on one of them and reads on another
// what it has just been answered, by every way to read it; and that uses there at once what was just granted.
import assert from 'node:assert/strict'
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { SignJWT } from 'jose'
import { checkAnswer } from '../../test/fixtures/answer-check.ts'
import { createDice, type Dice, pick } from '../../test/fixtures/dice.ts'
import type { Json } from '../../test/fixtures/ledger-client.ts'
import { startSkewedNode } from './skewed-node.ts'

const program = fileURLToPath(new URL('./skewed-node.ts', import.meta.url))

export type StartedNode = { readonly process: ChildProcess; readonly url: string }

/** In a process of its own, to be killed or paused. It requires no tokens. */
export async function startProcess(databaseUrl: string, skewMs: number): Promise<StartedNode> {
  const child = fork(program, [databaseUrl, String(skewMs)], { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] })
  let errors = ''
  child.stderr!.on('data', (data) => {
    errors += data
  })
  const gone = once(child, 'exit').then(() => undefined)
  const said = await Promise.race([once(child.stdout!, 'data'), gone])
  assert.ok(said, `a node ended: ${errors.slice(-2_000)}`)
  return { process: child, url: String(said[0]).trim() }
}

/** How often each way was tried, by its name. */
export type Tally = Map<string, number>

export const createTally = (): Tally => new Map()

const starts = 'nodes started at once'

export function tallyText(tally: Tally): string {
  const ways = [...tally].filter(([way]) => way !== starts)
  const tries = ways.reduce((sum, [, count]) => sum + count, 0)
  return `${tally.get(starts) ?? 0} ${starts}, ${tries} answers checked on another in ${ways.length} ways`
}

type Task = {
  readonly url: string
  readonly seed: number
  /** One for each node. */
  readonly skewsMs: readonly number[]
  readonly writes: number
  readonly tally: Tally
}

/** A client on one node, as one user. */
type Client = (
  method: string,
  path: string,
  body?: unknown,
) => Promise<{ readonly status: number; readonly json: Json }>

type Stage = {
  readonly dice: Dice
  /** Two different nodes. */
  pair(): { readonly here: string; readonly there: string }
  as(url: string, userId: string): Promise<Client>
  /** Counts one try of the way, whose outcome must be true. */
  holds(way: string, isSo: boolean, what: unknown): void
  newName(): string
}

const administrator = 'participant_admin'
const lifetimeMs = 3_600_000

export async function agree({ url, seed, skewsMs, writes, tally }: Task): Promise<void> {
  const dice = createDice(seed ^ 0x5eed)
  await using parts = new AsyncDisposableStack()
  const secret = `secret ${seed}`
  const starting = skewsMs.map((skewMs) => startSkewedNode(url, skewMs, { secret })) // Nobody kills or cuts them off.
  parts.defer(async () => {
    for (const start of await Promise.allSettled(starting))
      if (start.status === 'fulfilled') await start.value[Symbol.asyncDispose]()
  })
  const nodes = await Promise.all(starting)
  count(tally, starts, nodes.length)
  const tokens = new Map<string, Promise<string>>()
  let names = 0
  const stage: Stage = {
    dice,
    newName: () => `name-${++names}`,
    pair() {
      const here = pick(dice, nodes)
      const there = pick(
        dice,
        nodes.filter((node) => node !== here),
      )
      return { here: here.url, there: there.url }
    },
    async as(node, userId) {
      const token = await tokens.getOrInsertComputed(userId, () => tokenOf(userId, secret))
      return (method, path, body) => call(`${node}${path}`, method, path, token, body)
    },
    holds(way, isSo, what) {
      count(tally, way, 1)
      assert.ok(isSo, `${way}: ${JSON.stringify(what)}`)
    },
  }
  const ids = await Promise.all(
    nodes.map(async (node) => {
      return (await succeed(await stage.as(node.url, administrator), 'GET', '/v2/parties/participant-id')).participantId
    }),
  )
  stage.holds('one participant', new Set(ids).size === 1, ids)
  const first = await stage.as(nodes[0]!.url, administrator)
  const { party } = (await succeed(first, 'POST', '/v2/parties', { partyIdHint: 'owner' })).partyDetails
  await succeed(first, 'POST', '/v2/users', { user: { id: 'app' }, rights: [right('CanActAs', party)] })
  const ways = [contracts, contracts, rights, users, parties, identityProviders] as const
  for (let made = 0; made < writes; made += 1) await pick(dice, ways)(stage, party)
}

function count(tally: Tally, way: string, more: number): void {
  tally.set(way, (tally.get(way) ?? 0) + more)
}

function tokenOf(userId: string, secret: string): Promise<string> {
  const expires = new Date(Date.now() + lifetimeMs)
  const token = new SignJWT({ scope: 'daml_ledger_api' }).setSubject(userId).setExpirationTime(expires)
  return token.setProtectedHeader({ alg: 'HS256' }).sign(Buffer.from(secret))
}

async function call(url: string, method: string, path: string, token: string, body?: unknown) {
  const headers = { authorization: `Bearer ${token}` }
  const response = await fetch(url, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) })
  const { status } = response
  const answer = { status, json: (await response.json()) as Json }
  checkAnswer({ method, path, ...answer })
  return answer
}

async function succeed(client: Client, ...[method, path, body]: Parameters<Client>): Promise<Json> {
  const { status, json } = await client(method, path, body)
  assert.equal(status, 200, `${method} ${path}: ${JSON.stringify(json)}`)
  return json
}

const right = (kind: string, party: string) => ({ kind: { [kind]: { value: { party } } } })
const formatOf = (party: string) => ({ filtersByParty: { [party]: {} }, verbose: false })
const shaped = (party: string) => ({
  includeTransactions: { eventFormat: formatOf(party), transactionShape: 'TRANSACTION_SHAPE_ACS_DELTA' },
})
const templateId = '#quickstart:Iou:Iou'
const createdBy = (party: string) => ({
  CreateCommand: {
    templateId,
    createArguments: { issuer: party, owner: party, amount: '1', currency: 'EUR', observers: [] },
  },
})

/** A contract that one node creates is read on another by every way, and archived there. */
async function contracts({ dice, as, pair, holds, newName }: Stage, party: string): Promise<void> {
  const { here, there } = pair()
  const writer = await as(here, 'app')
  const reader = await as(there, 'app')
  const submit = async (on: Client, command: object) => {
    const commands = { commandId: newName(), actAs: [party], commands: [command] }
    const path = '/v2/commands/submit-and-wait-for-transaction'
    const body = { commands, transactionFormat: shaped(party).includeTransactions }
    return { commandId: commands.commandId, ...(await succeed(on, 'POST', path, body)).transaction }
  }
  const { commandId, updateId, offset, events } = await submit(writer, createdBy(party))
  const { contractId } = events[0].CreatedEvent
  const [eventFormat, updateFormat] = [formatOf(party), shaped(party)]
  const range = { beginExclusive: offset - 1, endInclusive: offset, updateFormat }
  const ways: [way: string, path: string, body: object, mentions: string][] = [
    ['contract-by-id', '/v2/contracts/contract-by-id', { contractId, queryingParties: [party] }, contractId],
    ['events-by-contract-id', '/v2/events/events-by-contract-id', { contractId, eventFormat }, contractId],
    ['update-by-id', '/v2/updates/update-by-id', { updateId, updateFormat }, updateId],
    ['update-by-offset', '/v2/updates/update-by-offset', { offset, updateFormat }, updateId],
    ['updates', '/v2/updates', range, updateId],
    ['updates page', '/v2/updates/get-updates-page', { updateFormat, beginOffsetExclusive: offset - 1 }, updateId],
    ['active contracts', '/v2/state/active-contracts', { activeAtOffset: offset, eventFormat }, contractId],
    [
      ...(['active contracts page', '/v2/state/active-contracts-page'] as const),
      { activeAtOffset: offset, eventFormat, maxPageSize: 1_000 },
      contractId,
    ],
    [
      ...(['completions', '/v2/commands/completions?limit=1'] as const),
      { beginExclusive: offset - 1, userId: 'app', parties: [party] },
      commandId,
    ],
  ]
  const [way, path, body, mentions] = pick(dice, ways)
  const found = await reader('POST', path, body)
  holds(way, found.status === 200 && JSON.stringify(found.json).includes(mentions), [here, there, found])
  const end = await succeed(reader, 'GET', '/v2/state/ledger-end')
  holds('ledger end', end.offset >= offset, [end, offset])
  const archive = { ExerciseCommand: { templateId, contractId, choice: 'Archive', choiceArgument: {} } }
  await submit(reader, archive)
  const archived = await succeed(writer, 'POST', '/v2/events/events-by-contract-id', { contractId, eventFormat })
  holds('archived event', archived.archived?.archivedEvent.contractId === contractId, archived)
}

/** A right that was refused on one node and granted on another is used on the first, and shown. */
async function rights({ as, pair, holds, newName }: Stage, party: string): Promise<void> {
  const { here, there } = pair()
  const admin = await as(here, administrator)
  const id = newName()
  await succeed(admin, 'POST', '/v2/users', { user: { id }, rights: [] })
  const user = await as(there, id)
  const list = () => user('POST', '/v2/state/active-contracts', { activeAtOffset: 0, eventFormat: formatOf(party) })
  holds('no right yet', (await list()).status === 403, id)
  await succeed(admin, 'POST', `/v2/users/${id}/rights`, { userId: id, rights: [right('CanReadAs', party)] })
  const allowed = await list()
  holds('granted right', allowed.status === 200, [here, there, allowed])
  const shown = await succeed(await as(there, administrator), 'GET', `/v2/users/${id}/rights`)
  holds('list of rights', shown.rights.length === 1, shown)
}

/** A user that was unknown on one node and created on another is served by the first, and shown. */
async function users({ as, pair, holds, newName }: Stage): Promise<void> {
  const { here, there } = pair()
  const id = newName()
  const user = await as(there, id)
  holds('no user yet', (await user('GET', '/v2/authenticated-user')).status === 403, id)
  await succeed(await as(here, administrator), 'POST', '/v2/users', { user: { id }, rights: [] })
  const known = await user('GET', '/v2/authenticated-user')
  holds('new user', known.status === 200, [here, there, known])
  const shown = await (await as(there, administrator))('GET', `/v2/users/${id}`)
  holds('user by id', shown.status === 200, shown)
}

/** A party that one node allocates for a user is known to another, and the user acts as it there. */
async function parties({ as, pair, holds, newName }: Stage): Promise<void> {
  const { here, there } = pair()
  const body = { partyIdHint: newName(), userId: 'app' }
  const { party } = (await succeed(await as(here, administrator), 'POST', '/v2/parties', body)).partyDetails
  const shown = await (await as(there, administrator))('GET', `/v2/parties/${encodeURIComponent(party)}`)
  holds('party by id', shown.status === 200 && shown.json.partyDetails.length === 1, shown)
  const commands = { commandId: newName(), actAs: [party], commands: [createdBy(party)] }
  const acted = await (await as(there, 'app'))('POST', '/v2/commands/submit-and-wait', commands)
  holds('new party acts', acted.status === 200, [here, there, acted])
}

/** An identity provider that one node adds is shown by another and may have users there. */
async function identityProviders({ as, pair, holds, newName }: Stage): Promise<void> {
  const { here, there } = pair()
  const id = newName()
  const config = {
    ...{ identityProviderId: id, isDeactivated: false, issuer: `https://${id}.example` },
    ...{ jwksUrl: 'http://127.0.0.1:1/keys', audience: '' },
  }
  const writer = await as(here, administrator)
  const reader = await as(there, administrator)
  await succeed(writer, 'POST', '/v2/idps', { identityProviderConfig: config })
  const shown = await reader('GET', `/v2/idps/${id}`)
  holds('identity provider by id', shown.status === 200, shown)
  const user = await reader('POST', '/v2/users', { user: { id: `of-${id}`, identityProviderId: id }, rights: [] })
  holds('user of a new identity provider', user.status === 200, user)
  // There may be few of them.
  const target = { userId: `of-${id}`, sourceIdentityProviderId: id, targetIdentityProviderId: '' }
  await succeed(writer, 'PATCH', `/v2/users/of-${id}/identity-provider-id`, target)
  await succeed(reader, 'DELETE', `/v2/idps/${id}`)
}
