import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openMemoryStore } from '../../../test/fixtures/stores.ts'
import { delta, forAnybody, forParties, template, updates } from '../../../test/support/reading/sample-formats.ts'
import { createSampleReading, type Json, parsed } from '../../../test/support/reading/sample-reading.ts'
import type { UpdatesPageQuery } from './requests/queries.ts'

const format = updates(delta(forParties('alice')))
const all: UpdatesPageQuery = {
  beginExclusive: undefined,
  endInclusive: undefined,
  descending: false,
  format,
  maxPageSize: 2,
  pageToken: '',
}

/** Alice sees 2, 4, 6, 8 and 10. */
async function tenUpdates() {
  const reading = createSampleReading(await openMemoryStore())
  for (let n = 1; n <= 10; n++) {
    const signatories = [n % 2 === 0 ? 'alice' : 'bob']
    await reading.ledger.commit({ nodes: [{ kind: 'create', contract: `c${n}`, signatories }] })
  }
  return reading
}

type Reading = Awaited<ReturnType<typeof tenUpdates>>

/** "2,4 of 0-5", and so on while there are tokens. */
async function pagesOf({ updates: reader }: Reading, query: UpdatesPageQuery, most = 5): Promise<string[]> {
  const texts: string[] = []
  let pageToken: string | null = ''
  while (pageToken !== null && texts.length < most) {
    const page: Json = parsed(await reader.page({ ...query, pageToken }))
    const offsets = page.updates.map(({ update }: Json) => update.Transaction.value.offset)
    texts.push(`${offsets} of ${page.lowestPageOffsetExclusive}-${page.highestPageOffsetInclusive}`)
    pageToken = page.nextPageToken
  }
  return [...texts, pageToken === null ? 'end' : 'more']
}

