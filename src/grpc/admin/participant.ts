// Status, identity, time and pruning of the participant. Mirrors Canton's GrpcParticipantStatusService,
// GrpcIdentityInitializationService and GrpcPruningService.
import { trackedCantonVersion } from '../../api/routes/version.ts'
import { invalidArgument } from '../../base/errors.ts'
import type { PartHealth } from '../../base/health.ts'
import { newestProtocolVersion, oldestProtocolVersion } from '../../base/protocol-version.ts'
import { fullPhysicalId } from '../../ledger/model/synchronizers.ts'
import type { AdminMethod, NodeFacts } from './method.ts'

export function participantMethods({ ports, uptimeMs, health }: NodeFacts): readonly AdminMethod[] {
  return [
    {
      method: 'admin.participant.v30.ParticipantStatusService/ParticipantStatus',
      async call({ parties, synchronizers }) {
        const commonStatus = {
          uid: parties.participantId,
          uptime: durationOf(uptimeMs()),
          ports: ports(),
          active: true,
          topologyQueues: { manager: 0, dispatcher: 0, clients: 0 },
          components: health.parts().map(componentOf),
          version: trackedCantonVersion,
        }
        const connectedSynchronizers = synchronizers
          .list()
          .map((one) => ({ physicalSynchronizerId: fullPhysicalId(one), health: 'HEALTH_HEALTHY' }))
        const supportedProtocolVersions = [oldestProtocolVersion, newestProtocolVersion]
        return {
          kind: { Status: { commonStatus, connectedSynchronizers, active: true, supportedProtocolVersions } },
        }
      },
    },
    {
      method: 'topology.admin.v30.IdentityInitializationService/GetId',
      call: async ({ parties }) => ({ initialized: true, uniqueIdentifier: parties.participantId }),
    },
    {
      method: 'topology.admin.v30.IdentityInitializationService/CurrentTime',
      call: async ({ time }) => ({ currentTime: time.now() }),
    },
    {
      method: 'admin.participant.v30.PruningService/Prune',
      async call({ pruning }, { pruneUpTo }) {
        if (pruneUpTo <= 0n) {
          const problem = `Expecting positive value for offset, found ${pruneUpTo}.`
          throw invalidArgument(`The prune_up_to field (${pruneUpTo}) is invalid: ${problem}`)
        }
        await pruning.prune(pruneUpTo)
        return {}
      },
    },
    // There is no schedule: absent, as in Canton until one is set.
    { method: 'admin.participant.v30.PruningService/GetSchedule', call: async () => ({}) },
    { method: 'admin.participant.v30.PruningService/GetParticipantSchedule', call: async () => ({}) },
  ]
}

function durationOf(ms: number): { readonly seconds: number; readonly nanos: number } {
  return { seconds: Math.floor(ms / 1000), nanos: Math.floor(ms % 1000) * 1_000_000 }
}

function componentOf({ name, state, reason }: PartHealth): object {
  return { name, status: state === 'ok' ? { Ok: {} } : { Failed: { description: reason } } }
}
