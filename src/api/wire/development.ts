// The tools of a development node on the wire. All of it is ours: Canton has nothing of the kind.

import { Type } from 'typebox'
import { command } from './commands.ts'
import { reassignmentCommand } from './reassignments.ts'
import { damlValue, flag, flat, int64, list, message, optional, text, textMap, timestamp, variants } from './schema.ts'

const snapshot = message(
  'Snapshot',
  {
    name: text('Its name'),
    takenAt: timestamp('When it was taken'),
    offset: int64('The end of its ledger'),
    bytes: int64('Its size'),
    problem: text('Why it cannot be restored; empty if it can'),
  },
  { description: 'A copy of the whole ledger' },
)

export const takeSnapshotRequest = message('TakeSnapshotRequest', {
  name: text('Lower-case letters, digits, dots, dashes and underscores; a free name is chosen if it is empty'),
})

export const snapshotResponse = message('SnapshotResponse', { snapshot })

export const listSnapshotsResponse = message('ListSnapshotsResponse', {
  snapshots: list(snapshot, 'Oldest first'),
})

export const moveTimeRequest = message('MoveTimeRequest', {
  advance: text('How far, such as P1D, PT1H30M (ISO 8601), 30d, 12h, 15m or 90s'),
  set: optional(timestamp('Instead of a duration: the new time, not earlier than the present one')),
})

const parties = (description: string) => list(Type.String(), description)

const ofNode = {
  nodeId: Type.Integer({ description: 'As in the transaction' }),
  authorizers: parties('The parties with whose authority it happens'),
  witnesses: parties('The parties that see it'),
}
const ofContract = {
  templateId: text('The template of the contract'),
  packageName: text('The name of its package'),
  contractId: text('The contract'),
  signatories: parties('Its signatories'),
  stakeholders: parties('Its signatories and observers'),
  contractKey: optional(damlValue('Its key')),
  maintainers: parties('The maintainers of the key'),
}
const ofUse = {
  interfaceId: optional(text('The interface through which the contract is used')),
  actors: parties('Who exercises or fetches'),
  byKey: flag('Whether the contract was found by its key'),
}
const children = list(Type.Integer(), 'What happens inside, by node id')

const node = variants('DryRunNode', [
  flat(
    'Create',
    message(
      'DryRunCreate',
      { ...ofNode, ...ofContract, createArgument: damlValue('The fields of the contract') },
      { description: 'A new contract' },
    ),
  ),
  flat(
    'Exercise',
    message(
      'DryRunExercise',
      {
        ...ofNode,
        ...ofContract,
        ...ofUse,
        choice: text('The choice'),
        choiceArgument: damlValue('Its argument'),
        exerciseResult: optional(damlValue('Its result; null if an exception ended it')),
        choiceObservers: parties('The observers of the choice'),
        consuming: flag('Whether it archives the contract'),
        children,
      },
      { description: 'A choice that is exercised' },
    ),
  ),
  flat(
    'Fetch',
    message('DryRunFetch', { ...ofNode, ...ofContract, ...ofUse }, { description: 'A contract that is read' }),
  ),
  flat(
    'QueryByKey',
    message(
      'DryRunQueryByKey',
      {
        ...ofNode,
        templateId: text('The template of the key'),
        packageName: text('The name of its package'),
        contractKey: damlValue('The key'),
        maintainers: parties('Its maintainers'),
        contractIds: list(Type.String(), 'What was found'),
      },
      { description: 'A lookup by contract key' },
    ),
  ),
  flat('Rollback', message('DryRunRollback', { ...ofNode, children }, { description: 'What an exception undid' })),
])

export const dryRunResponse = message('DryRunResponse', {
  synchronizerId: text('Where the transaction would be recorded'),
  synchronizerAlias: text('Its alias'),
  reassigned: list(Type.String(), 'Contracts that would be moved there first'),
  ledgerTime: timestamp('The time that Daml code would see'),
  roots: list(Type.Integer(), 'The nodes of the commands, in order'),
  nodes: list(node, 'Everything that would happen'),
  contractsRead: list(Type.String(), 'Contracts of the ledger that it uses'),
  keysRead: list(
    message('DryRunKey', {
      keyHash: text('The hash of the key'),
      contractIds: list(Type.String(), 'The contracts that were found'),
    }),
    'Contract keys that it looks up',
  ),
  packages: list(Type.String(), 'The packages that it uses'),
  earliest: timestamp('The earliest ledger time at which it would do the same'),
  latest: timestamp('The latest'),
  traces: list(Type.String(), 'Messages of trace and debug, in order'),
  steps: Type.Integer({ description: 'Steps of evaluation, of which engine.stepsMax allows so many' }),
  microseconds: Type.Integer({ description: 'Time for interpretation' }),
})

