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
        config: { synchronizerAlias: one.alias, priority: one.priority, sequencerConnections, timeTracker },
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

const milliseconds = (ms: number) => ({ seconds: Math.floor(ms / 1000), nanos: (ms % 1000) * 1_000_000 })

/** There is no sequencer, but clients refuse a configuration without one. The rest is what Canton has by default. */
const sequencerConnections = {
  sequencerConnections: [{ type: { Grpc: { connections: ['http://sequencer.invalid:1'] } }, alias: 'sequencer1' }],
  sequencerTrustThreshold: 1,
  submissionRequestAmplification: { factor: 1, patience: milliseconds(0) },
  sequencerConnectionPoolDelays: {
    minRestartDelay: milliseconds(10),
    maxRestartDelay: milliseconds(10_000),
    subscriptionRequestDelay: milliseconds(1000),
    warnValidationDelay: milliseconds(20_000),
  },
}
const timeTracker = {
  observationLatency: milliseconds(250),
  patienceDuration: milliseconds(500),
  minObservationDuration: milliseconds(86_400_000),
  timeProofRequest: {
    initialRetryDelay: milliseconds(200),
    maxRetryDelay: milliseconds(5000),
    maxSequencingDelay: milliseconds(10_000),
  },
}

async function connected({ synchronizers }: Ledger, alias: string): Promise<object> {
  await synchronizers.setConnected(alias, true)
  return { connectedSuccessfully: true }
}

function unlike({ synchronizers }: Ledger, isConnected: boolean): readonly Synchronizer[] {
  return synchronizers.all().filter((one) => one.isConnected !== isConnected)
}
