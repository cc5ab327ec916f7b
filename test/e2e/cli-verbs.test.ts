// The verbs of the command line: contracts are created and used by words, and everything is named by hints and prefixes.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { UsageError } from '../../src/cli/command.ts'
import { leaveNodeRecord } from '../../src/cli/node-record.ts'
import { type Called, type CallOptions, call } from '../fixtures/command.ts'
import { startTestNode, type TestNode } from '../fixtures/node.ts'

describe('the verbs', () => {
  let node: TestNode
  let record: Disposable
  const here = (words: string, options: CallOptions = {}): Promise<Called> =>
    call(words.split(' '), { environment: { TALLYSTICK_STORE_DATA: node.folder }, ...options })
  const created = async (words: string): Promise<string> => {
    const { transaction } = JSON.parse((await here(`create ${words} --json`)).output)
    return transaction.events[0].CreatedEvent.contractId
  }
  const iou = 'Iou issuer=bank owner=alice amount=100 currency=EUR observers='

  before(async () => {
    node = await startTestNode()
    record = leaveNodeRecord(node.folder, { url: node.url, pid: process.pid, secret: node.node.localSecret })
    for (const hint of ['alice', 'bank', 'bob', 'bobby']) await here(`party add ${hint}`)
  })
  after(async () => {
    record[Symbol.dispose]()
    await node[Symbol.asyncDispose]()
  })

  test('create acts as the signatories, and shows what happened', async () => {
    const { output } = await here(`create ${iou}bob,bank`)
    assert.match(output, /^update +1220[0-9a-f]{64}\noffset +\d+\ntime +\S+Z\ncommand +\S+\nsynchronizer +global\n\n/)
    assert.match(output, /^└─ create Iou:Iou 00\S+ \{issuer: bank, owner: alice, .*observers: \[bob, bank\]\}$/m)
    for (const template of ['Iou:Iou', 'quickstart:Iou:Iou', '#quickstart:Iou:Iou']) {
      await here(`create ${iou.replace('Iou', template)}`)
    }
    const dry = JSON.parse((await here(`create ${iou} --dry-run`)).output)
    assert.equal(dry.nodes.length, 1)
  })

  test('exercise acts as the controllers, with the choices of interfaces, too', async () => {
    const contract = await created(iou)
    const { output } = await here(`exercise ${contract.slice(0, 20)}… Iou_Split amount=30`)
    assert.match(output, /^└─ alice: exercise Iou_Split of Iou:Iou 00\S+ \{amount: 30\./m)
    assert.match(output, /^ {3}├─ create .*amount: 30\..*\n {3}└─ create .*amount: 70\./m)
    const other = await created(iou)
    assert.match((await here(`exercise ${other} Holding_Redeem`)).output, /alice: exercise Holding_Redeem of .* →/)
  })

  test('contract shows fields, stakeholders, history and choices; update shows a tree', async () => {
    const contract = await created(iou)
    const active = (await here(`contract ${contract.slice(0, 30)}`)).output
    assert.match(active, /^contract +00[0-9a-f]{136}\ntemplate +#quickstart:Iou:Iou\nsignatories +\w+::\S+, \w+::\S+\n/)
    assert.match(active, /\nstate +active\n\nfields\n {2}issuer +bank\n {2}owner +alice\n {2}amount +100\.0/)
    assert.match(active, /\nhistory\n {2}\d+ {2}\S+Z {2}created \(update 1220\S+, command \S+\)\n/)
    assert.match(active, /\n {2}Iou_Split +amount: Decimal → Iou_SplitResult\n/)
    assert.match(active, /^signatories .*\nstate /m)
    assert.match(active, /\n {2}Holding_Redeem +→ HoldingView \(of Holding:Holding\)/)
    const { transaction } = JSON.parse((await here(`exercise ${contract} Iou_Split amount=30 --json`)).output)
    const archived = (await here(`contract ${contract.slice(0, 30)}`)).output
    assert.match(archived, /^state +archived$/m)
    assert.match(archived, /archived by Iou_Split, exercised by alice \(update /)
    const tree = (await here(`update ${transaction.offset}`)).output
    assert.match(tree, /^└─ alice: exercise Iou_Split[^\n]+\n {3}├─ create [^\n]+\n {3}└─ create /m)
    assert.equal((await here(`update ${transaction.updateId.slice(0, 30)}…`)).output, tree)
    assert.equal(
      JSON.parse((await here(`update ${transaction.offset} --json`)).output).update.Transaction.value.offset,
      transaction.offset,
    )
    assert.match((await here('update 1')).output, /\nparty \S+ \(added on \w+\)$/)
    const narrow = (await here(`contract ${contract}`, { width: 60 })).output.split('\n')
    assert.ok(
      narrow.every((line) => line.length <= 60),
      narrow.join('\n'),
    )
    const full = (await here(`contract ${contract} --full`, { width: 60 })).output
    assert.ok(full.includes(contract))
  })

  test('what a table has cut can be pasted back, and --full cuts nothing', async () => {
    await created(iou)
    const [, row] = (await here('contracts', { width: 100 })).output.split('\n')
    const [id = ''] = row!.split(' ')
    assert.match(id, /^00[0-9a-f]{14}…$/)
    assert.match((await here(`contract ${id}`)).output, new RegExp(`^contract +${id.slice(0, -1)}`))
    assert.match((await here('contracts --full', { width: 100 })).output, /^00[0-9a-f]{136} /m)
    assert.match((await here('contracts --template Iou --party ali')).output, /^00\S+ +#quickstart:Iou:Iou/m)
  })

  test('user grant, revoke and delete; party show', async () => {
    await here('user add clerk')
    assert.equal(
      (await here('user grant clerk --act-as alice --read-as bank --admin')).output,
      'granted CanActAs alice, CanReadAs bank, ParticipantAdmin',
    )
    assert.equal((await here('user grant clerk --act-as alice')).output, 'granted nothing: it is so already')
    const shown = (await here('party show ali')).output
    assert.match(shown, /^party +alice::1220\S+\nhosted +here\nsynchronizers +global, private\n/)
    assert.match(shown, /\nclerk +CanActAs alice\n/)
    assert.match(shown, /\n#quickstart:Iou:Iou +\d+$/)
    assert.equal((await here('user revoke clerk --admin')).output, 'revoked ParticipantAdmin')
    assert.deepEqual(JSON.parse((await here('user revoke clerk --admin --json')).output), [])
    assert.equal((await here('user delete clerk')).output, 'deleted clerk')
    await assert.rejects(here('user delete clerk'), /the node refused: .*clerk/)
    await assert.rejects(here('user grant clerk'), /no right is named; usage: tallystick user grant ID/)
  })

  test('a whole hint is a party even if others begin so; a beginning must be clear', async () => {
    assert.match((await here('party show bob')).output, /^party +bob::/)
    await assert.rejects(here('party show bo'), (error: Error) => {
      assert.match(error.message, /^several parties begin with bo: bob::\S+, bobby::\S+$/)
      return error instanceof UsageError
    })
    // Two of seventeen begin with the same digit after 00.
    const ids: string[] = []
    for (let count = 0; count < 17; count += 1) ids.push(await created(iou))
    const [prefix] = [...Map.groupBy(ids, (id) => id.slice(0, 3))].find(([, same]) => same.length > 1)!
    await assert.rejects(here(`contract ${prefix}`), (error: Error) => {
      assert.match(error.message, /^several contracts begin with 00.: (00[0-9a-f]{136}, )+00[0-9a-f]{136}/)
      return error instanceof UsageError
    })
  })

  const mistakes: [words: string, reason: RegExp][] = [
    ['create Iuo', /^there is no template Iuo; did you mean Iou\?$/],
    ['create nope:Iou:Iou', /^the node has no package nope$/],
    ['create a:b:c:d', /^a:b:c:d is not \[PACKAGE:\]\[MODULE:\]TEMPLATE$/],
    ['create Iou issuer=bank ownr=alice', /^there is no field ownr; did you mean owner\?$/],
    [
      'create Iou issuer=bank owner=alice',
      /^amount \(Decimal\), currency \(Text\), observers \(List Party\) are missing$/,
    ],
    ['contract xyz', /^xyz is not a contract id, nor the beginning of one$/],
    ['update xyz', /^xyz is neither an offset nor the beginning of an update id$/],
    ['contract 00', /^00 begins every contract id; give more of it$/],
  ]
  for (const [words, reason] of mistakes) {
    test(`${words}: ${reason}`, () =>
      assert.rejects(here(words), (error: Error) => {
        assert.match(error.message, reason)
        return error instanceof UsageError
      }))
  }

  test('what is not there is told, as the other commands do', async () => {
    await assert.rejects(
      here(`exercise ${await created(iou)} Iou_Splt`),
      /has no choice Iou_Splt; did you mean Iou_Split\?$/,
    )
    await assert.rejects(here('contract 00ffffffffffff'), /^Error: no contract begins with 00ffffffffffff/)
    await assert.rejects(here(`create ${iou.replace('alice', 'nobody')}`), /there is no party nobody/)
    await assert.rejects(here(`create ${iou.replace('100', '-1')}`), /the node refused: /)
  })

  test('on other nodes, the code of the package says who acts, or the parties must be named', async () => {
    const settings = { development: false, auth: { mode: 'off' as const, userId: 'participant_admin' } }
    await using other = await startTestNode({ settings })
    const there = (words: string) => call([...words.split(' '), '--url', other.url])
    await there('dar upload packages/quickstart/quickstart.dar')
    for (const hint of ['alice', 'bank']) await there(`party add ${hint}`)
    const { transaction } = JSON.parse((await there(`create ${iou} --json`)).output)
    const { contractId } = transaction.events[0].CreatedEvent
    const redeem = `exercise ${contractId} Holding_Redeem`
    await assert.rejects(there(redeem), /name the parties with --act-as, because only a development node finds it out$/)
    assert.match((await there(`${redeem} --act-as alice`)).output, /└─ alice: exercise Holding_Redeem/)
  })

  test('a DAR is uploaded to one of several synchronizers by its name', async () => {
    const synchronizers = ['first', 'second'].map((alias) => ({ alias, priority: 0 }))
    const auth = { mode: 'off' as const, userId: 'participant_admin' }
    await using other = await startTestNode({ settings: { synchronizers, auth } })
    const file = 'test/lf/trades.dar'
    const upload = (...words: string[]) => call(['dar', 'upload', file, '--url', other.url, ...words])
    await assert.rejects(upload(), /the node refused: .*synchronizer/s)
    await assert.rejects(
      upload('--synchronizer', 'third'),
      /--synchronizer: the participant is not connected to third$/,
    )
    await upload('--synchronizer', 'second')
    await upload('--synchronizer', 'second', '--replace')
    const { json } = await other.call('POST', '/v2/package-vetting/list', {
      body: { packageMetadataFilter: { packageNamePrefixes: ['trades'] } },
    })
    const where = json.vettedPackages.map(
      ({ synchronizerId }: { synchronizerId: string }) => synchronizerId.split('::')[0],
    )
    assert.deepEqual(where, ['second'])
  })
})
