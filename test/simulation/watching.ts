// Readers that run while commands are committed. Their results are compared afterwards: every read must be the ledger
// at one offset, with nothing missing, duplicated or out of order.
import assert from 'node:assert/strict'
import type { Answer } from '../fixtures/node.ts'
import { byContract } from './comparison.ts'
import { type Format, updatesFor } from './filters.ts'
import { eventFormatToJson, updateFormatToJson } from './requests.ts'
import type { World } from './world.ts'

type Look = { readonly end: number; readonly updates: Answer; readonly active: Answer }

const shape = 'TRANSACTION_SHAPE_LEDGER_EFFECTS'
const looksMax = 30
/** An open-ended reader stops after this long without elements. */
const silenceMs = 100

export async function watch(world: World, format: Format, body: Promise<void>): Promise<void> {
  const begin = world.model.state.end
  let isOver = false
  const over = body.finally(() => {
    isOver = true
  })
  const looking = lookUntil(world, format, begin, () => isOver)
  const tailing = tail(world, format, begin)
  // Waits for all, whichever fails first.
  const outcomes = await Promise.allSettled([over, looking, tailing])
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
  for (const look of await looking) compare(world, format, begin, look)
  compareTail(world, format, begin, await tailing)
}

async function lookUntil({ call, ledgerEnd }: World, format: Format, begin: number, isOver: () => boolean) {
  const looks: Look[] = []
  while (!isOver() && looks.length < looksMax) {
    const end = await ledgerEnd()
    if (end === 0) continue
    const updateFormat = updateFormatToJson(updatesFor(format, shape))
    const updates = await call('/v2/updates', { beginExclusive: begin, endInclusive: end, updateFormat })
    const eventFormat = eventFormatToJson(format)
    const active = await call('/v2/state/active-contracts', { activeAtOffset: end, eventFormat })
    looks.push({ end, updates, active })
  }
  return looks
}

function tail({ call }: World, format: Format, begin: number): Promise<Answer> {
  const updateFormat = updateFormatToJson(updatesFor(format, shape))
  return call(`/v2/updates?stream_idle_timeout_ms=${silenceMs}`, { beginExclusive: begin, updateFormat })
}

function compare({ model, expected }: World, format: Format, begin: number, { end, updates, active }: Look): void {
  const wanted = model.updates
    .filter(({ offset }) => offset > begin && offset <= end)
    .flatMap((update) => expected.update(update, updatesFor(format, shape)) ?? [])
  assert.ok(Array.isArray(updates.json), updates.text)
  assert.deepEqual(
    updates.json.map(({ update }) => update),
    wanted,
    `updates after ${begin}, seen while ${end} was the end`,
  )
  assert.ok(Array.isArray(active.json), active.text)
  assert.deepEqual(
    byContract(active.json.map(({ streamContinuationToken: _token, ...rest }) => rest)),
    byContract(expected.activeContracts(end, format)),
    `contracts active at ${end}, seen while it was the end`,
  )
}

/** It may have stopped early; a checkpoint says that nothing before it is still to come. */
function compareTail(
  { model, expected, hostings }: World,
  format: Format,
  begin: number,
  { json, text }: Answer,
): void {
  assert.ok(Array.isArray(json), text)
  const seen = json.flatMap(({ update }) => (update.OffsetCheckpoint ? [] : [update]))
  const wanted = model.updates
    .filter(({ offset }) => offset > begin)
    .flatMap((update) => expected.update(update, updatesFor(format, shape)) ?? [])
  assert.deepEqual(seen, wanted.slice(0, seen.length), `updates after ${begin}, as they came`)
  let reached = begin
  for (const { update } of json) {
    const [{ value }] = Object.values(update) as [{ value: { offset: number } }]
    const { offset } = value
    assert.ok(update.OffsetCheckpoint ? offset >= reached : offset > reached, `${offset} comes after ${reached}`)
    reached = offset
    if (update.OffsetCheckpoint) compareTimes(model, hostings, update.OffsetCheckpoint.value)
  }
}

type Time = { readonly synchronizerId: string; readonly recordTime: string }

/** A checkpoint has the record time of each synchronizer. */
function compareTimes(
  { completions }: World['model'],
  hostings: World['hostings'],
  { offset, synchronizerTimes }: { readonly offset: number; readonly synchronizerTimes: readonly Time[] },
): void {
  const told = completions.map(({ offset, json }) => ({ offset, synchronizerTime: json.synchronizerTime as Time }))
  const times = [...told, ...hostings]
    .filter((one) => one.offset <= offset)
    .sort((a, b) => a.offset - b.offset)
    .map(({ synchronizerTime }) => synchronizerTime)
  assert.deepEqual(
    Object.fromEntries(synchronizerTimes.map(({ synchronizerId, recordTime }) => [synchronizerId, recordTime])),
    Object.fromEntries(times.map(({ synchronizerId, recordTime }) => [synchronizerId, recordTime])),
    `the checkpoint at ${offset}`,
  )
}
