// The store over either database.
import { acceptedChangeRecords, completionRecords } from './completions.ts'
import { contractRecords } from './contracts.ts'
import type { Database, Queries } from './database.ts'
import { externalPartyRecords } from './external-parties.ts'
import { identityProviderRecords } from './identity-providers.ts'
import { ledgerStateRecords, nameRecords, synchronizerRecords } from './ledger-state.ts'
import { nodeRecords } from './node-records.ts'
import { darRecords, packageRecords } from './packages.ts'
import { partyRecords } from './parties.ts'
import { reassignmentRecords } from './reassignments.ts'
import type { Records, Store } from './store.ts'
import { updateRecords } from './updates.ts'
import { userRecords } from './users.ts'
import { vettingRecords } from './vetting.ts'

export function createStore(database: Database): Store {
  return {
    ...recordsOver(database),
    transaction: (body) => database.transaction((tx) => body(recordsOver(tx))),
    reclaim: (signal) => database.reclaim(signal),
    async check() {
      await database.query('SELECT 1 AS one')
    },
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  }
}

function recordsOver(queries: Queries): Records {
  return {
    users: userRecords(queries),
    parties: partyRecords(queries),
    externalParties: externalPartyRecords(queries),
    identityProviders: identityProviderRecords(queries),
    packages: packageRecords(queries),
    dars: darRecords(queries),
    vetting: vettingRecords(queries),
    node: nodeRecords(queries),
    state: ledgerStateRecords(queries),
    names: nameRecords(queries),
    synchronizers: synchronizerRecords(queries),
    updates: updateRecords(queries),
    contracts: contractRecords(queries),
    reassignments: reassignmentRecords(queries),
    completions: completionRecords(queries),
    acceptedChanges: acceptedChangeRecords(queries),
  }
}
