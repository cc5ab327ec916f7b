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
export const synchronizerId = text('The synchronizer it happened on')
const recordTime = timestamp('When the synchronizer recorded it')
export const updateId = text('The update: 68 hex digits')
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
    unknownFields,
    valueDecoded: Type.Unknown({ description: 'The detail as JSON', documented: { type: 'string' } }),
  },
  { description: 'One detail of an error', requires: ['typeUrl', 'value', 'unknownFields'] },
)

export const status = message(
  'JsStatus',
  {
    code: int32('The gRPC code; 0 for success'),
    message: text('What is wrong: code, category and cause'),
    details: list(detail, 'More about it'),
  },
  { description: 'How it ended', requires: ['code', 'message'] },
)

const interfaceView = message(
  'JsInterfaceView',
  {
    interfaceId: identifier('The interface: package-id:Module:Interface'),
    viewStatus: status,
    viewValue: damlValue('The view; null when it could not be computed'),
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
    events: list(event, 'What happened, in order'),
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
    eventsById: mapOf('Map_Int_TreeEvent', treeEvent, 'What happened, by node id'),
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
  source: text('The synchronizer the contract leaves'),
  target: text('The synchronizer the contract goes to'),
  reassignmentId: text('The reassignment'),
  submitter: text('Who asked for it; empty when the node did'),
  reassignmentCounter: int64('How often the contract was reassigned'),
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
    assignmentExclusivity: optional(timestamp('Until then only the submitter may assign it')),
    witnessParties,
    packageName,
    offset,
    nodeId,
  },
  {
    description: 'A contract left a synchronizer',
    requires: [
      ...(['reassignmentId', 'contractId', 'templateId', 'source', 'target'] as const),
      ...(['reassignmentCounter', 'witnessParties', 'packageName', 'offset', 'nodeId'] as const),
    ],
  },
)

const assignment = { ...ofReassignment, createdEvent }
export const assignedEvent = message('JsAssignedEvent', assignment, {
  description: 'A contract came to a synchronizer',
  requires: ['source', 'target', 'reassignmentId', 'reassignmentCounter', 'createdEvent'],
})
const assignmentEvent = message('JsAssignmentEvent', assignment, {
  description: 'A contract came to a synchronizer',
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
      'What happened',
    ),
    traceContext: optional(traceContext),
    recordTime,
    synchronizerId,
    paidTrafficCost,
  },
  {
    description: 'Contracts went from one synchronizer to another',
    requires: ['updateId', 'offset', 'events', 'recordTime', 'synchronizerId'],
  },
)

export const synchronizerTime = message(
  'SynchronizerTime',
  { synchronizerId: text('The synchronizer'), recordTime: timestamp('Its time') },
  { description: 'How far a synchronizer is', requires: 'all' },
)

export const offsetCheckpoint = message(
  'OffsetCheckpoint1',
  { offset, synchronizerTimes: list(synchronizerTime, 'How far each synchronizer is') },
  { description: 'Nothing up to this offset is still to come', requires: ['offset'] },
)
