// tallystick rehearse: new versions of a package on a fork, and everything that they break.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { UsageError } from '../../src/cli/command.ts'
import { renderRehearsal } from '../../src/cli/rehearsal-report.ts'
import { type Called, call } from '../fixtures/command.ts'
import { type Json, right, startTestLedger, type TestLedger } from '../fixtures/ledger.ts'
import { itemId, itemPackage, shownPackage, type VersionedPackage } from '../support/engine/versioned-package.ts'
import { darOf } from '../support/lf/package-writer.ts'

const v1 = itemPackage({ isArchivable: true, version: '1.0.0' })
const good = itemPackage({ isArchivable: true, version: '2.0.0', added: ['extra'] })
const bothSign = itemPackage({ isArchivable: true, version: '3.0.0', signatories: ['owner', 'other'] })
const viewless = itemPackage({ isArchivable: true, version: '3.4.0', view: 'fails' })
const strict = itemPackage({ isArchivable: true, version: '4.0.0', added: ['extra'], isMandatory: true })

const darWith = (...packages: readonly VersionedPackage[]) =>
  darOf(Object.fromEntries(packages.map(({ id, bytes }) => [`${id}.dalf`, Buffer.from(bytes)])))

describe('tallystick rehearse', () => {
  let original: TestLedger
  let folder: string
  let reader: string
  let ids: string[]
  const rehearse = (dar: VersionedPackage, ...words: readonly string[]): Promise<Called> => {
    const file = join(folder, `${dar.id.slice(0, 8)}.dar`)
    writeFileSync(file, darWith(dar, shownPackage))
    return call(['rehearse', file, '--fork', original.node.url, '--token', reader, ...words])
  }
  const report = async (dar: VersionedPackage, ...words: readonly string[]): Promise<Json> =>
    JSON.parse((await rehearse(dar, '--json', ...words)).output)

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'tallystick-rehearse-'))
    original = await startTestLedger()
    const uploaded = await original.node.call('POST', '/v2/dars', { body: darWith(v1, shownPackage) })
    assert.equal(uploaded.status, 200, uploaded.text)
    reader = await original.userWith('reader', right('CanReadAsAnyParty'))
    const { alice, bob } = original
    const create = (note: string) => ({
      CreateCommand: { templateId: itemId(v1), createArguments: { owner: alice, other: bob, note, colour: 'Red' } },
    })
    ids = []
    for (const note of ['one', 'two', 'three']) {
      ids.push((await original.submit([create(note)], { actAs: [alice] })).contractId)
    }
  })
  after(async () => {
    await original?.[Symbol.asyncDispose]()
    rmSync(folder, { recursive: true, force: true })
  })

  test('a good version breaks nothing, and the original hears nothing of it', async () => {
    const before = await original.end()
    const { output, code } = await rehearse(good)
    assert.equal(code, 0, output)
    assert.match(output, /^item 2\.0\.0 {2}[0-9a-f]{64}\non a fork of participant::.* at offset \d+$/m)
    assert.match(output, /^upload: accepted beside what is vetted$/m)
    assert.match(output, /^ {2}#item:Main:Item: 3 contracts$/m)
    assert.match(output, /\nnothing breaks$/)
    assert.equal(await original.end(), before)
    const { json } = await original.node.call('GET', '/v2/packages')
    assert.ok(!json.packageIds.includes(good.id))
  })

  test('contracts that the new version reads otherwise are told, by template', async () => {
    const { templates, refusal } = await report(bothSign)
    assert.equal(refusal, undefined)
    const [item] = templates
    assert.deepEqual([item.template, item.contracts, item.broken], ['#item:Main:Item', 3, 3])
    assert.equal(item.problems.length, 1)
    assert.match(
      item.problems[0].message,
      /^INTERPRETATION_UPGRADE_ERROR_VALIDATION_FAILED: .* computes other signatories$/,
    )
    assert.deepEqual([...item.problems[0].examples].sort(), [...ids].sort())
  })

  test('views that the new version cannot compute are told', async () => {
    const { views, templates } = await report(viewless)
    assert.deepEqual([templates[0].broken, views[0].broken, views[0].contracts], [0, 3, 3])
    assert.match(views[0].problems[0].message, /^the view of Main:Shown: /)
  })

  test('a version that is no upgrade is refused, with all that is wrong, and its contracts are read all the same', async () => {
    const found = await report(strict)
    const { refusal, account, templates } = found
    assert.match(refusal, /NOT_VALID_UPGRADE_PACKAGE/)
    assert.equal(account.upgrades[0].breaks.length > 0, true)
    assert.equal(templates[0].broken, 3)
    const output = renderRehearsal(found)
    assert.match(output, /^upload: refused: NOT_VALID_UPGRADE_PACKAGE.*\n {2}against 1\.0\.0: /m)
    assert.match(output, /^ {2}#item:Main:Item: 3 contracts, 3 broken$/m)
    assert.match(output, /\nsomething breaks$/)
  })

  test('scripts and commands run in turn, and the fork can be kept', async () => {
    const { alice, bob } = original
    const create = (extra: object) => ({
      ...{ actAs: [alice], commands: [{ CreateCommand: { templateId: '#item:Main:Item', createArguments: extra } }] },
    })
    const item = { owner: alice, other: bob, note: 'new', colour: 'Red', extra: 'yes' }
    const file = join(folder, 'commands.json')
    writeFileSync(file, JSON.stringify([create(item), create({ ...item, colour: 'None' })]))
    const keep = join(folder, 'kept')
    const words = ['--commands', file, '--script', 'Main:nothing', '--keep', keep]
    const { output: text, code } = await rehearse(good, '--json', ...words)
    const { commands, scripts } = JSON.parse(text)
    assert.equal(code, 1)
    assert.match(scripts[0].failure, /there is no script Main:nothing/)
    assert.deepEqual([commands[0].name, commands[0].failure], ['command 1', undefined])
    assert.match(commands[1].failure, /None/)
    const kept = await call(['diff', original.node.url, keep, '--token-a', reader])
    assert.match(kept.output, /^#item:Main:Item: 3 equal, 1 only in B$/m)
  })

  test('what cannot be rehearsed is a mistake of the command line, in one line', async () => {
    const refused = (words: readonly string[], message: RegExp) =>
      assert.rejects(
        call(['rehearse', ...words]),
        (error) => error instanceof UsageError && message.test(error.message),
      )
    const file = join(folder, 'empty.dar')
    writeFileSync(file, 'nothing')
    await refused([file, '--fork', original.node.url], /empty\.dar is not a DAR that runs here/)
    await refused([join(folder, 'no.dar'), '--fork', original.node.url], /^cannot read the DAR/)
    writeFileSync(file, darWith(good, shownPackage))
    await refused([file], /^--fork is missing/)
    await refused([file, '--fork', 'http://127.0.0.1:1'], /^cannot fork http.*: cannot reach/)
    await refused([file, '--fork', original.node.url, '--token', 'x.y.z'], /^cannot fork http/)
    writeFileSync(join(folder, 'bad.json'), '[1]')
    const bad = ['--commands', join(folder, 'bad.json')]
    await refused([file, '--fork', original.node.url, '--token', reader, ...bad], /each submission has its commands/)
  })
})
