import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  intType,
  numericType,
  optionalType,
  partyType,
  textType,
  unitType,
} from '../../../test/support/lf/data-package.ts'
import {
  type DescribedModule,
  darWith,
  self,
  type WrittenPackage,
  writePackage,
} from '../../../test/support/lf/described-package.ts'
import { openDar } from '../dar/dar.ts'
import { accountOf } from './account.ts'
import { isAcceptable, renderAccount } from './render-account.ts'

const versionOf = (version: string, Main: DescribedModule, more: Record<string, DescribedModule> = {}) =>
  writePackage({ name: 'iou', version, modules: { Main, ...more } })
const fileOf = (...packages: WrittenPackage[]) => ({ file: 'iou.dar', dar: openDar(darWith(...packages)) })
const accountFor = (present: WrittenPackage, ...others: WrittenPackage[]) =>
  accountOf(
    fileOf(present),
    others.map((one) => fileOf(one)),
  )
const result = { kind: 'constructor', id: { packageId: self, module: 'Main', name: 'Result' }, args: [] } as const

const first = versionOf(
  '1.0.0',
  {
    data: {
      Iou: { record: { owner: partyType, amount: intType, note: textType } },
      Transfer: { record: { to: partyType } },
      Result: { record: {} },
      Colour: { enum: ['Red', 'Green'] },
    },
    templates: { Iou: { choices: { Transfer: unitType, Lock: unitType } } },
  },
  { 'Main.Old': {} },
)

test('an account names every break with its types, and what was added', () => {
  const second = versionOf(
    '1.1.0',
    {
      data: {
        Iou: { record: { owner: partyType, amount: numericType(10), tag: intType, memo: optionalType(textType) } },
        Transfer: { record: { to: partyType, reason: optionalType(textType) } },
        Result: { record: {} },
        Colour: { enum: ['Green', 'Red', 'Blue'] },
        Extra: { record: {} },
      },
      templates: { Iou: { choices: { Transfer: result, Split: intType } }, Extra: {} },
    },
    { 'Main.New': {} },
  )
  const account = accountFor(second, first)
  assert.equal(isAcceptable(account), false)
  assert.equal(
    renderAccount(account),
    `iou 1.1.0  ${second.id}

iou 1.0.0 → 1.1.0: not a valid upgrade
  breaks
    module Main.Old: removed
      Module Main.Old appears in package that is being upgraded, but does not appear in the upgrading package.
    Main: template Iou, choice Lock: removed
      Choice Lock appears in package that is being upgraded, but does not appear in the upgrading package.
    Main: template Iou, choice Transfer: return type: () → Result
      The upgraded choice Transfer cannot change its return type.
    Main: template Iou: field note : Text removed
      The upgraded template Iou is missing some of its original fields.
    Main: template Iou: field amount : Int → Numeric 10
      The upgraded template Iou has changed the types of some of its original fields.
    Main: template Iou: field tag : Int added, not Optional
      The upgraded template Iou has added new fields, but those fields are not Optional.
    Main: template Iou: order of fields: owner, amount, note → owner, amount, tag, memo
      The upgraded template Iou has changed the order of its fields - any new fields must be added at the end of the record.
    Main: data type Colour: order of constructors: Red, Green → Green, Red, Blue
      The upgraded data type Colour has changed the order of its variants - any new variant must be added at the end of the enum.
  added
    Main: template Iou: choice Split : Int added
    Main: template Extra: added
    Main: template Iou: field memo : Optional Text added
    Main: template Iou, choice Transfer: field reason : Optional Text added
    Main: data type Colour: constructor Blue added
    module Main.New: added

a node would refuse it: one thing is wrong`,
  )
})

test('an account walks a lineage in the order of versions, whatever the order of files', () => {
  const [second, tenth] = ['1.2.0', '1.10.0'].map((version) => {
    return versionOf(version, { data: { Colour: { enum: ['Red'] } } })
  }) as [WrittenPackage, WrittenPackage]
  const account = accountFor(second, tenth)
  assert.ok(isAcceptable(account))
  assert.deepEqual(
    account.upgrades.map(({ past, present }) => [past.version, present.version]),
    [['1.2.0', '1.10.0']],
  )
  assert.match(
    renderAccount(account),
    /iou 1\.2\.0 → 1\.10\.0: a valid upgrade\n {2}no type changed\n\nthe upgrade is valid$/,
  )
})

test('an account of one file, or of two with one version, says so', () => {
  assert.match(
    renderAccount(accountFor(first)),
    /\n\nthe packages are valid; name other versions with --against to compare them$/,
  )
  const other = versionOf('1.0.0', { data: { Iou: { record: {} } } })
  const account = accountFor(other, first)
  const ids = [first.id, other.id].sort().join(' and ')
  const message = `iou 1.0.0 stands for two packages: ${ids}`
  assert.deepEqual(account.problems, [{ code: 'KNOWN_PACKAGE_VERSION', message }])
  assert.equal(isAcceptable(account), false)
})

/** Not well-typed: a template needs a record of its name. */
const illTyped = (name: string) =>
  writePackage({
    name,
    version: '1.0.0',
    modules: { Main: { data: { T: { variant: { A: intType } } }, templates: { T: {} } } },
  })

test('an account names the first type error of each package, and what the DAR lacks or has too much', () => {
  const library = illTyped('library')
  const holder = (packageId: string, minor: 1 | 2) => {
    const held = { kind: 'constructor', id: { packageId, module: 'Main', name: 'T' }, args: [] } as const
    const data = { Holder: { record: { held, more: numericType(10) } } }
    return writePackage({ name: 'holder', version: '1.0.0', minor, modules: { Main: { data } } })
  }
  const both = accountOf(fileOf(holder(library.id, 1), library), [])
  assert.equal(isAcceptable(both), false)
  assert.deepEqual(both.problems, [
    {
      code: 'DAR_VALIDATION_ERROR',
      message: `library 1.0.0: EExpectedTemplatableType: validation error in template ${library.id}:Main:T: expected monomorphic record type in template definition, but found: Main:T`,
    },
  ])
  const other = writePackage({ name: 'other', minor: 2, modules: { Main: {} } })
  const lacking = accountOf(fileOf(holder(library.id, 2), other), [fileOf(library)])
  const code = 'DAR_DEPENDENCIES_NOT_VALID'
  assert.deepEqual(lacking.problems.slice(1, 3), [
    { code, message: `the DAR of holder 1.0.0 lacks package library 1.0.0 (${library.id})` },
    { code, message: `the DAR of holder 1.0.0 has a package that it does not need: other 1.0.0 (${other.id})` },
  ])
  assert.match(renderAccount(lacking), /a node would refuse it: \d things are wrong$/)
})
