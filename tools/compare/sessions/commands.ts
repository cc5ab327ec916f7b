// Submitting commands: every field right and wrong, deduplication, disclosed contracts, the four kinds of commands.
import { mutationsOf } from '../mutations.ts'
import { exercise, filtersFor, iou, updateFormat, type World } from '../world.ts'

const submissions = ['async/submit', 'submit-and-wait', 'submit-and-wait-for-transaction-tree'] as const

export async function commandSession(world: World): Promise<void> {
  await happyPaths(world)
  await wrongBodies(world)
  await fields(world)
  await deduplication(world)
  await disclosure(world)
}

async function happyPaths({ both, alice, bank, bob, createIou, commandsOf, submit, create }: World): Promise<void> {
  for (const path of submissions) {
    await both.post(`/v2/commands/${path}`, commandsOf([createIou()]), { as: 'app' })
  }
  const first = await create(createIou())
  await submit([exercise(iou, first, 'Iou_Split', { amount: '1.5' })])
  const second = await create(createIou({ observers: [bob] }))
  await submit([exercise(iou, second, 'Iou_Show', { viewers: [bob] })])
  await submit([exercise('#quickstart:Holding:Holding', second, 'Holding_Redeem', {})])
  const CreateAndExerciseCommand = {
    templateId: iou,
    createArguments: { issuer: bank, owner: alice, amount: '7', currency: 'CHF', observers: [] },
    choice: 'Iou_Split',
    choiceArgument: { amount: '2' },
  }
  await submit([{ CreateAndExerciseCommand }])
  await submit([createIou(), createIou({ amount: '0.0000000001' })])
  const third = await create(createIou())
  await submit([exercise(iou, third, 'Archive')])
  await submit([exercise(iou, third, 'Archive')])
  const keyed = {
    signatories: [alice],
    observers: [],
    key: { maintainers: [alice], name: 'name', maintainersFault: 'Fine', last: null },
    keyFault: 'Fine',
    note: '',
  }
  const templateId = '#keys-lf23:Keys:Keyed'
  await submit([{ CreateCommand: { templateId, createArguments: keyed } }])
  const byKey = { templateId, contractKey: keyed.key, choice: 'Archive', choiceArgument: {} }
  await submit([{ ExerciseByKeyCommand: byKey }])
  await submit([{ ExerciseByKeyCommand: byKey }])
}

async function wrongBodies({ both, createIou, commandsOf, everything }: World): Promise<void> {
  const body = () => ({
    ...commandsOf([createIou()]),
    readAs: [],
    workflowId: 'w',
    submissionId: 's',
    deduplicationPeriod: { Empty: {} },
    synchronizerId: '',
    disclosedContracts: [],
    packageIdSelectionPreference: [],
    prefetchContractKeys: [],
    tapsMaxPasses: 1,
    minLedgerTimeAbs: '2026-01-01T00:00:00Z',
  })
  for (const index of mutationsOf(body()).keys()) {
    const { note, body: mutated } = mutationsOf(body())[index]! // A new command id each time.
    await both.call('POST', '/v2/commands/async/submit', { as: 'app', body: mutated, note })
  }
  const waiting = () => ({ commands: commandsOf([createIou()]), transactionFormat: everything })
  for (const index of mutationsOf(waiting()).keys()) {
    const { note, body: mutated } = mutationsOf(waiting())[index]!
    await both.call('POST', '/v2/commands/submit-and-wait-for-transaction', { as: 'app', body: mutated, note })
  }
}

async function fields(world: World): Promise<void> {
  const { both, alice, bob, createIou, commandsOf, participant, synchronizers, packageIds } = world
  const nobody = `nobody::${participant.split('::').at(-1)}`
  const long = 'a'.repeat(300)
  const templates = [
    '#quickstart:Iou:Nothing',
    '#quickstart:Nothing:Iou',
    '#nothing:Iou:Iou',
    'nothing',
    ':',
    'a:b:c',
    '2026-01-01T00:00:00Z',
  ]
  const wrong: readonly object[] = [
    ...[{ actAs: [nobody] }, { actAs: [alice, nobody] }, { readAs: [nobody] }, { actAs: [bob] }, { actAs: ['a b'] }],
    ...[{ commandId: long }, { commandId: 'ä' }, { userId: long }, { userId: 'ä ö' }, { workflowId: long }],
    ...[{ submissionId: long }, { synchronizerId: 'x' }, { synchronizerId: `x::${synchronizers[0]!.split('::')[1]}` }],
    ...[{ minLedgerTimeRel: { seconds: 0, nanos: 0 }, minLedgerTimeAbs: '2026-01-01T00:00:00Z' }],
    ...[{ minLedgerTimeRel: { seconds: -5, nanos: 0 } }, { minLedgerTimeRel: { seconds: 5, nanos: -1 } }],
    ...[{ packageIdSelectionPreference: ['x'] }, { packageIdSelectionPreference: ['0'.repeat(64)] }],
    { packageIdSelectionPreference: [packageIds[0], packageIds[0]] },
    { packageIdSelectionPreference: [packageIds[0], packageIds[0], '0'.repeat(64)] },
    ...[{ tapsMaxPasses: 0 }, { tapsMaxPasses: -1 }, { tapsMaxPasses: 100 }],
    ...[{ minLedgerTimeRel: { seconds: -120, nanos: 0 } }, { minLedgerTimeAbs: '2020-01-01T00:00:00Z' }],
    { deduplicationPeriod: { DeduplicationDuration: { value: { seconds: -1, nanos: 0 } } } },
    { deduplicationPeriod: { DeduplicationOffset: { value: -1 } } },
    { deduplicationPeriod: { DeduplicationOffset: { value: 1_000_000 } } },
    { prefetchContractKeys: [{ templateId: 'x:y:z', contractKey: {} }] },
  ]
  for (const path of submissions) {
    for (const more of wrong) {
      const note = JSON.stringify(more)
      await both.post(`/v2/commands/${path}`, commandsOf([createIou()], more), { as: 'app', note })
    }
    for (const templateId of templates) {
      const command = { CreateCommand: { templateId, createArguments: {} } }
      await both.post(`/v2/commands/${path}`, commandsOf([command]), { as: 'app' })
    }
    const args: readonly object[] = [
      ...[{ amount: 'x' }, { amount: null }, { amount: [] }, { amount: '1.00000000001' }, { amount: '-5' }],
      ...[{ amount: '0' }, { owner: 5 }, { owner: 'x y' }, { owner: '' }, { owner: nobody }, { observers: {} }],
      ...[{ observers: [5] }, { currency: 5 }, { currency: 'a\u0000b' }, { extra: 1 }, { owner: bob }],
    ]
    for (const more of args) await both.post(`/v2/commands/${path}`, commandsOf([createIou(more)]), { as: 'app' })
    const few = { CreateCommand: { templateId: iou, createArguments: { issuer: alice } } }
    await both.post(`/v2/commands/${path}`, commandsOf([few]), { as: 'app' })
    const contracts = ['', 'x', '00', `00${'ab'.repeat(32)}`, `00${'ab'.repeat(36)}`]
    for (const contractId of contracts) {
      await both.post(`/v2/commands/${path}`, commandsOf([exercise(iou, contractId, 'Archive')]), { as: 'app' })
    }
  }
}

