// Random requests by the schemas of their operations, the same to both nodes.
import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import fc from 'fast-check'
import { allRoutes } from '../../src/api/routes/all.ts'
import { arbitraryRequest, type Known } from '../../test/fixtures/arbitrary-requests.ts'
import { exercise, filtersFor, iou, transactionFormat, type World } from './world.ts'

/** Ours alone; and what would change the nodes for all that follows. */
const excluded = /^\/v2\/(pruning|time|synchronizers|package-vetting\/update|package-vetting$|dars$|packages$)/

/** Canton refuses, as another identity provider's, a user that has been deleted meanwhile: for five seconds. */
const cantonRemembersMs = 6000

/** With shorter ones, what is answered depends on how busy the nodes are. */
const idleMs = 900

export async function randomSession(world: World, count: number, seed: number): Promise<void> {
  const routes = allRoutes('0').filter(
    ({ method, path }) => !(excluded.test(path) && method !== 'GET') && !excluded.test(`${path}`),
  )
  const known = await whatThereIs(world)
  const each = Math.ceil(count / routes.length)
  for (const route of routes) {
    const requests = fc.sample(arbitraryRequest(route, known), { seed, numRuns: each })
    for (const { path, body, headers, asWhom } of requests) {
      if (body !== undefined && typeof body !== 'string') continue
      const as = { admin: 'participant_admin', app: 'app', nobody: 'nobody', broken: 'nobody' }[asWhom]
      if (waits(body)) continue
      const patient = path.replace(/(stream_idle_timeout_ms=)(1|20)(?=&|$)/g, `$1${idleMs}`)
      await world.both.call(route.method, patient, { as, headers, body, note: `random, seed ${seed}` })
    }
    if (route.method === 'DELETE') await pause(cantonRemembersMs)
  }
}

/** A command for a time far away is answered when that time comes. */
const waits = (body: string | undefined) => body?.includes('minLedgerTime') ?? false

async function whatThereIs(world: World): Promise<Known> {
  const { both, alice, bank, bob, packageIds, synchronizers } = world
  const contractId = await world.create(world.createIou())
  const other = await world.create(world.createIou({ amount: '5' }))
  const { updateId } = (await world.submit([world.createIou()])) ?? { updateId: 'x' }
  await both.post('/v2/users', { user: { id: 'someone' } })
  const acme = { identityProviderId: 'acme', issuer: 'https://acme.example', jwksUrl: 'https://acme.example/keys' }
  await both.post('/v2/idps', { identityProviderConfig: acme })
  const parties = [alice, bank, bob, `nobody::${alice.split('::')[1]}`]
  const mine = [alice, bank]
  const iouArguments = { issuer: bank, owner: alice, amount: '1.5', currency: 'EUR', observers: [] }
  const users = ['someone', 'somebody']
  const providers = ['', '', 'acme']
  return {
    party: parties,
    parties,
    actAs: parties,
    readAs: parties,
    requestingParties: parties,
    primaryParty: parties,
    queryingParties: parties,
    'filter-party': ['ali', ''],
    partyIdHint: ['dora', 'emil', 'alice'],
    id: users,
    userId: [...users, 'app', ''],
    'user-id': users,
    identityProviderId: providers,
    'idp-id': ['acme'],
    'identity-provider-id': providers,
    sourceIdentityProviderId: providers,
    targetIdentityProviderId: providers,
    issuer: ['https://acme.example', 'https://other.example'],
    jwksUrl: ['https://acme.example/keys'],
    'paths[]': [['issuer'], ['audience'], ['is_deactivated'], ['primary_party'], ['local_metadata'], ['metadata']],
    source: synchronizers,
    target: synchronizers,
    synchronizer: synchronizers,
    resourceVersion: ['', '0', '1'],
    pageToken: [''],
    synchronizerId: ['', ...synchronizers, 'other::1220'],
    updateId: [updateId, '1220'],
    'update-id': [updateId, '1220'],
    offset: [1, 2, 3],
    beginExclusive: [0, 1],
    endInclusive: [1, 2, 100],
    activeAtOffset: [0, 1, 2],
    contractId: [contractId, other, '00'],
    templateId: [iou, '#quickstart:Wallet:Wallet'],
    interfaceId: ['#quickstart:Holding:Holding'],
    choice: ['Archive', 'Iou_Split', 'Iou_Show'],
    createArguments: [iouArguments, { owner: alice }],
    choiceArgument: [{}, { amount: '1' }, { viewers: [bob] }, null],
    'package-id': packageIds,
    packageIds,
    packageId: packageIds,
    packageIdSelectionPreference: packageIds,
    packageName: ['quickstart', ''],
    packageVersion: ['1.0.0', ''],
    packageNamePrefixes: ['quick'],
    maxPageSize: [1, 100],
    pageSize: [0, 1, 100],
    limit: [1, 10],
    tapsMaxPasses: [1],
    'actAs[]': [mine, mine, [alice]],
    'readAs[]': [[], [bob]],
    'parties[]': [mine, []],
    'commands[]': [[world.createIou()], [exercise(iou, contractId, 'Iou_Split', { amount: '1' })]],
    'queryingParties[]': [mine],
    'requestingParties[]': [mine, []],
    'disclosedContracts[]': [[]],
    updateFormat: [{ includeTransactions: transactionFormat({ ...filtersFor(mine), verbose: false }) }],
    deduplicationPeriod: [{ Empty: {} }],
    minLedgerTimeRel: [null],
    minLedgerTimeAbs: [null],
    files: [readFileSync(new URL('../../test/lf/effects-lf22.dar', import.meta.url))],
  }
}
