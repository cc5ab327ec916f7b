// Events as they are answered. The ledger writes them as JSON itself, so these schemas only describe: they are what
// the OpenAPI document says of JsTransaction, JsReassignment and their kin.
import { Type } from 'typebox'
import {
  boxed,
  bytes,
  choiceOf,
  damlValue,
  emptyVariant,
  flag,
  flat,
  identifier,
  int32,
  int64,
  list,
  mapOf,
  message,
  oneOf,
  optional,
  text,
  timestamp,
  unknownFields,
  variants,
} from './schema.ts'

export const offset = int64('Where in the ledger of this participant')
const nodeId = int32('Which node of the transaction; numbers may have gaps')
const contractId = text('The contract')
const templateId = identifier('The template of the contract: package-id:Module:Template')
const packageName = text('The name of the package of the template')
const parties = (description: string) => list(Type.String(), description)
const witnessParties = parties('Those of the requesting parties that see it')
const implementedInterfaces = list(
  identifier('An interface'),
  'Interfaces asked for with a view that the template implements',
)
const acsDelta = flag('Whether it changes what is active for the requesting parties')
const synchronizerId = text('The synchronizer it happened on')
const recordTime = timestamp('When the synchronizer recorded it')
const updateId = text('The update: 68 hex digits')
const commandId = text('The command it comes from, for those who submitted it; else empty')
const workflowId = text('The workflow the submitter named; empty when none')
const paidTrafficCost = optional(int64('What its traffic cost, for those who submitted it'))

export const traceContext = message(
  'TraceContext',
  {
    traceparent: optional(text('The W3C traceparent of the submission')),
    tracestate: optional(text('The W3C tracestate of the submission')),
  },
  { description: 'The trace it belongs to' },
)

const detail = message(
  'ProtoAny',
  {
    typeUrl: text('The type of the detail, such as type.googleapis.com/google.rpc.ErrorInfo'),
    value: bytes('The detail as protobuf'),
    valueDecoded: damlValue('The detail as JSON'),
    unknownFields,
  },
  { description: 'One detail of an error' },
)

export const status = message(
  'JsStatus',
  {
    code: int32('The gRPC code; 0 for success'),
    message: text('What is wrong: code, category and cause'),
    details: list(detail, 'More about it'),
  },
  { description: 'How it ended' },
)

const interfaceView = message('JsInterfaceView', {
  interfaceId: identifier('The interface: package-id:Module:Interface'),
  viewStatus: status,
  viewValue: damlValue('The view; null when it could not be computed'),
  implementationPackageId: optional(text('The package whose code computed the view')),
})

export const createdEvent = message(
  'CreatedEvent',
  {
    offset,
    nodeId,
    contractId,
    templateId,
    contractKey: damlValue('The key of the contract; null when it has none'),
    contractKeyHash: bytes('The hash of the key; empty when there is none'),
    createArgument: damlValue('What the contract was created with'),
    createdEventBlob: bytes('The contract as bytes, to disclose it; empty unless asked for'),
    interfaceViews: list(interfaceView, 'Views of the interfaces asked for'),
    witnessParties,
    signatories: parties('Who signed the contract'),
    observers: parties('Who else sees the contract'),
    createdAt: timestamp('The ledger time of its creation'),
    packageName,
    representativePackageId: text('The package by which the contract is read'),
    acsDelta,
  },
  { description: 'A contract was created' },
)

export const archivedEvent = message(
  'ArchivedEvent',
  { offset, nodeId, contractId, templateId, witnessParties, packageName, implementedInterfaces },
  { description: 'A contract was archived' },
)

const exercisedEvent = message(
  'ExercisedEvent',
  {
    offset,
    nodeId,
    contractId,
    templateId,
    interfaceId: optional(identifier('The interface the choice belongs to, when it is one of an interface')),
    choice: text('The choice'),
    choiceArgument: damlValue('What the choice was exercised with'),
    actingParties: parties('Who exercised it'),
    consuming: flag('Whether it archived the contract'),
    witnessParties,
    lastDescendantNodeId: int32('The last node of what happened within it'),
    exerciseResult: damlValue('What it gave back'),
    packageName,
    implementedInterfaces,
    acsDelta,
  },
  { description: 'A choice was exercised' },
)

const event = variants('Event', [
  flat('ArchivedEvent', archivedEvent),
  flat('CreatedEvent', createdEvent),
  flat('ExercisedEvent', exercisedEvent),
])

const treeEvent = variants('TreeEvent', [
  boxed('CreatedTreeEvent', createdEvent),
  boxed('ExercisedTreeEvent', exercisedEvent),
])

