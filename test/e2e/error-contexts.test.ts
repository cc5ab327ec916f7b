// What errors say besides their code: the whole answer to refused commands and reassignments, as Canton answers them, with
// arguments that do not fit their types at several depths.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { decodeDar } from '../../src/lf/dar/dar.ts'
import { writeZip } from '../../src/lf/dar/zip-writing.ts'
import {
  createTarget,
  doing,
  effectsDar,
  exercise,
  filtersFor,
  iouType,
  type Json,
  move,
  startTestLedger,
  type TestLedger,
  target,
  targetType,
  templateFilter,
} from '../fixtures/ledger.ts'
import { archiveOf, createPackageWriter, darOf, payloadOf } from '../support/lf/package-writer.ts'

const quickstartDar = new URL('../../packages/quickstart/quickstart.dar', import.meta.url).pathname
const submit = '/v2/commands/submit-and-wait'
const reassign = '/v2/commands/async/submit-reassignment'
const noContract = `00${'ab'.repeat(65)}`

let ledger: TestLedger
before(async () => {
  ledger = await startTestLedger({
    settings: {
      auth: { mode: 'off' },
      development: false,
      compatibility: 'canton-3.5',
      participant: { name: 'sandbox' },
      dars: [quickstartDar, effectsDar],
    },
  })
})
after(() => ledger[Symbol.asyncDispose]())

type Told = {
  readonly code: string
  readonly cause: string
  readonly correlationId: string | null
  readonly context: Readonly<Record<string, string>>
  readonly resources?: readonly (readonly string[])[]
}

/** The answer without what is new each time. */
function toldBy(json: Json): Told {
  const { code, cause, correlationId, context, resources, traceId } = json
  const { tid, ...rest } = context
  if (tid !== undefined) assert.equal(tid, traceId)
  const shown = Object.fromEntries(
    Object.entries(rest as Record<string, string>).map(([key, value]) => {
      return [key, value.replace(/submittedAt: '\d{4}-\d\d-\d\dT[\d:.]+Z'/, 'submittedAt: …')]
    }),
  )
  const isTrace = correlationId === traceId
  return { code, cause, correlationId: isTrace ? 'trace' : correlationId, context: shown, resources }
}

const ofRequest = (category: string) => ({ category, definite_answer: 'false', participant: "'sandbox'" })
const ofNode = (category: string) => ({ category, definite_answer: 'false', participant: 'sandbox' })
/** Found before the ledger sees the command. */
const early = { correlationId: 'trace', context: {}, resources: [] }

describe('an error of interpretation names the commands', () => {
  const shown = (fields: Readonly<Record<string, string>> = {}) => {
    const { alice, bank } = ledger
    const given = {
      ...{ readAs: '[]', deduplicationPeriod: "{duration: 'PT168H'}", submittedAt: '…', submissionId: "'s'" },
      ...{ actAs: `['${bank}', '${alice}']`, commandId: "'c'", userId: "'app'", workflowId: '' },
      ...fields,
    }
    const parts = Object.entries(given).map(([name, value]) => `${name}: ${value}`)
    return `{${parts.join(', ')}}`
  }
  const notFound = () => exercise(iouType, noContract, 'Archive')
  const cases: Record<string, () => [fields: object, commands: string]> = {
    'with their ids': () => [{}, shown()],
    'with a workflow': () => [{ workflowId: 'w' }, shown({ workflowId: "'w'" })],
    'with one party that acts and one that reads': () => [
      { actAs: [ledger.alice], readAs: [ledger.bob] },
      shown({ actAs: `['${ledger.alice}']`, readAs: `['${ledger.bob}']` }),
    ],
    'with a duration of deduplication': () => [
      { deduplicationPeriod: { DeduplicationDuration: { value: { seconds: 90, nanos: 0 } } } },
      shown({ deduplicationPeriod: "{duration: 'PT1M30S'}" }),
    ],
    'with an offset of deduplication': () => [
      { deduplicationPeriod: { DeduplicationOffset: { value: 1 } } },
      shown({ deduplicationPeriod: '{offset: 1}' }),
    ],
  }
  for (const [title, fieldsOf] of Object.entries(cases)) {
    test(title, async () => {
      const [fields, commands] = fieldsOf()
      const ids = { commandId: 'c', submissionId: 's', userId: 'app' }
      const { json } = await ledger.post(submit, ledger.commandsOf([notFound()], { ...ids, ...fields }))
      assert.deepEqual(toldBy(json), {
        code: 'CONTRACT_NOT_FOUND',
        cause: `Contract could not be found with id ${noContract}`,
        correlationId: 's',
        context: { ...ofRequest('11'), commands },
        resources: [['ErrorResource(CONTRACT_ID)', noContract]],
      })
    })
  }

  test('and what Daml code says', async () => {
    const ids = { commandId: 'c', submissionId: 's', userId: 'app' }
    const { json } = await ledger.post(submit, ledger.commandsOf([ledger.createIou({ amount: '-1' })], ids))
    const errorId = 'UNHANDLED_EXCEPTION/Iou:InvalidAmount'
    assert.deepEqual(toldBy(json).context, {
      ...ofRequest('9'),
      commands: shown(),
      error_id: errorId,
      exercise_trace: json.context.exercise_trace,
    })
    assert.match(json.context.exercise_trace, /^ {4}in create command [0-9a-f]{8}:Iou:Iou\.\n$/)
  })
})

