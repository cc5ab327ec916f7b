import assert from 'node:assert/strict'
import { test } from 'node:test'
import { commandsText, transactionText } from './transaction-text.ts'

const alice = `alice::1220${'ab'.repeat(32)}`
const id = (digit: string) => `00${digit.repeat(136)}`
const templateId = `${'c'.repeat(64)}:Iou:Iou`

test('what happens in a choice is below it', () => {
  const created = (nodeId: number, contractId: string) => ({
    CreatedEvent: { nodeId, contractId, templateId, createArgument: { owner: alice, amount: '1.0', note: null } },
  })
  const exercised = {
    ...{ nodeId: 0, lastDescendantNodeId: 2, contractId: id('1'), templateId, choice: 'Split' },
    ...{ choiceArgument: { parts: ['1'] }, exerciseResult: [id('2')], actingParties: [alice] },
  }
  const events = [{ ExercisedEvent: exercised }, created(1, id('2')), created(2, id('3')), created(3, id('4'))]
  assert.equal(
    transactionText({ events }),
    `├─ alice: exercise Split of Iou:Iou 001111111111… {parts: [1]} → [002222222222…]
│  ├─ create Iou:Iou 002222222222… {owner: alice, amount: 1.0, note: null}
│  └─ create Iou:Iou 003333333333… {owner: alice, amount: 1.0, note: null}
└─ create Iou:Iou 004444444444… {owner: alice, amount: 1.0, note: null}`,
  )
})

test('creates and archives are a list', () => {
  const events = [{ ArchivedEvent: { nodeId: 0, contractId: '00ab', templateId } }]
  assert.equal(transactionText({ events }), '└─ archive Iou:Iou 00ab')
  assert.equal(transactionText({ events: [] }), '')
})

test('a value has no line of its own; all of an id is shown on request', () => {
  const created = { nodeId: 0, contractId: id('1'), templateId, createArgument: { note: 'a\n\u001b[31mb' } }
  const transaction = { events: [{ CreatedEvent: created }] }
  assert.equal(transactionText(transaction), '└─ create Iou:Iou 001111111111… {note: a [31mb}')
  assert.equal(transactionText(transaction, true), `└─ create Iou:Iou ${id('1')} {note: a [31mb}`)
})

test('a dry run has everything that happens', () => {
  const of = (nodeId: number) => ({ nodeId, templateId, contractId: id('1') })
  const choice = { choice: 'Try', choiceArgument: {}, exerciseResult: null, actors: [alice] }
  const nodes = [
    { Exercise: { ...of(0), ...choice, children: [1, 3] } },
    { Rollback: { nodeId: 1, children: [2] } },
    { Fetch: { ...of(2), actors: [alice] } },
    { QueryByKey: { nodeId: 3, templateId, contractKey: alice, contractIds: [] } },
  ]
  assert.equal(
    transactionText({ roots: [0], nodes }),
    `└─ alice: exercise Try of Iou:Iou 001111111111… {}
   ├─ undone by an exception
   │  └─ alice: fetch Iou:Iou 001111111111…
   └─ look up Iou:Iou with key alice`,
  )
})

test('commands show where they failed', () => {
  const commands = [
    { CreateCommand: { templateId: '#quickstart:Iou:Iou', createArguments: {} } },
    { ExerciseCommand: { templateId: '#p:Desk:Desk', contractId: id('1'), choice: 'Pay', choiceArgument: {} } },
  ]
  const failed = `exercise Pay of Desk:Desk 001111111111…
  fetch Iou:Iou 002222222222…
  exercise Split of Iou:Iou 002222222222…
    create Iou:Iou 003333333333…
    failed here`
  assert.equal(
    commandsText(commands, failed),
    `├─ create Iou:Iou {}
└─ exercise Pay of Desk:Desk 001111111111… {}
   ├─ fetch Iou:Iou 002222222222…
   └─ exercise Split of Iou:Iou 002222222222…
      ├─ create Iou:Iou 003333333333…
      └─ failed here`,
  )
  assert.equal(commandsText(commands.slice(0, 1)), '└─ create Iou:Iou {}')
})
