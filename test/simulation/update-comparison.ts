// Compares updates over HTTP with the model: streams in pages, in both orders and all forms, pages that the node cuts,
// and look-ups.
import assert from 'node:assert/strict'
import type { Answer } from '../fixtures/node.ts'
import type { Chance } from './chance.ts'
import { type Format, type UpdateFormat, updatesFor } from './filters.ts'
import { type Range, type Readers, shapes } from './readers.ts'
import { eventFormatToJson, updateFormatToJson } from './requests.ts'
import type { World } from './world.ts'

export function createUpdateComparison({ call, model, expected }: World, chance: Chance, readers: Readers) {
  const { state } = model

  type Stream = { readonly path: string; readonly body: object }
  type Told = Readonly<Record<string, { readonly value: { readonly offset: number } }>>

  /** Page by page, as a client with limited memory reads. */
  async function readAll({ path, body }: Stream, { begin, end }: Range, descending: boolean): Promise<unknown[]> {
    const all: Told[] = []
    const limit = chance.percent(30) ? 3 + chance.below(10) : 100_000
    for (let [from, to] = [begin, end]; ; ) {
      const range = { beginExclusive: from, endInclusive: to, descendingOrder: descending }
      const { json, text } = await call(`${path}?limit=${limit}`, { ...body, ...range })
      assert.ok(Array.isArray(json), text)
      const page = json.map(({ update }) => update as Told)
      all.push(...page)
      const last = Object.values(page.at(-1) ?? {})[0]?.value.offset
      if (last === undefined || page.length < limit || last === (descending ? begin + 1 : end)) return all
      if (descending) to = last - 1
      else from = last
    }
  }

  async function compareUpdates(format: UpdateFormat, range: Range): Promise<void> {
    if (range.begin === range.end) return
    const stream = {
      path: chance.pick(['/v2/updates', '/v2/updates/flats']),
      body: { updateFormat: updateFormatToJson(format) },
    }
    await compareBothWays(stream, range, wantedIn(range, format))
  }

  const wantedIn = (range: Range, format: UpdateFormat) =>
    updatesIn(range).flatMap((update) => expected.update(update, format) ?? [])

  async function compareTrees(format: Format, range: Range): Promise<void> {
    if (range.begin === range.end) return
    const stream = { path: '/v2/updates/trees', body: { filter: eventFormatToJson(format) } }
    const wanted = updatesIn(range).flatMap((update) => {
      if (update.kind !== 'transaction') return expected.update(update, updatesFor(format, shapes[0]!)) ?? []
      const value = expected.tree(update, format)
      return value === undefined ? [] : [{ TransactionTree: { value } }]
    })
    await compareBothWays(stream, range, wanted)
  }

  async function compareBothWays(stream: Stream, range: Range, wanted: readonly object[]): Promise<void> {
    assert.deepEqual(await readAll(stream, range, false), wanted, `${stream.path}, ascending`)
    if (chance.percent(50)) {
      assert.deepEqual(await readAll(stream, range, true), wanted.toReversed(), `${stream.path}, descending`)
    }
  }

  async function compareUpdatePages(format: UpdateFormat, { begin, end }: Range): Promise<void> {
    if (begin === end) return
    const descendingOrder = chance.percent(50)
    const body = {
      ...{ beginOffsetExclusive: begin, endOffsetInclusive: end, descendingOrder },
      maxPageSize: 1 + chance.below(20),
      updateFormat: updateFormatToJson(format),
    }
    const found = await collectPages(call, '/v2/updates/get-updates-page', body, 'updates')
    const wanted = wantedIn({ begin, end }, format)
    if (descendingOrder) wanted.reverse()
    assert.deepEqual(
      found,
      wanted.map((update) => ({ update })),
    )
  }

  const updatesIn = ({ begin, end }: Range) => model.updates.filter(({ offset }) => offset > begin && offset <= end)

  /** Any existing offset, and a few that do not exist. */
  async function compareLookup(): Promise<void> {
    const offset = 1 + chance.below(state.end + 2)
    const found = model.updates.find((one) => one.offset === offset)
    const update = offset > state.prunedUpTo ? found : undefined
    const isById = found !== undefined && chance.percent(30)
    const which = isById ? { updateId: found.updateId } : { offset }
    const suffix = isById ? 'by-id' : 'by-offset'
    if (chance.percent(50)) {
      const format = readers.someUpdates()
      const answer = await call(`/v2/updates/update-${suffix}`, { ...which, updateFormat: updateFormatToJson(format) })
      const wanted = update && expected.update(update, format)
      if (wanted === undefined) assertCode(answer, 'UPDATE_NOT_FOUND')
      else assert.deepEqual(answer.json, { update: wanted })
      return
    }
    const [format, shape] = [readers.someFormat(), chance.pick(shapes)]
    const transactionFormat = { eventFormat: eventFormatToJson(format), transactionShape: shape }
    const answer = await call(`/v2/updates/transaction-${suffix}`, { ...which, transactionFormat })
    const transaction = update?.kind === 'transaction' ? expected.transaction(update, format, shape) : undefined
    if (transaction === undefined) assertCode(answer, 'UPDATE_NOT_FOUND')
    else assert.deepEqual(answer.json, { transaction })
  }

  return { compareUpdates, compareTrees, compareUpdatePages, compareLookup }
}

export async function collectPages(call: World['call'], path: string, body: object, field: string): Promise<unknown[]> {
  const found: unknown[] = []
  for (let pageToken: string | null = null; ; ) {
    const { json, text } = await call(path, { ...body, pageToken })
    assert.ok(Array.isArray(json?.[field]), text)
    found.push(...json[field])
    pageToken = json.nextPageToken
    if (pageToken === null) return found
  }
}

export function assertCode(answer: Answer, code: string, message = ''): void {
  assert.equal(answer.json?.code, code, `${message} ${answer.text}`)
}