describe('a party that no synchronizer hosts is named', () => {
  const stranger = () => `stranger::${ledger.alice.split('::')[1]}`
  const informees = 'The participant is not connected to any synchronizer where the given informees are known.'
  const submitters = 'The participant is not connected to any synchronizer where the given submitters are known.'
  const acting = () => ({ actAs: [ledger.alice, stranger()] })
  /** After one pass of package selection, and where a second one has nothing new to look at, Canton tells nothing more. */
  const bare = { category: '11', definite_answer: 'false' }
  const cases: Record<string, () => [command: object, fields: object, told: Omit<Told, 'resources'>]> = {
    'as an informee': () => [
      ledger.createIou({ observers: [stranger()] }),
      {},
      {
        code: 'UNKNOWN_INFORMEES',
        cause: informees,
        correlationId: null,
        context: { ...ofNode('11'), unknownInformees: `Set(${stranger()})` },
      },
    ],
    'as a submitter': () => [
      createTarget([ledger.alice, stranger()]),
      acting(),
      {
        code: 'UNKNOWN_SUBMITTERS',
        cause: submitters,
        correlationId: null,
        context: { ...ofNode('11'), unknownSubmitters: `Set(${stranger()})` },
      },
    ],
    'but not after a single pass of package selection': () => [
      ledger.createIou({ observers: [stranger()] }),
      { tapsMaxPasses: 1 },
      { code: 'UNKNOWN_INFORMEES', cause: informees, correlationId: 'trace', context: bare },
    ],
    'but not if the transaction does without it': () => [
      createTarget([ledger.alice]),
      acting(),
      { code: 'UNKNOWN_SUBMITTERS', cause: submitters, correlationId: 'trace', context: bare },
    ],
  }
  for (const [title, given] of Object.entries(cases)) {
    test(title, async () => {
      const [command, fields, told] = given()
      const { json } = await ledger.post(submit, ledger.commandsOf([command], { userId: 'app', ...fields }))
      assert.deepEqual(toldBy(json), { ...told, resources: [] })
    })
  }
})

test('a contract in transit is named with what is known of it', async () => {
  const synchronizers = ['one', 'two'].map((alias) => ({ alias, priority: 0 }))
  await using elsewhere = await startTestLedger({
    // The fixture names no synchronizer, and means all of them.
    settings: { hints: false, compatibility: 'canton-3.5', synchronizers, lenient: true },
  })
  const { contractId } = await elsewhere.submit([elsewhere.createIou()])
  await move(elsewhere, contractId, false)
  const show = exercise(iouType, contractId, 'Iou_Show', { viewers: [] })
  const { json } = await elsewhere.post(submit, elsewhere.commandsOf([show]))
  const words = 'are currently unknown due to ongoing contract reassignments or disconnected synchronizers.'
  const told = {
    code: 'UNKNOWN_CONTRACT_SYNCHRONIZERS',
    cause: `The synchronizers for the contracts (${contractId}) ${words}`,
    correlationId: null,
    context: {
      ...ofNode('9'),
      participant: json.context.participant,
      notFound: `List(${contractId})`,
      archived: 'Map()',
    },
    resources: [['ErrorResource(CONTRACT_IDS)', `[${contractId}]`]],
  }
  assert.deepEqual(toldBy(json), told)
  const once = await elsewhere.post(submit, elsewhere.commandsOf([show], { tapsMaxPasses: 1 }))
  const bare = { category: '9', definite_answer: 'false' }
  assert.deepEqual(toldBy(once.json), { ...told, correlationId: 'trace', context: bare, resources: [] })
})