const ofTransaction = {
  updateId,
  commandId,
  workflowId,
  effectiveAt: timestamp('The ledger time'),
  offset,
  synchronizerId,
  traceContext: optional(traceContext),
  recordTime,
}

export const transaction = message(
  'JsTransaction',
  {
    ...ofTransaction,
    events: list(event, 'What happened, in order'),
    externalTransactionHash: optional(text('The hash that external parties signed, in hex')),
    paidTrafficCost,
  },
  { description: 'A transaction, as far as it is visible' },
)

export const transactionTree = message(
  'JsTransactionTree',
  { ...ofTransaction, eventsById: mapOf(treeEvent, 'What happened, by node id') },
  { description: 'A transaction with all its visible nodes' },
)

const ofReassignment = {
  source: text('The synchronizer the contract leaves'),
  target: text('The synchronizer the contract goes to'),
  reassignmentId: text('The reassignment'),
  submitter: text('Who asked for it; empty when the node did'),
  reassignmentCounter: int64('How often the contract was reassigned'),
}

export const unassignedEvent = message(
  'UnassignedEvent',
  {
    ...ofReassignment,
    contractId,
    templateId,
    assignmentExclusivity: optional(timestamp('Until then only the submitter may assign it')),
    witnessParties,
    packageName,
    offset,
    nodeId,
  },
  { description: 'A contract left a synchronizer' },
)

const assignment = { ...ofReassignment, createdEvent }
export const assignedEvent = message('JsAssignedEvent', assignment, {
  description: 'A contract came to a synchronizer',
})
const assignmentEvent = message('JsAssignmentEvent', assignment, { description: 'A contract came to a synchronizer' })

export const reassignment = message(
  'JsReassignment',
  {
    updateId,
    commandId,
    workflowId,
    offset,
    events: list(
      variants('JsReassignmentEvent', [
        flat('JsAssignmentEvent', assignmentEvent),
        boxed('JsUnassignedEvent', unassignedEvent),
      ]),
      'What happened',
    ),
    traceContext: optional(traceContext),
    recordTime,
    synchronizerId,
    paidTrafficCost,
  },
  { description: 'Contracts went from one synchronizer to another' },
)

const permissions = [
  'PARTICIPANT_PERMISSION_UNSPECIFIED',
  'PARTICIPANT_PERMISSION_SUBMISSION',
  'PARTICIPANT_PERMISSION_CONFIRMATION',
  'PARTICIPANT_PERMISSION_OBSERVATION',
] as const

const hosting = { partyId: text('The party'), participantId: text('The participant') }
const hostingWithPermission = {
  ...hosting,
  participantPermission: choiceOf(permissions, 'What the participant may do for the party'),
}
const hostingChange = (name: string, description: string) =>
  boxed(name, message(name, hostingWithPermission, { description }))

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
            emptyVariant,
            hostingChange('ParticipantAuthorizationAdded', 'A participant hosts a party from now on'),
            hostingChange('ParticipantAuthorizationChanged', 'A participant hosts a party in another way'),
            hostingChange('ParticipantAuthorizationOnboarding', 'A participant is about to host a party'),
            boxed(
              'ParticipantAuthorizationRevoked',
              message('ParticipantAuthorizationRevoked', hosting, {
                description: 'A participant hosts a party no more',
              }),
            ),
          ],
          { description: 'One change' },
        ),
      }),
      'What changed',
    ),
    traceContext: optional(traceContext),
  },
  { description: 'Parties came to be hosted elsewhere' },
)

export const synchronizerTime = message(
  'SynchronizerTime',
  { synchronizerId: text('The synchronizer'), recordTime: timestamp('Its time') },
  { description: 'How far a synchronizer is' },
)

export const offsetCheckpoint = message(
  'OffsetCheckpoint',
  { offset, synchronizerTimes: list(synchronizerTime, 'How far each synchronizer is') },
  { description: 'Nothing up to this offset is still to come' },
)

const checkpoint = boxed('OffsetCheckpoint', offsetCheckpoint)
const reassigned = boxed('Reassignment', reassignment)
const topology = boxed('TopologyTransaction', topologyTransaction)
const transacted = boxed('Transaction', transaction)

export const updateElement = message('JsGetUpdatesResponse', {
  update: variants('Update', [checkpoint, reassigned, topology, transacted], { description: 'One update' }),
})

export const singleUpdate = message('JsGetUpdateResponse', {
  update: variants('SingleUpdate', [reassigned, topology, transacted], { description: 'The update' }),
})

export const treeElement = message('JsGetUpdateTreesResponse', {
  update: variants('UpdateTree', [checkpoint, reassigned, boxed('TransactionTree', transactionTree)], {
    description: 'One update',
  }),
})
