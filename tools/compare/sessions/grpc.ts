// The gRPC API: every method with an empty request, what is submitted and read, with every field wrong, and what only gRPC
// has.
import { ledgerApi } from '../../../src/protobuf/ledger-api.ts'
import { interfaceFilter, templateFilter } from '../../../test/fixtures/ledger.ts'
import type { Json } from '../both.ts'
import { exercise, filtersFor, iou, transactionFormat, updateFormat, type World } from '../world.ts'
import { grpcAdministration } from './grpc-administration.ts'
import { grpcExecutions } from './grpc-executions.ts'
import { malformedSynchronizers, withMutations } from './grpc-mutations.ts'
import { grpcWireSession } from './grpc-wire.ts'

const interactive = 'interactive.InteractiveSubmissionService'

export async function grpcSession(world: World): Promise<void> {
  await grpcWireSession(world)
  await emptyRequests(world)
  await grpcAdministration(world)
  await submissions(world)
  await reading(world)
  await grpcExecutions(world)
  await pruning(world)
  await onlyOurs(world)
}

/** Set would stop the clock of all that follows. */
const excluded = /SetTime$/

async function emptyRequests({ both }: World): Promise<void> {
  const services = ledgerApi().files.flatMap((file) => file.services)
  for (const { fullName, methods } of services.filter((service) => service.fullName.startsWith('com.daml.'))) {
    for (const { name } of methods) if (!excluded.test(name)) await both.grpc(`/${fullName}/${name}`, {})
  }
}

const party = (name: string) => ({ sum: { Party: name } })
const field = (label: string, value: object) => ({ label, value })

function createIou({ bank, alice }: World, change: (fields: Json[]) => Json[] = (fields) => fields): Json {
  const fields = [
    field('issuer', party(bank)),
    field('owner', party(alice)),
    field('amount', { sum: { Numeric: '100' } }),
    field('currency', { sum: { Text: 'EUR' } }),
    field('observers', { sum: { List: { elements: [] } } }),
  ]
  return { CreateCommand: { templateId: iou, createArguments: { fields: change(fields) } } }
}

function namedByName({ CreateCommand: create }: Json): Json {
  return { CreateCommand: { ...create, createArguments: { ...create.createArguments, recordId: iou } } }
}

