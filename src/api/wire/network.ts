// The participants of a network on the wire, for the tools of a development node. All of it is ours.
import { type Static, Type } from 'typebox'
import type { ParticipantState, ParticipantView } from '../../ledger/network/control.ts'
import { flag, int64, list, message, nullable, text } from './schema.ts'
import { singleUpdate } from './update-elements.ts'

const synchronizerLag = message(
  'SynchronizerLag',
  {
    synchronizerAlias: text('Its alias'),
    synchronizerId: text('Its id'),
    isConnected: flag('Whether the participant is connected to it'),
    waiting: Type.Integer({ description: 'Updates that the participant has not been given yet' }),
    waitingBytes: int64('Their size'),
    lagMs: int64('How long the first of them has waited'),
  },
  { description: 'A synchronizer of a participant' },
)

const participantState = message(
  'ParticipantState',
  {
    participant: text('Its name'),
    participantId: text('Its id'),
    url: text('Where it listens; empty if this process does not serve it'),
    isStopped: flag('Whether it was stopped'),
    delayMs: Type.Integer({ description: 'How much later it receives and confirms' }),
    offset: int64('The end of its ledger'),
    synchronizers: list(synchronizerLag, 'Those that it is on, connected or not'),
  },
  { description: 'A participant of the network' },
)

export const networkResponse = message('NetworkResponse', {
  participants: list(participantState, 'All participants; none on a node without a network'),
})

const participantView = message(
  'ParticipantView',
  {
    participant: text('Its name'),
    update: nullable(singleUpdate.properties.update),
  },
  {
    description: 'What a participant shows of an update to all of its parties together; null if it sees nothing of it',
  },
)

export const participantViewsResponse = message('ParticipantViewsResponse', {
  participants: list(participantView, 'All participants; none on a node without a network'),
})

export const controlParticipantRequest = message('ControlParticipantRequest', {
  participant: text('The name of the participant, or its id'),
  action: text('One of connect, disconnect, stop, resume and delay'),
  synchronizerAlias: text('To connect or disconnect; all synchronizers of the participant if it is empty'),
  delayMs: Type.Integer({ default: 0, description: 'For delay: how much later it receives and confirms; 0 ends it' }),
})

export const allocateOnSeveralRequest = message('AllocateOnSeveralRequest', {
  partyIdHint: text('The first part of its id'),
  participants: list(Type.String(), 'The other participants that host it, by name or id'),
})

export const allocateOnSeveralResponse = message('AllocateOnSeveralResponse', { party: text('Its id') })

export function networkToJson(participants: readonly ParticipantState[]): Static<typeof networkResponse> {
  return {
    participants: participants.map(({ name, participantId, url, isStopped, delayMs, offset, synchronizers }) => ({
      participant: name,
      participantId,
      url: url ?? '',
      isStopped,
      delayMs,
      offset: Number(offset),
      synchronizers: synchronizers.map(({ alias, id, isConnected, waiting, waitingBytes, lagMs }) => {
        return { synchronizerAlias: alias, synchronizerId: id, isConnected, waiting, waitingBytes, lagMs }
      }),
    })),
  } as never
}

export function viewsToJson(views: readonly ParticipantView[]): string {
  const participants = views.map(({ name, update }) => {
    return `{"participant":${JSON.stringify(name)},"update":${update ?? 'null'}}`
  })
  return `{"participants":[${participants.join(',')}]}`
}
