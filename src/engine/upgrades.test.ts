// Contracts used through other versions of their package: what is converted, and how the rest is refused.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ledgerOf } from '../../test/support/engine/ledger.ts'
import { createdBy, requestOf } from '../../test/support/engine/requests.ts'
import {
  itemId,
  itemPackage,
  shownId,
  shownPackage,
  type VersionedPackage,
} from '../../test/support/engine/versioned-package.ts'
import { LedgerError } from '../base/errors.ts'
import { decodeContractBlob, encodeContractBlob } from '../lf/codec/contract-blob.ts'
import { createInterpreter, type InterpretationRequest } from './interpreter.ts'
import type { KnownContract } from './ledger-access.ts'

const v1 = itemPackage({ version: '1.0.0' })
const renamed = itemPackage({ version: '1.1.0', noteName: 'remark' })
const v2 = itemPackage({ version: '2.0.0', added: ['extra'], colours: ['Red', 'Green', 'Blue'], older: v1 })
const bothSign = itemPackage({ version: '3.0.0', signatories: ['owner', 'other'] })
const otherSees = itemPackage({ version: '3.1.0', observers: ['other'] })
const strict = itemPackage({ version: '3.2.0', added: ['extra'], isMandatory: true })
const refusing = itemPackage({ version: '3.3.0', isRefusing: true })
const afterRenaming = itemPackage({ version: '3.4.0', older: { ...renamed, noteName: 'remark' } })
const hidden = itemPackage({ version: '3.5.0', view: 'none' })
const another = itemPackage({ version: '1.0.0', packageName: 'another' })
const dalfs = [shownPackage, v1, renamed, v2, bothSign, otherSees, strict, refusing, afterRenaming, hidden, another]

const interpreter = createInterpreter(ledgerOf({ dalfs }))
const interpret = (given: Partial<InterpretationRequest>) =>
  interpreter.interpret(requestOf({ actAs: ['Alice'], ...given }), { stepsMax: 100_000 })

const item = { owner: 'Alice', other: 'Bob', note: 'hello', colour: 'Red' }

function made(by: VersionedPackage, fields: object = {}): KnownContract {
  const createArguments = { ...item, ...fields }
  return createdBy(interpret({ commands: [{ kind: 'create', templateId: itemId(by), createArguments }] }))[0]!
}

/** The nodes of a choice on the contract, used through this version. */
function exercised(contract: KnownContract, through: string, choice = 'Keep', choiceArgument: object = {}) {
  const command = { kind: 'exercise', templateId: through, contractId: contract.id, choice, choiceArgument } as const
  return interpret({ commands: [command], contracts: [contract, old] }).transaction
}

function resultOf({ nodes }: ReturnType<typeof exercised>): unknown {
  return nodes[0]?.kind === 'exercise' ? JSON.parse(nodes[0].exerciseResult!) : undefined
}

const old = made(v1)

// ── What is converted

test('an old contract is exercised through a newer version, and its code runs', () => {
  const transaction = exercised(old, itemId(v2))
  const [node] = transaction.nodes
  assert.equal(node?.kind === 'exercise' && node.templateId, itemId(v2))
  assert.equal(resultOf(transaction), '2.0.0')
  assert.deepEqual([transaction.inputContracts, transaction.packages], [[old.id], [v2.id]])
})

test('an old contract is fetched through a newer version', () => {
  const transaction = exercised(made(v2), itemId(v2), 'Look', { id: old.id })
  const [, fetched] = transaction.nodes
  assert.equal(fetched?.kind === 'fetch' && fetched.templateId, itemId(v2))
  assert.equal(resultOf(transaction), 'hello')
})

test('a new contract is used through the old version, if the fields it lacks are None', () => {
  assert.equal(resultOf(exercised(made(v2), itemId(v1))), '1.0.0')
})

test('a disclosed contract is converted, and authenticated after that', () => {
  const command = { kind: 'exercise', templateId: itemId(v2), contractId: old.id, choice: 'Keep', choiceArgument: {} }
  const shown = (blob: Uint8Array) =>
    interpret({ commands: [command as never], contracts: [{ id: old.id, blob, isDisclosed: true }] })
  assert.equal(shown(old.blob).transaction.nodes.length, 1)
  const changed = { ...decodeContractBlob(old.blob), createdAt: 1 }
  assert.throws(() => shown(encodeContractBlob(changed)), {
    code: 'INTERPRETATION_UPGRADE_ERROR_AUTHENTICATION_FAILED',
  })
})

