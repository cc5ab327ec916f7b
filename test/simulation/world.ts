// A node and the model beside it. Submissions go to the node; its answers and completions are compared with the model,
// which then follows: concurrent submissions in the order that the node chose.
import assert from 'node:assert/strict'
import { setTimeout } from 'node:timers/promises'
import { instantToText } from '../../src/lf/codec/time-text.ts'
import type { Dice } from '../fixtures/dice.ts'
import type { StoreKind } from '../fixtures/node.ts'
import { restoreUnderLoad } from '../fixtures/restore-load.ts'
import type { Chance } from './chance.ts'
import { readCompletions } from './completions.ts'
import { copyOf, putBack } from './copies.ts'
import { createExpectations } from './expected.ts'
import { updatesFor } from './filters.ts'
import { createFollowing } from './following.ts'
import { createModel } from './model.ts'
import type { User } from './records.ts'
import { updateFormatToJson } from './requests.ts'
import { type AnySubmission, createSending, type Sent, type Told } from './sending.ts'
import { host, startSimulatedNode, startTime } from './set-up.ts'
import { createSynchronizers } from './synchronizers.ts'

export type World = Awaited<ReturnType<typeof createWorld>>

/** How long the completion of an automatic assignment may take if another submission was faster. */
const afterthoughtMs = 2_000

/** Refusals that clients may get at any time: synchronizers are disconnected, and the ledger is pruned. */
const refusedAnyway = [
  ...['UNKNOWN_SUBMITTERS', 'UNKNOWN_INFORMEES', 'SUBMITTERS_NOT_ACTIVE', 'INFORMEES_NOT_ACTIVE'],
  ...['NO_COMMON_SYNCHRONIZER', 'PARTICIPANT_PRUNED_DATA_ACCESSED'],
]

