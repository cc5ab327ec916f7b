// Further ways to read: older requests, pages and streams, gRPC by party and by id, the side-by-side view of updates, and what a
// participant finds for a command: contracts by id for a transaction to be signed, and contracts by key.
import assert from 'node:assert/strict'
import { type GrpcClient, type GrpcOptions, openGrpc, requestBytes } from '../../fixtures/grpc.ts'
import { preparePath } from '../../fixtures/interactive.ts'
import { doing, exercise, filtersFor, type Json } from '../../fixtures/ledger.ts'
import { template } from '../../fixtures/network-effects.ts'
import { briefOf } from './brief.ts'
import { isHosted, isSeenAt, type Reader, sawPayload, shownAt, stateAfter } from './model.ts'
import { checkStreams } from './streams.ts'
import { ask, everythingFor, expectedUpdates, formatFor, updateIn, type View } from './view.ts'
import { byKey, withKey } from './workload.ts'

export async function checkFurther(view: View): Promise<void> {
  const { world, participant } = view
  const reader = world.parties[(participant + world.updates.length) % world.parties.length]!.id
  await checkOlder(view, reader)
  await checkPages(view, reader)
  await checkUpdatePages(view, reader)
  await checkStreams(view, reader)
  await checkSideBySide(view)
  await checkPreparing(view)
  await checkKeys(view)
  const { grpcUrl } = view.network.node.node.participants[participant - 1]!
  await using client = openGrpc(grpcUrl!)
  await checkGrpcReader(view, client, reader)
}

const idsOf = (found: Json[]): string[] => found.flatMap(({ update }) => firstValue(update).updateId ?? [])
const firstValue = (update: Json): Json => (Object.values(update)[0] as Json)?.value ?? {}

/** Requests of older clients: flat transactions, and trees. They show no topology. */
async function checkOlder(view: View, reader: string): Promise<void> {
  const { begin, end } = view
  const body = { beginExclusive: begin, endInclusive: end, filter: filtersFor([reader]), verbose: false }
  const flats = idsOf(await ask(view, '/v2/updates/flats?limit=1000', body))
  assert.deepEqual(flats, idsExpected(view, reader, 'ACS_DELTA'), `flats at ${view.at.name}`)
  const plain = { ...body, filter: { filtersByParty: { [reader]: {} } } }
  const trees = idsOf(await ask(view, '/v2/updates/trees?limit=1000', plain))
  assert.deepEqual(trees, idsExpected(view, reader, 'LEDGER_EFFECTS'), `trees at ${view.at.name}`)
}

function idsExpected(view: View, reader: Reader, shape: 'ACS_DELTA' | 'LEDGER_EFFECTS'): string[] {
  return expectedUpdates(view, reader, shape).map(({ update }) => update.id)
}

async function checkPages(view: View, reader: string): Promise<void> {
  const { world, participant, updates, earlier, end } = view
  const ids = new Set<string>()
  for (let pageToken = ''; ; ) {
    const body = { activeAtOffset: end, eventFormat: formatFor(reader), maxPageSize: 3, pageToken }
    const page = await ask(view, '/v2/state/active-contracts-page', body)
    for (const { contractEntry } of page.activeContracts) {
      const { JsActiveContract: active, JsIncompleteUnassigned: leaving, JsIncompleteAssigned: coming } = contractEntry
      ids.add((active ?? leaving ?? coming.assignedEvent).createdEvent.contractId)
    }
    pageToken = page.nextPageToken ?? ''
    if (pageToken === '') break
  }
  for (const contract of world.contracts) {
    const state = stateAfter(updates, contract)
    if (state === 'torn') continue
    const isKnown = isHosted(world, participant, contract.stakeholders) && state !== 'gone' && state !== 'unknown'
    assert.equal(ids.has(contract.id), isKnown && contract.stakeholders.includes(reader), `${contract.note} in pages`)
    ids.delete(contract.id)
  }
  const others = [...ids].filter((id) => !earlier.has(id) && !world.contracts.some((contract) => contract.id === id))
  assert.deepEqual(others, [])
}

/** Page by page, forwards and backwards. */
async function checkUpdatePages(view: View, one: string): Promise<void> {
  const { world, begin, end, at } = view
  for (const reader of [undefined, one]) {
    for (const descendingOrder of [false, true]) {
      const range = { beginOffsetExclusive: begin, endOffsetInclusive: end, descendingOrder }
      const request = { ...range, updateFormat: everythingFor(reader, 'LEDGER_EFFECTS'), maxPageSize: 3 }
      const found: Json[] = []
      for (let token = {}; ; ) {
        const page = await ask(view, '/v2/updates/get-updates-page', { ...request, ...token })
        found.push(...page.updates.flatMap(({ update }: Json) => updateIn(update) ?? []))
        if (page.nextPageToken === null) break
        token = { pageToken: page.nextPageToken }
      }
      const expected = expectedUpdates(view, reader, 'LEDGER_EFFECTS')
      assert.deepEqual(
        found.map(({ updateId, events }) => `${updateId} ${briefOf(events, world)}`),
        (descendingOrder ? expected.toReversed() : expected).map(({ update, text }) => `${update.id} ${text}`),
        `pages of updates at ${at.name} for ${reader}`,
      )
    }
  }
}

