// Reads everything that a network shows, by every path and as every reader, and compares it with the model.
import assert from 'node:assert/strict'
import { openGrpc, requestBytes } from '../../fixtures/grpc.ts'
import { filtersFor, type Json, type Shape, updateFormat } from '../../fixtures/ledger.ts'
import type { TestParticipant } from '../../fixtures/network.ts'
import type { EffectsNetwork } from '../../fixtures/network-effects.ts'
import {
  type Contract,
  createdIn,
  eventsAt,
  isHosted,
  isSeenAt,
  type Reader,
  sawCreated,
  shownAt,
  type Update,
  type World,
} from './model.ts'
import { usedIn } from './workload.ts'

export type Scene = {
  readonly network: EffectsNetwork
  readonly world: World
  /** The ledger ends before the first update of the world. */
  readonly begins: readonly number[]
  /** Ids of contracts of earlier worlds, which parties of this one do not see. */
  readonly earlier: ReadonlySet<string>
}

type View = Scene & { readonly at: TestParticipant; readonly participant: number; readonly begin: number }

const withBlobs = { identifierFilter: { WildcardFilter: { value: { includeCreatedEventBlob: true } } } }
const formatFor = (reader: Reader) =>
  reader === undefined ? { filtersForAnyParty: { cumulative: [withBlobs] } } : filtersFor([reader], withBlobs)

const everythingFor = (reader: Reader, shape: Shape) => ({
  ...updateFormat(formatFor(reader), shape),
  includeReassignments: formatFor(reader),
})

const updateIn = ({ Transaction, Reassignment }: Json): Json => (Transaction ?? Reassignment)?.value

export async function checkReads(scene: Scene): Promise<void> {
  const { network, world, begins } = scene
  for (const [index, at] of [network.v1, network.v2, network.v3].entries()) {
    const hidden = hiddenFrom(world, index + 1)
    const view = { ...scene, at: watched(at, hidden), participant: index + 1, begin: begins[index]! }
    const readers: Reader[] = [undefined, ...world.parties.map(({ id }) => id)]
    for (const reader of readers) {
      await checkUpdates(view, reader)
      await checkActive(view, reader)
      await checkContracts(view, reader)
      await checkFinding(view, reader)
    }
    await checkSingleUpdates(view)
    await checkCompletions(view)
    await checkGrpc(view)
  }
}

/** What must not appear in any answer of the participant: ids of updates and notes of contracts that it did not see. */
function hiddenFrom(world: World, participant: number): string[] {
  const events = world.updates.map((update) => eventsAt(world, update, participant))
  const updates = world.updates.filter((update) => !isSeenAt(world, update, participant))
  // The result of a choice tells of the contracts that it fetched.
  const told = usedIn(events.flat().map(({ node }) => node))
  const contracts = world.contracts.filter((one) => !told.has(one) && !sawCreated(world, one, participant))
  return [...updates.map(({ id }) => id), ...contracts.map(({ note }) => note)]
}

function watched(at: TestParticipant, hidden: readonly string[]): TestParticipant {
  return {
    ...at,
    async post(path, body) {
      const answer = await at.post(path, body)
      // A refusal may repeat what was asked for.
      const leaked = answer.status === 200 ? hidden.find((text) => answer.text.includes(text)) : undefined
      assert.equal(leaked, undefined, `${at.name} ${path} tells ${leaked}`)
      return answer
    },
  }
}

async function ask({ at }: View, path: string, body: object): Promise<Json> {
  const answer = await at.post(path, body)
  assert.equal(answer.status, 200, `${at.name} ${path}: ${answer.text}`)
  return answer.json
}

const shapes: readonly Shape[] = ['ACS_DELTA', 'LEDGER_EFFECTS']

async function checkUpdates(view: View, reader: Reader): Promise<void> {
  const { world, participant, begin } = view
  for (const shape of shapes) {
    const expected = expectedUpdates(view, reader, shape)
    const body = {
      beginExclusive: begin,
      endInclusive: world.updates.at(-1)!.ends[participant - 1],
      updateFormat: everythingFor(reader, shape),
    }
    const answer = await ask(view, '/v2/updates?limit=1000', body)
    const found = answer.flatMap(({ update }: Json) => updateIn(update) ?? [])
    assert.deepEqual(
      found.map(({ updateId, events }: Json) => `${updateId} ${briefOf(events, world)}`),
      expected.map(({ update, text }) => `${update.id} ${text}`),
      `${view.at.name} ${shape} for ${reader}`,
    )
    for (const [index, { update }] of expected.entries()) {
      const { recordTime, effectiveAt, commandId, offset } = found[index]
      assert.deepEqual([recordTime, effectiveAt], [update.recordTime, update.effectiveAt])
      const isOwn = update.participant === participant && (reader === undefined || reader === update.submitter)
      assert.equal(commandId, isOwn ? update.commandId : '')
      assert(index === 0 || offset > found[index - 1].offset, 'offsets grow')
    }
  }
}

function expectedUpdates({ world, participant }: View, reader: Reader, shape: Shape) {
  return world.updates
    .map((update) => ({ update, text: shownAt(world, update, participant, reader, shape) }))
    .filter(({ text }) => text !== '')
}

