// A batch of mutated inputs for one decoder. It depends on the seed alone, so a failed batch can be repeated.
import { isDeepStrictEqual } from 'node:util'
import { createDice, type Dice, pick } from '../../test/fixtures/dice.ts'
import { type Failure, failureOf } from '../campaign.ts'
import type { Decoder, Input } from './decoder.ts'

export const batchInputs = 2_000

/** Inputs are at most 32 KiB, so every decoder should need only a fraction of this. */
const inputMsMax = 250
const poolMax = 256
const failuresMax = 3

export type BatchResult = {
  readonly inputs: number
  readonly accepted: number
  readonly slowestMs: number
  readonly failures: readonly Failure[]
}

export async function runBatch(decoder: Decoder, seed: number, inputs: number): Promise<BatchResult> {
  const dice = createDice(Math.imul(seed, 0x9e3779b1))
  const pool = [...corpusOf(decoder)]
  const failures: Failure[] = []
  let accepted = 0
  let slowestMs = 0
  let made = 0
  // Most inputs end in an error that nobody reads, and capturing its stack would take longer than decoding.
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 0
  for (; made < inputs && failures.length < failuresMax; made += 1) {
    const input = decoder.mutate(pick(dice, pool), dice, pool)
    const startedMs = performance.now()
    try {
      const written = await decoder.read(input)
      if (written !== undefined) {
        accepted += 1
        if (written !== true) await checkAgain(decoder, written)
        keep(pool, input, dice)
      }
    } catch (error) {
      if (!decoder.isRefusal(error)) {
        Error.stackTraceLimit = stackTraceLimit
        failures.push(failureFor(input, seed, inputs, await errorAgain(decoder, input, error)))
        Error.stackTraceLimit = 0
      }
    }
    const tookMs = performance.now() - startedMs
    if (tookMs > inputMsMax) {
      const leastMs = await leastOf(decoder, input)
      if (leastMs > inputMsMax) failures.push(failureFor(input, seed, inputs, `took ${Math.round(leastMs)} ms`))
      slowestMs = Math.max(slowestMs, leastMs)
    } else slowestMs = Math.max(slowestMs, tookMs)
  }
  Error.stackTraceLimit = stackTraceLimit
  return { inputs: made, accepted, slowestMs, failures }
}

/** Repeats the input to capture the stack. */
async function errorAgain(decoder: Decoder, input: Input, error: unknown): Promise<unknown> {
  try {
    await decoder.read(input)
    return error
  } catch (again) {
    return again
  }
}

/** Cached, because creating a corpus may take as long as reading a batch. */
const corpora = new Map<string, readonly Input[]>()

function corpusOf(decoder: Decoder): readonly Input[] {
  const known = corpora.get(decoder.name) ?? decoder.corpus()
  corpora.set(decoder.name, known)
  return known
}

/** Adds an accepted input to the pool, replacing another once the pool is full. */
function keep(pool: Input[], input: Input, dice: Dice): void {
  if (pool.length < poolMax) pool.push(input)
  else if (dice(8) === 0) pool[dice(pool.length)] = input
}

async function checkAgain(decoder: Decoder, written: Input): Promise<void> {
  let again: Input | true | undefined
  try {
    again = await decoder.read(written)
  } catch (error) {
    throw new Error(`what was read is refused when it is written again: ${show(written)}`, { cause: error })
  }
  if (!isDeepStrictEqual(again, written))
    throw new Error(`what was read is written as ${show(written)}, then ${show(again)}`)
}

/** The machine may have been busy, so an input counts as slow only if it takes that much of the processor, every time. */
async function leastOf(decoder: Decoder, input: Input): Promise<number> {
  let leastMs = Number.POSITIVE_INFINITY
  for (let attempt = 0; attempt < 3; attempt += 1) {
    const before = process.cpuUsage()
    try {
      await decoder.read(input)
    } catch {
      // The first read has already judged this error.
    }
    const { user, system } = process.cpuUsage(before)
    leastMs = Math.min(leastMs, (user + system) / 1000)
  }
  return leastMs
}

function failureFor(input: Input, seed: number, times: number, error: unknown): Failure {
  const { what, ...failure } = failureOf('broken', seed, error, times)
  return { ...failure, what: `${what}\ninput ${show(input)}` }
}

function show(input: unknown): string {
  const text =
    typeof input === 'string' ? JSON.stringify(input) : Buffer.isBuffer(input) ? input.toString('hex') : String(input)
  return text.length > 600 ? `${text.slice(0, 600)}… (${text.length})` : text
}
