// Synchronizers on the wire. Mirrors part of Canton's JsStateService.
import { type Static, Type } from 'typebox'
import type { Connection } from '../../ledger/administration/parties.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import { choiceOf, list, message } from './schema.ts'

const connectedSynchronizer = message(
  'ConnectedSynchronizer',
  {
    synchronizerAlias: Type.String({ description: 'The alias on this participant' }),
    synchronizerId: Type.String({ description: 'name::fingerprint' }),
    permission: choiceOf(
      [
        'PARTICIPANT_PERMISSION_UNSPECIFIED',
        'PARTICIPANT_PERMISSION_SUBMISSION',
        'PARTICIPANT_PERMISSION_CONFIRMATION',
        'PARTICIPANT_PERMISSION_OBSERVATION',
      ],
      "The participant's permission for the requested party; unspecified if none was requested",
    ),
  },
  { requires: ['synchronizerAlias', 'synchronizerId'] },
)

export const connectedSynchronizersResponse = message('GetConnectedSynchronizersResponse', {
  connectedSynchronizers: list(connectedSynchronizer, 'The synchronizers, in no particular order'),
})

const synchronizerState = message('SynchronizerState', {
  synchronizerAlias: Type.String({ description: 'The alias on this participant' }),
  synchronizerId: Type.String({ description: 'name::fingerprint' }),
  priority: Type.Integer({ format: 'int32', description: 'The highest is preferred where there is a choice' }),
  isConnected: Type.Boolean({ description: 'Whether commands can use it' }),
})

/** Ours: Canton has it only in its admin API. */
export const synchronizersResponse = message('ListSynchronizersResponse', {
  synchronizers: list(synchronizerState, 'All synchronizers of the node, connected or not'),
})

export function synchronizersToJson({ synchronizers }: Ledger): Static<typeof synchronizersResponse> {
  const states = synchronizers.all().map(({ alias, id, priority, isConnected }) => {
    return { synchronizerAlias: alias, synchronizerId: id, priority, isConnected }
  })
  return { synchronizers: states }
}

const permissions = {
  submission: 'PARTICIPANT_PERMISSION_SUBMISSION',
  confirmation: 'PARTICIPANT_PERMISSION_CONFIRMATION',
  observation: 'PARTICIPANT_PERMISSION_OBSERVATION',
} as const

export function connectionToJson({ synchronizer, permission }: Connection): Static<typeof connectedSynchronizer> {
  return {
    synchronizerAlias: synchronizer.alias,
    synchronizerId: synchronizer.id,
    permission: permission ? permissions[permission] : 'PARTICIPANT_PERMISSION_UNSPECIFIED',
  }
}