async function deduplication({ both, createIou, commandsOf, alice, bank }: World): Promise<void> {
  const again = commandsOf([createIou()], { submissionId: 'again' })
  for (const path of [...submissions, 'submit-and-wait']) {
    await both.post(`/v2/commands/${path}`, again, { as: 'app' })
  }
  const { offset } = await both.get('/v2/state/ledger-end')
  const periods: readonly object[] = [
    { DeduplicationDuration: { value: { seconds: 3600, nanos: 0 } } },
    { DeduplicationDuration: { value: { seconds: 0, nanos: 0 } } },
    { DeduplicationOffset: { value: offset } },
    { DeduplicationOffset: { value: 1 } },
    { Empty: {} },
  ]
  for (const deduplicationPeriod of periods) {
    await both.post('/v2/commands/submit-and-wait', { ...again, deduplicationPeriod }, { as: 'app' })
    const completions = { userId: 'app', parties: [alice, bank], beginExclusive: offset }
    await both.post('/v2/commands/completions?stream_idle_timeout_ms=500', completions, { as: 'app' })
  }
}

async function disclosure({ both, alice, bank, carol, createIou, commandsOf, create, synchronizers }: World) {
  const contractId = await create(createIou())
  const filter = { identifierFilter: { TemplateFilter: { value: { templateId: iou, includeCreatedEventBlob: true } } } }
  const { offset } = await both.get('/v2/state/ledger-end')
  const found = await both.post('/v2/state/active-contracts', {
    activeAtOffset: offset,
    eventFormat: { ...filtersFor([alice], filter), verbose: false },
  })
  const events = (found as readonly { contractEntry: { JsActiveContract?: { createdEvent: never } } }[]).map(
    ({ contractEntry }) => contractEntry.JsActiveContract?.createdEvent as unknown as Record<string, string>,
  )
  const event = events.find((one) => one?.contractId === contractId)
  if (event === undefined) return
  const { createdEventBlob, templateId } = event
  const disclosed = { contractId, createdEventBlob, templateId, synchronizerId: synchronizers[0] }
  const show = exercise(iou, contractId, 'Iou_Show', { viewers: [] })
  const variants: readonly object[] = [
    disclosed,
    ...[
      { ...disclosed, templateId: iou },
      { ...disclosed, templateId: undefined },
      { ...disclosed, contractId: '' },
    ],
    ...[
      { ...disclosed, contractId: undefined, templateId: undefined },
      { ...disclosed, synchronizerId: '' },
    ],
    ...[
      { ...disclosed, synchronizerId: 'x' },
      { ...disclosed, createdEventBlob: '' },
    ],
    ...[
      { ...disclosed, createdEventBlob: 'AAAA' },
      { ...disclosed, createdEventBlob: '%' },
    ],
    ...[
      { ...disclosed, contractId: '00' },
      { ...disclosed, contractId: `00${'ab'.repeat(36)}` },
    ],
    ...[
      { ...disclosed, templateId: '#quickstart:Iou:IouProposal' },
      { ...disclosed, synchronizerId: 'x::1220' },
    ],
  ]
  for (const one of variants) {
    const body = commandsOf([show], { actAs: [alice], readAs: [], disclosedContracts: [one] })
    await both.post('/v2/commands/submit-and-wait', body, { as: 'app', note: JSON.stringify(one).slice(0, 300) })
  }
  const twice = commandsOf([show], { actAs: [alice], disclosedContracts: [disclosed, disclosed] })
  await both.post('/v2/commands/submit-and-wait', twice, { as: 'app' })
  const unseen = commandsOf([show], { actAs: [carol], disclosedContracts: [] })
  await both.post('/v2/commands/submit-and-wait', unseen, { as: 'app' })
  const seen = commandsOf([show], { actAs: [carol], disclosedContracts: [disclosed] })
  await both.post('/v2/commands/submit-and-wait', seen, { as: 'app' })
  const last = await both.get('/v2/state/ledger-end')
  const format = updateFormat({ ...filtersFor([bank, alice]), verbose: true }, 'LEDGER_EFFECTS')
  await both.post('/v2/updates', { beginExclusive: offset, endInclusive: last.offset, updateFormat: format })
}
