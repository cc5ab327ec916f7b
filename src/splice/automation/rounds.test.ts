import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LocalNetwork } from '../founding/founding.ts'
import type { DsoReads } from '../ledger/dso-reads.ts'
import type { Contract } from '../ledger/participant.ts'
import { templates } from '../ledger/templates.ts'
import { advanceRounds } from './rounds.ts'

// biome-ignore lint/suspicious/noExplicitAny: commands are looked into freely.
type Json = any

const tickMs = 600_000
const startMs = Date.parse('2030-01-01T00:00:00Z')

/** The open rounds of a ledger that was founded at the start, with the rule of Splice for the next one. */
function foundedRounds() {
  let nowMs = startMs
  let last = 0
  const rounds = new Map<string, Json>()
  const open = (number: number, opensMs: number, closesMs: number) =>
    rounds.set(`cid-${++last}`, {
      round: { number: String(number) },
      opensAt: new Date(opensMs).toISOString(),
      targetClosesAt: new Date(closesMs).toISOString(),
      tickDuration: { microseconds: String(tickMs * 1000) },
    })
  open(0, startMs, startMs + tickMs)
  open(1, startMs, startMs + 2 * tickMs)
  open(2, startMs + tickMs, startMs + 3 * tickMs)

  const apply = ({ ExerciseCommand: exercise, CreateCommand: create }: Json) => {
    if (create !== undefined) return rounds.set(`cid-${++last}`, create.createArguments)
    const { contractId, choice, choiceArgument: argument } = exercise
    if (choice === 'Archive') return assert.ok(rounds.delete(contractId))
    const [oldest, middle, latest] = ['roundToArchiveCid', 'middleRoundCid', 'latestRoundCid'].map((name) =>
      rounds.get(argument[name]),
    )
    assert.ok(Date.parse(oldest.targetClosesAt) <= nowMs)
    assert.ok(Date.parse(latest.opensAt) <= nowMs && Date.parse(middle.opensAt) + tickMs <= nowMs)
    rounds.delete(argument.roundToArchiveCid)
    const opensMs = Math.max(nowMs, Date.parse(latest.opensAt)) + tickMs
    return open(Number(latest.round.number) + 1, opensMs, opensMs + 2 * tickMs)
  }

  const contracts = (template: string): Contract[] =>
    (template === templates.openMiningRound ? [...rounds] : [[template, {}]]).map(
      ([contractId, payload]) => ({ contractId, payload }) as Contract,
    )
  const dso = {
    all: async (template: string) => contracts(template),
    only: async (template: string) => contracts(template)[0],
  } as unknown as DsoReads
  const submit = async ({ commands }: Json) => void commands.forEach(apply)
  const network = { dso: 'DSO', sv: { party: 'sv', participant: { submit } } } as unknown as LocalNetwork
  return {
    async moveTo(ms: number) {
      nowMs = startMs + ms
      for (let steps = 0; (await advanceRounds.step({ network, dso, nowMs })).isDone; steps += 1) assert.ok(steps < 10)
    },
    numbers: () => [...rounds.values()].map(({ round }) => Number(round.number)),
    active: () =>
      [...rounds.values()].filter(
        ({ opensAt, targetClosesAt }) => Date.parse(opensAt) <= nowMs && nowMs < Date.parse(targetClosesAt),
      ).length,
  }
}

for (const [name, gapMs] of [
  ['without a gap', 0],
  ['of less than a tick', tickMs / 2],
  ['of two ticks', 2 * tickMs],
  ['of three ticks', 3 * tickMs],
  ['of a day', 144 * tickMs],
] as const) {
  test(`clients find an active round after a gap, ${name}, and from then on`, async () => {
    const rounds = foundedRounds()
    for (let minute = 0; minute < 60; minute += 1) {
      await rounds.moveTo(gapMs + minute * 60_000)
      assert.ok(rounds.active() > 0, `minute ${minute}`)
      const [first, ...others] = rounds.numbers()
      assert.deepEqual(others, [first! + 1, first! + 2])
    }
  })
}
