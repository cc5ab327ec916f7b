import assert from 'node:assert/strict'
import { test } from 'node:test'
import { distanceOf, type NamedThing, rank } from './ranking.ts'

const thing = (reference: string): NamedThing => {
  const [packageName = '', module = '', name = '', owner] = reference.split(':')
  return { packageName, module, name, ...(owner !== undefined && { owner }) }
}
const things = [
  'dsorules-tools:Tools:Unrelated',
  'splice-wallet:Splice.Wallet:WalletAppInstall',
  'splice-dso:Splice.DsoRules:DsoRules',
  'splice-dso:Splice.DsoRules:DsoRulesConfig',
  'splice-dso:Splice.DsoRules:NewDsoRules',
  'splice-dso:Splice.DsoRules:DsoRules_ConfirmAction:DsoRules',
  'splice-dso:Splice.DsoRules:DsoSharedRules',
  'splice-dso:Splice.Ans:AnsEntry',
  'splice-dso:Splice.Ans:Renewal',
  'quickstart:Iou:Iou',
  'quickstart:Iou:IouProposal',
  'quickstart:Token2:HTTPServer2',
].map(thing)
const namesFor = (text: string) => rank(text, things).map(({ thing: { name } }) => name)

const cases: [title: string, text: string, names: string[]][] = [
  [
    'the name itself, names that begin so, names whose words begin so, and names of such a package',
    'DsoRules',
    ['DsoRules', 'DsoRulesConfig', 'DsoRules_ConfirmAction', 'NewDsoRules', 'DsoSharedRules', 'Unrelated'],
  ],
  ['what contains the text', 'ULESC', ['DsoRulesConfig']],
  ['names before modules', 'ans', ['AnsEntry', 'Renewal']],
  ['upper and lower case are alike', 'ansENTRY', ['AnsEntry']],
  ['the first letters of words', 'DRCA', ['DsoRules_ConfirmAction']],
  ['beginnings of words, some of them left out', 'dsoconf', ['DsoRulesConfig', 'DsoRules_ConfirmAction']],
  ['words of capitals and digits', 'htse2', ['HTTPServer2']],
  ['each of several words fits some part', 'wallet inst', ['WalletAppInstall']],
  ['a reference as commands have it', '#quickstart:Iou:Iou', ['Iou', 'IouProposal']],
  ['a choice by the template that has it', 'DsoRules_C:DsoRules', ['DsoRules_ConfirmAction']],
  ['nothing that does not fit', 'DsoRulez', []],
]
for (const [title, text, names] of cases) test(`ranking: ${title}`, () => assert.deepEqual(namesFor(text), names))

test('ranking: without a text everything fits, short names first', () => {
  assert.equal(namesFor(' ').length, things.length)
  assert.equal(namesFor(' ')[0], 'Iou')
})

test('ranking: what matched is marked, in the part where it is', () => {
  const marksFor = (text: string) => rank(text, things)[0]!.marks
  assert.deepEqual(marksFor('drconf'), {
    name: [
      [0, 1],
      [3, 4],
      [8, 12],
    ],
  })
  assert.deepEqual(marksFor('quickstart prop'), { packageName: [[0, 10]], name: [[3, 7]] })
})

test('ranking: a party that begins with the text comes before names that only contain it', () => {
  const [party, contained] = [distanceOf('ali', 'alice'), rank('ali', [thing('p:M:ValidatorRight')])[0]!.distance]
  assert.ok(party < contained)
  assert.ok(contained < distanceOf('ali', 'bob'))
})

test('ranking: a hostile name takes no longer than any other', () => {
  const name = 'Aa'.repeat(100)
  const [found] = rank(`${'a'.repeat(150)}b`, [{ name, module: 'M', packageName: 'p' }])
  assert.equal(found, undefined)
})
