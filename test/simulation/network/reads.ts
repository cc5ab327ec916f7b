// Reads everything that a network shows, by every path and as every reader, and compares it with the model.
import assert from 'node:assert/strict'
import { openGrpc, requestBytes } from '../../fixtures/grpc.ts'
import type { Json, Shape } from '../../fixtures/ledger.ts'
import { briefOf } from './brief.ts'
import { checkFurther } from './further-reads.ts'
import { isHosted, isSeenAt, type Reader, sawPayload, shownAt, stateAfter, type Update } from './model.ts'
import { ask, everythingFor, expectedUpdates, formatFor, type Scene, updateIn, type View, viewOf } from './view.ts'

export async function checkReads(scene: Scene): Promise<void> {
  const { world } = scene
  for (const participant of [1, 2, 3]) {
    const view = await viewOf(scene, participant)
    const readers: Reader[] = [undefined, ...world.parties.map(({ id }) => id)]
    for (const reader of readers) {
      const offsets = await checkUpdates(view, reader)
      await checkActive(view, reader, view.updates, view.end)
      // In the middle, too.
      const middle = reader === undefined ? offsets[Math.floor(offsets.length / 2)] : undefined
      if (middle !== undefined) {
        const before = view.updates.slice(0, view.updates.indexOf(middle.update) + 1)
        await checkActive(view, reader, before, middle.offset)
      }
      await checkContracts(view, reader)
      await checkFinding(view, reader)
    }
    await checkSingleUpdates(view)
    await checkCompletions(view)
    await checkGrpc(view)
    await checkFurther(view)
  }
}

const shapes: readonly Shape[] = ['ACS_DELTA', 'LEDGER_EFFECTS']

/** Returns the offsets of those that it shows in the last shape. */
async function checkUpdates(
  view: View,
  reader: Reader,
): Promise<{ readonly update: Update; readonly offset: number }[]> {
  const { world, participant, begin, end } = view
  let offsets: { readonly update: Update; readonly offset: number }[] = []
  for (const shape of shapes) {
    const expected = expectedUpdates(view, reader, shape)
    const body = { beginExclusive: begin, endInclusive: end, updateFormat: everythingFor(reader, shape) }
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
    offsets = expected.map(({ update }, index) => ({ update, offset: found[index].offset }))
  }
  return offsets
}

/** Contracts that the reader finds after these updates of the participant, and where; in transit they are found, too. */
function expectedActive({ world, participant }: View, reader: Reader, updates: readonly Update[]): string[] {
  return world.contracts
    .filter(({ stakeholders }) => isHosted(world, participant, stakeholders))
    .filter(({ stakeholders }) => reader === undefined || stakeholders.includes(reader))
    .flatMap((contract) => {
      const state = stateAfter(updates, contract)
      return state === 's1' || state === 's2' || state === 'transit' ? [`${contract.id} ${state}`] : []
    })
    .sort()
}

/** While the participant has seen only some of what moved a contract, it may be found in several places. */
const isTorn = ({ world }: View, updates: readonly Update[], contractId: string): boolean => {
  const contract = world.contracts.find(({ id }) => id === contractId)
  return contract !== undefined && stateAfter(updates, contract) === 'torn'
}

async function checkActive(view: View, reader: Reader, updates: readonly Update[], end: number): Promise<void> {
  const body = { activeAtOffset: end, eventFormat: formatFor(reader) }
  const answer = await ask(view, '/v2/state/active-contracts?limit=1000', body)
  checkEntries(view, reader, updates, answer)
}

function checkEntries(view: View, reader: Reader, updates: readonly Update[], answer: readonly Json[]): void {
  const { world, earlier, network } = view
  const entries = answer.map(({ contractEntry }) => {
    const { JsActiveContract: active, JsIncompleteUnassigned: leaving, JsIncompleteAssigned: coming } = contractEntry
    const { createdEvent } = active ?? leaving ?? coming.assignedEvent
    const place = active ? (active.synchronizerId === network.s1 ? 's1' : 's2') : leaving ? 'transit' : 'torn'
    return { created: createdEvent, place }
  })
  const own = entries.filter(({ created }) => !earlier.has(created.contractId))
  const whole = own.filter(({ created }) => !isTorn(view, updates, created.contractId))
  assert.deepEqual(
    whole.map(({ created, place }) => `${created.contractId} ${place}`).sort(),
    expectedActive(view, reader, updates),
    `active at ${view.at.name} for ${reader}`,
  )
  for (const { created } of own) {
    const { stakeholders, blob } = world.contracts.find(({ id }) => id === created.contractId)!
    assert.deepEqual(created.witnessParties, reader === undefined ? stakeholders.toSorted() : [reader])
    assert.equal(created.createdEventBlob, blob)
  }
}

