// Reads completions as a client that knows how many to expect. It continues after checkpoints, so a checkpoint that is
// too far ahead costs it a completion.
import assert from 'node:assert/strict'
import type { Answer } from '../fixtures/node.ts'

type Call = (path: string, body: unknown) => Promise<Answer>

type Wanted = { readonly path: string; readonly body: object; readonly begin: number; readonly count: number }

// biome-ignore lint/suspicious/noExplicitAny: completions as the node tells them.
export type ToldCompletion = any

const patienceMs = 20_000

export async function readCompletions(call: Call, { path, body, begin, count }: Wanted): Promise<ToldCompletion[]> {
  const told: ToldCompletion[] = []
  let reached = begin
  while (told.length < count) {
    const query = `limit=${count - told.length}&stream_idle_timeout_ms=${patienceMs}`
    const { json, text } = await call(`${path}?${query}`, { ...body, beginExclusive: reached })
    assert.ok(Array.isArray(json), text)
    assert.notEqual(json.length, 0, `${told.length} completions instead of ${count}`)
    for (const { completionResponse } of json) {
      const { Completion: completion, OffsetCheckpoint: checkpoint } = completionResponse
      const { offset } = (completion ?? checkpoint).value
      assert.ok(completion ? offset > reached : offset >= reached, `${offset} comes after ${reached}`)
      reached = offset
      if (completion) told.push(completion.value)
    }
  }
  return told
}