async function submissions(world: World): Promise<void> {
  const { both, bank, alice, newId, synchronizers } = world
  const fresh = (request: Json) => {
    const commands = request.commands
    const isNew = typeof commands?.commandId === 'string' && commands.commandId.startsWith('fresh')
    return isNew ? { ...request, commands: { ...commands, commandId: newId('grpc') } } : request
  }
  const commandsOf = (commands: readonly Json[], fields: object = {}) => ({
    workflowId: 'w',
    userId: 'app',
    commandId: 'fresh',
    commands,
    actAs: [bank, alice],
    readAs: [alice],
    submissionId: '',
    synchronizerId: synchronizers[0],
    packageIdSelectionPreference: [],
    ...fields,
  })
  const created = commandsOf([createIou(world)], {
    deduplicationPeriod: { DeduplicationDuration: { value: { seconds: 10 } } },
  })
  const format = transactionFormat({ ...filtersFor([alice]), verbose: true }, 'LEDGER_EFFECTS')
  await withMutations(
    world,
    [
      ['CommandService/SubmitAndWaitForTransaction', { commands: created, transactionFormat: format }],
      ['CommandService/SubmitAndWait', { commands: commandsOf([createIou(world)]) }],
      ['CommandSubmissionService/Submit', { commands: commandsOf([createIou(world)]) }],
    ],
    fresh,
  )
  const contractId = await world.create(world.createIou())
  const argument = { sum: { Record: { fields: [field('amount', { sum: { Numeric: '1.5' } })] } } }
  const named = { templateId: iou, contractId, choice: 'Iou_Split', choiceArgument: argument }
  const prepare = { commandId: 'c', userId: 'app', actAs: [alice], synchronizerId: synchronizers[0] }
  await withMutations(
    world,
    [
      [`${interactive}/PrepareSubmission`, { ...prepare, commands: [createIou(world)], verboseHashing: false }],
      [`${interactive}/PrepareSubmission`, { ...prepare, actAs: [alice], commands: [{ ExerciseCommand: named }] }],
      [
        `${interactive}/GetPreferredPackageVersion`,
        { parties: [alice], packageName: 'quickstart', synchronizerId: '' },
      ],
      [
        `${interactive}/GetPreferredPackages`,
        { packageVettingRequirements: [{ packageName: 'quickstart', parties: [alice] }], synchronizerId: '' },
      ],
      ['CommandService/SubmitAndWaitForTransaction', { commands: commandsOf([{ ExerciseCommand: named }]) }],
    ],
    fresh,
  )
  const rows: readonly (readonly [note: string, commands: Json])[] = [
    ...malformedSynchronizers(world).map((id): [string, Json] => [
      `synchronizer ${id}`,
      { ...created, synchronizerId: id },
    ]),
    ['no commands', { ...created, commands: [] }],
    ['a record that names its package by name', { ...created, commands: [namedByName(createIou(world))] }],
    ['a command that is none', { ...created, commands: [{}] }],
    [
      'a field too many',
      { ...created, commands: [createIou(world, (fields) => [...fields, field('x', { sum: { Bool: true } })])] },
    ],
    ['a field too few', { ...created, commands: [createIou(world, (fields) => fields.slice(1))] }],
    ['fields in another order', { ...created, commands: [createIou(world, (fields) => fields.toReversed())] }],
    [
      'fields without labels',
      { ...created, commands: [createIou(world, (fields) => fields.map(({ value }) => ({ label: '', value })))] },
    ],
    [
      'a field without a value',
      { ...created, commands: [createIou(world, (fields) => [{ label: 'issuer' }, ...fields.slice(1)])] },
    ],
    [
      'a value without a content',
      { ...created, commands: [createIou(world, (fields) => [field('issuer', {}), ...fields.slice(1)])] },
    ],
    [
      'a value of another type',
      {
        ...created,
        commands: [createIou(world, (fields) => [field('issuer', { sum: { Text: 'x' } }), ...fields.slice(1)])],
      },
    ],
    ['a package id twice', { ...created, packageIdSelectionPreference: [world.packageIds[0], world.packageIds[0]] }],
    ['a deduplication offset', { ...created, deduplicationPeriod: { DeduplicationOffset: { value: 1 } } }],
    [
      'a deduplication offset beyond the end',
      { ...created, deduplicationPeriod: { DeduplicationOffset: { value: 9_999_999 } } },
    ],
    ['a negative deduplication offset', { ...created, deduplicationPeriod: { DeduplicationOffset: { value: -1 } } }],
    ...blobs.map(([note, createdEventBlob]): [string, Json] => [
      note,
      { ...created, disclosedContracts: [{ templateId: iou, contractId, createdEventBlob, synchronizerId: '' }] },
    ]),
    [
      'a disclosed contract on no synchronizer',
      {
        ...created,
        disclosedContracts: [{ templateId: iou, contractId, createdEventBlob: 'AAAA', synchronizerId: 'x' }],
      },
    ],
  ]
  for (const [note, commands] of rows) {
    await both.grpc('CommandService/SubmitAndWait', fresh({ commands }), { as: 'app', note })
  }
  for (const commands of [[], [createIou(world), createIou(world)]]) {
    const note = `prepare ${commands.length} commands`
    await both.grpc(
      `${interactive}/PrepareSubmission`,
      { ...prepare, actAs: [bank, alice], commands },
      { as: 'app', note },
    )
  }
  const move = { contractId, source: synchronizers[0], target: synchronizers[0] }
  const reassignmentCommands = {
    commandId: newId('move'),
    userId: 'app',
    submitter: alice,
    commands: [{ command: { UnassignCommand: { value: move } } }],
  }
  await withMutations(world, [
    ['CommandService/SubmitAndWaitForReassignment', { reassignmentCommands, eventFormat: filtersFor([alice]) }],
    ['CommandSubmissionService/SubmitReassignment', { reassignmentCommands }],
  ])
}

