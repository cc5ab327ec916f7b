// tallystick prune: on the folder of a stopped node, and through a running one.
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { checkAnswer } from '../fixtures/answer-check.ts'
import { runHere, type StartedHere, startHere } from '../fixtures/command.ts'
import { createTestDatabase } from '../fixtures/postgres.ts'
import { assertOneLine, temporaryFolder } from '../fixtures/process.ts'

const together = { concurrency: 2 }

describe('tallystick prune', together, () => {
  test('deletes the history in the folder of a stopped node; active contracts stay', async () => {
    using folder = temporaryFolder()
    const args = ['--data', folder.path, '--auth', 'off']
    const first = await startHere(args)
    await createIous(first, 3)
    const before = await activeContracts(first, 5)
    await first.stop()
    assert.deepEqual(await prune('--up-to', '4', '--data', folder.path), [0, 'pruned up to 4\n', ''])
    assert.deepEqual(await prune('--up-to', '3', '--data', folder.path), [0, 'pruned up to 4\n', '']) // No change.
    await using second = await startHere(args)
    assert.deepEqual(await offsetsFrom(second, 4), [5])
    assert.equal((await refusedFrom(second, 3)).code, 'PARTICIPANT_PRUNED_DATA_ACCESSED')
    assert.deepEqual(await activeContracts(second, 5), before)
  })

  test('deletes what is older, but never the ledger end', async () => {
    using folder = temporaryFolder()
    await using node = await startHere([
      '--data',
      folder.path,
      '--auth',
      'off',
      '--static-time',
      '2030-01-01T00:00:00Z',
    ])
    await createIous(node, 2)
    assert.deepEqual(await prune('--older-than', '30d', '--url', node.url), [0, 'nothing to prune\n', ''])
    await moveTime(node, '2030-01-01T00:00:00Z', '2030-02-01T00:00:00Z')
    await createIous(node, 1)
    const background = 'pruned up to 4; the node deletes the rows in the background\n'
    assert.deepEqual(await prune('--older-than', '30d', '--url', node.url), [0, background, ''])
    await moveTime(node, '2030-02-01T00:00:00Z', '2031-01-01T00:00:00Z')
    assert.deepEqual(await prune('--older-than', '30d', '--url', node.url, '--wait'), [0, 'pruned up to 4\n', ''])
    assert.deepEqual(await offsetsFrom(node, 4), [5])
  })

  test("asks a running node with a token, which has to be an administrator's", async () => {
    using folder = temporaryFolder()
    await using node = await startHere(['--data', folder.path])
    await createIous(node, 2)
    const url = ['--up-to', '3', '--url', node.url]
    assertOneLine(await runHere(['prune', ...url]), 1, /^the node refused: The request carries no token/)
    await call(node, 'users', { user: { id: 'owner' } })
    const { output: token } = await runHere(['token', '--user', 'owner', '--data', folder.path])
    assertOneLine(await runHere(['prune', ...url, '--token', token.trim()]), 1, /^the node refused: .*right/)
    assert.deepEqual(await prune(...url, '--token', node.token, '--wait'), [0, 'pruned up to 3\n', ''])
    assert.equal((await refusedFrom(node, 0)).code, 'PARTICIPANT_PRUNED_DATA_ACCESSED')
  })

  test('appears in the metrics', async () => {
    using folder = temporaryFolder()
    await using node = await startHere(['--data', folder.path, '--auth', 'off'])
    const metrics = async () => {
      const text = await (await fetch(`${node.url}/metrics`)).text()
      return text.match(/^tallystick_prun\w+ .*$/gm)
    }
    const expected = (offset: number) => [
      `tallystick_pruned_offset ${offset}`,
      'tallystick_pruning_running 0',
      `tallystick_pruning_deleted_offset ${offset}`,
    ]
    await createIous(node, 3)
    assert.deepEqual(await metrics(), expected(0))
    assert.deepEqual(await prune('--up-to', '4', '--url', node.url, '--wait'), [0, 'pruned up to 4\n', ''])
    assert.deepEqual(await metrics(), expected(4))
  })

  test('refuses a folder that a node is using', async () => {
    using folder = temporaryFolder()
    await using node = await startHere(['--data', folder.path, '--auth', 'off'])
    await createIous(node, 2)
    const result = await runHere(['prune', '--up-to', '3', '--data', folder.path])
    assertOneLine(result, 1, /^another node is already running over /)
    assert.deepEqual(await offsetsFrom(node, 0), [3, 4])
  })

  test('works on PostgreSQL', async () => {
    await using database = await createTestDatabase()
    const dar = join(import.meta.dirname, '../../packages/quickstart/quickstart.dar')
    const args = ['--postgres', database.url, '--auth', 'off', '--dar', dar]
    const first = await startHere(args)
    await createIous(first, 2)
    await first.stop()
    // One synchronizer: the owner has taken one offset.
    assert.deepEqual(await prune('--up-to', '2', '--postgres', database.url), [0, 'pruned up to 2\n', ''])
    await using second = await startHere(args)
    assert.deepEqual(await offsetsFrom(second, 2), [3])
  })

  test('refuses an offset at or after the end, offline and through a node', async () => {
    using folder = temporaryFolder()
    const node = await startHere(['--data', folder.path, '--auth', 'off'])
    await createIous(node, 2)
    const message = 'prune_up_to needs to be before ledger end Some\\(Offset\\(4\\)\\)$'
    for (const offset of ['4', '99']) {
      const result = await runHere(['prune', '--up-to', offset, '--url', node.url])
      assertOneLine(result, 1, new RegExp(`^the node refused: .*${message}`))
    }
    await node.stop()
    for (const offset of ['4', '99']) {
      assertOneLine(await runHere(['prune', '--up-to', offset, '--data', folder.path]), 1, new RegExp(`^${message}`))
    }
  })

  test('creates no ledger where there is none', async () => {
    using folder = temporaryFolder()
    const data = join(folder.path, 'typo')
    const result = await runHere(['prune', '--up-to', '1', '--data', data])
    assertOneLine(result, 1, /^there is no ledger in .*typo; start a node there first$/)
    assert.equal(existsSync(data), false)
  })

  test('reports that no node answers', async () => {
    assertOneLine(
      await runHere(['prune', '--up-to', '1', '--url', 'http://127.0.0.1:9']),
      3,
      /^cannot reach http:.*:9\/: /,
    )
  })

  const wrong: [args: string[], message: RegExp][] = [
    [[], /^give one of --up-to and --older-than$/],
    [['--up-to', '1', '--older-than', '1h'], /^give one of --up-to and --older-than$/],
    [['--up-to', 'x'], /^--up-to: x is not an offset$/],
    [['--up-to', '0'], /^--up-to: 0 is not an offset$/],
    [['--up-to', '-1'], /^Option '--up-to' argument is ambiguous; usage: tallystick prune /],
    [['--up-to=-1'], /^--up-to: -1 is not an offset$/],
    [['--up-to', '9'.repeat(19)], /^--up-to: 9+ is not an offset$/],
    [['--older-than', 'soon'], /^--older-than: soon is not a time such as 12h or 30d$/],
    [['--older-than', '0d'], /^--older-than: 0d is not a time/],
    [['--up-to', '1', 'extra'], /extra/],
    [['--up-to', '1', '--memory'], /--memory/],
    [['--up-to', '1', '--token', 'x'], /^--token is only for --url$/],
    [['--up-to', '1', '--wait'], /^--wait is only for --url; /],
    [['--up-to', '1', '--url', 'http://h', '--data', 'x'], /^--url and --data exclude each other$/],
    [
      ['--up-to', '1', '--url', 'http://h', '--postgres', 'postgres://h/d'],
      /^--url and --postgres exclude each other$/,
    ],
    [['--up-to', '1', '--url', 'nonsense'], /^--url: nonsense is not a URL$/],
  ]
  for (const [args, message] of wrong) {
    test(`refuses ${args.join(' ').slice(0, 40) || 'nothing at all'}`, async () => {
      assertOneLine(await runHere(['prune', ...args]), 2, message)
    })
  }
})

