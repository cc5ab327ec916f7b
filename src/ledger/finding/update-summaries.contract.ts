// Updates in short over any store, compared with what the API says of the same updates.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { delta, effects, forAnybody, forParties, template } from '../../../test/support/reading/sample-formats.ts'
import type { SampleNode } from '../../../test/support/reading/sample-ledger.ts'
import { type Json, parsed } from '../../../test/support/reading/sample-reading.ts'
import type { Store } from '../../store/core/store.ts'
import type { EventFormat, TransactionFormat, UpdateFormat } from '../reading/requests/queries.ts'
import { asking, findingOver } from './contract-query.contract.ts'
import { anyUpdate, type SummariesQuery } from './update-summaries.ts'

export const latest: SummariesQuery = {
  ...{ format: undefined, after: undefined, upTo: undefined, oldestFirst: false, filter: anyUpdate, pageSize: 200 },
}

export const allOf = (format: EventFormat, of: (format: EventFormat) => TransactionFormat = effects): UpdateFormat => ({
  transactions: of(format),
  reassignments: format,
  topology: format.filtersForAnyParty === undefined ? [...format.filtersByParty.keys()] : [],
})

const create = (contract: string, signatories: string[], more: Partial<SampleNode> = {}): SampleNode =>
  ({ kind: 'create', contract, signatories, ...more }) as SampleNode
const exercise = (
  contract: string,
  actors: string[],
  isConsuming: boolean,
  children: SampleNode[] = [],
): SampleNode => ({
  ...{ kind: 'exercise', contract, signatories: ['alice'], choice: `Do_${contract}`, isConsuming, actors, children },
})

async function filled(store: Store) {
  const all = findingOver(store)
  const { ledger } = all
  await ledger.host(['alice', 'bob'])
  await ledger.commit({ nodes: [create('a', ['alice'])], actAs: ['alice'], commandId: 'first' })
  await ledger.commit({ nodes: [create('b', ['bob'])], actAs: ['bob'], commandId: 'second' })
  ledger.skip()
  const inner = exercise('b', ['carol'], false, [create('c', ['bob'], { template: 'Main:Asset' })])
  const children = [create('d', ['alice'], { observers: ['bob'] }), inner, create('e', ['alice'])]
  await ledger.commit({ nodes: [exercise('a', ['alice'], true, children)], actAs: ['alice'], commandId: 'third' })
  const long = JSON.stringify({ label: 'long', text: 'é'.repeat(20_000) })
  await ledger.commit({
    nodes: [create('f', ['alice']), create('g', ['bob'], { argument: long }), create('h', ['carol'])],
    actAs: ['bob', 'carol'],
    commandId: 'fourth',
  })
  const many = Array.from({ length: 700 }, (_, index) => create(`m${index}`, [index % 2 === 0 ? 'alice' : 'bob']))
  await ledger.commit({ nodes: many, actAs: ['alice', 'bob'], commandId: 'fifth' })
  await ledger.host(['carol'])
  return all
}