const blobs: readonly (readonly [note: string, blob: string])[] = [
  ['an empty blob', ''],
  ['a blob that is no message', '/////w=='],
  ['a blob of zeros', Buffer.alloc(40).toString('base64')],
  ['a blob with an unknown version', Buffer.from('0a0332393912020801', 'hex').toString('base64')],
  ['a blob that is cut off', Buffer.from('0a03322e3112ff01080a', 'hex').toString('base64')],
]

async function reading(world: World): Promise<void> {
  const { both, alice, bank, bob } = world
  const as = { as: 'app' }
  const { offset: beginExclusive } = (await both.grpc('StateService/GetLedgerEnd', {})).json
  const contractId = await world.create(world.createIou({ observers: [world.carol] }))
  const { updateId } = await world.submit([exercise(iou, contractId, 'Iou_Split', { amount: '1.5' })])
  const { offset: endInclusive } = (await both.grpc('StateService/GetLedgerEnd', {})).json
  const formats = [
    { ...filtersFor([alice, bank]), verbose: true },
    { ...filtersFor([alice]), verbose: false },
    { ...filtersFor([alice], templateFilter(iou, true)), verbose: true },
    { ...filtersFor([alice], interfaceFilter('#quickstart:Holding:Holding')), verbose: true },
    { ...filtersFor([alice], interfaceFilter('#quickstart:Holding:Holding')), verbose: false },
    { filtersForAnyParty: {}, verbose: true },
    { ...filtersFor([alice], templateFilter('#nothing:Iou:Iou')) },
    { ...filtersFor([bob]) },
    {},
  ]
  for (const eventFormat of formats) {
    const active = { activeAtOffset: endInclusive, eventFormat }
    await both.grpc('StateService/GetActiveContracts', active, as)
    await both.grpc('StateService/GetActiveContractsPage', active, as)
    await both.grpc('EventQueryService/GetEventsByContractId', { contractId, eventFormat }, as)
    for (const shape of ['ACS_DELTA', 'LEDGER_EFFECTS'] as const) {
      // `verbose` of transactions and of reassignments are two settings.
      for (const verbose of [true, false]) {
        const includeReassignments = { ...eventFormat, verbose }
        const format = { ...updateFormat(eventFormat, shape), includeReassignments }
        const page = { beginOffsetExclusive: beginExclusive, endOffsetInclusive: endInclusive }
        await both.grpc('UpdateService/GetUpdates', { beginExclusive, endInclusive, updateFormat: format }, as)
        await both.grpc('UpdateService/GetUpdatesPage', { ...page, updateFormat: format }, as)
        await both.grpc('UpdateService/GetUpdateById', { updateId, updateFormat: format }, as)
        await both.grpc('UpdateService/GetUpdateByOffset', { offset: endInclusive, updateFormat: format }, as)
      }
    }
  }
  const eventFormat = { ...filtersFor([alice], templateFilter(iou)), verbose: true }
  const format = updateFormat(eventFormat)
  await withMutations(world, [
    ['UpdateService/GetUpdates', { beginExclusive, endInclusive, updateFormat: format }],
    [
      'UpdateService/GetUpdatesPage',
      { beginOffsetExclusive: beginExclusive, endOffsetInclusive: endInclusive, maxPageSize: 1, updateFormat: format },
    ],
    ['UpdateService/GetUpdateById', { updateId, updateFormat: format }],
    ['UpdateService/GetUpdateByOffset', { offset: endInclusive, updateFormat: format }],
    ['StateService/GetActiveContracts', { activeAtOffset: endInclusive, eventFormat }],
    ['StateService/GetActiveContractsPage', { activeAtOffset: endInclusive, eventFormat, maxPageSize: 2 }],
    ['StateService/GetConnectedSynchronizers', { party: alice, participantId: '', identityProviderId: '' }],
    ['EventQueryService/GetEventsByContractId', { contractId, eventFormat }],
    ['ContractService/GetContract', { contractId, queryingParties: [alice] }],
  ])
  await tokens(world, { eventFormat, updateFormat: format, endInclusive })
  for (const begin of [0, -1, endInclusive, endInclusive + 5]) {
    const completions = { userId: 'app', parties: [alice, bank], beginExclusive: begin }
    await both.grpc('CommandCompletionService/CompletionStream', completions, { ...as, note: `from ${begin}` })
    await both.grpc(
      'CommandCompletionService/GetCompletions',
      { ...completions, userId: undefined },
      { ...as, note: `from ${begin}` },
    )
  }
  for (const fields of [
    { userId: '' },
    { parties: [] },
    { parties: ['x y'] },
    { parties: ['nobody::1220'] },
    { userId: 'a b' },
  ]) {
    const completions = { userId: 'app', parties: [alice], beginExclusive: endInclusive, ...fields }
    await both.grpc('CommandCompletionService/CompletionStream', completions, { ...as, note: JSON.stringify(fields) })
  }
}

