// The path of a command without HTTP and threads: interpreted in the process against what a store holds, committed
// through the real queue. For tests of what commit decides.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createTestDatabase } from '../../../test/fixtures/postgres.ts'
import { createTestClock } from '../../base/clock.ts'
import { createLog } from '../../base/log.ts'
import type { Limits } from '../../base/settings.ts'
import { createInterpreter } from '../../engine/interpreter.ts'
import type { KnownContract } from '../../engine/ledger-access.ts'
import type { ClientCommand } from '../../engine/preparation.ts'
import { serve } from '../../engine/served-transaction.ts'
import { decodeDar } from '../../lf/dar.ts'
import { createStore } from '../../store/create-store.ts'
import type { Database } from '../../store/database.ts'
import { migrate } from '../../store/migrate.ts'
import { openPostgres } from '../../store/postgres.ts'
import { openSqliteInMemory } from '../../store/sqlite.ts'
import type { Store } from '../../store/store.ts'
import { changeIdOf, changeText } from '../change-id.ts'
import { type CommitQueue, createCommitQueue } from '../commit-queue.ts'
import type { InterpretedCommand } from '../interpreted-command.ts'
import { createLedgerEnd, type LedgerEnd } from '../ledger-end.ts'
import { createWallTime } from '../ledger-time.ts'
import { createNames, type Names } from '../names.ts'

const namespace = `1220${'5a'.repeat(32)}`
export const [bank, alice, bob] = ['Bank', 'Alice', 'Bob'].map((name) => `${name}::${namespace}`) as [
  string,
  string,
  string,
]
const synchronizer = { number: 1n, id: `global::${namespace}` }
/** 2026-01-01T00:00:00Z. */
const startMs = 1_767_225_600_000

const dars = ['../../../packages/quickstart/quickstart.dar', '../../../test/lf/keys-lf23.dar'].map((file) =>
  decodeDar(readFileSync(new URL(file, import.meta.url))),
)
const dalfs = new Map(dars.flatMap(({ packages }) => packages.map(({ package: { id }, bytes }) => [id, bytes])))
const [quickstart, keys] = dars.map(({ main }) => main.package.id) as [string, string]

export const iouType = `${quickstart}:Iou:Iou`
export const keyedType = `${keys}:Keys:Keyed`

export type CommitBench = AsyncDisposable & {
  readonly store: Store
  readonly end: LedgerEnd
  readonly names: Names
  readonly commits: CommitQueue
  readonly clock: ReturnType<typeof createTestClock>
  /** Against what is committed now; nothing is written. */
  interpret(commands: readonly ClientCommand[], given?: Partial<InterpretedCommand>): Promise<InterpretedCommand>
  /** Another queue over the same store, as after a restart. */
  reopen(): Promise<Pick<CommitBench, 'commits' | 'end' | 'names'>>
}

const interpreter = createInterpreterOver()

export async function openCommitBench(kind: 'sqlite' | 'postgres', around: (store: Store) => Store = (store) => store) {
  await using parts = new AsyncDisposableStack()
  const database = parts.use(await openDatabase(kind, parts))
  await migrate(database)
  const store = around(createStore(database))
  await store.synchronizers.insert({
    ...synchronizer,
    alias: 'global',
    signingKey: new Uint8Array(32),
    recordTime: 0n,
  })
  const clock = createTestClock(startMs)
  const time = createWallTime(clock, 0n)
  const limits = { ledgerTimeToleranceMs: 60_000 } as Limits
  const log = createLog('silent')
  let last = 0

  async function reopen() {
    const state = await store.state.get()
    const end = createLedgerEnd({ offset: state.end, synchronizerTimes: [] }, state.prunedUpTo)
    const names = createNames(1000)
    const queue = { store, names, end, synchronizerId: () => synchronizer.id, time, limits, clock, log }
    return { end, names, commits: createCommitQueue(queue) }
  }

  const { end, names, commits } = await reopen()
  const owned = parts.move()
  const bench: CommitBench = {
    store,
    end,
    names,
    commits,
    clock,
    reopen,
    async interpret(commands, given = {}) {
      const number = ++last
      const actAs = given.actAs ?? [alice, bank].sort()
      const seed = createHash('sha256').update(`seed ${number}`).digest()
      const ledgerTime = given.ledgerTime ?? time.now()
      const { transaction } = await interpreter.interpret(store, {
        commands,
        actAs,
        readAs: [],
        contracts: [],
        ledgerTime,
        preparationTime: ledgerTime,
        seed,
        participantId: `participant::${namespace}`,
      })
      const change = { userId: given.userId ?? 'user', commandId: given.commandId ?? `command-${number}`, actAs }
      return {
        ...change,
        submissionId: `submission-${number}`,
        workflowId: '',
        changeId: changeIdOf(change),
        change: changeText(change),
        deduplication: { kind: 'duration', micros: 3_600_000_000n },
        traceContext: null,
        updateId: `1220${createHash('sha256').update(seed).digest('hex')}`,
        ledgerTime,
        synchronizer,
        snapshot: end.current().offset,
        ...serve(transaction, ledgerTime),
        ...given,
      }
    },
    async [Symbol.asyncDispose]() {
      await commits[Symbol.asyncDispose]()
      await owned.disposeAsync()
    },
  }
  return bench
}

export function createIou(fields: Readonly<Record<string, unknown>> = {}): ClientCommand {
  const createArguments = { issuer: bank, owner: alice, amount: '100', currency: 'EUR', observers: [], ...fields }
  return { kind: 'create', templateId: iouType, createArguments }
}

export function archive(contractId: string, templateId = iouType): ClientCommand {
  return { kind: 'exercise', templateId, contractId, choice: 'Archive', choiceArgument: {} }
}

async function openDatabase(kind: 'sqlite' | 'postgres', parts: AsyncDisposableStack): Promise<Database> {
  if (kind === 'sqlite') return openSqliteInMemory()
  const { url } = parts.use(await createTestDatabase())
  return openPostgres(url, createLog('silent'))
}

/** One engine for all tests. It asks at once, so what a store holds is loaded beforehand. */
function createInterpreterOver() {
  let known: readonly KnownContract[] = []
  let byKey: ReadonlyMap<string, readonly KnownContract[]> = new Map()
  const inner = createInterpreter({
    package: (id) => dalfs.get(id),
    contracts: (ids) => known.filter(({ id }) => ids.includes(id)),
    contractsWithKey: (hash) => byKey.get(hash) ?? [],
  })
  return {
    async interpret(store: Store, request: Parameters<typeof inner.interpret>[0]) {
      const active = await store.contracts.active(0n, undefined, { template: 0n, number: 0n }, 10_000)
      known = active.map(({ contractId: id, blob }) => ({ id, blob }))
      byKey = Map.groupBy(
        active
          .filter(({ keyHash }) => keyHash !== undefined)
          .map(({ contractId: id, blob, keyHash }) => ({ id, blob, keyHash })),
        ({ keyHash }) => keyHash!,
      )
      return inner.interpret(request, { stepsMax: 1e7 })
    },
  }
}
