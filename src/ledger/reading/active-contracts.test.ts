import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { needsPostgres } from '../../../test/fixtures/postgres.ts'
import { openMemoryStore, openPostgresStore } from '../../../test/fixtures/stores.ts'
import { forAnybody, forParties, template, viewOf, wildcard } from '../../../test/support/reading/sample-formats.ts'
import { blobOf, contractIdOf, samplePackageId, synchronizerId } from '../../../test/support/reading/sample-ledger.ts'
import { collect, createSampleReading, never, parsed } from '../../../test/support/reading/sample-reading.ts'
import { activeContractsContract } from './active-contracts.contract.ts'
import type { ActiveContractsPageQuery, ActiveContractsQuery, EventFormat } from './requests/queries.ts'

activeContractsContract('SQLite', openMemoryStore)
describe('on PostgreSQL', needsPostgres, () => activeContractsContract('PostgreSQL', openPostgresStore))

async function twoContracts() {
  const reading = createSampleReading(await openMemoryStore())
  await reading.ledger.commit({
    workflowId: 'work',
    nodes: [
      { kind: 'create', contract: 'c1', signatories: ['alice'], observers: ['bob'] },
      { kind: 'create', contract: 'c2', template: 'Main:Asset', signatories: ['alice'] },
    ],
  })
  reading.ledger.skip()
  return reading
}

const all: ActiveContractsQuery = { activeAtOffset: 2n, format: forParties('bob'), continuationToken: '' }
const page: ActiveContractsPageQuery = {
  activeAtOffset: undefined,
  format: forParties('alice'),
  maxPageSize: 1,
  pageToken: '',
}

describe('an active contract', () => {
  test('has its keys in order', async () => {
    const { activeContracts } = await twoContracts()
    const [[text]] = (await Array.fromAsync(activeContracts.stream(all, never), (batch) => [...batch])) as [[string]]
    const createdEvent = {
      offset: 1,
      nodeId: 0,
      contractId: contractIdOf('c1'),
      templateId: `${samplePackageId}:Main:Iou`,
      contractKey: null,
      contractKeyHash: '',
      createArgument: { label: 'c1' },
      createdEventBlob: '',
      interfaceViews: [],
      witnessParties: ['bob'],
      signatories: ['alice'],
      observers: ['bob'],
      createdAt: '2023-11-14T22:13:21Z',
      packageName: 'sample',
      representativePackageId: samplePackageId,
      acsDelta: true,
    }
    const want = {
      workflowId: 'work',
      contractEntry: { JsActiveContract: { createdEvent, synchronizerId, reassignmentCounter: 0 } },
      streamContinuationToken: parsed(text).streamContinuationToken,
    }
    assert.equal(text, JSON.stringify(want))
  })

  const rows: [title: string, format: EventFormat, witnesses: string[], blob: string, views: number][] = [
    ['for anybody names all stakeholders', forAnybody(template('Iou')), ['alice', 'bob'], '', 0],
    [
      'comes with its blob',
      forParties(['bob', wildcard(true)]),
      ['bob'],
      Buffer.from(blobOf('c1')).toString('base64'),
      0,
    ],
    ['comes with views', forParties('bob', ['alice', template('Iou'), viewOf('Token')]), ['alice', 'bob'], '', 1],
  ]
  for (const [title, format, witnesses, blob, views] of rows) {
    test(title, async () => {
      const { activeContracts } = await twoContracts()
      const [element] = await collect(activeContracts.stream({ ...all, format }, never))
      const { createdEvent } = element.contractEntry.JsActiveContract
      assert.deepEqual(createdEvent.witnessParties, witnesses)
      assert.equal(createdEvent.createdEventBlob, blob)
      assert.equal(createdEvent.interfaceViews.length, views)
    })
  }
})

