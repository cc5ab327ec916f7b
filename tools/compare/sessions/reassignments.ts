// Reassignments: with one synchronizer everything that is refused, with two contracts that move as well.
import { mutationsOf } from '../mutations.ts'
import { exercise, filtersFor, iou, type World } from '../world.ts'

const submitPath = '/v2/commands/async/submit-reassignment'
const waitPath = '/v2/commands/submit-and-wait-for-reassignment'

export async function reassignmentSession(world: World): Promise<void> {
  const { both, alice, bank, bob, synchronizers, create, createIou, newId } = world
  const contractId = await create(createIou())
  const [source, target = `other::1220${'ab'.repeat(32)}`] = synchronizers as [string, string?]
  const request = (command: object, fields = {}) => ({
    workflowId: '',
    userId: 'app',
    commandId: newId('move'),
    submitter: alice,
    submissionId: newId('submission'),
    commands: [{ command }],
    ...fields,
  })
  const unassign = (fields = {}) => ({ UnassignCommand: { value: { contractId, source, target, ...fields } } })
  const assign = (fields = {}) => ({ AssignCommand: { value: { reassignmentId: '00', source, target, ...fields } } })
  const eventFormat = { ...filtersFor([alice, bank]), verbose: true }
  const isTwo = synchronizers.length > 1
  const commands: readonly object[] = [
    ...[unassign({ contractId: 'x' }), unassign({ contractId: `00${'ab'.repeat(36)}` }), unassign({ source: 'x' })],
    ...[unassign({ target: source }), unassign({ target: 'x' }), unassign({ source: target, target: source })],
    ...[assign(), assign({ reassignmentId: 'x' }), assign({ reassignmentId: '' }), assign({ source: 'x' })],
    ...[assign({ source, target: source }), { Empty: {} }],
    ...(isTwo ? [] : [unassign()]),
  ]
  for (const command of commands) {
    await both.post(submitPath, { reassignmentCommands: request(command) }, { as: 'app' })
    await both.post(waitPath, { reassignmentCommands: request(command), eventFormat }, { as: 'app' })
  }
  const wrong: readonly object[] = [
    ...[{ submitter: bob }, { submitter: '' }, { submitter: 'x y' }, { submitter: 'nobody::1220' }, { commandId: '' }],
    ...[{ userId: '' }, { commands: [] }, { commands: [{ command: assign() }, { command: unassign() }] }],
    ...[{ commands: [{ command: unassign() }, { command: unassign({ target: 'y' }) }] }, { workflowId: 'ä' }],
  ]
  for (const fields of wrong) {
    const body = { reassignmentCommands: request(unassign({ contractId: '00' }), fields) }
    await both.post(submitPath, body, { as: 'app', note: JSON.stringify(fields) })
  }
  const sample = () => ({ reassignmentCommands: request(unassign({ contractId: `00${'ab'.repeat(36)}` })) })
  for (const index of mutationsOf(sample()).keys()) {
    const { note, body } = mutationsOf(sample())[index]!
    await both.call('POST', submitPath, { as: 'app', body, note })
  }
  if (isTwo) await move(world, contractId, { request, unassign, assign, eventFormat })
}

type Words = {
  readonly request: (command: object, fields?: object) => object
  readonly unassign: (fields?: object) => object
  readonly assign: (fields?: object) => object
  readonly eventFormat: object
}

async function move(
  { both, alice, bank, createIou, create, newId }: World,
  contractId: string,
  words: Words,
): Promise<void> {
  const { request, unassign, assign, eventFormat } = words
  const { offset: begin } = await both.get('/v2/state/ledger-end')
  const there = await both.post(waitPath, { reassignmentCommands: request(unassign()), eventFormat }, { as: 'app' })
  await both.post(waitPath, { reassignmentCommands: request(unassign()), eventFormat }, { as: 'app' })
  const reassignmentId = there?.reassignment?.events?.[0]?.JsUnassignedEvent?.value?.reassignmentId
  for (const tapsMaxPasses of [undefined, 1]) {
    const commands = [exercise(iou, contractId, 'Iou_Show', { viewers: [] })]
    const inTransit = { commands, commandId: newId(), userId: 'app', actAs: [bank, alice], tapsMaxPasses }
    await both.post('/v2/commands/submit-and-wait', inTransit, { as: 'app', note: 'in transit' })
  }
  const active = { filter: undefined, eventFormat, activeAtOffset: (await both.get('/v2/state/ledger-end')).offset }
  await both.post('/v2/state/active-contracts', active, { as: 'app' })
  const back = { reassignmentCommands: request(assign({ reassignmentId })), eventFormat }
  await both.post(waitPath, back, { as: 'app' })
  await both.post(waitPath, { reassignmentCommands: request(assign({ reassignmentId })), eventFormat }, { as: 'app' })
  const second = await create(createIou())
  await both.post(submitPath, { reassignmentCommands: request(unassign({ contractId: second })) }, { as: 'app' })
  await both.post('/v2/events/events-by-contract-id', { contractId, eventFormat }, { as: 'app' })
  const { offset: end } = await both.get('/v2/state/ledger-end')
  const range = { beginExclusive: begin, endInclusive: end }
  await both.post('/v2/updates', { ...range, updateFormat: { includeReassignments: eventFormat } }, { as: 'app' })
  await both.post('/v2/updates/trees', { ...range, filter: filtersFor([alice]), verbose: true }, { as: 'app' })
  await both.post(
    '/v2/commands/completions?stream_idle_timeout_ms=500',
    { userId: 'app', parties: [alice], beginExclusive: begin },
    { as: 'app' },
  )
  await both.get(`/v2/state/connected-synchronizers?party=${encodeURIComponent(alice)}`, { as: 'app' })
}