/** Where to go on reading: damaged, of another request, and as each side gave it. */
async function tokens({ both }: World, formats: Json): Promise<void> {
  const { eventFormat, updateFormat: format, endInclusive } = formats
  const as = { as: 'app' }
  const active = { activeAtOffset: endInclusive, eventFormat }
  const updates = { beginOffsetExclusive: 0, endOffsetInclusive: endInclusive, updateFormat: format, maxPageSize: 1 }
  const rows: readonly (readonly [method: string, request: Json, field: string])[] = [
    ['StateService/GetActiveContracts', active, 'streamContinuationToken'],
    ['StateService/GetActiveContractsPage', { ...active, maxPageSize: 1 }, 'pageToken'],
    ['UpdateService/GetUpdatesPage', updates, 'pageToken'],
  ]
  for (const [method, request, name] of rows) {
    for (const token of ['', 'AAAA', '/////w==', 'CAE=', Buffer.alloc(100, 65).toString('base64')]) {
      await both.grpc(method, { ...request, [name]: token }, { ...as, note: `${name} ${token.slice(0, 10)}` })
    }
    const first = await both.grpc(method, request, as)
    const tokenOf = ({ json }: { readonly json: unknown }): string => {
      const answer = json as Json
      return answer?.nextPageToken ?? answer?.[0]?.streamContinuationToken ?? ''
    }
    const continued = (change: (token: string) => string) => (side: 'ours' | 'canton') => {
      const translated = side === 'ours' ? request : (both.ids.jsonToCanton(request) as Json)
      return { ...translated, [name]: change(tokenOf(first[side])) }
    }
    const cut = (token: string) => Buffer.from(token, 'base64').subarray(0, -1).toString('base64')
    const longer = (token: string) => Buffer.concat([Buffer.from(token, 'base64'), Buffer.from([1])]).toString('base64')
    await both.grpc(method, undefined, { ...as, bodyOf: continued((token) => token), note: 'the next page' })
    await both.grpc(method, undefined, { ...as, bodyOf: continued(cut), note: 'a token that is cut off' })
    await both.grpc(method, undefined, { ...as, bodyOf: continued(longer), note: 'a token with a byte too many' })
  }
}

async function pruning({ both }: World): Promise<void> {
  const { offset } = (await both.grpc('StateService/GetLedgerEnd', {})).json
  for (const pruneUpTo of [0, -1, offset, offset + 1, offset + 1000, 1, offset - 1]) {
    for (const pruneAllDivulgedContracts of [false, true]) {
      const request = { pruneUpTo, submissionId: 's', pruneAllDivulgedContracts }
      await both.grpc('admin.ParticipantPruningService/Prune', request, {
        note: `end ${offset}, prune up to ${pruneUpTo}`,
      })
    }
  }
  for (const submissionId of ['', 'x y', 'x'.repeat(300)]) {
    await both.grpc(
      'admin.ParticipantPruningService/Prune',
      { pruneUpTo: 0, submissionId },
      { note: submissionId.slice(0, 10) },
    )
  }
  await both.grpc('StateService/GetLatestPrunedOffsets', {})
}

/** The last: what only we accept is on one ledger from then on. */
async function onlyOurs(world: World): Promise<void> {
  const { both, bank, alice, newId } = world
  const deduplicationPeriod = { DeduplicationDuration: { value: { seconds: 10, nanos: -1 } } }
  const commands = {
    userId: 'app',
    commandId: newId(),
    actAs: [bank, alice],
    commands: [createIou(world)],
    deduplicationPeriod,
  }
  await both.grpc('CommandService/SubmitAndWait', { commands }, { as: 'app', note: 'nanoseconds out of range' })
}
