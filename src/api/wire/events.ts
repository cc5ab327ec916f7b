// Events in answers. The ledger writes them as JSON itself, so these schemas only document: JsTransaction,
// JsReassignment and their parts in the OpenAPI document.
import { Type } from 'typebox'
import {
  boxed,
  bytes,
  damlValue,
  flag,
  flat,
  identifier,
  int32,
  int64,
  list,
  mapOf,
  message,
  optional,
  text,
  timestamp,
  unknownFields,
  variants,
} from './schema.ts'

export const offset = int64('The offset on this participant')
const nodeId = int32('The node in the transaction; numbers may have gaps')
const contractId = text('The contract')
const templateId = identifier('The template of the contract: package-id:Module:Template')
const packageName = text('The name of the package of the template')
const parties = (description: string) => list(Type.String(), description)
const witnessParties = parties('Those of the requesting parties that see it')
const implementedInterfaces = list(identifier('An interface'), 'The requested interfaces that the template implements')
const acsDelta = flag('Whether it changes the active contracts of the requesting parties')
export const synchronizerId = text('The synchronizer it happened on')
const recordTime = timestamp('When the synchronizer recorded it')
export const updateId = text('The update: 68 hex digits')
const commandId = text('The command that caused it, for its submitters; otherwise empty')
const workflowId = text('The workflow id of the submission; empty if none')
const paidTrafficCost = optional(int64('Its traffic cost, for its submitters'))

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
    unknownFields,
    valueDecoded: Type.Unknown({ description: 'The detail as JSON', documented: { type: 'string' } }),
  },
  { description: 'One detail of an error', requires: ['typeUrl', 'value', 'unknownFields'] },
)

export const status = message(
  'JsStatus',
  {
    code: int32('The gRPC code; 0 for success'),
    message: text('The error: code, category and cause'),
    details: list(detail, 'Further details'),
  },
  { description: 'The outcome', requires: ['code', 'message'] },
)

const interfaceView = message(
  'JsInterfaceView',
  {
    interfaceId: identifier('The interface: package-id:Module:Interface'),
    viewStatus: status,
    viewValue: damlValue('The view; null if it could not be computed'),
    implementationPackageId: optional(text('The package whose code computed the view')),
  },
  { requires: ['interfaceId', 'viewStatus'] },
)

export const createdEvent = message(
  'CreatedEvent',
  {
    offset,
    nodeId,
    contractId,
    templateId,
    contractKey: damlValue('The key of the contract; null if it has none'),
    contractKeyHash: bytes('The hash of the key; empty if there is none'),
    createArgument: damlValue('The arguments of the contract'),
    createdEventBlob: bytes('The contract as bytes, for disclosure; empty unless requested'),
    interfaceViews: list(interfaceView, 'Views of the requested interfaces'),
    witnessParties,
    signatories: parties('The signatories of the contract'),
    observers: parties('The observers of the contract'),
    createdAt: timestamp('The ledger time of its creation'),
    packageName,
    representativePackageId: text('The package used to decode the contract'),
    acsDelta,
  },
  {
    description: 'A contract was created',
    requires: [
      'offset',
      'nodeId',
      'contractId',
      'templateId',
      'createArgument',
      'witnessParties',
      'signatories',
      'createdAt',
      'packageName',
      'representativePackageId',
      'acsDelta',
    ],
  },
)

export const archivedEvent = message(
  'ArchivedEvent',
  { offset, nodeId, contractId, templateId, witnessParties, packageName, implementedInterfaces },
  {
    description: 'A contract was archived',
    requires: ['offset', 'nodeId', 'contractId', 'templateId', 'witnessParties', 'packageName'],
  },
)

