// tallystick diff: what it compares, what it prints, and its exit codes.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { UsageError } from '../../src/cli/command.ts'
import { leaveNodeRecord } from '../../src/cli/node-record.ts'
import { type Called, type CallOptions, call } from '../fixtures/command.ts'
import { archiveIou, type Json, keys, keysDar, right, startTestLedger, type TestLedger } from '../fixtures/ledger.ts'
import { startTestNode, type TestNode } from '../fixtures/node.ts'

describe('tallystick diff', () => {
  let original: TestLedger
  let token: string
  let fork: TestNode
  const diff = (words: readonly string[], options: CallOptions = {}): Promise<Called> =>
    call(['diff', ...words, '--token-a', token], options)
  const asJson = async (words: readonly string[]): Promise<Json> =>
    JSON.parse((await diff([...words, '--json'])).output)
  const submitTo = async (node: TestNode, command: object, actAs: readonly string[]) => {
    const body = { commands: [command], commandId: `c${Math.floor(performance.now() * 1000)}`, actAs, userId: 'u' }
    const answer = await node.call('POST', '/v2/commands/submit-and-wait', { body })
    assert.equal(answer.status, 200, answer.text)
  }
  const keyed = (ledger: Pick<TestLedger, 'alice' | 'bob'>, note: string) => ({
    CreateCommand: {
      templateId: `${keys}:Keys:Keyed`,
      createArguments: {
        signatories: [ledger.alice],
        observers: [ledger.bob],
        key: { maintainers: [ledger.alice], name: 'k', maintainersFault: 'Fine' },
        keyFault: 'Fine',
        note,
      },
    },
  })

  before(async () => {
    original = await startTestLedger({ settings: { dars: [keysDar], lenient: true } })
    token = await original.userWith('reader', right('ParticipantAdmin'), right('CanReadAsAnyParty'))
    for (const amount of ['1.0', '2.0', '3.0']) await original.submit([original.createIou({ amount })])
    await original.submit([keyed(original, 'first')], { actAs: [original.alice] })
    fork = await startTestNode({
      store: 'sqlite',
      settings: { auth: { mode: 'off' }, fork: { url: original.node.url, token } },
    })
  })
  after(async () => {
    await fork?.[Symbol.asyncDispose]()
    await original[Symbol.asyncDispose]()
  })

  test('a ledger and its fork are equal, also as a data folder', async () => {
    const { output, code } = await diff([original.node.url, fork.url])
    assert.equal(code, 0, output)
    assert.match(output, /^A {2}http.* at offset \d+: 4 contracts\nB {2}http.*\n\nequal: 4 contracts of 2 templates$/)
    assert.equal((await diff([original.node.url, fork.folder])).code, 0)
    using _record = leaveNodeRecord(fork.folder, { url: fork.url, pid: process.pid })
    assert.equal((await diff([original.node.url, fork.folder])).code, 0)
  })

  test('contracts of one ledger only are shown by template, and counted beyond the limit', async () => {
    const end = await original.end()
    const ids = await Promise.all(['7.0', '8.0'].map((amount) => original.submit([original.createIou({ amount })])))
    const now = await original.end()
    const { output, code } = await diff([`${original.node.url}#${now}`, fork.url])
    assert.equal(code, 1)
    assert.match(output, /^#quickstart:Iou:Iou: 3 equal, 2 only in A$/m)
    assert.match(output, /^ {2}- 00[0-9a-f]+ {2}.*amount/m)
    assert.match(output, /\ndifferent: 1 of 2 templates$/)
    const itself = [original.node.url, `${original.node.url}#${end}`, '--token-b', token]
    const report = await asJson([...itself, '--limit', '1'])
    assert.equal(report.isEqual, false)
    assert.deepEqual([report.a.contracts, report.b.contracts, report.b.offset], [6, 4, end])
    const [other, ious] = report.templates
    assert.deepEqual([other.equal, other.differences], [1, []])
    assert.deepEqual([ious.equal, ious.onlyInA, ious.differences.length], [3, 2, 1])
    assert.equal(ious.differences[0].kind, 'only in A')
    for (const { contractId } of ids) await original.submit([archiveIou(contractId)])
  })

  test('any two ledgers are compared by what their contracts say; those with the same key field by field', async () => {
    await using other = await startTestLedger({ settings: { dars: [keysDar], lenient: true } })
    for (const amount of ['1.0', '2.0', '3.0']) await other.submit([other.createIou({ amount })])
    await other.submit([keyed(other, 'second')], { actAs: [other.alice] })
    const tokenB = await other.userWith('reader', right('CanReadAsAnyParty'))
    const words = [original.node.url, other.node.url, '--token-b', tokenB]
    const byId = await asJson(words)
    assert.equal(byId.templates[1].onlyInA, 3)
    const { templates } = await asJson([...words, '--match', 'fields'])
    const [keyedOnes, ious] = templates
    assert.deepEqual([ious.equal, ious.onlyInA, ious.onlyInB], [3, 0, 0])
    assert.deepEqual([keyedOnes.equal, keyedOnes.different], [0, 1])
    const [difference] = keyedOnes.differences
    assert.deepEqual(difference.fields, [{ path: 'createArgument.note', a: 'first', b: 'second' }])
    const { output, code } = await diff([...words, '--match', 'fields'])
    assert.equal(code, 1)
    assert.match(output, /^ {2}~ 00[0-9a-f]+ and 00[0-9a-f]+\n {6}createArgument\.note: "?first"? → "?second"?$/m)
  })

  test('a party limits what is compared', async () => {
    await submitTo(fork, original.createIou({ amount: '9.0', owner: original.carol }), [original.bank, original.carol])
    assert.equal((await diff([original.node.url, fork.url])).code, 1)
    assert.equal((await diff([original.node.url, fork.url, '--party', original.alice])).code, 0)
    assert.equal((await diff([original.node.url, fork.folder, '--party', original.alice])).code, 0)
    const { templates } = await asJson([original.node.url, fork.folder])
    const [{ contractId }] = templates[1].differences
    await submitTo(fork, archiveIou(contractId), [original.bank, original.carol])
  })

  test('what cannot be compared is a mistake of the command line, in one line', async () => {
    const refused = (words: readonly string[], message: RegExp) =>
      assert.rejects(diff(words), (error) => error instanceof UsageError && message.test(error.message))
    const { url } = original.node
    const end = await original.end()
    await refused([`${url}#${end + 9}`, url], new RegExp(`ends at offset ${end}; it cannot be compared at ${end + 9}`))
    await refused([url, url], /^cannot read http.*: The request carries no token/)
    await refused([url, '/nowhere/at/all'], /^there is no ledger in \/nowhere\/at\/all/)
    await refused([url, 'http://127.0.0.1:1'], /^cannot reach http:\/\/127\.0\.0\.1:1/)
    await refused([url, `${fork.folder}#3`], /a ledger has other offsets only while a node serves it$/)
    await refused([url, fork.url, '--party', 'nobody::1220aa'], /^party nobody::1220aa is not hosted/)
    await refused([url, fork.url, '--match', 'nothing'], /^--match is one of id, fields$/)
    await refused([url, fork.url, '--limit', 'x'], /^--limit is a number/)
  })
})
