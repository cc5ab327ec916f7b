// Threads that wait for the ledger: they get what they ask for, and what goes wrong meanwhile costs only its own
// request.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadDar } from '../../../test/support/engine/dars.ts'
import { hostilePackage } from '../../../test/support/engine/hostile-package.ts'
import { ledgerOf } from '../../../test/support/engine/ledger.ts'
import { createdBy, requestOf } from '../../../test/support/engine/requests.ts'
import { itemId, itemPackage, shownId, shownPackage } from '../../../test/support/engine/versioned-package.ts'
import { createTestClock, wallClock } from '../../base/clock.ts'
import { LedgerError } from '../../base/errors.ts'
import { createMetrics } from '../../base/metrics.ts'
import { unpackBytes } from '../../events/format/unpacking.ts'
import { createInterpreter } from '../interpreter.ts'
import type { KnownContract, LedgerAccess, LedgerReader } from '../ledger-access.ts'
import type { ServedInterpretation } from './interpretation-messages.ts'
import { createLazyEngine } from './lazy-pool.ts'
import { type EnginePool, type EnginePoolSettings, openEnginePool } from './pool.ts'

const hostile = hostilePackage()
const keys = loadDar('test/lf/keys-lf23.dar')
const [v1, v2] = [itemPackage({ version: '1.0.0' }), itemPackage({ version: '2.0.0' })]
const dalfs = [shownPackage, v1, v2, { bytes: hostile.dalf }, ...keys.dalfs]

const key = { maintainers: ['Alice'], name: 'k', maintainersFault: 'Fine' }
const keyed = { signatories: ['Alice'], observers: [], key, keyFault: 'Fine', note: '' }
const item = { owner: 'Alice', other: 'Bob', note: 'hello', colour: 'Red' }
const contracts = [createdOf(itemId(v1), item), createdOf(`${keys.main}:Keys:Keyed`, keyed)] as const
const ledger = ledgerOf({ dalfs, contracts })

function createdOf(templateId: string, createArguments: unknown): KnownContract {
  const request = requestOf({ commands: [{ kind: 'create', templateId, createArguments }], actAs: ['Alice'] })
  return createdBy(createInterpreter(ledgerOf({ dalfs })).interpret(request, { stepsMax: 100_000 }))[0]!
}

function openPool(settings: Partial<EnginePoolSettings>): EnginePool {
  return openEnginePool({
    threads: 1,
    stackMb: 64,
    heapMb: 64,
    stepsMax: 1e15,
    wallClockMs: 60_000,
    queueMax: 100,
    ledger,
    clock: wallClock,
    ...settings,
  })
}

const id = contracts[0].id
const nothing = { choiceArgument: {} }
const keep = requestOf({
  commands: [{ kind: 'exercise', templateId: itemId(v2), contractId: id, choice: 'Keep', ...nothing }],
  actAs: ['Alice'],
})
const touch = requestOf({
  commands: [{ kind: 'exercise', templateId: shownId, contractId: id, choice: 'Touch', ...nothing }],
  actAs: ['Alice'],
})
const archiveByKey = requestOf({
  commands: [
    {
      kind: 'exercise-by-key',
      templateId: `${keys.main}:Keys:Keyed`,
      contractKey: key,
      choice: 'Archive',
      choiceArgument: null,
    },
  ],
  actAs: ['Alice'],
})
const quick = requestOf({ commands: [hostile.command('Quick')], actAs: ['Alice'] })

const usedBy = ({ effects }: ServedInterpretation) => effects.inputContracts
const eventsOf = ({ served }: ServedInterpretation) => JSON.parse(served.facts).events

/** A ledger that answers about contracts when the test tells it to. */
function hesitantLedger() {
  type Asked = { answer(found: readonly KnownContract[]): void; fail(error: unknown): void }
  const questions: Asked[] = []
  const packages: string[] = []
  let arrived = Promise.withResolvers<void>()
  const access: LedgerAccess = {
    ...ledger,
    package(packageId) {
      packages.push(packageId)
      return ledger.package(packageId)
    },
    contracts() {
      const { promise, resolve: answer, reject: fail } = Promise.withResolvers<readonly KnownContract[]>()
      questions.push({ answer, fail })
      arrived.resolve()
      arrived = Promise.withResolvers()
      return promise
    },
  }
  return {
    access,
    packages,
    questions,
    async asked(count: number): Promise<Asked> {
      while (questions.length < count) await arrived.promise
      return questions[count - 1]!
    },
  }
}

const inOrder: [name: string, ledger: LedgerAccess][] = [
  ['at once', ledger],
  [
    'later',
    {
      package: async (packageId) => ledger.package(packageId),
      contracts: async (ids) => ledger.contracts(ids),
      contractsWithKey: async (hash, before) => ledger.contractsWithKey(hash, before),
    },
  ],
]

for (const [name, access] of inOrder) {
  test(`packages, contracts and keys are asked for while a request runs, and answered ${name}`, async () => {
    await using pool = openPool({ ledger: access })
    assert.deepEqual(usedBy(await pool.interpret(keep)), [id])
    assert.deepEqual(usedBy(await pool.interpret(archiveByKey)), [contracts[1].id])
  })
}

const failing: [what: keyof LedgerReader, request: typeof keep][] = [
  ['package', keep],
  ['contracts', keep],
  ['contractsWithKey', archiveByKey],
]