const exercisedEvent = message(
  'ExercisedEvent',
  {
    offset,
    nodeId,
    contractId,
    templateId,
    interfaceId: optional(identifier('The interface of the choice, if it belongs to one')),
    choice: text('The choice'),
    choiceArgument: damlValue('The argument of the choice'),
    actingParties: parties('The parties that exercised it'),
    consuming: flag('Whether it archived the contract'),
    witnessParties,
    lastDescendantNodeId: int32('The last node among its consequences'),
    exerciseResult: damlValue('The result of the choice'),
    packageName,
    implementedInterfaces,
    acsDelta,
  },
  {
    description: 'A choice was exercised',
    requires: [
      'offset',
      'nodeId',
      'contractId',
      'templateId',
      'choice',
      'choiceArgument',
      'actingParties',
      'consuming',
      'witnessParties',
      'lastDescendantNodeId',
      'packageName',
      'acsDelta',
    ],
  },
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

const effectiveAt = timestamp('The ledger time')

export const transaction = message(
  'JsTransaction',
  {
    updateId,
    commandId,
    workflowId,
    effectiveAt,
    events: list(event, 'The events, in order'),
    offset,
    synchronizerId,
    traceContext: optional(traceContext),
    recordTime,
    externalTransactionHash: optional(text('The hash that external parties signed, in hex')),
    paidTrafficCost,
  },
  {
    description: 'A transaction, as far as it is visible',
    requires: ['updateId', 'effectiveAt', 'events', 'offset', 'synchronizerId', 'recordTime'],
  },
)

export const transactionTree = message(
  'JsTransactionTree',
  {
    updateId,
    commandId,
    workflowId,
    effectiveAt,
    offset,
    eventsById: mapOf('Map_Int_TreeEvent', treeEvent, 'The events, by node id'),
    synchronizerId,
    traceContext: optional(traceContext),
    recordTime,
  },
  {
    description: 'A transaction with all its visible nodes',
    requires: ['updateId', 'effectiveAt', 'offset', 'eventsById', 'synchronizerId', 'recordTime'],
  },
)

const ofReassignment = {
  source: text('The source synchronizer'),
  target: text('The target synchronizer'),
  reassignmentId: text('The reassignment'),
  submitter: text('The submitting party; empty if the node assigned it automatically'),
  reassignmentCounter: int64('The number of reassignments of the contract'),
}

export const unassignedEvent = message(
  'UnassignedEvent',
  {
    reassignmentId: ofReassignment.reassignmentId,
    contractId,
    templateId,
    source: ofReassignment.source,
    target: ofReassignment.target,
    submitter: ofReassignment.submitter,
    reassignmentCounter: ofReassignment.reassignmentCounter,
    assignmentExclusivity: optional(timestamp('Only the submitter may assign it before this time')),
    witnessParties,
    packageName,
    offset,
    nodeId,
  },
  {
    description: 'A contract was unassigned from a synchronizer',
    requires: [
      ...(['reassignmentId', 'contractId', 'templateId', 'source', 'target'] as const),
      ...(['reassignmentCounter', 'witnessParties', 'packageName', 'offset', 'nodeId'] as const),
    ],
  },
)

const assignment = { ...ofReassignment, createdEvent }
export const assignedEvent = message('JsAssignedEvent', assignment, {
  description: 'A contract was assigned to a synchronizer',
  requires: ['source', 'target', 'reassignmentId', 'reassignmentCounter', 'createdEvent'],
})
const assignmentEvent = message('JsAssignmentEvent', assignment, {
  description: 'A contract was assigned to a synchronizer',
  requires: 'all',
})

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
      'The events',
    ),
    traceContext: optional(traceContext),
    recordTime,
    synchronizerId,
    paidTrafficCost,
  },
  {
    description: 'A reassignment of contracts from one synchronizer to another',
    requires: ['updateId', 'offset', 'events', 'recordTime', 'synchronizerId'],
  },
)

export const synchronizerTime = message(
  'SynchronizerTime',
  { synchronizerId: text('The synchronizer'), recordTime: timestamp('Its time') },
  { description: 'The record time of a synchronizer', requires: 'all' },
)

export const offsetCheckpoint = message(
  'OffsetCheckpoint1',
  { offset, synchronizerTimes: list(synchronizerTime, 'The record time of each synchronizer') },
  { description: 'An offset checkpoint: everything up to this offset was sent', requires: ['offset'] },
)
