// Views of contracts: by the requested version, each with its own budget, whatever the others do.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ledgerOf } from '../../../test/support/engine/ledger.ts'
import { createdBy, requestOf } from '../../../test/support/engine/requests.ts'
import {
  itemId,
  itemPackage,
  shownId,
  shownPackage,
  type VersionedPackage,
} from '../../../test/support/engine/versioned-package.ts'
import { createTestClock, wallClock } from '../../base/clock.ts'
import { createInterpreter } from '../interpreter.ts'
import type { KnownContract } from '../ledger-access.ts'
import { openEnginePool } from '../pool/pool.ts'
import type { ViewRequest, ViewResult } from './interface-views.ts'

const v1 = itemPackage({ version: '1.0.0' })
const v2 = itemPackage({ version: '2.0.0', added: ['extra'] })
const hidden = itemPackage({ version: '3.0.0', view: 'none' })
const failing = itemPackage({ version: '4.0.0', view: 'fails' })
const looping = itemPackage({ version: '5.0.0', view: 'loops' })
const piling = itemPackage({ version: '6.0.0', view: 'piles' })
const ledger = ledgerOf({ dalfs: [shownPackage, v1, v2, hidden, failing, looping, piling] })
const interpreter = createInterpreter(ledger)
const budget = { stepsMax: 100_000 }

function made(by: VersionedPackage, fields: object = {}): KnownContract {
  const createArguments = { owner: 'Alice', other: 'Bob', note: 'hello', colour: 'Red', ...fields }
  const commands = [{ kind: 'create', templateId: itemId(by), createArguments } as const]
  return createdBy(interpreter.interpret(requestOf({ commands, actAs: ['Alice'] }), budget))[0]!
}

const old = made(v1)
const viewOf = ({ blob }: KnownContract, through: VersionedPackage): ViewRequest => {
  return { templateId: itemId(through), interfaceId: shownId, blob }
}
const shownBy = (version: string): ViewResult => ({ kind: 'view', json: `{"note":"hello","by":"${version}"}` })
const failed = (code: string, message: string, details = {}) => ({ kind: 'failed', code, message, details })

const cases: [name: string, request: ViewRequest, want: unknown][] = [
  ['by its own version', viewOf(old, v1), shownBy('1.0.0')],
  ['by a newer version', viewOf(old, v2), shownBy('2.0.0')],
  ['by an older version', viewOf(made(v2), v1), shownBy('1.0.0')],
  [
    'by a version that does not implement the interface',
    viewOf(old, hidden),
    failed('COMMAND_PREPROCESSING_FAILED', `unknown interface instance ${shownId} for ${itemId(hidden)}`),
  ],
  [
    'by an unknown template',
    { ...viewOf(old, v1), templateId: `${v1.id}:Main:Thing` },
    failed('COMMAND_PREPROCESSING_FAILED', `unknown template ${v1.id}:Main:Thing`),
  ],
  [
    'as an interface of an unknown package',
    { ...viewOf(old, v1), interfaceId: `${'ab'.repeat(32)}:Main:Shown` },
    failed('COMMAND_PREPROCESSING_FAILED', `unknown interface ${'ab'.repeat(32)}:Main:Shown`),
  ],
  [
    'by a version that fails',
    viewOf(old, failing),
    failed('INTERPRETATION_USER_ERROR', 'Interpretation error: Error: User abort: no view', {
      resources: [['EXCEPTION_TEXT', 'no view']],
      ...{ remarks: { definition: 'Main:Item as Main:Shown view' }, foundBy: 'interpretation' },
    }),
  ],
  [
    'by a version that runs forever',
    viewOf(old, looping),
    failed('INTERPRETATION_TIME_EXCEEDED', 'The command needs more steps than this node allows', {
      resources: [],
      ...{ remarks: { definition: 'Main:loop' }, foundBy: 'interpretation' },
    }),
  ],
]

for (const [name, request, want] of cases) {
  test(`a view ${name}`, () => assert.deepEqual(interpreter.view(request, budget), want))
}

test('a view by a version that cannot hold the contract fails', () => {
  const result = interpreter.view(viewOf(made(v2, { extra: 'more' }), v1), budget)
  assert.equal(result.kind === 'failed' && result.code, 'INTERPRETATION_UPGRADE_ERROR_TRANSLATION_FAILED')
})

const poolSettings = { threads: 2, stackMb: 64, heapMb: 32, queueMax: 100, ledger, clock: wallClock }
const codeOf = (result: ViewResult) => (result.kind === 'view' ? 'view' : result.code)

test('the pool computes many views, in order', async () => {
  await using pool = openEnginePool({ ...poolSettings, stepsMax: 1_000_000, wallClockMs: 60_000 })
  const turn = [v1, v2, hidden, looping]
  const requests = Array.from({ length: 1_000 }, (_, index) => viewOf(old, turn[index % turn.length]!))
  const results = await pool.views(requests)
  const want = ['view', 'view', 'COMMAND_PREPROCESSING_FAILED', 'INTERPRETATION_TIME_EXCEEDED']
  assert.deepEqual(results.map(codeOf), Array.from({ length: 250 }, () => want).flat())
  assert.deepEqual(results.slice(0, 2), [shownBy('1.0.0'), shownBy('2.0.0')])
  assert.deepEqual(await pool.views([]), [])
})

const exhausting: [
  what: 'time' | 'memory',
  version: VersionedPackage,
  wallClockMs: number,
  remarks: Record<string, string>,
][] = [
  ['time', looping, 1_500, { definition: 'Main:loop' }],
  ['memory', piling, 60_000, {}],
]

for (const [what, version, wallClockMs, remarks] of exhausting) {
  test(`a view that takes too much ${what} fails alone`, async () => {
    await using pool = openEnginePool({
      ...poolSettings,
      threads: 1,
      stepsMax: 1e15,
      wallClockMs,
      clock: createTestClock(0),
    })
    await pool.views([viewOf(old, v1)]) // Fast from now on, so that the next views are computed together with it.
    const [first, second, third] = await pool.views([v1, version, v2].map((each) => viewOf(old, each)))
    assert.deepEqual([first, third], [shownBy('1.0.0'), shownBy('2.0.0')])
    const message = `The command needs more ${what} than this node allows`
    assert.deepEqual(
      second,
      failed('INTERPRETATION_TIME_EXCEEDED', message, { resources: [], remarks, foundBy: 'interpretation' }),
    )
  })
}

test('cancelled views are not computed', async () => {
  await using pool = openEnginePool({ ...poolSettings, threads: 1, stepsMax: 1e15, wallClockMs: 60_000 })
  await pool.views([viewOf(old, v1)])
  const cancellation = new AbortController()
  const views = pool.views([viewOf(old, looping), viewOf(old, v1)], cancellation.signal)
  cancellation.abort(new Error('not wanted'))
  await assert.rejects(views, { message: 'not wanted' })
  assert.deepEqual(await pool.views([viewOf(old, v2)]), [shownBy('2.0.0')])
})