test('a second client that waits for the same submission is told which one is in flight', async () => {
  const { alice, bank, node } = ledger
  const ids = { commandId: 'waits', submissionId: 's', userId: 'app', actAs: [bank, alice, bank], readAs: [ledger.bob] }
  // The first to arrive waits for its ledger time.
  const commands = ledger.commandsOf([ledger.createIou()], { ...ids, minLedgerTimeRel: { seconds: 45 } })
  const first = new AbortController()
  const send = () =>
    fetch(`${node.url}${submit}`, { method: 'POST', body: JSON.stringify(commands), signal: first.signal })
  const both = [send(), send()]
  const answer = await Promise.race(both)
  const json: Json = await answer.json()
  assert.equal(answer.status, 409)
  assert.deepEqual(toldBy(json), {
    code: 'SUBMISSION_ALREADY_IN_FLIGHT',
    cause: 'A submission with the given change ID (user ID, command ID, actAs) and submission ID is already in flight',
    correlationId: 's',
    context: {
      ...ofRequest('2'),
      ...{ submissionId: "'s'", commandId: "'waits'", readAs: `['${ledger.bob}']` },
      actAs: `['${bank}', '${alice}', '${bank}']`,
    },
    resources: [],
  })
  first.abort()
  const outcomes = await Promise.allSettled(both)
  assert.deepEqual(outcomes.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
})

test('preparing two commands is refused with the commands', async () => {
  const commands = [ledger.createIou(), ledger.createIou()]
  const body = ledger.commandsOf(commands, { userId: 'app', commandId: 'c', actAs: [ledger.alice] })
  const optional = { synchronizerId: '', packageIdSelectionPreference: [], verboseHashing: false }
  const { json } = await ledger.post('/v2/interactive-submission/prepare', { ...body, ...optional })
  const shown = [
    "readAs: [], deduplicationPeriod: {duration: 'PT0S'}, submittedAt: …, submissionId: ",
    `actAs: ['${ledger.alice}'], commandId: 'c', userId: 'app', workflowId: `,
  ]
  const words = 'Preparing multiple commands is currently not supported'
  assert.deepEqual(toldBy(json), {
    code: 'FAILED_TO_PREPARE_TRANSACTION',
    cause: `The participant failed to prepare the transaction: ${words}`,
    correlationId: null,
    context: { ...ofRequest('8'), commands: `{${shown.join(', ')}}` },
    resources: [],
  })
})

test('a change of vetting with another serial is told both', async () => {
  const operation = { Vet: { value: { packages: [{ packageId: '', packageName: 'quickstart', packageVersion: '' }] } } }
  const attempt = async (serial: object) => {
    const body = { changes: [{ operation }], dryRun: false, expectedTopologySerial: { serial } }
    return toldBy((await ledger.node.call('POST', '/v2/package-vetting/update', { body })).json).context
  }
  const { definite_answer: _, ...ofVetting } = ofNode('9')
  assert.deepEqual(await attempt({ Prior: { value: 77 } }), { ...ofVetting, actual: 'Some(3)', expected: 'Some(77)' })
  assert.deepEqual(await attempt({ NoPrior: {} }), { ...ofVetting, actual: 'Some(3)', expected: 'None' })
})

describe('what is malformed is told in the words of Canton', () => {
  const invalid = (reason: string) => `The submitted request has invalid arguments: ${reason}`
  const field = (name: string, reason: string) =>
    `The submitted command has a field with invalid value: Invalid field ${name}: ${reason}`

  const synchronizers: [id: string, problem: string][] = [
    ['x', 'Invalid unique identifier `x` with missing namespace.'],
    ['x::', 'Fingerprint decoding of `x::` failed with: StringConversionError(Daml-LF Party is empty,None)'],
    ['a%::1220', 'Identifier decoding of `a%::1220` failed with: non expected character 0x25 in Daml-LF Party "a%"'],
  ]
  for (const [synchronizerId, problem] of synchronizers) {
    test(`the synchronizer ${synchronizerId}`, async () => {
      const commands = ledger.commandsOf([ledger.createIou()], { userId: 'app', synchronizerId })
      const { code, cause } = toldBy((await ledger.post(submit, commands)).json)
      assert.deepEqual([code, cause], ['INVALID_FIELD', field('synchronizer_id', problem)])
    })
  }

  const choices: [name: string, problem: string][] = [
    ['', 'Daml-LF Name is empty'],
    ['1', 'non expected first character 0x31 in Daml-LF Name "1"'],
    ['a-b', 'non expected non first character 0x2d in Daml-LF Name "a-b"'],
    ['x'.repeat(1001), 'Name is too long (max: 1000)'],
  ]
  for (const [choice, problem] of choices) {
    test(`the choice ${choice.slice(0, 10)}`, async () => {
      const command = exercise(iouType, noContract, choice)
      const { json } = await ledger.post(submit, ledger.commandsOf([command], { userId: 'app' }))
      assert.deepEqual(toldBy(json), { code: 'INVALID_ARGUMENT', cause: invalid(problem), ...early })
    })
  }

  const urls: [url: string, problem: string][] = [
    ['http:', 'Expected scheme-specific part at index 5: http:'],
    ['http://a/%zz', 'Malformed escape pair at index 9: http://a/%zz'],
    ['foo://a', 'unknown protocol: foo'],
  ]
  for (const [jwksUrl, problem] of urls) {
    test(`the key URL ${jwksUrl}`, async () => {
      const identityProviderConfig = { identityProviderId: 'acme', issuer: 'https://acme', jwksUrl }
      const { json } = await ledger.node.call('POST', '/v2/idps', { body: { identityProviderConfig } })
      assert.equal(json.cause, field('jwks_url', `Malformed URL: ${problem}`))
    })
  }
})

describe('an unknown synchronizer is named', () => {
  const elsewhere = `other::1220${'ab'.repeat(32)}`
  const { definite_answer: _, ...ofNodeAlone } = ofNode('9')
  test('where packages are vetted', async () => {
    const body = { changes: [], dryRun: true, synchronizerId: elsewhere }
    const { json } = await ledger.node.call('POST', '/v2/package-vetting/update', { body })
    assert.deepEqual(toldBy(json).context, { ...ofNodeAlone, synchronizerId: elsewhere })
  })
  test('where it is connected', async () => {
    const { json } = await ledger.node.call('POST', '/v2/synchronizers/nowhere/connect')
    const context = { ...ofNodeAlone, category: '11', synchronizerAlias: "Synchronizer 'nowhere'" }
    assert.deepEqual([toldBy(json).context, json.resources], [context, []])
  })
})

describe('a DAR that cannot be read is refused', () => {
  const archive = 'com.digitalasset.daml.lf.archive.Error'
  const noManifest = (content: string) =>
    `${archive}$InvalidZipEntry: Invalid zip entryName: META-INF/MANIFEST.MF, DAR: uploaded-via-ledger-api, content: [${content}}]`
  const protobuf = 'IO error: com.google.protobuf.InvalidProtocolBufferException'
  const file = Buffer.from('x')
  const dalf = archiveOf(payloadOf(createPackageWriter(2).finish(), '2'))
  const packageId = decodeDar(darOf({ a: dalf })).main.package.id
  const both = 'List(META-INF/MANIFEST.MF, a)'
  const crcOf = (dar: Buffer) => {
    const changed = Buffer.from(dar)
    changed[dar.indexOf(dalf)]! ^= 1
    return changed
  }
  const stored = darOf({ a: dalf }, {}, 0)
  const cases: Record<string, [dar: Uint8Array, code: string, context: object]> = {
    'without files': [Buffer.from('text'), 'INVALID_DAR', { entries: 'List()', throwable: noManifest('') }],
    'with the files it has instead of a manifest': [
      writeZip([...'ab'].map((name) => [name, file])),
      'INVALID_DAR',
      { entries: 'List(a, b)', throwable: noManifest('a, b') },
    ],
    'with more than four files in the order of a hash map': [
      writeZip([...'abcdefg'].map((name) => [name, file])),
      'INVALID_DAR',
      { entries: 'List(e, f, a, b, g, c, d)', throwable: noManifest('e, f, a, b, g, c, d') },
    ],
    'with a wrong attribute of its manifest': [
      darOf({ a: dalf }, { Format: 'x' }),
      'INVALID_DAR',
      { entries: both, throwable: `${archive}$DarManifestReaderException: Unsupported format: x` },
    ],
    'with the file that it lacks': [
      darOf({ a: dalf }, { Dalfs: 'a, c' }),
      'INVALID_ZIP_ENTRY',
      { name: 'c', entries: both },
    ],
    'without a name if that is empty': [darOf({ a: dalf }, { Dalfs: '' }), 'INVALID_ZIP_ENTRY', { entries: both }],
    'as cut off': [
      stored.subarray(0, 60),
      'DAR_PARSE_ERROR',
      { reason: 'IO error: java.io.EOFException: Unexpected end of ZLIB input stream' },
    ],
    'with both hashes of a changed package': [
      darOf({ a: archiveOf(payloadOf(createPackageWriter(2).finish(), '2'), 'f'.repeat(64)) }),
      'DAR_PARSE_ERROR',
      { reason: `Mismatching hashes! Expected ${packageId} but got ${'f'.repeat(64)}` },
    ],
    'with a package that names no hash': [
      darOf({ a: Buffer.alloc(0) }),
      'DAR_PARSE_ERROR',
      { reason: 'Invalid hash: Daml-LF Package ID is empty' },
    ],
    'with a package that is cut off': [
      darOf({ a: dalf.subarray(0, 20) }),
      'DAR_PARSE_ERROR',
      {
        reason:
          `${protobuf}: While parsing a protocol message, the input ended unexpectedly in the middle of a field.  This could ` +
          'mean either that the input has been truncated or that an embedded message misreported its own length.',
      },
    ],
    'as a zip bomb': [
      darOf({ a: Buffer.alloc(4 * 1024 * 1024) }),
      'ZIP_BOMB',
      { msg: 'An entry is too large, rejected as a possible zip bomb' },
    ],
  }
  for (const [title, [dar, code, expected]] of Object.entries(cases)) {
    test(title, async () => {
      const { status, json } = await ledger.post('/v2/dars', dar)
      assert.equal(status, 400)
      const { code: told, context } = toldBy(json)
      assert.deepEqual(
        { told, context },
        { told: code, context: { category: '8', participant: 'sandbox', ...expected } },
      )
    })
  }

  test('by another name when it is only validated', async () => {
    const { json } = await ledger.post('/v2/dars/validate', Buffer.from('text'))
    assert.equal(json.context.throwable, noManifest('').replace('uploaded-via-ledger-api', 'defaultDarName'))
  })

  test('a damaged file: the error has both checksums', async () => {
    const { json } = await ledger.post('/v2/dars', crcOf(stored))
    const reason =
      /^IO error: java\.util\.zip\.ZipException: invalid entry CRC \(expected 0x[0-9a-f]+ but got 0x[0-9a-f]+\)$/
    assert.match(json.context.reason, reason)
  })

  test('a DAR of many files: the context fits into the details of a gRPC status', async () => {
    const names = Array.from({ length: 300 }, (_, i) => `some/quite/long/entry/name/that/takes/space/${i}`)
    const { json } = await ledger.post('/v2/dars/validate', writeZip(names.map((name) => [name, file])))
    const { entries, throwable } = json.context
    assert.match(entries, /^List\(some\/.*\.\.\.$/)
    assert.deepEqual([entries.length, throwable.length], [1886, 1884]) // As long as Canton's.
  })
})

describe('an error of a read request shows the request', () => {
  const template = (name: string, blob = false) => templateFilter(`#nothing:Iou:${name}`, blob)
  const party = (filters: readonly object[]) => filtersFor([ledger.alice], ...filters)
  const told = async (path: string, body: object) => {
    const { json } = await ledger.node.call('POST', path, { body })
    const {
      category: _,
      definite_answer: __,
      participant,
      ...context
    } = toldBy(Array.isArray(json) ? json[0] : json).context
    assert.equal(participant, "'sandbox'")
    return context
  }
  const wildcard = (includeCreatedEventBlob: boolean) => ({
    identifierFilter: { WildcardFilter: { value: { includeCreatedEventBlob } } },
  })
  const onlyTemplates = (shown: string) => `{${ledger.alice}: {templates: [${shown}], interfaces: []}}`
  const acs = '/v2/state/active-contracts'

  test('of active contracts with its filters', async () => {
    const activeAtOffset = await ledger.end()
    const filtersOf = async (filters: readonly object[]) =>
      (await told(acs, { activeAtOffset, eventFormat: party(filters) })).filters
    assert.equal(await filtersOf([template('Iou')]), onlyTemplates("'#nothing:Iou:Iou'"))
    assert.equal(
      await filtersOf([template('Iou'), template('Iou', true), wildcard(true), wildcard(false)]),
      `{${ledger.alice}: {templates: ['#nothing:Iou:Iou'], interfaces: [], all-templates, created_event_blob: true}}`,
    )
    const seven = [...'FGEDACB'].map((name) => `'#nothing:Iou:${name}'`).join(', ')
    assert.equal((await filtersOf([...'ABCDEFG'].map((name) => template(name))))?.length, onlyTemplates(seven).length)
  })

  test('of a page of active contracts with its size and offset, given or not', async () => {
    const end = await ledger.end()
    const eventFormat = party([template('Iou')])
    const filters = onlyTemplates("'#nothing:Iou:Iou'")
    const [maxPageSize, activeAtOffset] = ['2000', String(end)]
    assert.deepEqual(await told(`${acs}-page`, { eventFormat }), { filters, maxPageSize, activeAtOffset })
    const given = { eventFormat: party([]), maxPageSize: 3, activeAtOffset: end + 50 }
    assert.deepEqual(await told(`${acs}-page`, given), {
      filters: `{${ledger.alice}: {templates: [], interfaces: [], all-templates, created_event_blob: false}}`,
      ...{ maxPageSize: '3', activeAtOffset: String(end + 50) },
    })
  })

  test('of a page of updates with its format and bounds', async () => {
    const end = await ledger.end()
    const filters = onlyTemplates("'#nothing:Iou:Iou'")
    const includeTransactions = {
      eventFormat: party([template('Iou')]),
      transactionShape: 'TRANSACTION_SHAPE_LEDGER_EFFECTS',
    }
    const path = '/v2/updates/get-updates-page'
    const shown = `transaction format: [{filters: ${filters}, transactionShape: 'LedgerEffects'}]`
    assert.deepEqual(await told(path, { updateFormat: { includeTransactions } }), {
      updateFormat: `{${shown}, reassignment filters: [], topology format: []}`,
      ...{ maxPageSize: '100', descendingOrder: 'false' },
    })
    const includeTopologyEvents = { includeParticipantAuthorizationEvents: { parties: [ledger.bob] } }
    const updateFormat = { includeTransactions, includeReassignments: party([]), includeTopologyEvents }
    const bounds = { beginOffsetExclusive: 0, endOffsetInclusive: end, maxPageSize: 5, descendingOrder: true }
    const reassignments = `[{${ledger.alice}: {templates: [], interfaces: [], all-templates, created_event_blob: false}}]`
    assert.deepEqual(await told(path, { updateFormat, ...bounds }), {
      updateFormat: `{${shown}, reassignment filters: ${reassignments}, topology format: [{participantAuthorizationFormat: ['${ledger.bob}']}]}`,
      ...{ startExclusiveOpt: '0', endInclusive: String(end), maxPageSize: '5', descendingOrder: 'true' },
    })
  })

  test('for a further page of updates, with the offset at which the page continues', async () => {
    await using pruned = await startTestLedger()
    for (const _ of [1, 2, 3]) await pruned.submit([pruned.createIou()])
    const end = await pruned.end()
    const updateFormat = {
      includeTransactions: { eventFormat: filtersFor([pruned.alice]), transactionShape: 'TRANSACTION_SHAPE_ACS_DELTA' },
    }
    const page = async (more: object) => {
      const body = { updateFormat, beginOffsetExclusive: 0, maxPageSize: 1, ...more }
      return (await pruned.post('/v2/updates/get-updates-page', body)).json
    }
    const orders = [false, true].map((descendingOrder) => ({ descendingOrder }))
    const firsts = await Promise.all(orders.map(page))
    assert.equal((await pruned.node.call('POST', '/v2/pruning', { body: { pruneUpTo: end - 1 } })).status, 200)
    const [up, down] = await Promise.all(
      orders.map((order, index) => page({ ...order, pageToken: firsts[index].nextPageToken })),
    )
    assert.deepEqual([up.code, down.code], Array(2).fill('PARTICIPANT_PRUNED_DATA_ACCESSED'))
    assert.equal(up.context.continueStreamFromIncl, String(firsts[0].highestPageOffsetInclusive + 1))
    assert.equal(down.context.continueStreamFromIncl, String(firsts[1].lowestPageOffsetExclusive))
  })
})

test('pruning is refused in the name of the node', async () => {
  const { json } = await ledger.node.call('POST', '/v2/pruning', { body: { pruneUpTo: 100_000 } })
  assert.deepEqual([json.code, toldBy(json).context], ['OFFSET_OUT_OF_RANGE', ofNode('9')])
})

test('a disclosed contract is refused with the field that is wrong', async () => {
  const { contractId } = await ledger.submit([ledger.createIou()], { userId: 'app' })
  const { json: active } = await ledger.post('/v2/state/active-contracts', {
    activeAtOffset: await ledger.end(),
    eventFormat: filtersFor([ledger.alice], templateFilter(iouType, true)),
  })
  const event = active
    .map(({ contractEntry }: Json) => contractEntry.JsActiveContract.createdEvent)
    .find((one: Json) => one.contractId === contractId)
  const { createdEventBlob, templateId } = event
  const disclosed = { contractId, createdEventBlob, templateId, synchronizerId: '' }
  const field = (name: string, reason: string) =>
    `The submitted command has a field with invalid value: Invalid field ${name}: ${reason}`
  const mismatch = (name: string, given: string, actual: string) =>
    `The submitted request has invalid arguments: Mismatch between DisclosedContract.${name} (${given}) and ${name} from ` +
    `decoded DisclosedContract.created_event_blob (${actual})`
  const other = `${templateId.split(':')[0]}:Iou:IouProposal`
  const cases: [fields: object, code: string, cause: string, more?: object][] = [
    [
      { templateId: iouType },
      'INVALID_FIELD',
      field('package_id', 'non expected character 0x23 in Daml-LF Package ID "#quickstart"'),
    ],
    [{ templateId: other }, 'INVALID_ARGUMENT', mismatch('template_id', other, templateId)],
    [{ contractId: noContract }, 'INVALID_ARGUMENT', mismatch('contract_id', noContract, contractId)],
    [{ contractId: 'x' }, 'INVALID_FIELD', field('DisclosedContract.contract_id', 'cannot parse ContractId "x"')],
    [
      { synchronizerId: 'x' },
      'INVALID_FIELD',
      field('DisclosedContract.synchronizer_id', 'Invalid unique identifier `x` with missing namespace.'),
    ],
    [
      { createdEventBlob: '' },
      'MISSING_FIELD',
      'The submitted command is missing a mandatory field: DisclosedContract.createdEventBlob',
      { field_name: 'DisclosedContract.createdEventBlob' },
    ],
  ]
  for (const [fields, code, cause, more = {}] of cases) {
    const show = exercise(iouType, contractId, 'Iou_Show', { viewers: [] })
    const given = { userId: 'app', submissionId: 's', disclosedContracts: [{ ...disclosed, ...fields }] }
    const { json } = await ledger.post(submit, ledger.commandsOf([show], given))
    const context = { ...ofRequest('8'), ...more }
    assert.deepEqual(toldBy(json), { code, cause, correlationId: 's', context, resources: [] }, JSON.stringify(fields))
  }
})

describe('a reassignment is refused', () => {
  const invalid = (reason: string) => `The submitted request has invalid arguments: ${reason}`
  const field = (name: string, reason: string) =>
    `The submitted command has a field with invalid value: Invalid field ${name}: ${reason}`
  const elsewhere = `other::1220${'ab'.repeat(32)}`
  const unassign = (fields: object) => ({
    command: { UnassignCommand: { value: { contractId: noContract, source: '', target: elsewhere, ...fields } } },
  })
  const assign = (fields: object) => ({
    command: { AssignCommand: { value: { reassignmentId: '00', source: '', target: '', ...fields } } },
  })
  const missing = 'The submitted command is missing a mandatory field: '
  const cases: Record<string, () => [fields: object, told: Omit<Told, 'resources'>]> = {
    'in the words of the request for a wrong field': () => [
      { commands: [unassign({ contractId: 'x', source: ledger.synchronizerId })] },
      {
        code: 'INVALID_FIELD',
        cause: field('contract_id', 'cannot parse ContractId "x"'),
        correlationId: 's',
        context: ofRequest('8'),
      },
    ],
    'with the name of a missing field': () => [
      { commands: [{ command: { Empty: {} } }] },
      {
        code: 'MISSING_FIELD',
        cause: `${missing}command`,
        correlationId: 's',
        context: { ...ofRequest('8'), field_name: 'command' },
      },
    ],
    'without its submission where the synchronizer is unknown': () => [
      { commands: [unassign({ source: ledger.synchronizerId })] },
      {
        code: 'INVALID_ARGUMENT',
        cause: invalid('Unable to resolve other::1220abababab... to a connected physical synchronizer id'),
        correlationId: null,
        context: ofNode('8'),
      },
    ],
    'without its submission where the synchronizers are one': () => [
      { commands: [unassign({ source: ledger.synchronizerId, target: ledger.synchronizerId })] },
      {
        code: 'INVALID_ARGUMENT',
        cause: invalid(
          `Cannot unassign contracts \`List(ContractId(${noContract}))\`: source and target synchronizers are the same`,
        ),
        correlationId: null,
        context: ofNode('8'),
      },
    ],
    'without its submission where the reassignment is unknown': () => [
      { commands: [assign({ source: ledger.synchronizerId, target: ledger.synchronizerId })] },
      {
        code: 'INVALID_ARGUMENT',
        cause: invalid('Cannot find reassignment data for reassignment `ReassignmentId(00)`: unknown reassignment id'),
        correlationId: null,
        context: ofNode('8'),
      },
    ],
  }
  for (const [title, given] of Object.entries(cases)) {
    test(title, async () => {
      const [fields, told] = given()
      const commands = { userId: 'app', commandId: 'c', submissionId: 's', submitter: ledger.alice, ...fields }
      const { json } = await ledger.post(reassign, { reassignmentCommands: commands })
      assert.deepEqual(toldBy(json), { ...told, resources: [] })
    })
  }
})

describe('an argument that does not fit its type', () => {
  const invalid = (reason: string) => ({
    code: 'INVALID_ARGUMENT',
    cause: `The submitted request has invalid arguments: ${reason}`,
  })
  const missing = (fields: string) => ({
    code: 'COMMAND_PREPROCESSING_FAILED',
    cause: `Missing non-optional fields: ${fields}`,
  })
  /** Found by validation of the command. */
  const late = { correlationId: 's', context: ofRequest('8'), resources: [] }
  const act = (tag: string, value: unknown) => ({ tag, value })
  const cases: Record<string, () => [argument: unknown, told: object]> = {
    'at the top: a field is missing': () => [{}, { ...missing('Set(signatories, observers, faults, note)'), ...early }],
    'at the top: a field too many': () => [
      { ...target([ledger.alice]), more: 1 },
      { ...invalid('Unexpected fields: more'), ...early },
    ],
    'in a list: no party': () => [
      target(['a%b']),
      { ...invalid('non expected character 0x25 in Daml-LF Party "a%b"'), ...late },
    ],
    'in a record: a field is missing': () => [
      target([ledger.alice], { faults: { view: 'Fine' } }),
      { ...missing('Set(precondition, signatories, observers)'), ...early },
    ],
  }
  const deep = (argument: unknown) => {
    const keep = act('Keep', { target: act('Made', '0'), argument })
    return doing([ledger.alice], act('Try', { body: [keep], handler: act('Handle', []) }))
  }
  const deepCases: Record<string, () => [argument: unknown, told: object]> = {
    'seven levels down: an unknown tag': () => [
      deep(doing([ledger.alice], act('Nothing', 'x'))),
      { ...invalid('Unexpected variant tag: Nothing'), ...early },
    ],
    'seven levels down: a variant without a tag': () => [
      deep(doing([ledger.alice], { value: 'x' })),
      { ...invalid("Variant type json must have 'tag' and 'value' fields."), ...early },
    ],
    'eight levels down: a field is missing': () => [
      deep(doing([ledger.alice], act('Create', { note: 'x' }))),
      { ...missing('Set(signatories, observers, faults)'), ...early },
    ],
    'eight levels down: no contract id': () => [
      deep(doing([ledger.alice], act('Fetch', act('Given', 'x')))),
      { ...invalid('cannot parse ContractId "x"'), ...late },
    ],
    'eight levels down: out of bounds': () => [
      deep(doing([ledger.alice], act('Before', '+10000-01-01T00:00:00Z'))),
      {
        ...invalid('cannot convert long 253402300800000000 into Timestamp:out of bound Timestamp 253402300800000000'),
        ...late,
      },
    ],
  }
  const send = async (command: object, told: object) => {
    const { json } = await ledger.post(submit, ledger.commandsOf([command], { userId: 'app', submissionId: 's' }))
    assert.deepEqual(toldBy(json), told)
  }
  for (const [title, given] of Object.entries(cases)) {
    test(title, async () => {
      const [createArguments, told] = given()
      await send({ CreateCommand: { templateId: targetType, createArguments } }, told)
    })
  }
  for (const [title, given] of Object.entries(deepCases)) {
    test(title, async () => {
      const [choiceArgument, told] = given()
      const { CreateCommand } = createTarget([ledger.alice])
      await send({ CreateAndExerciseCommand: { ...CreateCommand, choice: 'Keep', choiceArgument } }, told)
    })
  }
})

test('a key to prefetch that is no object lacks all its fields', async () => {
  const body = { ...ledger.commandsOf([ledger.createIou()]), synchronizerId: '', packageIdSelectionPreference: [] }
  const path = '/v2/interactive-submission/prepare'
  const { status, text } = await ledger.post(path, { ...body, prefetchContractKeys: [5] })
  const lacking = ['templateId', 'contractKey', 'limit'].map(
    (field) => `Missing required field at 'prefetchContractKeys[0].${field}'`,
  )
  assert.deepEqual([status, text], [400, `Invalid value for: body (${lacking.join(', ')})`])
})