export async function createWorld(store: StoreKind, chance: Chance) {
  await using parts = new AsyncDisposableStack()
  const { node, hosts, parties, tokens, packageId, ...rest } = await startSimulatedNode(store, chance)
  parts.use(node)
  const synchronizers = createSynchronizers(rest.synchronizers, hosts)
  const model = createModel(parties, BigInt(Date.parse(startTime)) * 1000n, synchronizers)
  const expected = createExpectations(model, packageId)
  const { state, reassigning } = model
  const sending = createSending({ model, expected, chance, call })
  const { follow } = createFollowing({ model, expected })
  const ledgerEnd = async (): Promise<number> => (await node.call('GET', '/v2/state/ledger-end')).json.offset
  const hostings: { offset: number; synchronizerTime: { synchronizerId: string; recordTime: string } }[] = []
  for (const ids of hosts.values()) for (const id of ids) noteHosting(id)
  const owned = parts.move()

  /** A party that comes to a synchronizer takes an offset, and a time there. */
  function noteHosting(id: string): void {
    const time = synchronizers.nextTime(id, state.now)
    synchronizers.reached(id, time)
    state.end += 1
    hostings.push({ offset: state.end, synchronizerTime: { synchronizerId: id, recordTime: instantToText(time) } })
  }

  function call(path: string, body: unknown, userId: User = 'clerk') {
    return node.call('POST', path, { body, token: tokens[userId] })
  }

  type Beside = {
    /** Runs before anything is compared. */
    readonly afterwards?: () => Promise<void>
    /** A synchronizer that is disconnected meanwhile. */
    readonly disconnecting?: string
  }

  /** Sends all at once, compares their outcomes, and lets the model follow. */
  async function submit(submissions: readonly AnySubmission[], beside: Beside = {}): Promise<void> {
    const isRacing = reassigning.due().length > 0
    const { afterwards, disconnecting } = beside
    const answers = submissions.map((submission) => sending.send(submission))
    if (disconnecting !== undefined) await setConnected(disconnecting, false)
    const sent = await Promise.all(answers)
    for (const one of disconnecting === undefined ? [] : sent) sending.lookAgain(one)
    await afterwards?.()
    const onTheWay = new Set(sent.filter(sending.isOnTheWay))
    const undecided = new Set(onTheWay)
    const outcomes = new Map<Sent, Told>()
    const followSome = async (count: number) => {
      for (const [one, completion] of await followNext(count, sent, disconnecting)) {
        if (one.kind === 'command' && 'Empty' in completion.deduplicationPeriod) continue
        assert.ok(undecided.delete(one), `a second completion of ${completion.commandId}, or one of something refused`)
        outcomes.set(one, completion)
      }
    }
    while (undecided.size > 0 || reassigning.due().length > 0) {
      await followSome(undecided.size || 1) // An automatic assignment that lost its race may never be reported.
    }
    if (isRacing) await setTimeout(afterthoughtMs)
    await followSome((await ledgerEnd()) - state.end)
    for (const one of sent) if (!onTheWay.has(one)) sending.checkRefusal(one, sent, disconnecting !== undefined)
    for (const one of onTheWay) sending.checkAnswer(one, outcomes.get(one))
    if (sent.length === 1 && !isRacing && disconnecting === undefined) checkGathered(sent[0]!)
    assert.equal(await ledgerEnd(), state.end, 'the end of the ledger')
  }

  /** Follows at least `count` completions; returns those of the submissions. */
  async function followNext(count: number, sent: readonly Sent[], disconnecting?: string): Promise<[Sent, Told][]> {
    const told = await newCompletions(count)
    const updates = await newUpdates(told)
    const found: [Sent, Told][] = []
    for (const completion of told) {
      const one = follow(completion, updates.get(completion.offset), sent)
      for (const other of sent) if (other !== one) lookAgain(other, disconnecting)
      if (one !== undefined) found.push([one, completion])
    }
    return found
  }

  /** Also tries the case that the disconnection has not happened yet. */
  function lookAgain(sent: Sent, disconnecting: string | undefined): void {
    sending.lookAgain(sent)
    if (disconnecting === undefined) return
    synchronizers.setConnected(disconnecting, true)
    sending.lookAgain(sent)
    synchronizers.setConnected(disconnecting, false)
  }

  async function setConnected(id: string, isConnected: boolean): Promise<void> {
    const verb = isConnected ? 'connect' : 'disconnect'
    const answer = await node.call('POST', `/v2/synchronizers/${synchronizers.byId(id).alias}/${verb}`)
    assert.equal(answer.status, 200, answer.text)
    synchronizers.setConnected(id, isConnected)
  }

  /** As many as there must be, in order. */
  function newCompletions(count: number): Promise<Told[]> {
    const path = '/v2/commands/command-completions'
    return readCompletions(call, { path, body: { parties: [] }, begin: state.end, count })
  }

  /** By offset. */
  async function newUpdates(told: readonly Told[]): Promise<Map<number, Told>> {
    if (told.length === 0) return new Map()
    const updateFormat = updateFormatToJson(updatesFor('with-blob', 'TRANSACTION_SHAPE_LEDGER_EFFECTS'))
    const body = { beginExclusive: state.end, endInclusive: told.at(-1)?.offset, updateFormat }
    const { json, text } = await call('/v2/updates', body)
    assert.ok(Array.isArray(json), text)
    return new Map(json.map(({ update }) => [(update.Transaction ?? update.Reassignment).value.offset, update]))
  }

  /** A submission that ran alone has moved exactly the contracts it had to. */
  function checkGathered(sent: Sent): void {
    const [route] = sent.kind === 'command' ? sent.routes : []
    if (sent.kind !== 'command' || route === undefined) return
    const wanted = typeof route === 'string' ? 0 : route.batches.length
    assert.equal(sent.gathered.length, wanted, 'batches that were moved')
    assert.ok(
      sent.gathered.every(({ assigned }) => assigned !== undefined),
      'all arrived',
    )
  }

  async function prune(upTo: number): Promise<void> {
    const answer = await node.call('POST', '/v2/pruning', { body: { pruneUpTo: upTo } })
    if (upTo === 0) assert.equal(answer.json.code, 'INVALID_ARGUMENT')
    else if (upTo >= state.end) assert.equal(answer.json.code, 'OFFSET_OUT_OF_RANGE')
    else {
      model.prune(upTo)
      assert.deepEqual([answer.status, answer.json], [200, { prunedUpTo: state.prunedUpTo }])
      await pruningSettles()
    }
  }

  /** Pruning in the background determines which changes are still known. */
  async function pruningSettles(): Promise<void> {
    while ((await node.call('GET', '/v2/pruning')).json.isRunning);
  }

  /** A restarted node continues pruning; this prunes up to offset 1, which adds nothing, and waits. */
  async function finishPruning(): Promise<void> {
    const answer = await node.call('POST', '/v2/pruning', { body: { pruneUpTo: 1 } })
    assert.equal(answer.status, 200, answer.text)
    await pruningSettles()
    model.prune(1)
  }

  type Kept = { readonly name: string; readonly copy: ReturnType<typeof copyOf<typeof changing>> }
  /** All that a snapshot of the node brings back. */
  const changing = { model: model.parts, synchronizers: synchronizers.parts, hostings }

  async function snapshot(name: string): Promise<Kept> {
    const answer = await node.call('POST', '/dev/snapshots', { body: { name } })
    assert.equal(answer.status, 200, answer.text)
    assert.equal(answer.json.snapshot.offset, state.end)
    return { name, copy: copyOf(changing) }
  }

  /** Other clients use the node meanwhile. */
  async function restore({ name, copy }: Kept, dice: Dice, times: number): Promise<void> {
    const before = copyOf(copy)
    const actAs = [parties[0]!, parties[1]!] as const
    const loading = { node, token: tokens.clerk, actAs, snapshot: name, dice, refusedAnyway } as const
    await restoreUnderLoad({ ...loading, base: before.model.state.end }, times)
    putBack(changing, before)
    if (state.prunedUpTo > 0) await finishPruning()
  }

  return {
    snapshot,
    restore,
    model,
    expected,
    call,
    ledgerEnd,
    submit,
    prune,

    /** The node may act on the new time, so a submission follows, even an empty one. */
    async advanceTime(micros: bigint): Promise<void> {
      const [currentTime, newTime] = [state.now, state.now + micros].map(instantToText)
      const answer = await node.call('POST', '/v2/time', { body: { currentTime, newTime } })
      assert.equal(answer.status, 200, answer.text)
      state.now += micros
    },

    setConnected,

    /** Where parties came to synchronizers. */
    hostings,

    async host(party: string, id: string): Promise<void> {
      assert.equal(await host(node, party.split('::')[0]!, id), party)
      synchronizers.host(party, id)
      noteHosting(id)
    },

    /** After all submissions have an answer, but perhaps no completion. */
    async restart(submissions: readonly AnySubmission[]): Promise<void> {
      // A ledger in memory does not outlive its node.
      await submit(submissions, store === 'memory' ? {} : { afterwards: () => node.restart() })
      if (state.prunedUpTo > 0) await finishPruning()
    },

    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}