for (const [what, request] of failing) {
  test(`when the ledger fails to answer about ${what}, the request fails with it, and its thread goes on`, async () => {
    const failures = [new LedgerError('INDEX_DB_SQL_TRANSIENT_ERROR', 'try again'), new Error('the database is gone')]
    const answers: (() => unknown)[] = [() => Promise.reject(failures[0]), () => raise(failures[1])]
    const asking = (argument: never) => (answers.shift() ?? (() => ledger[what](argument)))()
    await using pool = openPool({ ledger: { ...ledger, [what]: asking } })
    for (const failure of failures) {
      await assert.rejects(pool.interpret(request), (error) => error === failure)
    }
    assert.equal(usedBy(await pool.interpret(request)).length, 1)
  })
}

function raise(error: unknown): never {
  throw error
}

test('a request cancelled while it waits for an answer frees its thread', async () => {
  const { access, asked, packages } = hesitantLedger()
  await using pool = openPool({ ledger: access })
  const cancellation = new AbortController()
  const waiting = pool.interpret(keep, cancellation.signal)
  await asked(1)
  cancellation.abort(new Error('not wanted'))
  await assert.rejects(waiting, { message: 'not wanted' })
  const next = pool.interpret(keep)
  const { answer } = await asked(2)
  answer(contracts)
  assert.deepEqual(usedBy(await next), [id])
  assert.deepEqual([...new Set(packages)], packages, 'it is the same thread')
})

test('a request that waits too long for an answer times out', async () => {
  const { access, packages } = hesitantLedger()
  // The thread looks at a clock of its own; the pool would end it a moment later.
  await using pool = openPool({ ledger: access, wallClockMs: 1_000, clock: createTestClock(0) })
  // The first run asks for packages and compiles, which on a busy machine takes longer.
  for (let isWarm = false; !isWarm; ) isWarm = await pool.interpret(quick).then(Boolean, () => false)
  packages.length = 0
  await assert.rejects(pool.interpret(keep), { code: 'INTERPRETATION_TIME_EXCEEDED' })
  await pool.interpret(quick)
  assert.deepEqual([...new Set(packages)], packages, 'it is the same thread')
})

test('requests that wait for an answer when the pool closes are rejected', async () => {
  const { access, asked } = hesitantLedger()
  const pool = openPool({ ledger: access })
  const waiting = assert.rejects(pool.interpret(keep), { message: 'the engine is closed' })
  const { answer } = await asked(1)
  await pool[Symbol.asyncDispose]()
  await waiting
  answer(contracts)
})

async function bothThreadsWaiting(
  pool: EnginePool,
  clock: ReturnType<typeof createTestClock>,
  asked: (count: number) => Promise<unknown>,
) {
  const first = pool.interpret(keep)
  await asked(1)
  const elsewhere = pool.interpret(quick)
  clock.advance(20) // Long enough to give back what waits behind it: for that the other thread must start.
  await elsewhere
  const second = pool.interpret(keep)
  await asked(2)
  return [first, second]
}

test('a request that waits for an answer burns no time: it is not preempted, and asks once', async () => {
  const { access, asked, questions } = hesitantLedger()
  const clock = createTestClock(0)
  await using pool = openPool({ ledger: access, threads: 2, clock })
  const waiting = await bothThreadsWaiting(pool, clock, asked)
  const other = pool.interpret(quick)
  clock.advance(200)
  for (const { answer } of questions) answer(contracts)
  assert.deepEqual((await Promise.all(waiting)).map(usedBy), [[id], [id]])
  assert.equal(eventsOf(await other).length, 2)
  assert.equal(questions.length, 2)
})

test('a request that waits very long is preempted, and a late answer is not taken for another', async () => {
  const { access, asked, questions } = hesitantLedger()
  const clock = createTestClock(0)
  await using pool = openPool({ ledger: access, threads: 2, clock })
  const waiting = await bothThreadsWaiting(pool, clock, asked)
  const other = pool.interpret(quick)
  clock.advance(290) // Long enough for the first of them only.
  assert.equal(eventsOf(await other).length, 2)
  const { answer } = await asked(3)
  for (const late of questions.slice(0, 2)) late.answer([])
  answer(contracts)
  const [first, second] = await Promise.allSettled(waiting)
  assert.deepEqual(first?.status === 'fulfilled' && usedBy(first.value), [id])
  assert.equal(second?.status === 'rejected' && second.reason.code, 'CONTRACT_NOT_FOUND')
  assert.equal(questions.length, 3)
})

async function templateUsedBy(interpreting: Promise<ServedInterpretation>): Promise<string | undefined> {
  const { served } = await interpreting
  return /"templateId":"([^"]+)"/.exec(String(unpackBytes(served.body)))?.[1]
}

test('preferences hold for later requests, in threads that start later too', async () => {
  await using pool = openPool({})
  const used = () => templateUsedBy(pool.interpret(touch))
  await assert.rejects(used(), { code: 'UNRESOLVED_PACKAGE_NAME' })
  pool.prefer({ item: v1.id })
  assert.equal(await used(), itemId(v1))
  pool.prefer({ item: v2.id })
  assert.equal(await used(), itemId(v2))
  const pile = requestOf({ commands: [hostile.command('Pile')], actAs: ['Alice'] })
  await assert.rejects(pool.interpret(pile), { code: 'INTERPRETATION_TIME_EXCEEDED' })
  assert.equal(await used(), itemId(v2))
})

test('preferences hold for the very next request of a node, before and after its threads have started', async () => {
  await using pool = openPool({})
  const threads = { open: async () => pool, counts: pool.counts, [Symbol.asyncDispose]: async () => undefined }
  await using engine = createLazyEngine(threads, {
    ledger,
    damage: { note: (error) => error },
    metrics: createMetrics(),
  })
  for (const version of [v1, v2, v1]) {
    engine.prefer({ item: version.id })
    const used = templateUsedBy(engine.interpret(touch))
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200) // The thread begins, and this one does nothing more.
    assert.equal(await used, itemId(version))
  }
})
