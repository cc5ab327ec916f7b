// Callers without the rights to see something ask for it in every way the API has: random requests that name hidden
// things, and the same requests with names that do not exist. Hidden data never appears, and the two answers are the
// same.
import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { Route } from '../../src/api/route.ts'
import { allRoutes } from '../../src/api/routes/all.ts'
import { arbitraryRequest, type Known, type RandomRequest } from '../../test/fixtures/arbitrary-requests.ts'
import {
  archiveIou,
  exercise,
  filtersFor,
  iouType,
  right,
  startTestLedger,
  type TestLedger,
  updateFormat,
} from '../../test/fixtures/ledger.ts'
import type { Campaign } from '../campaign.ts'
import { runRounds } from '../rounds.ts'

export const strangers: Campaign = {
  name: 'strangers',
  attack:
    'random requests of every operation about contracts, updates and users of others, by nobody and by users with few rights',
  invariant: 'No answer holds what is hidden; a hidden contract or update and one that does not exist answer alike',
  unit: 'requests',
  full: 60_000,
  short: 120,
  run: (plan) => runRounds(plan, ask, { timesPerRound: 2_000, sideBySide: 2, failureKind: 'leaked' }),
}

const routes = allRoutes('0.0.0', true)
const secret = 'hidden-8f3a1c'

type Scene = {
  readonly ledger: TestLedger
  readonly known: Known
  /** Pairs of a hidden id and one of the same form that does not exist. */
  readonly twins: readonly (readonly [hidden: string, absent: string])[]
  /** The callers: no token, a broken one, a user without rights, a user with its own party. */
  readonly principals: readonly (string | null)[]
}

async function ask(seed: number, count: number): Promise<number> {
  const limits = { listWaitMs: 10, requestTimeoutMs: 20_000 }
  await using ledger = await startTestLedger({ settings: { limits } })
  const scene = await hide(ledger)
  const perRoute = Math.ceil(count / routes.length)
  let asked = 0
  for (const route of routes) {
    for (const request of fc.sample(arbitraryRequest(route, scene.known), { seed, numRuns: perRoute })) {
      const token = scene.principals[asked % scene.principals.length]!
      await compare(scene, route, request, token)
      asked += 1
    }
  }
  return asked
}

async function hide(ledger: TestLedger): Promise<Scene> {
  const { node, bank, alice } = ledger
  const { transaction, contractId } = await ledger.submit([ledger.createIou({ currency: secret })])
  const gone = await ledger.submit([ledger.createIou({ currency: secret })])
  await ledger.submit([archiveIou(gone.contractId)])
  await ledger.userWith(`${secret}-user`, right('CanActAs', alice))
  const eve = (await node.call('POST', '/v2/parties', { body: { partyIdHint: 'eve' } })).json.partyDetails.party
  const eveToken = await ledger.userWith('eve', right('CanActAs', eve))
  const twins = [contractId, gone.contractId, transaction.updateId].map((id) => [id, other(id)] as const)
  const { connectedSynchronizers } = (await node.call('GET', '/v2/state/connected-synchronizers')).json
  const synchronizers = connectedSynchronizers.map((one: { synchronizerId: string }) => one.synchronizerId)
  const ids = [contractId, gone.contractId]
  const known: Known = {
    ...{ party: [alice, bank, eve], parties: [alice, eve], 'parties[]': [[eve], [alice]], 'actAs[]': [[eve], [alice]] },
    ...{ 'readAs[]': [[], [alice]], 'requestingParties[]': [[eve], [alice]], 'queryingParties[]': [[eve]] },
    ...{ userId: ['eve', `${secret}-user`], 'user-id': ['eve', `${secret}-user`], submitter: [eve, alice] },
    ...{ contractId: ids, 'contract-id': ids, updateId: [transaction.updateId], 'update-id': [transaction.updateId] },
    ...{
      offset: [transaction.offset],
      activeAtOffset: [transaction.offset],
      beginExclusive: [0],
      source: synchronizers,
    },
    ...{
      target: synchronizers,
      synchronizerId: synchronizers,
      templateId: [iouType],
      choice: ['Archive', 'Iou_Split'],
    },
    ...{ choiceArgument: [{}, { amount: '1' }], 'disclosedContracts[]': [[]], deduplicationPeriod: [{ Empty: {} }] },
    'commands[]': ids.map((id) => [exercise(iouType, id, 'Iou_Split', { amount: '1' })]),
    updateFormat: [updateFormat(filtersFor([eve])), updateFormat(filtersFor([alice]))],
    eventFormat: [filtersFor([eve]), filtersFor([alice])],
    files: [Buffer.from('no package')],
  }
  return { ledger, known, twins, principals: [eveToken, await ledger.userWith('mallory'), eveToken, null, 'a.b.c'] }
}

/** An id of the same form that does not exist. */
function other(id: string): string {
  return `${id.slice(0, 4)}${id.slice(4, 12).replaceAll(/[0-9a-f]/g, (digit) => (15 - Number.parseInt(digit, 16)).toString(16))}${id.slice(12)}`
}

async function compare(
  { ledger, twins }: Scene,
  route: Route,
  request: RandomRequest,
  token: string | null,
): Promise<void> {
  const { path, body, headers } = request
  const text = typeof body === 'string' ? body : undefined
  const send = (at: string, content: string | undefined) =>
    ledger.node.call(route.method, at, { token, headers, ...(content !== undefined && { body: content }) })
  const answer = await send(path, text)
  const named = `${path} ${text ?? ''}`
  assert.ok(!answer.text.includes(secret) || named.includes(secret), `${route.method} ${named} told ${answer.text}`)
  assert.ok(
    answer.status < 500 || [501, 503].includes(answer.status),
    `${route.method} ${named}: ${answer.status} ${answer.text}`,
  )
  for (const [hidden, absent] of twins) {
    if (!named.includes(hidden)) continue
    const twin = await send(path.replaceAll(hidden, absent), text?.replaceAll(hidden, absent))
    assert.equal(
      plain(twin.text, absent),
      plain(answer.text, hidden),
      `${route.method} ${named} by ${token?.slice(0, 10)}`,
    )
    assert.equal(twin.status, answer.status)
  }
}

/** Removes the id itself, its prefix, and what differs in every answer. */
function plain(text: string, id: string): string {
  return text
    .replaceAll(id, 'ID')
    .replaceAll(id.slice(0, 12), 'ID')
    .replaceAll(/"(traceId|tid|correlationId|submissionId)":"[0-9a-f-]*"/g, '')
    .replaceAll(/[+-]?\d{4,}-\d\d-\d\dT[\d:.]+Z/g, 'NOW')
    .replaceAll(/submissionId: '[0-9a-f-]{36}'/g, "submissionId: 'NEW'")
}
