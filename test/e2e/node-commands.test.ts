// The commands for a running node: what they show, as tables and as JSON, and what they refuse.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { signToken } from '../../src/auth/local-tokens.ts'
import { leaveNodeRecord } from '../../src/cli/node-record.ts'
import { type Called, type CallOptions, call } from '../fixtures/command.ts'
import { quickstart } from '../fixtures/ledger.ts'
import { startTestNode, type TestNode } from '../fixtures/node.ts'
import { createTestDatabase } from '../fixtures/postgres.ts'
import { launch, run, start, temporaryFolder } from '../fixtures/process.ts'
import { quickstartBytes, quickstartDar, rebuiltQuickstart } from '../fixtures/rebuilt-dar.ts'

const hs256 = { type: 'hs256' as const, secret: 'x'.repeat(32) }

describe('on a development node', () => {
  let node: TestNode
  let record: Disposable
  const here = (words: string, options: CallOptions = {}): Promise<Called> =>
    call(words.split(' '), { environment: { TALLYSTICK_STORE_DATA: node.folder }, ...options })
  const json = async (words: string) => JSON.parse((await here(`${words} --json`)).output)
  const partyOf = async (hint: string): Promise<string> =>
    (await json('party list')).find(({ party }: { party: string }) => party.startsWith(`${hint}::`)).party
  const createIou = async (amount = '100', fields: object = {}) => {
    const [issuer, owner] = [await partyOf('bank'), await partyOf('alice')]
    const createArguments = { issuer, owner, amount, currency: 'EUR', observers: [] }
    const commands = [{ CreateCommand: { templateId: '#quickstart:Iou:Iou', createArguments } }]
    return JSON.stringify({ actAs: [issuer, owner], commands, ...fields })
  }

  before(async () => {
    node = await startTestNode()
    record = leaveNodeRecord(node.folder, { url: node.url, pid: process.pid, secret: node.node.localSecret })
    await here('token --party alice --party bank')
  })
  after(async () => {
    record[Symbol.dispose]()
    await node[Symbol.asyncDispose]()
  })

  test('token makes parties and a user, and prints what the node answered', async () => {
    const issued = await json('token --party carol --read-as alice --ttl 90s')
    assert.deepEqual([issued.userId, issued.parties.length, issued.readAs.length], ['carol+read-alice', 1, 1])
    await assert.rejects(here(`user list --token ${issued.token}`), /; the user of the token lacks a right$/)
    for (const words of ['contracts', 'updates', 'logs']) {
      const asCarol = `${words} --token ${issued.token}`
      if (words !== 'logs') await here(`${asCarol} --party ${issued.parties[0]}`) // The journal is for administrators.
      await assert.rejects(here(asCarol), /lacks a right(; --party names the parties to read as)?$/)
    }
    const { output } = await here('token --admin')
    const headers = { authorization: `Bearer ${output}` }
    assert.equal((await fetch(`${node.url}/v2/users`, { headers })).status, 200)
    const plain = await here('token --user participant_admin')
    assert.equal((await node.call('GET', '/v2/users', { token: plain.output })).status, 200)
    await assert.rejects(here('token --party alice --audience x'), /--audience is only for --user alone/)
  })

  test('party and user add and list', async () => {
    const { output: id } = await here('party add dora')
    assert.match(id, /^dora::1220[0-9a-f]{64}$/)
    await assert.rejects(here('party add dora'), /the node refused: .*dora/)
    assert.match((await here('party list')).output, new RegExp(`^PARTY +HOSTED\n[\\s\\S]*^${id} +here$`, 'm'))
    assert.equal((await here('user add clerk --act-as dora --read-as alice --admin')).output, 'clerk')
    assert.match((await here('user list')).output, /^clerk +dora +alice +ParticipantAdmin$/m)
    await assert.rejects(here('user add x --act-as nobody'), /there is no party nobody; tallystick party add nobody/)
  })

  test('dar list', async () => {
    const { output } = await here('dar list')
    assert.match(output, /^NAME +VERSION +VETTED ON +PACKAGE$/m)
    assert.match(
      output,
      /^quickstart +1\.0\.0 +global, private +[0-9a-f]{64}\nand \d+ of Daml itself or not vetted; --all shows them$/m,
    )
    const all = (await here('dar list --all')).output
    assert.match(all, /\nquickstart .*\n(?:(?:daml-|ghc-| ).*\n?)+$/)
    const listed = await json('dar list')
    assert.deepEqual([listed[0].packageName, listed.length], ['quickstart', all.split('\n').length - 1])
  })

  test('dar upload replaces a package by the rebuilt one, if it is told to', async () => {
    using folder = temporaryFolder()
    const { id, bytes } = rebuiltQuickstart()
    const [file, older] = [join(folder.path, 'rebuilt.dar'), join(folder.path, 'older.dar')]
    writeFileSync(file, bytes)
    writeFileSync(older, quickstartBytes)
    await assert.rejects(
      here(`dar upload ${file}`),
      /same name and version: .*\. On a development node, --replace lets the new one take over\.$/,
    )
    assert.equal(
      (await here(`dar upload ${file} --replace`)).output,
      `uploaded quickstart 1.0.0 (${id}) to ${node.url}, in place of quickstart 1.0.0 (${quickstart})`,
    )
    assert.match((await here('dar list')).output, new RegExp(`^quickstart +1\\.0\\.0 +global, private +${id}$`, 'm'))
    await here(`dar upload ${older} --replace`) // As the other tests expect it.
  })

  test('a refusal is shown with its code, its hint and its place in Daml', async () => {
    await using node = await startTestNode({ settings: { hints: true } })
    const flags = ['--url', node.url, '--token', node.adminToken]
    const { json } = await node.call('POST', '/v2/parties', { body: { partyIdHint: 'alice' } })
    const { party: alice } = json.partyDetails
    const rights = [{ kind: { CanActAs: { value: { party: alice } } } }]
    await node.call('POST', '/v2/users/participant_admin/rights', { body: { userId: 'participant_admin', rights } })
    const submit = (templateId: string, amount: string) => {
      const createArguments = { issuer: alice, owner: alice, amount, currency: 'EUR', observers: [] }
      const commands = [{ CreateCommand: { templateId, createArguments } }]
      return call(['submit', '-', ...flags], { input: JSON.stringify({ actAs: [alice], commands }) })
    }
    await assert.rejects(submit('#quickstart:Iou:Iuo', '1'), {
      message: /^the node refused: [A-Z_]+: .*Iuo.*\n {2}hint: did you mean `#quickstart:Iou:Iou`\?$/,
    })
    await assert.rejects(submit('#quickstart:Iou:Iou', '-1'), {
      message: /^the node refused: DAML_FAILURE: .*: not positive\n {2}in: Iou:require$/,
    })
  })

  test('submit, contracts, updates and rejections', async () => {
    const { output } = await here('submit -', { input: await createIou('17') })
    assert.match(
      output,
      /^OFFSET +TIME +EVENT +CONTRACT +WHAT\n\d+ +\S+Z +create +00[0-9a-f]+ +#quickstart:Iou:Iou .*amount: 17\./,
    )
    using folder = temporaryFolder()
    const file = join(folder.path, 'commands.json')
    writeFileSync(file, JSON.stringify({ commands: JSON.parse(await createIou('18', { commandId: 'twice' })) }))
    const { transaction } = JSON.parse((await here(`submit ${file} --json`)).output)
    assert.equal(transaction.commandId, 'twice')
    await assert.rejects(
      here(`submit ${file}`),
      /the node refused: DUPLICATE_COMMAND: Command submission already exists/,
    )
    const contracts = await here('contracts --party alice --template quickstart:Iou:Iou')
    assert.match(
      contracts.output,
      /^00[0-9a-f]{136} +#quickstart:Iou:Iou +alice, bank +issuer: bank, owner: alice, amount: 17\.0/m,
    )
    await here('token --party erin')
    assert.equal((await here('contracts --party erin')).output, 'CONTRACT  TEMPLATE  STAKEHOLDERS  FIELDS')
    const lines = (await here('contracts --json')).output.split('\n')
    assert.ok(lines.every((line) => JSON.parse(line).contractEntry.JsActiveContract))
    const narrow = (await here('contracts', { width: 60 })).output.split('\n')
    assert.ok(narrow.length > 1 && narrow.every((line) => line.length <= 60), narrow.join('\n'))
    const updates = await here('updates --party alice')
    assert.match(updates.output, /^\d+ +\S+ +party +alice::/m)
    assert.match(updates.output, /^\d+ +\S+ +create +00\S+ +#quickstart:Iou:Iou .*amount: 18/m)
    assert.equal((await here('updates --after 9999')).output, 'OFFSET  TIME  EVENT  CONTRACT  WHAT')
    const logs = (await here('logs')).output
    assert.match(logs, /^\d+ +\S+ +party +alice::\S+ \(added on global\)$/m)
    const refused =
      /^ +\S+Z +refused +DUPLICATE_COMMAND for participant_admin \(twice\): Command submission already exists/m
    assert.ok(logs.search(refused) > logs.search(/ create .*amount: 18\./), logs) // In the order of time.
    const said = (await here('logs --json')).output.split('\n').map((line) => Object.keys(JSON.parse(line))[0])
    assert.deepEqual([...new Set(said)].sort(), ['rejection', 'update'])
    assert.doesNotMatch((await here(`logs --after ${transaction.offset - 1}`)).output, /party +alice|amount: 17\./)
    assert.match(
      (await here('rejections')).output,
      /^\d+ +\S+ +submit +participant_admin +twice +DUPLICATE_COMMAND +Command/m,
    )
    const dry = JSON.parse((await here('submit - --dry-run', { input: await createIou() })).output)
    assert.equal(dry.nodes.length, 1)
    await assert.rejects(here('submit -', { input: '{' }), /the input is not JSON: /)
  })

  test('contracts tells which are in transit between synchronizers', async () => {
    const { transaction } = JSON.parse((await here('submit - --json', { input: await createIou('19') })).output)
    const { contractId } = transaction.events[0].CreatedEvent
    const { json: known } = await node.call('GET', '/v2/state/connected-synchronizers')
    const [source, target] = known.connectedSynchronizers.map((one: { synchronizerId: string }) => one.synchronizerId)
    const alice = await partyOf('alice')
    const { output: token } = await here('token --party alice')
    const reassign = async (command: object) => {
      const reassignmentCommands = { commandId: Object.keys(command)[0], submitter: alice, commands: [{ command }] }
      const body = { reassignmentCommands, eventFormat: { filtersByParty: { [alice]: {} } } }
      const { json } = await node.call('POST', '/v2/commands/submit-and-wait-for-reassignment', { token, body })
      return json.reassignment.events[0]
    }
    const { JsUnassignedEvent: left } = await reassign({ UnassignCommand: { value: { contractId, source, target } } })
    const row = new RegExp(`^${contractId} +#quickstart:Iou:Iou +.*\\(in transit to private\\) .*amount: 19\\.`, 'm')
    assert.match((await here('contracts')).output, row)
    const { reassignmentId } = left.value
    await reassign({ AssignCommand: { value: { reassignmentId, source, target } } }) // As the other tests expect it.
  })

  test('snapshot, restore, reset and time', async () => {
    using folder = temporaryFolder()
    const file = join(folder.path, 'copied.sqlite')
    assert.equal((await here('snapshot before')).output, 'before')
    await assert.rejects(here('snapshot before'), /A snapshot 'before' exists/)
    await here('party add late')
    assert.match(
      (await here(`snapshot export before ${file}`)).output,
      /^wrote before to .*copied\.sqlite \(\d+ bytes\)$/,
    )
    await assert.rejects(here(`snapshot export before ${file}`), /cannot write .*EEXIST/)
    assert.match((await here(`snapshot import ${file}`)).output, /^added copied; /)
    assert.match((await here('snapshot list')).output, /^NAME +TAKEN +OFFSET +BYTES\nbefore [\s\S]*\ncopied /)
    assert.equal((await here('restore copied')).output, 'restored copied')
    assert.doesNotMatch((await here('party list')).output, /^late::/m)
    await here('snapshot delete copied')
    await assert.rejects(here('restore copied'), /There is no snapshot 'copied'/)
    const earlier = Date.parse((await here('time')).output)
    const later = Date.parse((await here('time +1d')).output)
    assert.ok(later - earlier >= 86_400_000)
    assert.match((await here('time 2999-01-01T00:00:00Z')).output, /^2999-01-01T00:00/)
    await assert.rejects(here('time 1d'), /1d is neither \+DURATION, such as \+1d, nor a time/)
    assert.equal((await here('reset')).output, 'reset')
    assert.match((await here('party list')).output, /^PARTY +HOSTED\nparticipant::1220[0-9a-f]{64} +here$/)
    await here('token --party alice --party bank') // As the other tests expect it.
  })

  test('faults are added, listed, met and removed', async () => {
    const added = await here(
      'faults add --fail PARTICIPANT_BACKPRESSURE --message busy --user participant_admin --times 0',
    )
    const row = / +fail with PARTICIPANT_BACKPRESSURE +user participant_admin +each, until removed +0 +0$/
    assert.match(added.output, new RegExp(`^ID +DOES +MATCHES +WHEN +MET +STRUCK\n\\d+${row.source}`))
    await assert.rejects(here('submit -', { input: await createIou() }), /the node refused: [A-Z_]+: busy$/)
    const { id, ...other } = await json('faults add --delay 300ms --every 3 --template Iou:Iou --command slow')
    assert.deepEqual([other.delayMs, other.every, other.times, other.fail], [300, 3, 1, null])
    const { output } = await here('faults list')
    assert.match(output, / +fail with PARTICIPANT_BACKPRESSURE +.* +1 +1$/m)
    assert.match(output, new RegExp(`^${id} +delay by 300 ms +template Iou:Iou, command slow +the 3rd +0 +0$`, 'm'))
    assert.equal((await here(`faults remove ${id}`)).output, `removed ${id}`)
    await assert.rejects(
      here(`faults remove ${id}`),
      new RegExp(`the node refused: FAULT_NOT_FOUND: There is no fault '${id}'`),
    )
    assert.equal((await json('faults list')).length, 1)
    assert.equal((await here('faults remove --all')).output, 'removed all')
    assert.equal((await here('faults list')).output, 'ID  DOES  MATCHES  WHEN  MET  STRUCK')
    await here('submit -', { input: await createIou() })
    const mistakes: [words: string, reason: RegExp][] = [
      ['faults add', /^Error: give one of --fail, --delay, --lose-answer and --end-streams; usage: /],
      ['faults add --lose-answer --end-streams', /give one of/],
      ['faults add --lose-answer --message x', /--message is only for --fail/],
      ['faults add --delay 0s', /--delay: 0s is not a time such as 300ms or 2s/],
      ['faults add --lose-answer --times -1', /ambiguous|--times/],
      ['faults add --fail NONE', /the node refused: .*'NONE' is no error code of the API/],
      ['faults remove', /give either the ID of a fault or --all/],
      ['faults', /faults is not complete: try tallystick faults add or tallystick faults list or/],
    ]
    for (const [words, reason] of mistakes) await assert.rejects(here(words), reason)
  })

  const follows: [words: string, row: RegExp][] = [
    ['updates --follow', /^\d+ +\S+ +create +00\S+ +#quickstart:Iou:Iou/],
    ['updates --follow --json', /^\{"update":\{"Transaction"/],
    ['logs --follow', /^\d+ +\S+ +create +00\S+ +#quickstart:Iou:Iou/],
    ['contracts --watch --party alice', /^\+ +00\S+ +#quickstart:Iou:Iou +alice, bank/],
  ]
  for (const [words, row] of follows) {
    test(`${words} shows what happens, until it is stopped`, async () => {
      const { promise: stopped, resolve: stop } = Promise.withResolvers<string>()
      const { promise: shown, resolve: show } = Promise.withResolvers<void>()
      const onPrint = (text: string) => row.test(text) && /amount"?: ?"?23\./.test(text) && show()
      const following = here(words, { stopped, onPrint })
      // It may begin to follow before or after this; then another one shows it.
      const input = () => createIou('23')
      await here('submit -', { input: await input() })
      while (
        !(await Promise.race([shown.then(() => true), here('submit -', { input: await input() }).then(() => false)]))
      );
      stop('SIGINT')
      assert.equal((await following).code, 0)
    })
  }

  for (const [words, rowOf] of [
    ['rejections --follow', (id: string) => new RegExp(`^\\d+ +\\S+Z +submit +participant_admin +${id} +[A-Z_]+ +\\S`)],
    ['rejections --follow --json', (id: string) => new RegExp(`^\\{"number":\\d+,.*"commandId":"${id}"`)],
  ] as const) {
    test(`${words} shows what was refused and what is, each once, until it is stopped`, async () => {
      const [earlier, later] = [`earlier-${words.length}`, `later-${words.length}`]
      const refused = async (commandId: string) => {
        const input = await createIou('0', { commandId })
        await assert.rejects(here('submit -', { input }), /the node refused/)
      }
      const { promise: stopped, resolve: stop } = Promise.withResolvers<string>()
      const printed: string[] = []
      let arrived = Promise.withResolvers<void>()
      const onPrint = (text: string) => {
        printed.push(...text.split('\n'))
        arrived.resolve()
        arrived = Promise.withResolvers()
      }
      const times = (id: string) => printed.filter((line) => rowOf(id).test(line)).length
      const shown = async (id: string) => {
        while (times(id) === 0) await arrived.promise
      }
      await refused(earlier)
      const following = here(words, { stopped, onPrint })
      await shown(earlier)
      await refused(later)
      await shown(later)
      stop('SIGINT')
      assert.equal((await following).code, 0)
      assert.deepEqual([times(earlier), times(later)], [1, 1])
    })
  }
})

describe('the environment', () => {
  test('names the node and the token; flags win over it, and it wins over the data folder', async () => {
    await using node = await startTestNode({ settings: { development: false, auth: { keys: [hs256] } } })
    await using other = await startTestNode()
    using _record = leaveNodeRecord(other.folder, { url: other.url, pid: process.pid, secret: other.node.localSecret })
    const claims = { userId: 'participant_admin', lifetimeMs: 60_000, nowMs: Date.now() }
    const audience = `https://daml.com/jwt/aud/participant/${node.node.participantId}`
    const token = await signToken(hs256.secret, { ...claims, audience })
    const environment = { TALLYSTICK_URL: node.url, TALLYSTICK_TOKEN: token, TALLYSTICK_STORE_DATA: other.folder }
    const participant = async (words: string[], given: Record<string, string> = environment) =>
      /^participant +(\S+)$/m.exec((await call(['status', ...words], { environment: given })).output)?.[1]
    assert.equal(await participant([]), node.node.participantId)
    assert.equal(await participant(['--data', other.folder]), other.node.participantId)
    assert.equal(await participant(['--url', other.url]), other.node.participantId)
    assert.equal(await participant([], { ...environment, TALLYSTICK_URL: '' }), undefined) // The token is for another.
    assert.equal(await participant(['--url', node.url], { TALLYSTICK_TOKEN: token }), node.node.participantId)
    // The token is not sent to a node that the environment does not name.
    assert.equal(await participant(['--url', node.url], { ...environment, TALLYSTICK_URL: other.url }), undefined)
    assert.equal(await participant(['--url', node.url, '--token', 'bad']), undefined)
    assert.match((await call(['party', 'add', 'alice'], { environment })).output, /^alice::/)
    await assert.rejects(call(['token', '--user', 'alice'], { environment }), /is not a development node/)
    await assert.rejects(
      call(['prune', '--up-to', '1'], { environment }),
      /^Error: the node refused: [A-Z_]+: prune_up_to/,
    )
    using folder = temporaryFolder()
    const types = ['codegen', node.url, '--package', 'quickstart', '--out', folder.path]
    await assert.rejects(call(types, { environment }), /the node has no package quickstart/)
    await assert.rejects(call(types), /; give a token with --token$/)
    await assert.rejects(call(['status'], { environment: { TALLYSTICK_URL: 'x' } }), /^Error: TALLYSTICK_URL: x is not/)
  })
})

describe('on other nodes', () => {
  test('the commands say why they cannot', async () => {
    await using node = await startTestNode({ settings: { development: false, auth: { keys: [hs256] } } })
    for (const words of [
      'snapshot',
      'snapshot list',
      'restore x',
      'reset',
      'time +1d',
      'rejections',
      'faults list',
      'faults add --lose-answer',
      'faults remove 1',
      'token --admin',
      `dar upload ${quickstartDar} --replace`,
    ]) {
      await assert.rejects(call([...words.split(' '), '--url', node.url, '--token', 'x']), {
        message: /^http:\/\/127\.0\.0\.1:\d+ is not a development node; only such a node [a-z ]+$/,
      })
    }
    const giveToken = /the node refused: .*; give a token with --token$/
    await assert.rejects(call(['party', 'list', '--url', node.url]), giveToken)
    // Nor with the secret of another node.
    await using other = await startTestNode()
    const environment = { TALLYSTICK_STORE_DATA: other.folder }
    await assert.rejects(call(['party', 'list', '--url', node.url], { environment }), giveToken)
    const wrong = ['--url', node.url, '--token', 'x']
    await assert.rejects(call(['party', 'list', ...wrong]), /the node refused: .*; it does not accept the token$/)
    const status = await call(['status', ...wrong])
    assert.deepEqual([status.code, /^token +not accepted$/m.test(status.output)], [0, true])
  })
})

describe('a development node', () => {
  test('in memory, on any port, is found by its data folder until it stops; a record of a killed one is replaced', async () => {
    using folder = temporaryFolder()
    const data = join(folder.path, 'data')
    const environment = { TALLYSTICK_STORE_DATA: data }
    const killed = await start(['--memory'], environment)
    const [stale] = readdirSync(data)
    assert.match(stale!, /^node-\d+\.json$/)
    assert.equal(statSync(join(data, stale!)).mode & 0o777, 0o600)
    await killed.stop('SIGKILL')
    assert.deepEqual(readdirSync(data), [stale])
    await assert.rejects(call(['token', '--user', 'a'], { environment }), /there is no token secret in /) // None runs.
    const node = await start(['--memory'], environment)
    assert.equal(readdirSync(data).length, 1)
    const status = await call(['status'], { environment })
    assert.match(status.output, new RegExp(`^url +${node.url}\nstate +ready\n[\\s\\S]*^participant `, 'm'))
    const { code, output, errors } = await run(['token', '--party', 'alice'], environment)
    assert.deepEqual([code, errors], [0, ''])
    const headers = { authorization: `Bearer ${output.trim()}` }
    assert.equal((await fetch(`${node.url}/v2/users/alice`, { headers })).status, 200)
    const following = launch(['updates', '--follow'], environment)
    await once(following.process.stdout!, 'data')
    following.process.kill('SIGINT')
    await once(following.process, 'close')
    assert.deepEqual([following.process.exitCode, following.errors()], [0, ''])
    await node.stop('SIGTERM')
    assert.deepEqual(readdirSync(data), [])
    const gone = await call(['status', '--url', node.url], { environment })
    assert.deepEqual([gone.code, /^state +not running$/m.test(gone.output)], [3, true])
    const unreached = await run(['party', 'list', '--url', node.url], environment)
    assert.equal(unreached.code, 3)
    assert.match(
      unreached.errors,
      /^tallystick: cannot reach http\S+: connect ECONNREFUSED \S+; is the node running\?\n$/,
    )
  })

  test('on PostgreSQL is found by its data folder, too, until it stops', async () => {
    using folder = temporaryFolder()
    const data = join(folder.path, 'data')
    await using database = await createTestDatabase()
    const environment = { TALLYSTICK_STORE_DATA: data }
    await using node = await start(['--postgres', database.url], { ...environment, TALLYSTICK_DEVELOPMENT: 'true' })
    const { output: alice } = await call(['party', 'add', 'alice'], { environment })
    const status = JSON.parse((await call(['status', '--json'], { environment })).output)
    assert.deepEqual([status.url, status.state, typeof status.participantId], [node.url, 'ready', 'string'])
    const issued = JSON.parse((await call(['token', '--party', 'alice', '--json'], { environment })).output)
    assert.deepEqual(issued.parties, [alice])
    const headers = { authorization: `Bearer ${issued.token}` }
    assert.equal((await fetch(`${node.url}/v2/users/alice`, { headers })).status, 200)
    await assert.rejects(call(['snapshot'], { environment }), /A ledger in PostgreSQL has no snapshots/)
    await node.stop('SIGTERM')
    assert.deepEqual(
      readdirSync(data).filter((name) => name.startsWith('node-')),
      [],
    )
  })

  test('shares a folder with another: then --url chooses', async () => {
    using folder = temporaryFolder()
    const environment = { TALLYSTICK_STORE_DATA: folder.path }
    await using one = await startTestNode()
    await using two = await startTestNode({ settings: { auth: { mode: 'off' } } })
    const pids = [process.pid, process.ppid]
    using _one = leaveNodeRecord(folder.path, { url: one.url, pid: pids[0]!, secret: one.node.localSecret })
    using _two = leaveNodeRecord(folder.path, { url: two.url, pid: pids[1]!, secret: two.node.localSecret })
    await assert.rejects(
      call(['party', 'list'], { environment }),
      /^Error: 2 nodes run over .*; choose one with --url$/,
    )
    for (const { url } of [one, two]) await call(['party', 'add', 'alice', '--url', url], { environment })
    await assert.rejects(call(['party', 'list', '--url', one.url]), /; give a token with --token$/)
    await two[Symbol.asyncDispose]()
    assert.match((await call(['party', 'list'], { environment })).output, /^alice::/m)
  })
})

describe('tallystick completion', () => {
  test('completes commands, options and words in bash', async () => {
    const { output: script } = await call(['completion', 'bash'])
    const complete = (...words: string[]) => {
      const line = ['tallystick', ...words].map((word) => `'${word}'`).join(' ')
      const program = `${script}\nCOMP_WORDS=(${line}); COMP_CWORD=${words.length}; _tallystick; echo "\${COMPREPLY[*]}"`
      return execFileSync('bash', ['-c', program], { encoding: 'utf8' }).trim()
    }
    const rows: [words: string[], wanted: string][] = [
      [['sn'], 'snapshot'],
      [['re'], 'rejections restore reset rehearse'],
      [['ex'], 'exec explorer exercise'],
      [['cr'], 'create'],
      [['user', ''], 'add list grant revoke delete'],
      [['party', 's'], 'show'],
      [['create', 'Iou', '--act'], '--act-as'],
      [['snapshot', ''], 'list delete export import'],
      [['dar', 'up'], 'upload'],
      [['faults', ''], 'add list remove'],
      [['faults', 'add', '--lo'], '--lose-answer'],
      [['exec', '--wo'], '--world'],
      [['contracts', '--te'], '--template'],
      [['snapshot', 'list', '--js'], '--json'],
      [['completion', ''], 'bash zsh'],
      [
        ['start', '--config', '/etc/host'],
        execFileSync('bash', ['-c', 'compgen -f /etc/host'], { encoding: 'utf8' }).trim().replaceAll('\n', ' '),
      ],
    ]
    for (const [words, wanted] of rows) assert.equal(complete(...words), wanted, words.join(' '))
  })

  test('has every command and option for zsh', async () => {
    const { output } = await call(['completion', 'zsh'])
    for (const word of [
      '#compdef tallystick',
      'contracts:list the active',
      "'*--template[",
      ':DIR:_files -/',
      'compdef _tallystick',
    ]) {
      assert.ok(output.includes(word), word)
    }
    await assert.rejects(call(['completion', 'fish']), /there is no completion for fish/)
  })
})
