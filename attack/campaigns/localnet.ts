// Kills and restarts a localnet whose users tap, send and lock Amulet while rounds open and close, and adds up afterwards. It needs
// the packages of Splice, which are not ours: --splice-dars DIR, or SPLICE_DARS.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { createDice, type Dice } from '../../test/fixtures/dice.ts'
import {
  createLocalnetClient,
  darsVariable,
  type LocalnetOptions,
  type LocalnetProcess,
  ownPortOffset as portOffset,
  spliceDars,
  startLocalnet,
} from '../../test/fixtures/localnet.ts'
import { run, temporaryFolder } from '../../test/fixtures/process.ts'
import type { Campaign, Plan } from '../campaign.ts'
import { runRounds } from '../rounds.ts'
import { check, createHistory } from '../target/localnet-check.ts'
import { type Desk, moveClock, onboard, users, work } from '../target/localnet-load.ts'
import { createModel } from '../target/localnet-model.ts'

export const localnet: Campaign = {
  name: 'localnet kills',
  attack: 'SIGKILL and restarts of a localnet, while it is founded and while users tap, send and lock and rounds go by',
  invariant:
    'Every user has what it was told, to the last digit; nothing is minted or paid twice; automations come to rest',
  ...{ unit: 'kills', full: 60, short: 0 },
  async run(plan: Plan) {
    const dars = spliceDars()
    if (dars === undefined) {
      const note = `skipped: --splice-dars DIR or ${darsVariable} names the packages of Splice`
      return { times: 0, failures: [], note }
    }
    using cache = temporaryFolder()
    const outcome = await runRounds(plan, (seed, count) => killAgainAndAgain(seed, count, dars, cache.path), {
      timesPerRound: 5,
      failureKind: 'lost',
    })
    return { ...outcome, note: `Splice ${dars.release.version}` }
  },
}

const workMs = 4_000
const foundingMs = 9_000

async function killAgainAndAgain(seed: number, count: number, dars: LocalnetOptions['dars'], cache: string) {
  using folder = temporaryFolder()
  const dice = createDice(seed)
  const isFoundedAnew = seed % 3 === 0
  const options: LocalnetOptions = {
    dars,
    portOffset,
    cache: isFoundedAnew ? join(folder.path, 'cache') : cache,
    args: ['--data', join(folder.path, 'data')],
  }
  let killed = isFoundedAnew ? await killWhileFounded(options, dice, Math.min(2, count)) : 0

  const client = createLocalnetClient(portOffset)
  const model = createModel(users.map(({ name }) => name))
  const history = createHistory()
  const nextId = createIds(seed)
  for (;;) {
    await using process = (await startLocalnet(options))!
    const parties = await onboard(client)
    await check(client, model, parties, history)
    if (killed < count) {
      const desk: Desk = { client, model, parties, dice, claimed: new Set(), nextId }
      await workUntilKilled(desk, () => end(process, dice))
      killed += 1
      continue
    }
    assert.equal(await process.stop('SIGTERM'), 0, process.errors())
    break
  }
  const { code, output, errors } = await run(['check', ...options.args])
  assert.equal(code, 0, output + errors)
  return count
}

/** Nobody works on when this is over, whatever went wrong. */
async function workUntilKilled(desk: Desk, kill: () => Promise<void>): Promise<void> {
  const death = new AbortController()
  const working = [
    ...users.map((user) => work(user, desk, death.signal)),
    moveClock(desk.client, desk.dice, death.signal),
  ]
  try {
    await Promise.race([Promise.all(working), setTimeout(workMs / 2 + desk.dice(workMs))])
    await kill()
  } finally {
    death.abort()
    await Promise.allSettled(working)
  }
  await Promise.all(working)
}

function createIds(seed: number): () => string {
  let last = 0
  return () => {
    last += 1
    return `${seed}-${last}`
  }
}

/** Mostly by force. */
async function end(process: LocalnetProcess, dice: Dice): Promise<void> {
  if (dice(4) > 0) await process.stop('SIGKILL')
  else assert.equal(await process.stop('SIGTERM'), 0, process.errors())
  assert.doesNotMatch(process.errors(), /"level":(50|60)/, `something went wrong inside: ${process.errors()}`)
}

async function killWhileFounded(options: LocalnetOptions, dice: Dice, count: number): Promise<number> {
  for (let killed = 0; killed < count; killed += 1) {
    const started = await startLocalnet(options, (kill) => {
      void setTimeout(dice(foundingMs)).then(() => kill('SIGKILL'))
    })
    await started?.stop('SIGKILL')
  }
  return count
}
