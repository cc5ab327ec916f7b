// The store over either database.
import { storedDataDamaged } from '../../base/errors.ts'
import type { OnDamage } from '../core/checksum.ts'
import type { Database, Queries } from '../core/database.ts'
import { inTablesOf } from '../core/participant-tables.ts'
import type { Records, Store, TransactionRecords } from '../core/store.ts'
import { acceptedChangeRecords, completionRecords } from './completions.ts'
import { contractRecords } from './contracts.ts'
import { externalPartyRecords } from './external-parties.ts'
import { identityProviderRecords } from './identity-providers.ts'
import { ledgerStateRecords, nameRecords } from './ledger-state.ts'
import { nodeRecords } from './node-records.ts'
import { darRecords, packageRecords } from './packages.ts'
import { partyRecords } from './parties.ts'
import { reassignmentRecords } from './reassignments.ts'
import { synchronizerRecords } from './synchronizers.ts'
import { topologyRecords } from './topology.ts'
import { updateRecords } from './updates.ts'
import { userRecords } from './users.ts'
import { vettingRecords } from './vetting.ts'
import { waitingUpdateRecords } from './waiting-updates.ts'

/** `onDamage` is called for every damaged row. */
export function createStore(database: Database, onDamage: OnDamage = storedDataDamaged): Store {
  /** SQLite has one object for all its transactions. */
  const transactions = new WeakMap<Queries, TransactionRecords>()
  const recordsIn = (tx: Queries): TransactionRecords =>
    transactions.getOrInsertComputed(tx, () => {
      return { ...recordsOver(tx, onDamage), of: (participant) => recordsIn(inTablesOf(participant, tx)) }
    })
  const over = <T>(body: (records: TransactionRecords) => Promise<T>) => {
    return (tx: Queries) => body(recordsIn(tx))
  }
  return {
    ...recordsOver(database, onDamage),
    isShared: database.sharing !== undefined,
    transaction: (body) => database.transaction(over(body)),
    beside: (body) => (database.beside ?? database.transaction)(over(body)),
    isBesideAlone: database.beside === undefined,
    reclaim: (signal) => database.reclaim(signal),
    giveUp: () => database.giveUp?.(),
    async check() {
      await database.query('SELECT 1 AS one')
    },
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  }
}

function recordsOver(queries: Queries, onDamage: OnDamage): Records {
  return {
    users: userRecords(queries, onDamage),
    parties: partyRecords(queries, onDamage),
    externalParties: externalPartyRecords(queries, onDamage),
    topology: topologyRecords(queries, onDamage),
    identityProviders: identityProviderRecords(queries, onDamage),
    packages: packageRecords(queries, onDamage),
    dars: darRecords(queries, onDamage),
    vetting: vettingRecords(queries, onDamage),
    node: nodeRecords(queries, onDamage),
    state: ledgerStateRecords(queries, onDamage),
    names: nameRecords(queries, onDamage),
    synchronizers: synchronizerRecords(queries, onDamage),
    updates: updateRecords(queries, onDamage),
    contracts: contractRecords(queries, onDamage),
    reassignments: reassignmentRecords(queries, onDamage),
    completions: completionRecords(queries, onDamage),
    acceptedChanges: acceptedChangeRecords(queries, onDamage),
    waitingUpdates: waitingUpdateRecords(queries, onDamage),
  }
}
