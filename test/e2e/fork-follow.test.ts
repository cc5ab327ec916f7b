// A fork that follows its original: the same updates and contracts, exactly once, until the first local command.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import type { Log } from '../../src/base/log.ts'
import { call } from '../fixtures/command.ts'
import { createDice } from '../fixtures/dice.ts'
import { type FlakyProxy, openFlakyProxy } from '../fixtures/flaky-proxy.ts'
import { assertSameContracts, contractsAt, readerOf, updatesIn } from '../fixtures/fork.ts'
import { archiveIou, type Json, keysDar, move, right, startTestLedger, type TestLedger } from '../fixtures/ledger.ts'
import { type StoreKind, startTestNode, stores, type TestNode } from '../fixtures/node.ts'
import { createTestDatabase } from '../fixtures/postgres.ts'
import { type Started, start, temporaryFolder } from '../fixtures/process.ts'
import { randomCommands } from '../fixtures/random-commands.ts'
import { until } from '../fixtures/until.ts'

const synchronizers = [
  { alias: 'first', priority: 1 },
  { alias: 'second', priority: 0 },
]

async function ask(answer: ReturnType<TestNode['call']>): Promise<Json> {
  const { status, json, text } = await answer
  assert.equal(status, 200, text)
  return json
}

const endOf = async (node: TestNode): Promise<number> => (await ask(node.call('GET', '/v2/state/ledger-end'))).offset
const statusOf = async (node: TestNode): Promise<Json> => (await ask(node.call('GET', '/dev/fork'))).fork

/** The fork has applied everything. */
const caughtUp = (fork: TestNode, original: TestLedger) =>
  until(async () => (await endOf(fork)) === (await original.end()))

const silent: Log = { isDebug: false, debug() {}, info() {}, warn() {}, error() {} }

function follow(
  url: string,
  token: string,
  store: StoreKind = 'sqlite',
  log = silent,
  postgresUrl?: string,
): Promise<TestNode> {
  const settings = { auth: { mode: 'off' as const }, fork: { url, token, follow: true } }
  return startTestNode({ store, log, settings, ...(postgresUrl && { postgresUrl }) })
}

const createdOn = (node: TestNode, command: object, actAs: readonly string[]) =>
  ask(
    node.call('POST', '/v2/commands/submit-and-wait', {
      body: { commands: [command], commandId: 'local', actAs, userId: 'u' },
    }),
  )