describe('a list of active contracts', () => {
  const field = 'The submitted command has a field with invalid value: Invalid field '
  const token = (reason: string) =>
    'The submitted command contains an invalid page token. Tokens used in ACS requests must be taken from a valid ' +
    'GetActiveContractsPageResponse and used with the same EventFormat settings, with the same Canton participant ' +
    `running the same Canton version. ${reason}`
  const continuation =
    'The submitted command contains an invalid continuation token. Tokens used in ACS requests must be taken from a ' +
    'valid GetActiveContractsResponse and used with the same EventFormat settings, with the same Canton participant ' +
    'running the same Canton version.'

  const refused: [query: Partial<ActiveContractsQuery>, message: string][] = [
    [
      { activeAtOffset: -1n },
      'Offset -1 in active_at_offset is a negative integer: the offset in active_at_offset field has to be a ' +
        'non-negative integer (>=0)',
    ],
    [{ activeAtOffset: 3n }, 'active_at_offset offset (3) is after ledger end (2)'],
    [{ activeAtOffset: 1n }, 'Active contracts request at offset 1 precedes pruned offset 2'],
    [
      { activeAtOffset: -1n, continuationToken: 'AAAA' },
      `${field}stream_continuation_token: Invalid continuation token for GetActiveContractsRequest`,
    ],
    [{ continuationToken: 'CgA=' }, continuation], // A message, as Canton's tokens are.
    [
      { activeAtOffset: 9n, format: forParties(['bob', template('Nothing')]) },
      'The following package-name/template qualified-name pairs do not reference any template-id uploaded on this ' +
        'participant: [(sample,Main:Nothing)].',
    ],
  ]
  for (const [query, message] of refused) {
    test(`is refused: ${message}`, async () => {
      const { activeContracts, ledger } = await twoContracts()
      ledger.end.publishPruning(2n)
      await assert.rejects(collect(activeContracts.stream({ ...all, ...query }, never)), { message })
    })
  }

  test('is empty at offset 0, whatever is pruned', async () => {
    const { activeContracts, ledger } = await twoContracts()
    ledger.end.publishPruning(2n)
    assert.deepEqual(await collect(activeContracts.stream({ ...all, activeAtOffset: 0n }, never)), [])
  })

  test('resumes only with the same request', async () => {
    const { activeContracts } = await twoContracts()
    const [element] = await collect(activeContracts.stream(all, never))
    const continuationToken = element.streamContinuationToken
    for (const change of [{ activeAtOffset: 1n }, { format: forAnybody() }]) {
      const rest = collect(activeContracts.stream({ ...all, ...change, continuationToken }, never))
      await assert.rejects(rest, { code: 'INVALID_CONTINUATION_TOKEN', message: continuation })
    }
  })

  test('ends when its reader disconnects', async () => {
    const { activeContracts } = await twoContracts()
    assert.deepEqual(await collect(activeContracts.stream(all, AbortSignal.abort())), [])
  })

  test('comes in pages that keep their offset', async () => {
    const { activeContracts, ledger } = await twoContracts()
    for (const activeAtOffset of [undefined, 0n]) {
      const first = parsed(await activeContracts.page({ ...page, activeAtOffset }))
      const at = first.activeAtOffset
      await ledger.commit({ nodes: [{ kind: 'create', contract: `x${activeAtOffset}`, signatories: ['alice'] }] })
      const rest = { ...page, activeAtOffset, maxPageSize: 9, pageToken: first.nextPageToken }
      const second = parsed(await activeContracts.page(rest))
      assert.equal(second.activeAtOffset, at)
      assert.equal(second.nextPageToken, null)
      assert.equal(first.activeContracts[0].streamContinuationToken, '')
      assert.equal(second.activeContracts.length, activeAtOffset === undefined ? 1 : 2)
    }
  })

  test('accepts page tokens only with the request they came from', async () => {
    const { activeContracts } = await twoContracts()
    const other = createSampleReading(await openMemoryStore(), { participantId: 'other::1220' })
    await other.ledger.commit({ nodes: [{ kind: 'create', contract: 'a', signatories: ['alice'] }] })
    await other.ledger.commit({ nodes: [{ kind: 'create', contract: 'b', signatories: ['alice'] }] })
    const { nextPageToken } = parsed(await activeContracts.page(page))
    const foreign = parsed(await other.activeContracts.page(page)).nextPageToken
    const rows: [query: Partial<ActiveContractsPageQuery>, message: string][] = [
      [{ activeAtOffset: 2n }, token('The page token was prepared with different event_format or active_at_offset.')],
      [
        { format: forParties('bob') },
        token('The page token was prepared with different event_format or active_at_offset.'),
      ],
      [{ pageToken: foreign }, token('The page token was prepared by a different participant.')],
      [{ pageToken: 'AAAA' }, `${field}page_token: Invalid page token for GetActiveContractsPageRequest`],
    ]
    for (const [change, message] of rows) {
      await assert.rejects(activeContracts.page({ ...page, pageToken: nextPageToken, ...change }), { message })
    }
  })

  test('takes page tokens whichever order the fields of its filters come in', async () => {
    const { activeContracts } = await twoContracts()
    const reversed = Object.fromEntries(Object.entries(wildcard(true)).reverse()) as ReturnType<typeof wildcard>
    const { nextPageToken } = parsed(await activeContracts.page({ ...page, format: forAnybody(wildcard(true)) }))
    const rest = { ...page, format: forAnybody(reversed), pageToken: nextPageToken }
    assert.equal(parsed(await activeContracts.page(rest)).activeContracts.length, 1)
  })

  const argument = 'The submitted request has invalid arguments: '
  const refusedPages: [query: Partial<ActiveContractsPageQuery>, message: string][] = [
    [{ format: undefined, maxPageSize: 0 }, 'The submitted command is missing a mandatory field: event_format'],
    [{ format: forParties(''), maxPageSize: 0 }, `${argument}Daml-LF Party is empty`],
    [{ maxPageSize: 0, pageToken: 'AAAA' }, `${argument}Requested page size must be positive, but got 0`],
    [{ maxPageSize: 10_001 }, `${argument}Requested page size must not exceed 10000, but got 10001`],
    [{ activeAtOffset: 3n }, 'active_at_offset offset (3) is after ledger end (2)'],
  ]
  for (const [query, message] of refusedPages) {
    test(`is refused as a page: ${message}`, async () => {
      const { activeContracts } = await twoContracts()
      await assert.rejects(activeContracts.page({ ...page, ...query }), { message })
    })
  }
})
