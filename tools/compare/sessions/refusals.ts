// What refusals tell besides their code: parties, contracts, synchronizers, serials and texts of what is malformed.
import { target as targetArguments } from '../../../test/fixtures/ledger.ts'
import { darFile, exercise, filtersFor, iou, right, target, updateFormat, type World } from '../world.ts'

export async function refusalSession(world: World): Promise<void> {
  await unknownParties(world)
  await vettingSerials(world)
  await malformedNames(world)
  await malformedTokens(world)
  await truncatedDars(world)
  await tooManyRights(world)
}

const submitPath = '/v2/commands/submit-and-wait'
const preparePath = '/v2/interactive-submission/prepare'

async function unknownParties(world: World): Promise<void> {
  const { both, alice, bank, submit, create, createIou, commandsOf } = world
  const stranger = `stranger::${alice.split('::')[1]}`
  const createTarget = (signatories: readonly string[]) => ({
    CreateCommand: { templateId: target, createArguments: targetArguments(signatories) },
  })
  const contractId = await create(createIou())
  for (const tapsMaxPasses of [undefined, 1, 2]) {
    await submit([createIou({ observers: [stranger] })], { tapsMaxPasses })
    await submit([createTarget([alice, stranger])], { tapsMaxPasses, actAs: [alice, stranger] })
    await submit([createTarget([alice])], { tapsMaxPasses, actAs: [alice, stranger] })
    await submit([exercise(iou, contractId, 'Iou_Show', { viewers: [stranger] })], { tapsMaxPasses })
  }
  await submit([createTarget([alice])], { actAs: [stranger] })
  const preparation = { synchronizerId: '', packageIdSelectionPreference: [], verboseHashing: false }
  for (const commands of [[createIou({ observers: [stranger] })], [createIou(), createIou()]]) {
    const body = { ...commandsOf(commands, { actAs: [bank, alice] }), ...preparation }
    await both.post(preparePath, body, { as: 'app' })
    await both.post(submitPath, commandsOf(commands), { as: 'app' })
  }
}

async function vettingSerials({ both, synchronizers }: World): Promise<void> {
  const operation = { Vet: { value: { packages: [{ packageId: '', packageName: 'quickstart', packageVersion: '' }] } } }
  const [synchronizerId] = synchronizers
  for (const serial of [{ Prior: { value: 100_000 } }, { NoPrior: {} }, { Prior: { value: 0 } }]) {
    const body = { changes: [{ operation }], dryRun: true, synchronizerId, expectedTopologySerial: { serial } }
    await both.post('/v2/package-vetting/update', body)
  }
  const elsewhere = { changes: [{ operation }], dryRun: true, synchronizerId: `other::1220${'ab'.repeat(32)}` }
  await both.post('/v2/package-vetting/update', elsewhere)
}

async function malformedNames({ both, alice, create, createIou, submit, newId }: World): Promise<void> {
  const long = 'x'.repeat(190)
  for (const synchronizerId of ['x', 'x::', '::x', 'a%::1220', 'a::b%', 'a::b::c', `${long}::1220`, `a::${long}`]) {
    await submit([createIou()], { synchronizerId })
    await both.get(
      `/v2/interactive-submission/preferred-package-version?parties=${alice}&package-name=quickstart&synchronizer-id=${encodeURIComponent(synchronizerId)}`,
    )
    await both.post('/v2/parties', { partyIdHint: newId('party'), synchronizerId })
    await both.post('/v2/parties', { partyIdHint: synchronizerId })
  }
  const contractId = await create(createIou())
  for (const choice of ['', '1', 'a-b', 'ä', 'x'.repeat(1001), 'Iou_Nothing']) {
    await submit([exercise(iou, contractId, choice)], {}, { note: `choice ${choice.slice(0, 20)}` })
  }
  const urls = [
    'x',
    '//a',
    ':',
    'http:',
    'http://',
    'http://a b',
    'http://a/b c',
    'http://a/%zz',
    'http://a#b#c',
    'foo://a',
  ]
  for (const jwksUrl of [...urls, 'http://[::1', 'http://[x]/', 'http://a:x', '1http://a', 'ht tp://a', 'urn:x']) {
    const identityProviderConfig = { identityProviderId: 'refused', issuer: 'https://refused.example', jwksUrl }
    await both.post('/v2/idps', { identityProviderConfig }, { note: jwksUrl })
  }
  for (const updateId of ['x', '1220', '12', 'ab', '1220ab', `1120${'ab'.repeat(32)}`, 'ABC', '8'.repeat(30)]) {
    await both.post('/v2/updates/update-by-id', { updateId, updateFormat: anyUpdate(alice) }, { as: 'app' })
  }
}

const anyUpdate = (party: string) => updateFormat({ ...filtersFor([party]), verbose: false })

/** Nothing, a field of no message, messages without content and with fields that no token has. */
const tokens = ['', 'AAAA', 'CgA=', 'EgA=', 'CAE=', 'CAEQAhgB', 'Cg==', 'CgUIAQ==', 'UgA=', 'DQ==']

async function malformedTokens({ both, alice, create, createIou, submit }: World): Promise<void> {
  const as = { as: 'app' }
  const contractId = await create(createIou())
  const { offset } = await both.get('/v2/state/ledger-end')
  const eventFormat = { ...filtersFor([alice]), verbose: false }
  for (const token of tokens) {
    const updates = { beginExclusive: 0, endInclusive: offset, updateFormat: anyUpdate(alice), pageToken: token }
    await both.post('/v2/updates/get-updates-page', updates, as)
    await both.post('/v2/state/active-contracts-page', { eventFormat, pageToken: token }, as)
    const stream = { activeAtOffset: offset, eventFormat, streamContinuationToken: token }
    await both.post('/v2/state/active-contracts', stream, as)
    const disclosed = { contractId, createdEventBlob: token, templateId: null, synchronizerId: '' }
    await submit([exercise(iou, contractId, 'Iou_Show', { viewers: [] })], { disclosedContracts: [disclosed] })
  }
}

async function truncatedDars({ both }: World): Promise<void> {
  const dar = darFile('test/lf/effects-lf22.dar')
  for (const length of [0, 1, 10, 29, 100, Math.floor(dar.length / 2)]) {
    await both.post('/v2/dars/validate', dar.subarray(0, length), { note: `${length} bytes` })
    await both.post('/v2/dars', dar.subarray(0, length), { note: `${length} bytes` })
  }
}

async function tooManyRights({ both, alice, newId }: World): Promise<void> {
  const namespace = alice.split('::')[1]
  const rights = (count: number) =>
    Array.from({ length: count }, (_, index) => right('CanReadAs', `party-${index}::${namespace}`))
  const id = newId('user')
  await both.post('/v2/users', { user: { id }, rights: rights(1001) })
  await both.post('/v2/users', { user: { id }, rights: rights(1000) })
  await both.post(`/v2/users/${id}/rights`, { userId: id, rights: [right('CanReadAs', alice)] })
}
