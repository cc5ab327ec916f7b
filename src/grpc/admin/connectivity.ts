// Which synchronizers the participant knows, and which of them it is connected to. Mirrors Canton's
// GrpcSynchronizerConnectivityService; synchronizers live inside the node, so none can be registered.

import type { Ledger } from '../../ledger/ledger.ts'
import { fullPhysicalId, type Synchronizer } from '../../ledger/model/synchronizers.ts'
import { malformed } from '../../ledger/packages/vetting-request.ts'
import type { AdminMethod } from './method.ts'

const service = 'admin.participant.v30.SynchronizerConnectivityService'

export const connectivityMethods: readonly AdminMethod[] = [
  {
    method: `${service}/ListConnectedSynchronizers`,
    async call({ synchronizers }) {
      const connectedSynchronizers = synchronizers.list().map((one) => ({
        synchronizerAlias: one.alias,
        synchronizerId: one.id,
        physicalSynchronizerId: fullPhysicalId(one),
        healthy: true,
      }))
      return { connectedSynchronizers }
    },
  },
  {
    method: `${service}/ListRegisteredSynchronizers`,
    async call({ synchronizers }) {
      const results = synchronizers.all().map((one) => ({
        config: { synchronizerAlias: one.alias, priority: one.priority },
        connected: one.isConnected,
        physicalSynchronizerId: fullPhysicalId(one),
        status: 'STATUS_ACTIVE',
      }))
      return { results }
    },
  },
  {
    method: `${service}/GetSynchronizerId`,
    async call(ledger, { synchronizerAlias }) {
      const found = ledger.synchronizers.byAlias(synchronizerAlias)
      return { synchronizerId: found.id, physicalSynchronizerId: fullPhysicalId(found) }
    },
  },
  {
    method: `${service}/ConnectSynchronizer`,
    async call(ledger, { config }) {
      if (config === undefined) throw malformed('FieldNotSet(config)')
      return connected(ledger, config.synchronizerAlias)
    },
  },
  {
    method: `${service}/ReconnectSynchronizer`,
    call: (ledger, { synchronizerAlias }) => connected(ledger, synchronizerAlias),
  },
  {
    method: `${service}/ReconnectSynchronizers`,
    async call(ledger) {
      for (const { alias } of unlike(ledger, true)) await ledger.synchronizers.setConnected(alias, true)
      return {}
    },
  },
  {
    method: `${service}/DisconnectSynchronizer`,
    async call({ synchronizers }, { synchronizerAlias }) {
      await synchronizers.setConnected(synchronizerAlias, false)
      return {}
    },
  },
  {
    method: `${service}/DisconnectAllSynchronizers`,
    async call(ledger) {
      for (const { alias } of unlike(ledger, false)) await ledger.synchronizers.setConnected(alias, false)
      return {}
    },
  },
]

async function connected({ synchronizers }: Ledger, alias: string): Promise<object> {
  await synchronizers.setConnected(alias, true)
  return { connectedSuccessfully: true }
}

function unlike({ synchronizers }: Ledger, isConnected: boolean): readonly Synchronizer[] {
  return synchronizers.all().filter((one) => one.isConnected !== isConnected)
}