test('a contract that the transaction created with an older version is fetched through its own', () => {
  assert.equal(resultOf(exercised(old, itemId(v2), 'Renew')), 'made by the older')
})

test('an interface is cast to another version of its template', () => {
  assert.deepEqual(resultOf(exercised(old, itemId(v2), 'Cast')), { ...item, note: 'made by the older' })
})

// ── Interfaces

function touched(contract: KnownContract, packagePreference?: Record<string, string>) {
  const command = { templateId: shownId, contractId: contract.id, choice: 'Touch', choiceArgument: {} }
  const given = { commands: [{ kind: 'exercise', ...command } as const], contracts: [contract] }
  const { nodes } = interpret({ ...given, ...(packagePreference && { packagePreference }) }).transaction
  return nodes[0]?.kind === 'exercise' && nodes[0].templateId
}

test('interfaces use the preferred version, which a request may override', () => {
  interpreter.prefer({ item: v2.id })
  assert.equal(touched(old), itemId(v2))
  assert.equal(touched(old, { item: v1.id }), itemId(v1))
  assert.equal(touched(old, { another: another.id }), itemId(v2))
  interpreter.prefer({})
  assert.throws(() => touched(old), { code: 'UNRESOLVED_PACKAGE_NAME' })
})

test('the preferred version must implement the interface', () => {
  assert.throws(() => touched(old, { item: hidden.id }), { code: 'CONTRACT_DOES_NOT_IMPLEMENT_INTERFACE' })
})

// ── What is refused

const shownItem = (extra = '') =>
  `{ <no-label> = 'Alice', <no-label> = 'Bob', <no-label> = "hello", <no-label> = Red${extra} }`
const short = ({ id }: VersionedPackage) => `Main:Item@${id.slice(0, 8)}`

test('a signatory cannot become an observer, although it stays a stakeholder', () => {
  const command = { kind: 'create', templateId: itemId(bothSign), createArguments: item } as const
  const [signed] = createdBy(interpret({ actAs: ['Alice', 'Bob'], commands: [command] }))
  assert.throws(() => exercised(signed!, itemId(otherSees)), {
    code: 'INTERPRETATION_UPGRADE_ERROR_VALIDATION_FAILED',
  })
})

type Refusal = [
  name: string,
  contract: KnownContract,
  from: VersionedPackage,
  to: VersionedPackage,
  code: 'TRANSLATION' | 'VALIDATION' | 'AUTHENTICATION',
  lines: readonly string[],
]

const withExtra = made(v2, { extra: 'more' })
const blue = made(v2, { colour: 'Blue' })
const verify =
  "Verify that neither the signatories, nor the observers, nor the contract key, nor the key's maintainers, nor the package name have changed"
const recomputed = (signatories: string, observers: string, packageName = 'item') => [
  verify,
  'original package name is item',
  "original signatories are { 'Alice' }",
  'original observers are {  }',
  `target package name is ${packageName}`,
  `recomputed signatories are ${signatories}`,
  `recomputed observers are ${observers}`,
  '',
  '',
]