/** Without the lines that say how far it is, when that takes more than a moment. */
async function prune(...args: string[]): Promise<[code: number | null, output: string, errors: string]> {
  const { code, output, errors } = await runHere(['prune', ...args])
  return [code, output.replaceAll(/^(deleted up to \d+ of \d+|releasing disk space)\n/gm, ''), errors]
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely.
async function call({ url, token }: StartedHere, path: string, body?: unknown): Promise<any> {
  const headers = token === '' ? undefined : { authorization: `Bearer ${token}` }
  const request = body === undefined ? { method: 'GET' } : { method: 'POST', body: JSON.stringify(body) }
  const response = await fetch(`${url}/v2/${path}`, { ...request, ...(headers && { headers }) })
  const json = await response.json()
  checkAnswer({ method: request.method, path: `/v2/${path}`, status: response.status, json })
  return json
}

let count = 0

/** One update each. Before the first, the owner takes an offset on each of the two synchronizers. */
async function createIous(node: StartedHere, wanted: number): Promise<void> {
  const participant = /1220[0-9a-f]{64}/.exec(node.output)![0]
  const owner = `owner::${participant}`
  await call(node, 'parties', { partyIdHint: 'owner' }) // Refused the second time, which does not matter.
  const rights = [{ kind: { CanActAs: { value: { party: owner } } } }]
  await call(node, 'users/participant_admin/rights', { userId: 'participant_admin', rights })
  const createArguments = { issuer: owner, owner, amount: '1', currency: 'EUR', observers: [] }
  const commands = [{ CreateCommand: { templateId: '#quickstart:Iou:Iou', createArguments } }]
  for (let created = 0; created < wanted; created += 1) {
    const commandId = `c${++count}`
    const request = { commandId, userId: 'participant_admin', actAs: [owner], commands }
    const answer = await call(node, 'commands/submit-and-wait', request)
    assert.ok(answer.updateId, JSON.stringify(answer))
  }
}

function moveTime(node: StartedHere, currentTime: string, newTime: string) {
  return call(node, 'time', { currentTime, newTime })
}

function readers(node: StartedHere) {
  const owner = `owner::${/1220[0-9a-f]{64}/.exec(node.output)![0]}`
  return { filter: { filtersByParty: { [owner]: {} } } }
}

async function offsetsFrom(node: StartedHere, beginExclusive: number): Promise<number[]> {
  const request = { beginExclusive, ...readers(node) }
  const elements = await call(node, 'updates?stream_idle_timeout_ms=200', request)
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely.
  return elements.flatMap(({ update }: any) => update.Transaction?.value.offset ?? [])
}

function refusedFrom(node: StartedHere, beginExclusive: number): Promise<{ code: string }> {
  return call(node, 'updates', { beginExclusive, ...readers(node) })
}

function activeContracts(node: StartedHere, activeAtOffset: number): Promise<unknown[]> {
  return call(node, 'state/active-contracts', { activeAtOffset, ...readers(node) })
}