const hintOf = (party: string) => party.split('::')[0]

/** Events in short, as the model has them; a created event with another blob than it was created with is marked. */
function briefOf(events: readonly Json[], { contracts }: World): string {
  return events
    .map((event) => {
      const [kind, fields] = Object.entries(event)[0] as [string, Json]
      if (kind.startsWith('Js')) return briefMove(kind, fields.value ?? fields, contracts)
      const { nodeId, lastDescendantNodeId: last, choice, witnessParties, acsDelta, contractId } = fields
      const parties = `[${witnessParties.map(hintOf)}]`
      const mark = acsDelta === undefined ? '' : acsDelta ? '+' : '-'
      if (kind === 'ArchivedEvent') return `A${nodeId}${parties}`
      if (kind === 'ExercisedEvent') return `E${nodeId}..${last}:${choice}${parties}${mark}`
      const { note, blob } = contracts.find(({ id }) => id === contractId) ?? { note: '?', blob: '' }
      const isSame = fields.createArgument.note === note && fields.createdEventBlob === blob
      return `C${nodeId}:${note}${parties}${mark}${isSame ? '' : ' otherwise'}`
    })
    .join(' ')
}

function briefMove(kind: string, value: Json, contracts: readonly Contract[]): string {
  const { contractId, witnessParties } = value.createdEvent ?? value
  const { note } = contracts.find(({ id }) => id === contractId) ?? { note: '?' }
  const what = kind === 'JsUnassignedEvent' ? 'unassignment' : 'assignment'
  return `${what}:${note}[${witnessParties.map(hintOf)}]`
}

/** Contracts that are active after the first updates on a participant, with their stakeholders among the readers. */
function expectedActive({ world, participant }: View, reader: Reader, updates: readonly Update[]): string[] {
  return world.contracts
    .filter((contract) => {
      const isThere = updates.some((update) => createdIn(update.roots).has(contract))
      const isGone = contract.archivedBy !== undefined && updates.includes(contract.archivedBy)
      return isThere && !isGone && isHosted(world, participant, contract.stakeholders)
    })
    .filter(({ stakeholders }) => reader === undefined || stakeholders.includes(reader))
    .map((contract) => contract.id)
    .sort()
}

async function checkActive(view: View, reader: Reader): Promise<void> {
  const { world, participant, earlier } = view
  const counts = [world.updates.length]
  // In the middle, too, but not while a contract is in transit.
  const middle = world.updates.findIndex(({ move }, index) => index * 2 >= counts[0]! && move?.kind !== 'unassignment')
  if (reader === undefined && middle >= 0) counts.push(middle + 1)
  for (const count of counts) {
    const updates = world.updates.slice(0, count)
    const activeAtOffset = updates.at(-1)!.ends[participant - 1]
    const body = { activeAtOffset, eventFormat: formatFor(reader) }
    const answer = await ask(view, '/v2/state/active-contracts?limit=1000', body)
    const entries: Json[] = answer.map(({ contractEntry }: Json) => contractEntry.JsActiveContract)
    const own = entries.filter(({ createdEvent }) => !earlier.has(createdEvent.contractId))
    const found = own.map(({ createdEvent }) => createdEvent)
    if (count === world.updates.length) {
      for (const { createdEvent, synchronizerId } of own) {
        const { place } = world.contracts.find(({ id }) => id === createdEvent.contractId)!
        assert.equal(synchronizerId, view.network[place])
      }
    }
    assert.deepEqual(found.map(({ contractId }) => contractId).sort(), expectedActive(view, reader, updates))
    for (const { contractId, witnessParties, createdEventBlob } of found) {
      const { stakeholders, blob } = world.contracts.find(({ id }) => id === contractId)!
      assert.deepEqual(witnessParties, reader === undefined ? stakeholders.toSorted() : [reader])
      assert.equal(createdEventBlob, blob)
    }
  }
}

async function checkContracts(view: View, reader: Reader): Promise<void> {
  const { world, participant, at } = view
  const some =
    reader === undefined
      ? world.contracts
      : sample(
          world.contracts,
          world.parties.findIndex(({ id }) => id === reader),
        )
  for (const contract of some) {
    const { id: contractId, stakeholders, archivedBy } = contract
    const isStakeholder = reader === undefined || stakeholders.includes(reader)
    const isKnown = isHosted(world, participant, stakeholders)
    const where = `${contract.note} at ${at.name} for ${reader}`
    const events = await at.post('/v2/events/events-by-contract-id', { contractId, eventFormat: formatFor(reader) })
    assert.equal(events.status, isKnown && isStakeholder ? 200 : 404, `${where}: ${events.text}`)
    if (events.status === 200) assert.equal(events.json.archived !== null, archivedBy !== undefined, where)
    if (reader === undefined) continue
    const payload = await at.post('/v2/contracts/contract-by-id', { contractId, queryingParties: [reader] })
    assert.equal(payload.status, sawCreated(world, contract, participant) && isStakeholder ? 200 : 404, where)
    if (payload.status === 200) assert.equal(payload.json.createdEvent.createdEventBlob, contract.blob)
  }
}

