// Fills a large ledger quickly: one real transaction, committed again and again with new ids by the node's own code.
// All blobs are copies of the first; no benchmark row reads them.
//   node bench/fill-ledger.ts FOLDER UPDATES
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createInterpreter } from '../src/engine/interpreter.ts'
import { serve } from '../src/engine/requests/served-transaction.ts'
import { commit } from '../src/ledger/commit/commit.ts'
import type { InterpretedCommand } from '../src/ledger/commit/commit-item.ts'
import { changeIdOf } from '../src/ledger/commit/ids.ts'
import { createNames } from '../src/ledger/model/name-numbers.ts'
import { createSynchronizers, type Synchronizer } from '../src/ledger/model/synchronizers.ts'
import { decodeDar } from '../src/lf/dar/dar.ts'
import { createStore } from '../src/store/records/create-store.ts'
import { openSqlite } from '../src/store/sqlite/sqlite.ts'
import { testSettings } from '../test/fixtures/node.ts'
import { ledgerOf } from '../test/support/engine/ledger.ts'

const perBatch = 2_000

/** The folder must have been used by a node, with the parties and the user of `startLedger`. */
export async function fillLedger(folder: string, updates: number): Promise<void> {
  await using database = openSqlite(folder)
  const store = createStore(database)
  const [synchronizer] = createSynchronizers(await store.synchronizers.list(), store, testSettings({})).list()
  const parties = (await store.parties.list('', { after: '', limit: 2, bytesMax: 1_000_000 })).records.map(
    ({ party }) => party,
  )
  const names = createNames(1000)
  let { end } = await store.state.get()
  const create = sample(parties as [string, string])
  for (let done = 0; done < updates; done += perBatch) {
    const batch = Array.from({ length: Math.min(perBatch, updates - done) }, () => create(synchronizer!))
    const now = BigInt(Date.now()) * 1000n
    const committed = await store.transaction((records) =>
      commit(batch, records, { names, participantId: 'participant::1220', now, end }),
    )
    for (const { name, number } of committed.names) names.learn(name, number)
    end = committed.state.end
  }
}

function sample([owner, issuer]: [string, string]) {
  const { main, packages } = decodeDar(readFileSync(new URL('../packages/quickstart/quickstart.dar', import.meta.url)))
  const interpreter = createInterpreter(ledgerOf({ dalfs: packages }))
  const ledgerTime = BigInt(Date.now()) * 1000n
  const { transaction } = interpreter.interpret(
    {
      commands: [
        {
          kind: 'create',
          templateId: `${main.package.id}:Iou:Iou`,
          createArguments: { issuer, owner, amount: '100', currency: 'EUR', observers: [] },
        },
      ],
      actAs: [issuer, owner],
      readAs: [],
      contracts: [],
      ledgerTime,
      preparationTime: ledgerTime,
      seed: randomBytes(32),
      participantId: 'participant',
    },
    { stepsMax: 1e8 },
  )
  const { served, effects } = serve(transaction, ledgerTime)
  const [created] = effects.created
  const body = Buffer.from(served.body)
  const place = body.indexOf(inBase64(created!.contractId))

  return (synchronizer: Synchronizer): InterpretedCommand => {
    const contractId = `00${randomBytes(32).toString('hex')}${created!.contractId.slice(66)}`
    const ownBody = Buffer.from(body)
    ownBody.write(inBase64(contractId), place)
    const change = { userId: 'bench', commandId: randomBytes(12).toString('hex'), actAs: [issuer, owner].sort() }
    return {
      kind: 'transaction',
      ...change,
      submissionId: randomBytes(16).toString('hex'),
      workflowId: '',
      changeId: changeIdOf(change),
      change,
      deduplication: { kind: 'duration', micros: 0n },
      traceContext: null,
      updateId: `1220${randomBytes(32).toString('hex')}`,
      ledgerTime: BigInt(Date.now()) * 1000n,
      synchronizer,
      served: { ...served, body: ownBody },
      effects: { ...effects, created: [{ ...created!, contractId }] },
    }
  }
}

/** As packed texts have it. */
function inBase64(contractId: string): string {
  return Buffer.from(contractId, 'hex').toString('base64')
}

if (process.argv[1]?.endsWith('fill-ledger.ts')) await fillLedger(process.argv[2]!, Number(process.argv[3]))
