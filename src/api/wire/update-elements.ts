// Elements of update streams: transactions, reassignments, topology changes and checkpoints. As in events.ts, these
// schemas only document.
import {
  offset,
  offsetCheckpoint,
  reassignment,
  synchronizerId,
  traceContext,
  transaction,
  transactionTree,
  updateId,
} from './events.ts'
import { boxed, choiceOf, emptyVariant, list, message, oneOf, optional, text, timestamp, variants } from './schema.ts'

const permissions = [
  'PARTICIPANT_PERMISSION_UNSPECIFIED',
  'PARTICIPANT_PERMISSION_SUBMISSION',
  'PARTICIPANT_PERMISSION_CONFIRMATION',
  'PARTICIPANT_PERMISSION_OBSERVATION',
] as const

const hosting = { partyId: text('The party'), participantId: text('The participant') }
const hostingWithPermission = {
  ...hosting,
  participantPermission: choiceOf(permissions, "The participant's permission for the party"),
}
const hostingChange = (name: string, description: string) =>
  boxed(name, message(`${name}1`, hostingWithPermission, { description, requires: 'all' }))

const topologyTransaction = message(
  'JsTopologyTransaction',
  {
    updateId,
    offset,
    synchronizerId,
    recordTime: timestamp('When the change takes effect'),
    events: list(
      message('TopologyEvent', {
        event: oneOf(
          'TopologyEventEvent',
          [
            emptyVariant('Empty7'),
            hostingChange('ParticipantAuthorizationAdded', 'A participant started to host a party'),
            hostingChange('ParticipantAuthorizationChanged', "A participant's permission for a party changed"),
            hostingChange('ParticipantAuthorizationOnboarding', 'A participant is about to host a party'),
            boxed(
              'ParticipantAuthorizationRevoked',
              message('ParticipantAuthorizationRevoked1', hosting, {
                description: 'A participant stopped hosting a party',
                requires: 'all',
              }),
            ),
          ],
          { description: 'One change' },
        ),
      }),
      'The changes',
    ),
    traceContext: optional(traceContext),
  },
  {
    description: 'A topology transaction: the hosting of parties changed',
    requires: ['updateId', 'offset', 'synchronizerId', 'recordTime', 'events'],
  },
)

const update = variants(
  'Update',
  [
    boxed('OffsetCheckpoint', offsetCheckpoint, 'OffsetCheckpoint2'),
    boxed('Reassignment', reassignment),
    boxed('TopologyTransaction', topologyTransaction),
    boxed('Transaction', transaction),
  ],
  { description: 'One update' },
)

export const updateElement = message('JsGetUpdatesResponse', { update }, { requires: [] })
/** Never a checkpoint. */
export const singleUpdate = message('JsGetUpdateResponse', { update }, { requires: [] })

export const treeElement = message(
  'JsGetUpdateTreesResponse',
  {
    update: variants(
      'Update1',
      [
        boxed('OffsetCheckpoint', offsetCheckpoint, 'OffsetCheckpoint3'),
        boxed('Reassignment', reassignment, 'Reassignment1'),
        boxed('TransactionTree', transactionTree),
      ],
      { description: 'One update' },
    ),
  },
  { requires: [] },
)
