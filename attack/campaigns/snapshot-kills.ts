// Kills a development node while it takes, restores and deletes snapshots, and resets: what was answered is true
// afterwards, and no snapshot changes.
import assert from 'node:assert/strict'
import { createDice } from '../../test/fixtures/dice.ts'
import { run, type Started, start, temporaryFolder } from '../../test/fixtures/process.ts'
import type { Campaign } from '../campaign.ts'
import { runRounds } from '../rounds.ts'

export const snapshotKills: Campaign = {
  name: 'killed snapshots',
  attack: 'a development node is killed while it takes, restores and deletes snapshots, and resets',
  invariant: 'The ledger is the one before or after what was under way, and each snapshot is what it was',
  unit: 'kills',
  full: 100,
  short: 1,
  run: (plan) => runRounds(plan, endure, { timesPerRound: 5, failureKind: 'lost' }),
}

/** A party takes one offset for each synchronizer. */
const settings = { TALLYSTICK_SYNCHRONIZERS: '[{"alias":"global"}]' }
/** In every other round, snapshots share the ledger's file; otherwise they are copies. */
const sharing = { ...settings, TALLYSTICK_LIMITS_SNAPSHOT_COPY_BYTES_MAX: '0' }
/** So long that snapshots take a while. */
const currency = 'x'.repeat(150_000)
const aliveMs = [200, 3_000] as const

type State = {
  /** The ends that the ledger may have: two while the outcome of a request is unknown. */
  ends: number[]
  /** By name; not certain while it is unknown whether the snapshot exists. */
  readonly snapshots: Map<string, { readonly end: number; isCertain: boolean }>
  first: number
  owner: string
  taken: number
}

async function endure(seed: number, times: number): Promise<number> {
  const dice = createDice(seed)
  const chosen = seed % 2 === 0 ? settings : sharing
  using folder = temporaryFolder()
  const state: State = { ends: [], snapshots: new Map(), first: 0, owner: '', taken: 0 }
  const begin = () => start(['--data', folder.path, '--auth', 'off', '--user-id', 'me'], chosen)
  {
    await using node = await begin()
    state.first = await endOf(node)
    state.ends = [state.first]
    for (let time = 0; time < times; time += 1) {
      await using current = time === 0 ? undefined : await begin()
      const used = current ?? node
      await check(used, state)
      const timer = setTimeout(() => process.kill(used.pid, 'SIGKILL'), aliveMs[0] + dice(aliveMs[1]))
      try {
        await useUntilDeath(used, state, dice)
      } finally {
        clearTimeout(timer)
      }
      await used.ended
    }
  }
  await using last = await begin()
  await check(last, state)
  for (const [name, { end }] of state.snapshots) {
    await call(last, 'POST', `/dev/snapshots/${name}/restore`)
    assert.equal(await endOf(last), end, `the snapshot ${name} has changed`)
  }
  await last.stop('SIGTERM')
  const { code, output, errors } = await run(['check', '--data', folder.path])
  assert.equal(code, 0, output + errors)
  return times
}

/** What is left after a kill; from then on it is certain. */
async function check(node: Started, state: State): Promise<void> {
  const end = await endOf(node)
  assert.ok(state.ends.includes(end), `the ledger ends at ${end} instead of ${state.ends.join(' or ')}`)
  state.ends = [end]
  const { snapshots } = (await call(node, 'GET', '/dev/snapshots')) as { snapshots: { name: string; offset: number }[] }
  for (const [name, known] of state.snapshots) {
    const found = snapshots.find((snapshot) => snapshot.name === name)
    if (found === undefined) {
      assert.ok(!known.isCertain, `the snapshot ${name} is gone`)
      state.snapshots.delete(name)
    } else {
      assert.equal(found.offset, known.end, `the snapshot ${name} has changed`)
      known.isCertain = true
    }
  }
}

/** Settles when the node no longer answers. */
async function useUntilDeath(node: Started, state: State, dice: (sides: number) => number): Promise<void> {
  try {
    for (;;) await useOnce(node, state, dice)
  } catch (error) {
    if (error instanceof assert.AssertionError) throw error
  }
}

async function useOnce(node: Started, state: State, dice: (sides: number) => number): Promise<void> {
  const [end] = state.ends as [number]
  const names = [...state.snapshots.keys()]
  const chosen = names[dice(Math.max(1, names.length))]
  const move = dice(12)
  if (move === 0 || chosen === undefined) {
    const name = `s${state.taken++}`
    state.snapshots.set(name, { end, isCertain: false })
    await call(node, 'POST', '/dev/snapshots', { name })
    state.snapshots.get(name)!.isCertain = true
  } else if (move === 1) {
    const { end: next } = state.snapshots.get(chosen)!
    state.ends = [end, next]
    await call(node, 'POST', `/dev/snapshots/${chosen}/restore`)
    state.ends = [next]
  } else if (move === 2) {
    state.snapshots.get(chosen)!.isCertain = false
    await call(node, 'DELETE', `/dev/snapshots/${chosen}`)
    state.snapshots.delete(chosen)
  } else if (move === 3 && dice(4) === 0) {
    state.ends = [end, state.first]
    await call(node, 'POST', '/dev/reset')
    state.ends = [state.first]
  } else await commit(node, state, end)
}

/** One offset more: a party, if the ledger has none, or a contract. */
async function commit(node: Started, state: State, end: number): Promise<void> {
  state.ends = [end, end + 1]
  if (end === state.first) {
    const { partyDetails } = (await call(node, 'POST', '/v2/parties', { partyIdHint: 'owner' })) as {
      partyDetails: { party: string }
    }
    state.owner = partyDetails.party
  } else {
    if (state.owner === '') state.owner = await knownOwner(node)
    const createArguments = { issuer: state.owner, owner: state.owner, amount: '1', currency, observers: [] }
    const commands = [{ CreateCommand: { templateId: '#quickstart:Iou:Iou', createArguments } }]
    const commandId = `c-${end}-${state.taken}-${performance.now()}`
    await call(node, 'POST', '/v2/commands/submit-and-wait', { commands, commandId, actAs: [state.owner] })
  }
  state.ends = [end + 1]
}

/** A kill may have kept the answer to its allocation. */
async function knownOwner(node: Started): Promise<string> {
  const { partyDetails } = (await call(node, 'GET', '/v2/parties?filter-party=owner::')) as {
    partyDetails: { party: string }[]
  }
  return partyDetails[0]!.party
}

async function endOf(node: Started): Promise<number> {
  return ((await call(node, 'GET', '/v2/state/ledger-end')) as { offset: number }).offset
}

/** Throws an assertion for a refusal, and something else if the node is gone. */
async function call({ url }: Started, method: string, path: string, body?: object): Promise<unknown> {
  const response = await fetch(url + path, { method, ...(body !== undefined && { body: JSON.stringify(body) }) })
  const text = await response.text()
  assert.ok(response.ok, `${method} ${path}: ${response.status} ${text.slice(0, 500)}`)
  return text === '' ? undefined : JSON.parse(text)
}