export function summariesContract(name: string, open: () => Promise<Store>): void {
  describe(`updates in short over ${name}`, () => {
    const formats: [title: string, format: UpdateFormat][] = [
      ['for anybody', allOf(forAnybody())],
      ['for alice', allOf(forParties('alice'))],
      ['for bob and carol', allOf(forParties('bob', 'carol'))],
      ['for a stranger', allOf(forParties('nobody'))],
      ['for alice, as changes of what is active', allOf(forParties('alice'), delta)],
      ['for anybody, of a template', allOf(forAnybody(template('Asset')))],
      ['without transactions', { ...allOf(forAnybody()), transactions: undefined }],
    ]

    test('say of each update what the API says of it', async (t) => {
      await using store = await open()
      const { finding, updates } = await filled(store)
      for (const [title, format] of formats) {
        await t.test(title, async () => {
          const page = parsed(
            await updates.page({
              ...{ format, beginExclusive: undefined, endInclusive: undefined, descending: true, pageToken: '' },
              maxPageSize: 100,
            }),
          )
          const found = parsed(await finding.updates({ ...latest, format }, asking))
          assert.deepEqual(
            found.updates.map(comparable),
            page.updates.map(({ update }: Json) => oracle(update)),
          )
          assert.equal(found.next, null)
          assert.ok(JSON.stringify(found).length < 10_000)
        })
      }
    })

    const filters: [title: string, filter: Partial<SummariesQuery['filter']>, commands: readonly string[]][] = [
      ['a choice below the root', { choice: 'Do_b' }, ['third']],
      ['the beginning of a command id', { commandId: 'f' }, ['fifth', 'fourth', 'first']],
      ['a party that only acts', { party: 'carol', kind: 'transaction' }, ['fourth', 'third']],
      ['a kind', { kind: 'topology' }, ['', '']],
      ['nothing like that', { choice: 'Nothing' }, []],
    ]
    for (const [title, filter, commands] of filters) {
      test(`are found by ${title}`, async () => {
        await using store = await open()
        const { finding } = await filled(store)
        const query = { ...latest, format: allOf(forAnybody()), filter: { ...anyUpdate, ...filter } }
        const { updates } = parsed(await finding.updates(query, asking))
        assert.deepEqual(
          updates.map(({ commandId }: Json) => commandId),
          commands,
        )
      })
    }

    test('are found by time, and page by page', async () => {
      await using store = await open()
      const { finding } = await filled(store)
      const format = allOf(forAnybody())
      const all = parsed(await finding.updates({ ...latest, format }, asking)).updates
      const micros = ({ recordTime }: Json) => BigInt(Date.parse(recordTime)) * 1000n
      for (const [low, high] of [
        [0, all.length - 1],
        [1, 3],
        [2, 2],
      ] as const) {
        const filter = { ...anyUpdate, from: micros(all[high]), to: micros(all[low]) }
        const { updates } = parsed(await finding.updates({ ...latest, format, filter }, asking))
        assert.deepEqual(updates, all.slice(low, high + 1))
      }
      for (const oldestFirst of [true, false]) {
        const found: Json[] = []
        let at: Partial<SummariesQuery> = {}
        for (let more = true; more; ) {
          const page = parsed(await finding.updates({ ...latest, format, oldestFirst, pageSize: 2, ...at }, asking))
          found.push(...page.updates)
          more = page.next !== null
          at = more ? (oldestFirst ? { after: BigInt(page.next) } : { upTo: BigInt(page.next) }) : {}
        }
        assert.deepEqual(found, oldestFirst ? all.toReversed() : all)
      }
    })
  })
}

/** Without the package, which is known by its name or its id. */
const bare = (roots: readonly Json[]) =>
  roots.map((root) => ({ ...root, subject: root.subject.split(':').slice(-2).join(':') }))

/** What both know. */
function comparable(summary: Json): Json {
  const { kind, offset, updateId, recordTime, commandId, synchronizerId } = summary
  const { roots, hasMoreRoots, created, archived, exercised, parties, partyCount, isWhole } = summary
  assert.equal(isWhole, true)
  return {
    ...{ kind, offset, updateId, recordTime, commandId, synchronizerId, roots: bare(roots), hasMoreRoots },
    ...{ created, archived, exercised, parties: parties.toSorted(), partyCount },
  }
}

function oracle(update: Json): Json {
  const [variant, { value }] = Object.entries(update)[0] as [string, Json]
  const { offset, updateId, recordTime, commandId = '', synchronizerId } = value
  const events: [string, Json][] = value.events.map((one: Json) => Object.entries(one)[0])
  const same = { offset, updateId, recordTime, commandId, synchronizerId }
  if (variant === 'TopologyTransaction') {
    const hosted = events.map(([, event]) => event.ParticipantAuthorizationAdded.value.partyId)
    const roots = hosted.map((subject) => ({ verb: 'host', subject })).slice(0, 3)
    const counts = { created: 0, archived: 0, exercised: 0, parties: hosted.toSorted(), partyCount: hosted.length }
    return { kind: 'topology', ...same, roots: bare(roots), hasMoreRoots: hosted.length > 3, ...counts }
  }
  const parties = new Set(events.flatMap(([, { witnessParties }]) => witnessParties))
  let covered = -1
  const roots = events.flatMap(([name, { nodeId, lastDescendantNodeId = nodeId, templateId: subject, choice }]) => {
    if (nodeId <= covered) return []
    covered = lastDescendantNodeId
    if (name === 'CreatedEvent') return [{ verb: 'create', subject }]
    return [name === 'ArchivedEvent' ? { verb: 'archive', subject } : { verb: 'exercise', subject, choice }]
  })
  const count = (isCounted: (name: string, event: Json) => boolean) =>
    events.filter(([name, event]) => isCounted(name, event)).length
  return {
    ...{ kind: 'transaction', ...same, roots: bare(roots.slice(0, 3)), hasMoreRoots: roots.length > 3 },
    created: count((name) => name === 'CreatedEvent'),
    archived: count((name, { consuming }) => name === 'ArchivedEvent' || consuming === true),
    exercised: count((name) => name === 'ExercisedEvent'),
    ...{ parties: [...parties].toSorted(), partyCount: parties.size },
  }
}
