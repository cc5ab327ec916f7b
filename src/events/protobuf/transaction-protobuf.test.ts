import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answerFrom } from '../../../test/fixtures/grpc.ts'
import { loadDar } from '../../../test/support/engine/dars.ts'
import { ledgerOf } from '../../../test/support/engine/ledger.ts'
import { createdBy, iouWith, requestOf } from '../../../test/support/engine/requests.ts'
import { forAnybody, forParties, sampleContents } from '../../../test/support/reading/sample-formats.ts'
import { createInterpreter } from '../../engine/interpreter.ts'
import { serve } from '../../engine/requests/served-transaction.ts'
import { frameHeadBytes } from '../../grpc/wire-call.ts'
import { seeOutline } from '../../ledger/reading/json/visibility.ts'
import { createMatcher } from '../../ledger/reading/requests/event-matcher.ts'
import { UnexpectedFormat } from '../../lf/codec/json-reader.ts'
import { Pieces } from '../format/event-pieces.ts'
import { bodyBytes, metaFromText, type StoredTransaction, transactionToText } from '../format/stored-update.ts'
import { unpackText } from '../format/unpacking.ts'
import { type Shape, transactionJson, transactionPattern } from '../json/transaction-json.ts'
import { createEventPlans } from './event-plans.ts'
import { createTransactionRendering } from './transaction-protobuf.ts'

const quickstart = loadDar('packages/quickstart/quickstart.dar')
const keys = loadDar('test/lf/keys-lf23.dar')
const dalfs = [...quickstart.dalfs, ...keys.dalfs]
const iou = `${quickstart.main}:Iou:Iou`
const holding = `${quickstart.main}:Holding:Holding`
const odd = iouWith({ observers: ['Carol', 'Dora'] })
const kept = interpret([{ kind: 'create', templateId: iou, createArguments: odd }], [])
const [contract] = createdBy(kept.interpretation)
const onContract = { kind: 'exercise', contractId: contract!.id } as const
const split = { ...onContract, templateId: iou, choice: 'Iou_Split', choiceArgument: { amount: '40' } }
const redeem = { ...onContract, templateId: holding, choice: 'Holding_Redeem', choiceArgument: {} }
const trace = { traceparent: '00-abab-cdcd-01', tracestate: null }

type Given = { readonly commands: readonly object[]; readonly facts?: object; readonly actAs?: readonly string[] }

const transactions: Readonly<Record<string, Given>> = {
  'a contract': { commands: [{ kind: 'create', templateId: iou, createArguments: odd }] },
  'texts of any kind': {
    commands: ['', '"\\\n', 'für Bank, é😀', 'the Bank of Alice', '\u0001\u001f'].map((currency) => ({
      ...{ kind: 'create', templateId: iou, createArguments: { ...odd, currency } },
    })),
    facts: { commandId: 'a #:-_/1', workflowId: 'Alice', traceContext: trace },
  },
  'a contract that is split': { commands: [split], facts: { traceContext: { ...trace, tracestate: 'a="1"' } } },
  'a choice of an interface': { commands: [redeem], facts: { externalTransactionHash: 'abab' } },
  'contracts with keys': {
    commands: [1, 2].map((number) => ({
      ...{ kind: 'create', templateId: `${keys.main}:Keys:Keyed` },
      createArguments: {
        ...{ signatories: ['Alice'], observers: [], keyFault: 'Fine', note: '' },
        key: { maintainers: ['Alice'], name: `n"${number}`, maintainersFault: 'Fine' },
      },
    })),
  },
  'more words than there are codes': {
    commands: Array.from({ length: 20 }, (_, index) => ({
      ...{ kind: 'create', templateId: iou, createArguments: { ...odd, observers: [`Observer${index}`] } },
    })),
  },
}

function interpret(
  commands: readonly object[],
  contracts: readonly { id: string; blob: Uint8Array }[],
  actAs?: readonly string[],
) {
  const interpreter = createInterpreter(ledgerOf({ dalfs, contracts }))
  interpreter.prefer({ quickstart: quickstart.main })
  const request = requestOf({ commands: commands as never, ...(actAs && { actAs }) })
  return { interpreter, interpretation: interpreter.interpret(request, { stepsMax: 1_000_000 }) }
}

/** The row that is stored for these commands. */
function stored({ commands, facts = {}, actAs = ['Bank', 'Alice'] }: Given) {
  const { interpretation, interpreter } = interpret(commands, [contract!], actAs)
  const { served } = serve(interpretation.transaction, 1767225600123456)
  const text = transactionToText(
    {
      ...{ updateId: `1220${'ab'.repeat(32)}`, commandId: 'command', workflowId: '', submitters: actAs },
      ...{ effectiveAt: '2026-01-01T00:00:00Z', recordTime: '2026-02-28T23:59:59.000001Z', traceContext: null },
      ...{ synchronizerId: 'global::1220', ...facts },
    },
    served,
  )
  const meta = metaFromText(text) as StoredTransaction
  return { interpreter, meta, body: Buffer.from(served.body).toString() }
}