describe('a fork that follows', () => {
  let original: TestLedger
  let token: string
  before(async () => {
    original = await startTestLedger({ settings: { lenient: true, synchronizers } })
    token = await original.userWith('reader', right('ParticipantAdmin'), right('CanReadAsAnyParty'))
    await randomCommands(original, 1, 15)
  })
  after(() => original[Symbol.asyncDispose]())

  const assign = async (command: object) => {
    const commands = [{ command }]
    const reassignmentCommands = { commandId: 'late', submitter: original.alice, commands }
    await original.post('/v2/commands/submit-and-wait-for-reassignment', { reassignmentCommands })
  }

  for (const store of stores) {
    test(`has all that happens at the original, at every offset, on ${store}`, async () => {
      await using wire = await openFlakyProxy(original.node.url)
      await using fork = await follow(wire.url, token, store)
      const begin = await endOf(fork)
      const dice = createDice(7)
      let transit: object = {}
      for (let round = 0; round < 4; round += 1) {
        await randomCommands(original, 10 + round, 8)
        const { contractId } = await original.submit([original.createIou({ amount: '5.0' })])
        const assignment = await move(original, contractId, round !== 2)
        if (round === 2) transit = assignment // One stays between two synchronizers for a while.
        if (round === 0) await ask(original.node.call('POST', '/v2/parties', { body: { partyIdHint: `p-${store}` } }))
        if (round === 1) wire.cut()
        if (round === 2) await fork.restart()
      }
      await caughtUp(fork, original)
      const [theirs, ours] = [readerOf(original.node.url, token), readerOf(fork.url)]
      const end = await endOf(fork)
      for (const shape of ['ACS_DELTA', 'LEDGER_EFFECTS'] as const) {
        assert.deepEqual(await updatesIn(ours, begin, end, shape), await updatesIn(theirs, begin, end, shape))
      }
      for (let index = 0; index < 20; index += 1) {
        await assertSameContracts(ours, theirs, index === 0 ? end : begin + dice(end - begin + 1))
      }
      await assign(transit)
      await caughtUp(fork, original)
      await assertSameContracts(ours, theirs, await endOf(fork))
      const { participantId, ...status } = await statusOf(fork)
      assert.equal(participantId, (await ask(original.node.call('GET', '/v2/parties/participant-id'))).participantId)
      const known = { offset: begin, followedTo: await endOf(fork), isFollowing: true, reason: '', url: status.url }
      assert.deepEqual(status, known)
      if (store !== 'sqlite') return
      const checked = await call(['check', '--data', fork.folder])
      assert.equal(checked.code, 0, checked.output + checked.told)
    })
  }

  test('goes on when its own update is seen before the database has answered the commit', async () => {
    await using database = await createTestDatabase()
    await using wire = await openFlakyProxy(database.url)
    await using fork = await follow(original.node.url, token, 'postgres', silent, wire.url)
    await original.submit([original.createIou()])
    await caughtUp(fork, original)
    const answered = wire.holdAnswer('COMMIT')
    await original.submit([original.createIou()])
    const letGo = await answered
    await caughtUp(fork, original) // By looking at the database.
    letGo()
    await original.submit([original.createIou()])
    await until(async () => (await endOf(fork)) === (await original.end()) || !(await statusOf(fork)).isFollowing)
    assert.deepEqual([(await statusOf(fork)).isFollowing, await endOf(fork)], [true, await original.end()])
  })

  test('misses and doubles nothing when its process is killed', async () => {
    using folder = temporaryFolder()
    const words = ['--fork', original.node.url, '--token', token, '--follow', '--data', folder.path]
    const open = () => start([...words, '--auth', 'off', '--grpc-port', 'off'])
    const endAt = async ({ url }: Started) =>
      ((await (await fetch(`${url}/v2/state/ledger-end`)).json()) as Json).offset
    let begin = 0
    {
      await using killed = await open()
      begin = await endAt(killed)
      const commands = randomCommands(original, 50, 12)
      await until(async () => (await endAt(killed)) > begin + 3)
      await killed.stop('SIGKILL')
      await commands
    }
    await using fork = await open()
    await until(async () => (await endAt(fork)) === (await original.end()))
    const [theirs, ours] = [readerOf(original.node.url, token), readerOf(fork.url)]
    const end = await original.end()
    assert.ok((await assertSameContracts(ours, theirs, end)) > 0)
    assert.deepEqual(
      await updatesIn(ours, begin, end, 'LEDGER_EFFECTS'),
      await updatesIn(theirs, begin, end, 'LEDGER_EFFECTS'),
    )
  })

  test('takes packages and vetting', async () => {
    await using fork = await follow(original.node.url, token, 'memory')
    await ask(original.node.call('POST', '/v2/dars', { body: readFileSync(keysDar) }))
    const { keys } = await import('../fixtures/ledger.ts')
    const key = { maintainers: [original.alice], name: 'k', maintainersFault: 'Fine' }
    const keyed = { signatories: [original.alice], observers: [], key, keyFault: 'Fine', note: 'n' }
    await original.submit([{ CreateCommand: { templateId: `${keys}:Keys:Keyed`, createArguments: keyed } }])
    await caughtUp(fork, original)
    const byKey = {
      ExerciseByKeyCommand: {
        ...{ templateId: `${keys}:Keys:Keyed`, contractKey: key, choice: 'Archive', choiceArgument: {} },
      },
    }
    await createdOn(fork, byKey, [original.alice])
  })

  test('stops at the first local command, and says so', async () => {
    const lines: string[] = []
    const log = {
      ...silent,
      info: (fields: object, text: string) => void lines.push(`${text} ${JSON.stringify(fields)}`),
    }
    await using fork = await follow(original.node.url, token, 'memory', log)
    const { contractId } = await original.submit([original.createIou()])
    await caughtUp(fork, original)
    const end = await endOf(fork)
    const { bank, alice } = original
    await createdOn(fork, original.createIou(), [bank, alice])
    const status = await until(async () => {
      const now = await statusOf(fork)
      return !now.isFollowing && now
    })
    assert.equal(status.reason, `it has had commands of its own since offset ${end}`)
    assert.equal(status.followedTo, end)
    assert.ok(lines.some((line) => line.startsWith('the fork follows its original no longer')))
    await original.submit([archiveIou(contractId)])
    assert.equal(await endOf(fork), end + 1)
    const counts = [end, end + 1].map(async (at) => (await contractsAt(readerOf(fork.url), at)).length)
    assert.equal(await counts[1], (await counts[0])! + 1)
  })

  test('names an original that is another one, or lost what comes next', async () => {
    await using other = await startTestLedger()
    await using wire: FlakyProxy = await openFlakyProxy(original.node.url)
    await using fork = await follow(wire.url, token, 'memory')
    wire.refuse()
    const away = await until(async () => {
      const now = await statusOf(fork)
      return now.reason !== '' && now
    })
    assert.deepEqual([away.isFollowing, /cannot reach|ended the stream/.test(away.reason)], [true, true])
    wire.retarget(Number(new URL(other.node.url).port))
    wire.restore()
    const status = await until(async () => {
      const now = await statusOf(fork)
      return !now.isFollowing && now
    })
    assert.match(status.reason, /^participant::\w+ cannot be followed: /)
  })

  test('names an original that was pruned meanwhile', async () => {
    await using own = await startTestLedger()
    const reader = await own.userWith('reader', right('CanReadAsAnyParty'))
    await own.submit([own.createIou()])
    await using wire = await openFlakyProxy(own.node.url)
    await using late = await follow(wire.url, reader)
    await caughtUp(late, own)
    wire.refuse()
    for (let index = 0; index < 3; index += 1) await own.submit([own.createIou()])
    await ask(own.node.call('POST', '/v2/pruning', { body: { pruneUpTo: (await own.end()) - 1 } }))
    wire.restore()
    const status = await until(async () => {
      const now = await statusOf(late)
      return !now.isFollowing && now
    })
    assert.match(status.reason, /cannot be followed: it is pruned up to offset \d+: updates between are gone$/)
  })
})