describe('pages of updates', () => {
  const rows: [title: string, query: Partial<UpdatesPageQuery>, want: string[]][] = [
    ['end where the request ends', { endInclusive: 10n }, ['2,4 of 0-5', '6,8 of 5-9', '10 of 9-10', 'end']],
    ['begin where the request begins', { beginExclusive: 4n, endInclusive: 8n }, ['6,8 of 4-8', 'end']],
    ['continue without an end', {}, ['2,4 of 0-5', '6,8 of 5-9', '10 of 9-10', ' of 10-10', 'more']],
    ['descend', { endInclusive: 9n, descending: true }, ['8,6 of 4-9', '4,2 of 0-4', 'end']],
    ['descend from the ledger end', { descending: true, beginExclusive: 6n }, ['10,8 of 6-10', 'end']],
    ['are empty for an empty range', { beginExclusive: 3n, endInclusive: 3n }, [' of 3-3', 'end']],
    [
      'are empty beyond the ledger end',
      { beginExclusive: 12n },
      [' of 12-10', ' of 10-10', ' of 10-10', ' of 10-10', 'more'],
    ],
    ['are empty for an empty format', { format: updates(undefined), endInclusive: 4n }, [' of 0-4', 'end']],
  ]
  for (const [title, query, want] of rows) {
    test(title, async () => {
      assert.deepEqual(await pagesOf(await tenUpdates(), { ...all, ...query }, 4), want)
    })
  }

  test('hold a hundred updates by default', async () => {
    const reading = createSampleReading(await openMemoryStore())
    for (let n = 1; n <= 150; n++) {
      await reading.ledger.commit({ nodes: [{ kind: 'create', contract: `c${n}`, signatories: ['alice'] }] })
    }
    const sizeWith = async (maxPageSize: number | undefined) =>
      parsed(await reading.updates.page({ ...all, maxPageSize })).updates.length
    assert.equal(await sizeWith(undefined), 100)
    assert.equal(await sizeWith(2000), 150)
  })

  test('show what came since the last page', async () => {
    const reading = await tenUpdates()
    const query = { ...all, maxPageSize: 10 }
    const { nextPageToken } = parsed(await reading.updates.page(query))
    await reading.ledger.commit({ nodes: [{ kind: 'create', contract: 'c11', signatories: ['alice'] }] })
    const page = parsed(await reading.updates.page({ ...query, pageToken: nextPageToken }))
    assert.equal(page.updates[0].update.Transaction.value.offset, 11)
  })

  test('begin after the pruning offset unless a begin is given', async () => {
    const reading = await tenUpdates()
    reading.ledger.end.publishPruning(5n)
    const query = { ...all, endInclusive: 8n }
    assert.deepEqual(await pagesOf(reading, query), ['6,8 of 5-8', 'end'])
    assert.deepEqual(await pagesOf(reading, { ...query, descending: true }), ['8,6 of 5-8', 'end'])
    for (const descending of [false, true]) {
      await assert.rejects(reading.updates.page({ ...query, beginExclusive: 0n, descending }), {
        code: 'PARTICIPANT_PRUNED_DATA_ACCESSED',
        message: 'Transactions request from 1 to 8 precedes pruned offset 5',
      })
    }
  })

  const invalid = (reason: string) => ({
    code: 'INVALID_UPDATES_PAGE_TOKEN',
    message:
      'The submitted command contains an invalid page token. Tokens used in GetUpdatesPage requests must be taken from a ' +
      'valid GetUpdatesPageResponse and used with the same EventFormat settings, the same begin and end with the same ' +
      `Canton participant running the same Canton version. ${reason}`,
  })

  test('accept tokens only with the request they came from', async () => {
    const reading = await tenUpdates()
    const pageToken: string = parsed(await reading.updates.page(all)).nextPageToken
    const changes: Partial<UpdatesPageQuery>[] = [
      { beginExclusive: 0n },
      { endInclusive: 10n },
      { maxPageSize: 3 },
      { descending: true },
      { format: updates(delta(forParties('bob'))) },
      { format: updates(delta(forParties(['alice', template('Iou')]))) },
      { format: { ...format, reassignments: forAnybody() } },
    ]
    for (const change of changes) {
      await assert.rejects(
        reading.updates.page({ ...all, ...change, pageToken }),
        invalid('Next page token was obtained with different request parameters'),
      )
    }
  })

  test('accept only tokens of this node', async () => {
    const reading = await tenUpdates()
    const other = createSampleReading(await openMemoryStore(), { participantId: 'other::1220' })
    const pageToken: string = parsed(await other.updates.page(all)).nextPageToken
    await assert.rejects(
      reading.updates.page({ ...all, pageToken }),
      invalid('Next page token was obtained from an other participant node'),
    )
    const changed = Buffer.from(pageToken, 'base64')
    changed[0] = 9
    await assert.rejects(
      reading.updates.page({ ...all, pageToken: changed.toString('base64') }),
      invalid('Next page token was generated by a different Canton version'),
    )
    await assert.rejects(reading.updates.page({ ...all, pageToken: 'AAAA' }), {
      code: 'INVALID_FIELD',
      message:
        'The submitted command has a field with invalid value: Invalid field page_token: Invalid page token for ' +
        'GetUpdatesPageRequest',
    })
  })

  const argument = 'The submitted request has invalid arguments: '
  const refused: [query: Partial<UpdatesPageQuery>, message: string][] = [
    [
      { endInclusive: 0n, beginExclusive: -1n },
      'Offset 0 in endOffsetInclusive is not a positive integer: the offset has to be a positive integer (>0)',
    ],
    [
      { beginExclusive: -1n, maxPageSize: 0 },
      'Offset -1 in beginOffsetExclusive is a negative integer: the offset in beginOffsetExclusive field has to be a ' +
        'non-negative integer (>=0)',
    ],
    [{ maxPageSize: 0, endInclusive: 99n }, `${argument}Requested page size must be positive, but got 0`],
    [{ maxPageSize: 2001 }, `${argument}Requested page size must not exceed 2000, but got 2001`],
    [{ endInclusive: 11n, beginExclusive: 12n }, 'endOffsetInclusive offset (11) is after ledger end (10)'],
    [{ endInclusive: 5n, beginExclusive: 6n }, `${argument}beginOffsetExclusive is after endOffsetInclusive`],
    [{ format: undefined }, 'The submitted command is missing a mandatory field: update_format'],
    [{ format: updates(delta(forParties(''))) }, `${argument}Daml-LF Party is empty`],
  ]
  for (const [query, message] of refused) {
    test(`are refused: ${message}`, async () => {
      const { updates: reader } = await tenUpdates()
      await assert.rejects(reader.page({ ...all, ...query }), { message })
    })
  }

  test('check names before pruning, and nothing for an empty range', async () => {
    const { ledger, updates: reader } = await tenUpdates()
    ledger.end.publishPruning(5n)
    const unknown = { ...all, beginExclusive: 0n, format: updates(delta(forAnybody(template('Nothing')))) }
    await assert.rejects(reader.page(unknown), { code: 'NO_TEMPLATES_FOR_PACKAGE_NAME_AND_QUALIFIED_NAME' })
    assert.deepEqual(parsed(await reader.page({ ...unknown, beginExclusive: 10n })).updates, [])
  })
})
