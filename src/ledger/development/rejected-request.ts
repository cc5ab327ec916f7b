// A submission as the journal of refusals shows it and as faults match it: who sent it, and what. Commands are in the
// form of the API, so that they can be sent again.
import type { PreparedNode } from '../../lf/codec/prepared-transaction.ts'
import type { Identifier } from '../../lf/syntax/ast.ts'
import { senderOf } from '../interactive/execute-request.ts'
import type { ExecuteRequest, PrepareRequest } from '../interactive/interactive-requests.ts'
import { asSent, type Command, type Commands } from '../model/commands.ts'
import type { ReassignmentCommand, ReassignmentCommands } from '../reassignment/reassignment-commands.ts'

type Sender = Pick<Commands, 'userId' | 'commandId' | 'submissionId' | 'workflowId' | 'actAs' | 'readAs'>

export type RejectedRequest = {
  readonly operation: 'submit' | 'prepare' | 'execute' | 'reassign'
  readonly sender: Sender
  /** As the commands name them. */
  templateIds(): readonly string[]
  commands(): readonly object[]
  reassignments(): readonly object[]
}

const none = () => []

export function submitted(request: Commands): RejectedRequest {
  const { userId, commandId, submissionId, workflowId, actAs, readAs } = request
  return {
    operation: 'submit',
    sender: { userId, commandId, submissionId, workflowId, actAs, readAs },
    templateIds: () => request.commands.map(({ templateId }) => templateId),
    commands: () => request.commands.map(asSent),
    reassignments: none,
  }
}

export function toPrepare({ userId, commandId, actAs, readAs, commands }: PrepareRequest): RejectedRequest {
  return {
    operation: 'prepare',
    sender: { userId, commandId, submissionId: '', workflowId: '', actAs, readAs },
    templateIds: () => commands.map(({ templateId }) => templateId),
    commands: () => commands.map(asSent),
    reassignments: none,
  }
}

/** What a signed transaction says of itself, true or not. */
export function toExecute(request: ExecuteRequest, submissionId = request.submissionId): RejectedRequest {
  const { roots = [], nodes = [] } = request.prepared.transaction ?? {}
  const commands = () => nodes.filter(({ nodeId }) => roots.includes(nodeId)).flatMap(({ v1 }) => asCommands(v1))
  return {
    operation: 'execute',
    sender: { ...senderOf(request), submissionId, workflowId: '', readAs: [] },
    templateIds: () => commands().map(({ templateId }) => templateId),
    commands: () => commands().map(asSent),
    reassignments: none,
  }
}

export function toReassign(
  request: ReassignmentCommands | undefined,
  submissionId = request?.submissionId ?? '',
): RejectedRequest {
  const { userId = '', commandId = '', workflowId = '', submitter = '', commands = [] } = request ?? {}
  return {
    operation: 'reassign',
    sender: { userId, commandId, submissionId, workflowId, actAs: submitter === '' ? [] : [submitter], readAs: [] },
    templateIds: none,
    commands: none,
    reassignments: () => commands.map((command) => ({ command: asMove(command) })),
  }
}

/** Values of a prepared transaction have no types, without which there is no JSON for them. */
function asCommands(node: PreparedNode | undefined): Command[] {
  if (node?.kind === 'create') {
    const { packageName, templateId } = node.value
    return [{ kind: 'create', templateId: byName(packageName, templateId), createArguments: null }]
  }
  if (node?.kind !== 'exercise') return []
  const { packageName, templateId: template, interfaceId, contractId, choiceId: choice } = node.value
  const templateId = interfaceId === undefined ? byName(packageName, template) : byId(interfaceId)
  return [{ kind: 'exercise', templateId, contractId, choice, choiceArgument: null }]
}

function byName(packageName: string, type: Identifier | undefined): string {
  return type === undefined ? '' : `#${packageName}:${type.module}:${type.name}`
}

function byId({ packageId, module, name }: Identifier): string {
  return `${packageId}:${module}:${name}`
}

function asMove(command: ReassignmentCommand): object {
  if (command.kind === 'none') return { Empty: {} }
  const { kind, ...value } = command
  return { [kind === 'unassign' ? 'UnassignCommand' : 'AssignCommand']: { value } }
}