const rejection = message('Rejection', {
  number: Type.Integer({ description: 'Counts all since the start of the node' }),
  at: timestamp('The ledger time when it was refused'),
  operation: text('submit, prepare or execute (interactive submission), or reassign'),
  userId: text('The user that submitted it'),
  commandId: text('The command id'),
  submissionId: text('The submission id'),
  workflowId: text('The workflow id'),
  actAs: parties('The parties that it acts as'),
  readAs: parties('The parties that it also reads as'),
  commands: optional(
    list(command, 'The commands, without their values if the transaction was signed elsewhere; null if they are large'),
  ),
  reassignments: optional(list(reassignmentCommand, 'The commands of a reassignment; null if they are large')),
  code: text('The error code'),
  cause: text('What the error says'),
  category: Type.Integer({ description: 'The error category' }),
  context: textMap('More about the error'),
  where: message(
    'RejectionPlace',
    {
      choice: optional(text('The innermost choice')),
      definition: optional(text('The definition that failed')),
      location: optional(text('Its place in the source, if the package has it')),
      exercises: list(Type.String(), 'The choices that led to it, the innermost first'),
    },
    { description: 'Where in Daml it happened' },
  ),
  traces: list(Type.String(), 'Messages of trace and debug before it'),
  offset: optional(int64('The offset of the completion, if it was rejected at commit')),
  hint: optional(text('What to do about it, if the node can tell; the one that the client got, if it waited')),
})

export const rejectionsRequest = message('RejectionsRequest', {
  after: Type.Integer({ default: 0, description: 'Only those with a higher number' }),
})

export const rejections = Type.Array(rejection)

const match = message(
  'FaultMatch',
  {
    templateId: text('Of one of the commands: as they name it, or only Module:Entity'),
    commandId: text('The command id'),
    userId: text('The user'),
    participant: text('The participant of a network that they are submitted to, by its name'),
  },
  { description: 'The submissions it is for; all if nothing is given' },
)

const failure = message(
  'FaultFailure',
  {
    code: text('The error code, such as CONTRACT_NOT_FOUND or LOCAL_VERDICT_LOCKED_CONTRACTS'),
    message: text('What the error says'),
  },
  { description: 'Refuses the submission' },
)

const order = {
  match: optional(match),
  every: Type.Integer({ default: 1, description: 'Of the submissions that match, each n-th' }),
  times: Type.Integer({ default: 1, description: 'How often it strikes; 0 until it is deleted' }),
  fail: optional(failure),
  delayMs: Type.Integer({ default: 0, description: 'Delays the submission, by at most ten minutes' }),
  loseAnswer: flag('Commits, and closes the connection instead of answering'),
  endStreams: flag('Ends all open streams, in a network those of all participants or of the one that match names'),
}

export const orderFaultRequest = message('OrderFaultRequest', order, {
  description: 'With one of fail, delayMs, loseAnswer and endStreams',
})

const fault = message(
  'Fault',
  {
    id: Type.Integer({ description: 'Its id' }),
    ...order,
    met: Type.Integer({ description: 'How many submissions matched' }),
    struck: Type.Integer({ description: 'How often it struck' }),
  },
  { description: 'A fault on order' },
)

export const faultResponse = message('FaultResponse', { fault })

export const listFaultsResponse = message('ListFaultsResponse', { faults: list(fault, 'Oldest first') })

export const issueTokenRequest = message(
  'IssueTokenRequest',
  {
    parties: list(Type.String(), 'Act as these: party ids, or hints of parties, which are allocated if they are new'),
    readAs: list(Type.String(), 'Read as these, named in the same way'),
    admin: flag('Administer the participant'),
    userId: text('The user, which gets just these rights; if none are given, it keeps its own'),
    lifetime: text('How long the token is valid: 90s, 15m, 1h, 7d, PT1H30M or unlimited; 1h if it is empty'),
  },
  { description: 'Whom a token is for' },
)

export const issueTokenResponse = message('IssueTokenResponse', {
  token: text('The token; a node that requires none ignores it'),
  userId: text('Its user'),
  parties: list(Type.String(), 'The ids of the parties, in the order of the request'),
  readAs: list(Type.String(), 'The ids of those it reads as'),
})

const builtPackage = message(
  'BuiltPackage',
  {
    packageId: text('Its id'),
    packageName: text('Its name'),
    packageVersion: text('Its version'),
  },
  { description: 'A package' },
)

export const takeOverResponse = message('TakeOverResponse', {
  package: builtPackage,
  replaced: list(builtPackage, 'Those that it took the name over from; they are no longer vetted'),
  outdated: list(builtPackage, 'Those that depend on a replaced one, and have to be built again'),
})

export const signInRequest = message('SignInRequest', {
  key: text('The key in the fragment of a link that the node or `tallystick explorer` printed'),
})

export const signInResponse = message('SignInResponse', {
  token: text('A token for everything, like that of the command line'),
})

export const signInKeyResponse = message('SignInKeyResponse', {
  key: text('Belongs in the fragment of a link: /explorer#key=…'),
  expiresAt: timestamp('The link opens nothing from then on'),
})