async function checkFinding(view: View, reader: Reader): Promise<void> {
  const { world, participant, earlier, begin } = view
  const eventFormat = formatFor(reader)
  const { activeContracts } = await ask(view, '/explorer/find/contracts', { eventFormat, pageSize: 1000 })
  const ids: string[] = activeContracts.map(
    ({ contractEntry }: Json) => contractEntry.JsActiveContract.createdEvent.contractId,
  )
  assert.deepEqual(ids.filter((id) => !earlier.has(id)).sort(), expectedActive(view, reader, world.updates))
  const format = everythingFor(reader, 'LEDGER_EFFECTS')
  const { updates } = await ask(view, '/explorer/find/updates', { updateFormat: format, pageSize: 100 })
  const own = updates.filter(({ offset, kind }: Json) => offset > begin && kind !== 'topology')
  assert.deepEqual(
    own.map(({ updateId }: Json) => updateId).reverse(),
    expectedUpdates(view, reader, 'LEDGER_EFFECTS').map(({ update }) => update.id),
  )
  for (const contract of sample(world.contracts)) {
    const { places } = await ask(view, '/explorer/find/places', { text: contract.id, eventFormat })
    const isStakeholder = reader === undefined || contract.stakeholders.includes(reader)
    const isKnown = isHosted(world, participant, contract.stakeholders) && isStakeholder
    assert.equal(
      places.some(({ kind }: Json) => kind === 'contract'),
      isKnown,
      `${contract.note} for ${reader}`,
    )
  }
  for (const update of sample(world.updates)) {
    const { places } = await ask(view, '/explorer/find/places', { text: update.id, eventFormat })
    const isSeen = shownAt(world, update, participant, reader, 'LEDGER_EFFECTS') !== ''
    assert.equal(
      places.some(({ kind }: Json) => kind === 'update'),
      isSeen,
      `${update.id} for ${reader}`,
    )
  }
}

/** Some of them, others for another turn. */
const sample = <T>(all: readonly T[], turn = 0): readonly T[] => all.filter((_, index) => (index + turn) % 3 === 0)

/** By id and by offset, as any party and as the submitter. */
async function checkSingleUpdates(view: View): Promise<void> {
  const { world, participant, at } = view
  for (const update of world.updates) {
    for (const reader of [undefined, update.submitter]) {
      for (const shape of shapes) {
        const expected = shownAt(world, update, participant, reader, shape)
        const format = everythingFor(reader, shape)
        const byId = await at.post('/v2/updates/update-by-id', { updateId: update.id, updateFormat: format })
        assert.equal(byId.status, expected === '' ? 404 : 200, byId.text)
        if (expected === '') continue
        const { events, offset } = updateIn(byId.json.update)
        assert.equal(briefOf(events, world), expected)
        const byOffset = await at.post('/v2/updates/update-by-offset', { offset, updateFormat: format })
        assert.deepEqual(byOffset.json, byId.json)
      }
    }
  }
}

async function checkCompletions(view: View): Promise<void> {
  const { world, participant, begin } = view
  const body = { userId: 'u', parties: world.parties.map(({ id }) => id), beginExclusive: begin }
  const answer = await ask(view, '/v2/commands/completions?stream_idle_timeout_ms=30', body)
  const found = answer.flatMap(({ completionResponse }: Json) => completionResponse.Completion?.value.commandId ?? [])
  const own = world.updates.filter((update) => update.participant === participant)
  assert.deepEqual(
    found,
    own.map(({ commandId }) => commandId),
  )
}

/** gRPC tells of the same updates and contracts as JSON does. */
async function checkGrpc({ network, world, participant, begin, at }: View): Promise<void> {
  const { grpcUrl } = network.node.node.participants[participant - 1]!
  await using client = openGrpc(grpcUrl!)
  const endInclusive = world.updates.at(-1)!.ends[participant - 1]
  const read = async (method: string, request: object) => {
    const path = `/com.daml.ledger.api.v2.${method}`
    const { code, message, messages } = await client.call(path, requestBytes(path, request))
    assert.equal(code, 0, message)
    return Buffer.concat(messages) // Ids are texts in it.
  }
  const format = everythingFor(undefined, 'LEDGER_EFFECTS')
  const updates = await read('UpdateService/GetUpdates', { beginExclusive: begin, endInclusive, updateFormat: format })
  for (const update of world.updates) {
    const isSeen = isSeenAt(world, update, participant)
    assert.equal(updates.includes(update.id), isSeen, `${update.id} over gRPC at ${at.name}`)
  }
  const request = { activeAtOffset: endInclusive, eventFormat: formatFor(undefined) }
  const active = await read('StateService/GetActiveContracts', request)
  const isActive = (contract: Contract) =>
    contract.archivedBy === undefined && isHosted(world, participant, contract.stakeholders)
  for (const contract of world.contracts) {
    assert.equal(active.includes(contract.id), isActive(contract), `${contract.note} over gRPC at ${at.name}`)
  }
}