for (const [title, given] of Object.entries(transactions)) {
  test(`${title}: what is rendered from stored pieces is what the engine renders from JSON`, async () => {
    const { interpreter, meta, body } = stored(given)
    const plans = createEventPlans(async (names) => interpreter.plans(names, () => undefined))
    for (const isVerbose of [false, true]) {
      const render = createTransactionRendering(plans, isVerbose)
      for (const shape of ['delta', 'effects'] satisfies Shape[]) {
        for (const format of [forAnybody(), forParties('Alice'), forParties('Carol')]) {
          const shown = seeOutline(meta.outline, createMatcher(format, sampleContents)!, shape)
          if (shown === undefined) continue
          const stored = { offset: 1234567n, meta, body: new Pieces({ body }, bodyBytes(meta)) }
          const [rendered] = await render([{ stored, shown }])
          const layout = { shape, form: 'transaction', wantsContracts: false } as const
          const wrapping = { before: '{"update":{"Transaction":{"value":', after: '}}}' }
          const element = transactionJson(transactionPattern(shown, { ...layout, ...wrapping }), stored, new Map())
          const message = 'com.daml.ledger.api.v2.GetUpdatesResponse'
          const byEngine = interpreter.render({ message, elements: [element], isVerbose })
          assert.ok(rendered, 'it is rendered')
          assert.equal(rendered.start, 0)
          assert.deepEqual(decoded(rendered.page.bytes), decoded(byEngine))
        }
      }
    }
  })
}

test('a transaction whose types are too large to know is not rendered', async () => {
  const { meta, body } = stored(transactions['a contract']!)
  const shown = seeOutline(meta.outline, createMatcher(forAnybody(), sampleContents)!, 'delta')!
  const asked: (readonly string[])[] = []
  const plans = createEventPlans(async (names) => {
    asked.push(names)
    return names.map(() => undefined)
  })
  const render = createTransactionRendering(plans, false)
  const transaction = { stored: { offset: 1n, meta, body: new Pieces({ body }, bodyBytes(meta)) }, shown }
  for (const _ of ['unknown', 'too large']) assert.deepEqual(await render([transaction]), [undefined])
  assert.deepEqual(asked, [[iou]])
})

test('a page has those transactions that can be rendered, one after the other', async () => {
  const { interpreter, meta, body } = stored(transactions['a contract']!)
  const shown = seeOutline(meta.outline, createMatcher(forAnybody(), sampleContents)!, 'delta')!
  const render = createTransactionRendering(
    createEventPlans(async (names) => interpreter.plans(names, () => undefined)),
    false,
  )
  const transaction = { stored: { offset: 1n, meta, body: new Pieces({ body }, bodyBytes(meta)) }, shown }
  const large = { ...transaction, stored: { ...transaction.stored, body: new Pieces({ body }, 2 ** 20) } }
  const [first, without, tooLarge, last] = await render([transaction, undefined, large, transaction])
  assert.deepEqual([without, tooLarge], [undefined, undefined])
  assert.equal(first!.page, last!.page)
  assert.deepEqual([first!.start, last!.start, last!.end], [0, first!.end, 2 * first!.end])
  const { bytes } = first!.page
  assert.deepEqual(decoded(bytes.subarray(first!.end)), decoded(bytes.subarray(0, first!.end)))
})

test('streams that miss the same types ask for them once', async () => {
  const asked: (readonly string[])[] = []
  const plans = createEventPlans(async (names) => {
    asked.push(names)
    return names.map(() => undefined)
  })
  const misses = (...names: readonly string[]) => {
    for (const name of names) assert.throws(() => plans.of(name, false), UnexpectedFormat)
    return plans.missing()
  }
  await Promise.all([misses('a', 'b'), misses('b', 'c'), misses('a')])
  assert.equal(misses('a', 'b', 'c'), undefined)
  assert.deepEqual(asked, [['a', 'b'], ['c']])
})

test('text that is not as this node writes it is not rendered, wherever it is cut', async () => {
  const { interpreter, meta, body } = stored(transactions['a contract that is split']!)
  const plans = createEventPlans(async (names) => interpreter.plans(names, () => undefined))
  const shown = seeOutline(meta.outline, createMatcher(forAnybody(), sampleContents)!, 'effects')!
  const render = createTransactionRendering(plans, false)
  const unpacked = unpackText(body)
  const piecesOf = (text: string) => new Pieces({ body: text, unpacked: text }, bodyBytes(meta))
  const whole = { offset: 1n, meta, body: piecesOf(unpacked) }
  await render([{ stored: whole, shown }]) // Loads the choice; the next page loads the template that it creates.
  assert.ok((await render([{ stored: whole, shown }]))[0])
  for (let length = 0; length < unpacked.length; length += 1) {
    const cut = unpacked.slice(0, length)
    assert.deepEqual(await render([{ stored: { ...whole, body: piecesOf(cut) }, shown }]), [undefined], cut.slice(-20))
  }
  for (let length = 0; length <= meta.head.length + 1 + meta.setting.length; length += 1) {
    const cut = { ...meta, text: meta.text.slice(0, length) }
    assert.deepEqual(await render([{ stored: { ...whole, meta: cut }, shown }]), [undefined])
  }
})

/** Values stay bytes; fields of messages may come in any order. */
function decoded(frame: Uint8Array) {
  const bytes = Buffer.from(frame)
  assert.equal(bytes.readUInt32BE(1), bytes.length - frameHeadBytes)
  return answerFrom('/com.daml.ledger.api.v2.UpdateService/GetUpdates', bytes.subarray(frameHeadBytes))
}