/** An administrator of the network compares what each participant shows. */
async function checkSideBySide({ world, participant, updates, network }: View): Promise<void> {
  for (const update of world.updates.slice(-4)) {
    const { participants } = await network.v1.ask(`/dev/network/updates/${update.id}`)
    const isSeen = updates.includes(update) && isSeenAt(world, update, participant)
    assert.equal(participants[participant - 1].update !== null, isSeen, `${update.id} beside others`)
  }
}

/** A transaction to be signed uses what the participant knows and the signer sees; nothing was disclosed. */
async function checkPreparing(view: View): Promise<void> {
  const { world, participant, updates, at, network } = view
  const signer = world.parties.find(({ isExternal }) => isExternal)!.id
  if (world.away.some((absence) => absence.participant === participant && absence.place === 's2')) return
  for (const contract of world.contracts.filter(({ key }) => key === undefined).slice(0, 6)) {
    const state = stateAfter(updates, contract)
    if (state === 'torn') continue
    const { status, json, text } = await at.post(preparePath, {
      commands: [exercise(template, contract.id, 'Keep', doing([signer]))],
      ...{ commandId: `prepare ${contract.id}`, userId: 'u', actAs: [signer], synchronizerId: network.s2 },
    })
    const isKnown = isHosted(world, participant, contract.stakeholders) && contract.stakeholders.includes(signer)
    assert.equal(status === 200, isKnown && state === 's2', `${contract.note} prepared at ${at.name}: ${text}`)
    if (status !== 200) continue
    const prepared = Buffer.from(json.preparedTransaction, 'base64')
    const told = world.contracts.filter(({ id }) => prepared.includes(Buffer.from(id.slice(2), 'hex')))
    for (const one of told) assert.ok(sawPayload(world, one, participant), `${one.note} in a prepared transaction`)
  }
}

/** A participant that knows no contract of a key has nothing to use. */
async function checkKeys(view: View): Promise<void> {
  const { world, participant, at, network } = view
  const local = world.parties.find(({ hosts, isExternal }) => !isExternal && hosts.includes(participant))!
  if (world.away.some((absence) => absence.participant === participant && absence.place === 's2')) return
  for (const contract of world.contracts.filter(({ key }) => key !== undefined)) {
    if (withKey(world, participant, contract.signatories[0]!, contract.key!).length > 0) continue
    const { status, json, text } = await at.post('/v2/commands/submit-and-wait', {
      commands: [byKey(contract, 'Keep', [local.id])],
      ...{ commandId: `key ${contract.id}`, userId: 'u', actAs: [local.id], synchronizerId: network.s2 },
    })
    assert.deepEqual([status, json.code], [404, 'CONTRACT_KEY_NOT_FOUND'], `${contract.note} at ${at.name}: ${text}`)
  }
}

const notFound = 5
/** Completions have no end: as long as some are missing, it may be that they have not come yet. */
const quietMs = [50, 1_000, 10_000]

async function checkGrpcReader(view: View, client: GrpcClient, reader: string): Promise<void> {
  const { world, participant, updates, begin, end, at } = view
  const call = async (method: string, request: object, options: GrpcOptions = {}) => {
    const path = `/com.daml.ledger.api.v2.${method}`
    const { code, messages } = await client.call(path, requestBytes(path, request), options)
    return { code, bytes: Buffer.concat(messages) } // Ids are texts in it.
  }
  const updateFormat = everythingFor(reader, 'LEDGER_EFFECTS')
  const all = await call('UpdateService/GetUpdates', { beginExclusive: begin, endInclusive: end, updateFormat })
  for (const update of world.updates) {
    const isShown = updates.includes(update) && shownAt(world, update, participant, reader, 'LEDGER_EFFECTS') !== ''
    const where = `${update.id} over gRPC for ${reader} at ${at.name}`
    assert.equal(all.bytes.includes(update.id), isShown, where)
    const { code } = await call('UpdateService/GetUpdateById', { updateId: update.id, updateFormat })
    assert.equal(code, isShown ? 0 : notFound, where)
  }
  for (const contract of world.contracts) {
    const { id: contractId, stakeholders } = contract
    const state = stateAfter(updates, contract)
    if (state === 'torn') continue
    const where = `${contract.note} over gRPC for ${reader} at ${at.name}`
    const isKnown = isHosted(world, participant, stakeholders) && state !== 'unknown' && stakeholders.includes(reader)
    const events = await call('EventQueryService/GetEventsByContractId', { contractId, eventFormat: formatFor(reader) })
    assert.equal(events.code, isKnown ? 0 : notFound, where)
    const payload = await call('ContractService/GetContract', { contractId, queryingParties: [reader] })
    const isThere = sawPayload(world, contract, participant) && stakeholders.includes(reader)
    assert.equal(payload.code, isThere ? 0 : notFound, where)
  }
  const parties = world.parties.map(({ id }) => id)
  const request = { userId: 'u', parties, beginExclusive: begin }
  const own = updates.filter((update) => update.participant === participant)
  let found: string[] = []
  for (const ms of quietMs) {
    const { bytes } = await call('CommandCompletionService/CompletionStream', request, { quietMs: ms })
    found = world.updates.map(({ id }) => id).filter((id) => bytes.includes(id))
    if (found.length >= own.length) break
  }
  const ids = new Set(own.map(({ id }) => id))
  assert.deepEqual(new Set(found), ids, `completions over gRPC at ${at.name}`)
}