async function checkContracts(view: View, reader: Reader): Promise<void> {
  const { world, participant, at, updates } = view
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
    const state = stateAfter(updates, contract)
    if (state === 'torn') continue
    const isKnown = isHosted(world, participant, stakeholders) && state !== 'unknown'
    const where = `${contract.note} at ${at.name} for ${reader}`
    const events = await at.post('/v2/events/events-by-contract-id', { contractId, eventFormat: formatFor(reader) })
    assert.equal(events.status, isKnown && isStakeholder ? 200 : 404, `${where}: ${events.text}`)
    const isArchived = archivedBy !== undefined && updates.includes(archivedBy)
    if (events.status === 200) assert.equal(events.json.archived !== null, isArchived, where)
    if (reader === undefined) continue
    const payload = await at.post('/v2/contracts/contract-by-id', { contractId, queryingParties: [reader] })
    assert.equal(payload.status, sawPayload(world, contract, participant) && isStakeholder ? 200 : 404, where)
    if (payload.status === 200) assert.equal(payload.json.createdEvent.createdEventBlob, contract.blob)
  }
}

async function checkFinding(view: View, reader: Reader): Promise<void> {
  const { world, participant, begin } = view
  const eventFormat = formatFor(reader)
  const { activeContracts } = await ask(view, '/explorer/find/contracts', { eventFormat, pageSize: 1000 })
  checkEntries(view, reader, view.updates, activeContracts)
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
    const state = stateAfter(view.updates, contract)
    if (state === 'torn') continue
    const isKnown = isHosted(world, participant, contract.stakeholders) && isStakeholder && state !== 'unknown'
    assert.equal(
      places.some(({ kind }: Json) => kind === 'contract'),
      isKnown,
      `${contract.note} for ${reader}`,
    )
  }
  for (const update of sample(world.updates)) {
    const { places } = await ask(view, '/explorer/find/places', { text: update.id, eventFormat })
    const isSeen = view.updates.includes(update) && shownAt(world, update, participant, reader, 'LEDGER_EFFECTS') !== ''
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
        const isGiven = view.updates.includes(update)
        const expected = isGiven ? shownAt(world, update, participant, reader, shape) : ''
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
  const { world, participant, begin, updates } = view
  const body = { userId: 'u', parties: world.parties.map(({ id }) => id), beginExclusive: begin }
  const answer = await ask(view, '/v2/commands/completions?stream_idle_timeout_ms=30', body)
  const found = answer.flatMap(({ completionResponse }: Json) => completionResponse.Completion?.value.commandId ?? [])
  const own = updates.filter((update) => update.participant === participant)
  assert.deepEqual(
    found,
    own.map(({ commandId }) => commandId),
  )
}

/** gRPC tells of the same updates and contracts as JSON does. */
async function checkGrpc({
  network,
  world,
  participant,
  begin,
  end: endInclusive,
  at,
  updates: given,
}: View): Promise<void> {
  const { grpcUrl } = network.node.node.participants[participant - 1]!
  await using client = openGrpc(grpcUrl!)
  const read = async (method: string, request: object) => {
    const path = `/com.daml.ledger.api.v2.${method}`
    const { code, message, messages } = await client.call(path, requestBytes(path, request))
    assert.equal(code, 0, message)
    return Buffer.concat(messages) // Ids are texts in it.
  }
  const format = everythingFor(undefined, 'LEDGER_EFFECTS')
  const updates = await read('UpdateService/GetUpdates', { beginExclusive: begin, endInclusive, updateFormat: format })
  for (const update of world.updates) {
    const isSeen = given.includes(update) && isSeenAt(world, update, participant)
    assert.equal(updates.includes(update.id), isSeen, `${update.id} over gRPC at ${at.name}`)
  }
  const request = { activeAtOffset: endInclusive, eventFormat: formatFor(undefined) }
  const active = await read('StateService/GetActiveContracts', request)
  for (const contract of world.contracts) {
    const state = stateAfter(given, contract)
    if (state === 'torn') continue
    const isActive = state !== 'gone' && state !== 'unknown' && isHosted(world, participant, contract.stakeholders)
    assert.equal(active.includes(contract.id), isActive, `${contract.note} over gRPC at ${at.name}`)
  }
}
