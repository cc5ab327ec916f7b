// What one node has answered, another knows at once, even if no notification reaches it: it looks before it answers.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import { openGrpc, requestBytes } from '../fixtures/grpc.ts'
import { startIssuer } from '../fixtures/issuer.ts'
import {
  archiveIou,
  createTarget,
  effects,
  effectsDar,
  filtersFor,
  right,
  type TestLedger,
  templateFilter,
  updateFormat,
} from '../fixtures/ledger.ts'
import type { Answer, TestNode } from '../fixtures/node.ts'
import { startTwoNodes, type TwoNodes } from '../fixtures/two-nodes.ts'
import { openSocket } from '../fixtures/websocket.ts'

describe('a node that hears no notification', () => {
  let nodes: TwoNodes
  let there: TestLedger
  let here: TestNode
  let token: string

  before(async () => {
    nodes = await startTwoNodes({ hearsNothing: true })
    ;({ a: there, b: here, token } = nodes)
  })
  after(() => nodes[Symbol.asyncDispose]())

  const post = (path: string, body: unknown, as = token) => here.call('POST', path, { token: as, body })
  const succeeded = ({ status, text, json }: Answer) => {
    assert.equal(status, 200, text)
    return json
  }
  const onOther = async (method: string, path: string, body?: unknown) =>
    succeeded(await there.node.call(method, path, body === undefined ? {} : { body }))
  const grant = (userId: string, ...rights: object[]) =>
    onOther('POST', `/v2/users/${userId}/rights`, { userId, rights })
  const events = (contractId: string) =>
    post('/v2/events/events-by-contract-id', { contractId, eventFormat: filtersFor([there.alice]) })
  const listAs = (as: string, party = there.alice) =>
    post('/v2/state/active-contracts', { eventFormat: filtersFor([party]), activeAtOffset: 0 }, as)

  test('finds a contract that another has created, by its id', async () => {
    const { contractId } = await there.submit([there.createIou()])
    const found = succeeded(await post('/v2/contracts/contract-by-id', { contractId, queryingParties: [there.alice] }))
    assert.equal(found.createdEvent.contractId, contractId)
  })

  test('finds the events of a contract that another has created and archived', async () => {
    const { contractId } = await there.submit([there.createIou()])
    assert.equal(succeeded(await events(contractId)).archived, null)
    await there.submit([archiveIou(contractId)])
    assert.equal(succeeded(await events(contractId)).archived.archivedEvent.contractId, contractId)
  })

  test('finds an update that another has committed, by its id and by its offset', async () => {
    const format = updateFormat(filtersFor([there.alice]))
    for (const by of ['id', 'offset'] as const) {
      const { updateId, offset } = (await there.submit([there.createIou()])).transaction
      const asked = by === 'id' ? { updateId } : { offset }
      const found = succeeded(await post(`/v2/updates/update-by-${by}`, { ...asked, updateFormat: format }))
      assert.equal(found.update.Transaction.value.offset, offset)
    }
  })

  test('serves a user that another has created after it was unknown here', async () => {
    const newcomer = await here.token('newcomer')
    assert.equal((await listAs(newcomer)).status, 403)
    await there.userWith('newcomer', right('CanReadAs', there.alice))
    succeeded(await listAs(newcomer))
  })

  test('accepts a right that another has granted after it was refused here, on every face', async () => {
    await there.userWith('reader')
    const reader = await here.token('reader')
    assert.equal((await listAs(reader)).status, 403)
    await grant('reader', right('CanReadAs', there.alice))
    succeeded(await listAs(reader))

    assert.equal((await listAs(reader, there.bob)).status, 403)
    await grant('reader', right('CanReadAs', there.bob))
    const request = { eventFormat: filtersFor([there.bob]), activeAtOffset: 0 }
    const protocols = [`jwt.token.${reader}`, 'daml.ws.auth']
    await using socket = await openSocket(`${here.url}/v2/state/active-contracts`, { protocols, request })
    assert.deepEqual(await socket.rest(), [])

    assert.equal((await listAs(reader, there.carol)).status, 403)
    await grant('reader', right('CanReadAs', there.carol))
    await using client = openGrpc(here.node.grpcUrl!, reader)
    const path = '/com.daml.ledger.api.v2.StateService/GetActiveContracts'
    const wildcard = { cumulative: [{ identifierFilter: { wildcardFilter: {} } }] }
    const asked = { activeAtOffset: 0, eventFormat: { filtersByParty: { [there.carol]: wildcard } } }
    const { code, message } = await client.call(path, requestBytes(path, asked))
    assert.equal(code, 0, message)
  })

  test('refuses what was not granted, also after another change', async () => {
    await there.userWith('stranger')
    const stranger = await here.token('stranger')
    assert.equal((await listAs(stranger)).status, 403)
    await grant('stranger', right('CanReadAs', there.bob))
    assert.equal((await listAs(stranger)).status, 403)
  })

  test('accepts a token of an identity provider that another has added after it was unknown here', async () => {
    await using issuer = await startIssuer()
    const theirs = await issuer.sign({ sub: 'of-acme', scope: 'daml_ledger_api' })
    assert.equal((await listAs(theirs)).status, 401)
    const { issuer: name, jwksUrl } = issuer
    const config = { identityProviderId: 'acme', isDeactivated: false, issuer: name, jwksUrl, audience: '' }
    await onOther('POST', '/v2/idps', { identityProviderConfig: config })
    const user = { id: 'of-acme', identityProviderId: 'acme' }
    await onOther('POST', '/v2/users', { user, rights: [right('CanReadAsAnyParty')] })
    succeeded(await listAs(theirs))
  })

  test('acts for a party that another has allocated for its user', async () => {
    const { partyDetails } = await onOther('POST', '/v2/parties', { partyIdHint: 'dora', userId: 'app' })
    const { party } = partyDetails
    const command = there.createIou({ issuer: party, owner: party })
    succeeded(await post('/v2/commands/submit-and-wait', there.commandsOf([command], { actAs: [party] })))
  })

  test('knows a package that another has uploaded, vetted and unvetted, in commands and in formats', async () => {
    const named = filtersFor([there.alice], templateFilter('#effects-lf21:Effects:Target'))
    const list = () => post('/v2/state/active-contracts', { eventFormat: named, activeAtOffset: 0 })
    const command = createTarget([there.alice])
    const submit = () => post('/v2/commands/submit-and-wait', there.commandsOf([command], { actAs: [there.alice] }))
    assert.equal((await submit()).status, 404)
    assert.equal((await list()).status, 404)
    await onOther('POST', '/v2/packages', readFileSync(effectsDar))
    succeeded(await list())
    succeeded(await submit())

    const vetted = async () => JSON.stringify(succeeded(await post('/v2/package-vetting/list', {}, here.adminToken)))
    const change = (operation: string) => ({
      changes: [{ operation: { [operation]: { value: { packages: [{ packageId: effects }] } } } }],
    })
    await onOther('POST', '/v2/package-vetting/update', change('Unvet'))
    assert.doesNotMatch(await vetted(), new RegExp(effects))
    assert.equal((await submit()).status, 400)
    await onOther('POST', '/v2/package-vetting/update', change('Vet'))
    succeeded(await submit())
    assert.match(await vetted(), new RegExp(effects))
  })

  test('shows users, rights, synchronizers, vetting and pruned offsets as another has changed them', async () => {
    const get = async (path: string) => succeeded(await here.call('GET', path))
    await there.userWith('shown')
    assert.deepEqual((await get('/v2/users/shown/rights')).rights, [])
    await grant('shown', right('CanReadAs', there.alice))
    assert.equal((await get('/v2/users/shown/rights')).rights.length, 1)
    const user = { id: 'shown', primaryParty: there.bob, identityProviderId: '' }
    await onOther('PATCH', '/v2/users/shown', { user, updateMask: { paths: ['primary_party'] } })
    assert.equal((await get('/v2/users/shown')).user.primaryParty, there.bob)

    const [{ synchronizerAlias: alias }] = (await get('/v2/synchronizers')).synchronizers
    await onOther('POST', `/v2/synchronizers/${alias}/disconnect`)
    const connected = async () => (await get('/v2/state/connected-synchronizers')).connectedSynchronizers.length
    assert.equal(await connected(), 1)
    await onOther('POST', `/v2/synchronizers/${alias}/connect`)
    assert.equal(await connected(), 2)
    await onOther('POST', `/v2/synchronizers/${alias}/disconnect`)
    assert.match(JSON.stringify(await get('/v2/synchronizers')), /"isConnected":false/)
    await onOther('POST', `/v2/synchronizers/${alias}/connect`)

    const { contractId, transaction } = await there.submit([there.createIou()])
    await there.submit([archiveIou(contractId)])
    await onOther('POST', '/v2/pruning', { pruneUpTo: transaction.offset })
    const pruned = await get('/v2/state/latest-pruned-offsets')
    assert.equal(pruned.participantPrunedUpToInclusive, transaction.offset)
  })
})