const refusals: Refusal[] = [
  [
    'a value in a field that the old version does not have',
    withExtra,
    v2,
    v1,
    'TRANSLATION',
    [
      `Translation of contract ${withExtra.id} to a value of type ${short(v1)} fails.`,
      'Reason: Type-checking fails  Found an optional contract field with a value of Some at index 4, may not be dropped during downgrading.',
      '  Expected type: Main:Item',
      `  Actual value: ${shownItem(', <no-label> = Option("more")')}`,
      `The contract is purportedly an instance of ${short(v2)}`,
      `Its contract argument is:  ${shownItem(', <no-label> = Option("more")')}`,
    ],
  ],
  [
    'a constructor that the old version does not have',
    blue,
    v2,
    v1,
    'TRANSLATION',
    [
      `Translation of contract ${blue.id} to a value of type ${short(v1)} fails.`,
      `Reason: unknown constructor Blue in enumeration ${v1.id}:Main:Colour`,
      `The contract is purportedly an instance of ${short(v2)}`,
      `Its contract argument is:  ${shownItem().replace('Red', 'Blue')}`,
    ],
  ],
  [
    'a new field that is not optional',
    old,
    v1,
    strict,
    'TRANSLATION',
    [
      `Translation of contract ${old.id} to a value of type ${short(strict)} fails.`,
      'Reason: Type-checking fails  Unexpected non-optional extra template field type encountered during upgrading.',
      '  Expected type: Main:Item',
      `  Actual value: ${shownItem()}`,
      `The contract is purportedly an instance of ${short(v1)}`,
      `Its contract argument is:  ${shownItem()}`,
    ],
  ],
  [
    'other signatories',
    old,
    v1,
    bothSign,
    'VALIDATION',
    [
      `Validation fails when trying to upgrade the contract ${old.id} from ${short(v1)} to ${short(bothSign)}`,
      ...recomputed("{ 'Alice','Bob' }", '{  }'),
    ],
  ],
  [
    'other observers',
    old,
    v1,
    otherSees,
    'VALIDATION',
    [
      `Validation fails when trying to upgrade the contract ${old.id} from ${short(v1)} to ${short(otherSees)}`,
      ...recomputed("{ 'Alice' }", "{ 'Bob' }"),
    ],
  ],
  [
    'a package of another name',
    old,
    v1,
    another,
    'VALIDATION',
    [
      `Validation fails when trying to upgrade the contract ${old.id} from ${short(v1)} to ${short(another)}`,
      ...recomputed("{ 'Alice' }", '{  }', 'another'),
    ],
  ],
  [
    'a field of another name',
    old,
    v1,
    renamed,
    'AUTHENTICATION',
    [
      `Error when authenticating contract ${old.id} against template ${short(renamed)} : failed to authenticate contract`,
      `The contract is purportedly an instance of ${short(v1)}`,
      `The contract argument is ${shownItem()}`,
    ],
  ],
]

const argumentOf = ({ blob }: KnownContract) => Buffer.from(decodeContractBlob(blob).createArgument).toString('base64')

/** The resources that the text of a failed validation stands for. */
function metadataIn(lines: readonly string[]): string[][] {
  const told = (what: string) => lines.find((line) => line.startsWith(what))!.slice(what.length)
  const parties = (what: string) => ['PARTIES', told(what).replaceAll(/[{} ']/g, '')]
  const noKey = ['CONTRACT_KEY', 'PACKAGE_NAME', 'PARTIES'].map((type) => [`NULLABLE_${type}`, 'NULL'])
  return [
    ['PACKAGE_NAME', told('original package name is ')],
    ['PACKAGE_NAME', told('target package name is ')],
    ...[parties('original signatories are'), parties('original observers are'), ...noKey],
    ...[parties('recomputed signatories are'), parties('recomputed observers are'), ...noKey],
  ]
}

for (const [name, contract, from, to, code, lines] of refusals) {
  test(`${name}: refused`, () => {
    assert.throws(
      () => exercised(contract, itemId(to)),
      (error) => {
        assert.ok(error instanceof LedgerError)
        assert.equal(error.code, `INTERPRETATION_UPGRADE_ERROR_${code}_FAILED`)
        assert.equal(error.message, `Interpretation error: Error: ${lines.join('\n')}`)
        const [id, ...others] = error.details.resources!
        assert.deepEqual(id, [code === 'TRANSLATION' ? 'NULLABLE_CONTRACT_ID' : 'CONTRACT_ID', contract.id])
        const templates = [from, to].map((one) => ['TEMPLATE_ID', itemId(one)])
        const argument = ['CONTRACT_ARG', argumentOf(contract)]
        assert.deepEqual(others, [...templates, ...(code === 'VALIDATION' ? metadataIn(lines) : [argument])])
        return true
      },
    )
  })
}

test('a version whose precondition the contract does not meet: refused', () => {
  assert.throws(() => exercised(old, itemId(refusing)), { code: 'TEMPLATE_PRECONDITION_VIOLATED' })
})

test('a contract of this transaction with a renamed field: refused as if its id were final', () => {
  const contract = made(afterRenaming)
  assert.throws(() => exercised(contract, itemId(afterRenaming), 'Renew'), {
    code: 'INTERPRETATION_UPGRADE_ERROR_AUTHENTICATION_FAILED',
  })
})
