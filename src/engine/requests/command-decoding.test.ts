// Commands as clients send them: what is accepted, and what is refused with which text.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadDar } from '../../../test/support/engine/dars.ts'
import { createJsonCodec } from '../../lf/codec/json.ts'
import { createDataTypes } from '../../lf/values/data-types.ts'
import { compareValues } from '../values/order.ts'
import { type ClientCommand, decodeCommands } from './command-decoding.ts'
import { asRefusal } from './refusal.ts'

const { main, packages } = loadDar('packages/quickstart/quickstart.dar')
const keyed = loadDar('test/lf/keys-lf23.dar')
const all = new Map([...packages, ...keyed.packages])
const parts = { packages: all, json: createJsonCodec({ dataTypes: createDataTypes(all), compare: compareValues }) }

const iou = { issuer: 'Bank', owner: 'Alice', amount: '1.5', currency: 'EUR', observers: [] }
const local = `00${'ab'.repeat(32)}`
const contractId = `${local}ca121220${'cd'.repeat(32)}`
const create: ClientCommand = { kind: 'create', templateId: `${main}:Iou:Iou`, createArguments: iou }
const exercise = {
  kind: 'exercise',
  templateId: `${main}:Iou:Iou`,
  contractId,
  choice: 'Iou_Split',
  choiceArgument: { amount: 1 },
} as const

test('client commands become engine commands', () => {
  const [created, exercised] = decodeCommands([create, exercise], parts)
  assert.equal(created?.kind, 'create')
  assert.deepEqual(created.templateId, { packageId: main, module: 'Iou', name: 'Iou' })
  assert.equal(exercised?.kind, 'exercise')
  assert.equal(exercised.choice, 'Iou_Split')
})

test('a null argument has no fields', () => {
  const archive = { ...exercise, choice: 'Archive', choiceArgument: null }
  assert.equal(decodeCommands([archive], parts).length, 1)
})

test('a choice of an interface is exercised by its interface', () => {
  const redeem = { ...exercise, templateId: `${main}:Holding:Holding`, choice: 'Holding_Redeem', choiceArgument: {} }
  assert.equal(decodeCommands([redeem], parts).length, 1)
})

const unknown = '0'.repeat(64)
const invalid = 'The submitted request has invalid arguments: '

const refusals: [title: string, command: ClientCommand, code: string, message: string][] = [
  [
    'an unknown package',
    { ...create, templateId: `${unknown}:Iou:Iou` },
    'TEMPLATES_OR_INTERFACES_NOT_FOUND',
    `Templates do not exist: [${unknown}:Iou:Iou].`,
  ],
  [
    'a record that is not a template',
    { ...create, templateId: `${main}:Iou:Iou_Split` },
    'TEMPLATES_OR_INTERFACES_NOT_FOUND',
    `Templates do not exist: [${main}:Iou:Iou_Split].`,
  ],
  [
    'a create of an interface',
    { ...create, templateId: `${main}:Holding:Holding` },
    'TEMPLATES_OR_INTERFACES_NOT_FOUND',
    `Templates do not exist: [${main}:Holding:Holding].`,
  ],
  [
    'a time, whose parts are no names',
    { ...create, templateId: '2026-01-01T00:00:00Z' },
    'INVALID_ARGUMENT',
    `${invalid}non expected first character 0x30 in Daml-LF Name "00"`,
  ],
  [
    'an id without three parts',
    { ...create, templateId: 'Iou' },
    'INVALID_ARGUMENT',
    `${invalid}"Iou" is not of the form package-id:Module:Entity`,
  ],
  [
    'an unknown choice',
    { ...exercise, choice: 'Nothing' },
    'INVALID_ARGUMENT',
    `${invalid}Invalid template:${main}:Iou:Iou or choice:Nothing`,
  ],
  [
    "an interface's choice by its template",
    { ...exercise, choice: 'Holding_Redeem' },
    'INVALID_ARGUMENT',
    `${invalid}Invalid template:${main}:Iou:Iou or choice:Holding_Redeem`,
  ],
  [
    'a missing field',
    { ...create, createArguments: { ...iou, owner: undefined } },
    'COMMAND_PREPROCESSING_FAILED',
    'Missing non-optional fields: HashSet(owner)',
  ],
  [
    'a field too many',
    { ...create, createArguments: { ...iou, x: 1 } },
    'INVALID_ARGUMENT',
    `${invalid}Unexpected fields: x`,
  ],
  [
    'a value of another type',
    { ...exercise, choiceArgument: { amount: 'much' } },
    'INVALID_ARGUMENT',
    `${invalid}Could not read Numeric string "much"`,
  ],
  [
    'null as create arguments',
    { ...create, createArguments: null },
    'INVALID_ARGUMENT',
    `${invalid}Expected an object, but got null`,
  ],
  [
    'an invalid contract id',
    { ...exercise, contractId: 'abc' },
    'INVALID_FIELD',
    'The submitted command has a field with invalid value: Invalid field contract_id: cannot parse ContractId "abc"',
  ],
  [
    'a contract id without suffix',
    { ...exercise, contractId: local },
    'COMMAND_PREPROCESSING_FAILED',
    `Illegal Contract ID "${local}", non-suffixed V1 Contract IDs are forbidden`,
  ],
  [
    'a key of a template that has none',
    { ...exercise, kind: 'exercise-by-key', contractKey: {} },
    'TEMPLATES_OR_INTERFACES_NOT_FOUND',
    `Templates do not exist: [${main}:Iou:Iou].`,
  ],
]

for (const [title, command, code, message] of refusals) {
  test(`${title} is refused`, () => {
    assert.throws(
      () => decodeCommands([command], parts),
      (error) => {
        const refusal = asRefusal(error)
        assert.deepEqual({ code: refusal?.code, message: refusal?.message }, { code, message })
        return true
      },
    )
  })
}
