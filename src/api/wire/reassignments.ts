// Reassignments on the wire. Mirrors part of Canton's JsCommandService.
import type { Static } from 'typebox'
import type { ReassignmentCommand, ReassignmentCommands } from '../../ledger/reassignment/reassignment-commands.ts'
import { reassignment } from './events.ts'
import { eventFormat } from './formats.ts'
import { boxed, emptyVariant, list, message, oneOf, optional, text } from './schema.ts'

const source = text('The source synchronizer')
const target = text('The target synchronizer')

export const reassignmentCommand = message('ReassignmentCommand', {
  command: oneOf(
    'Command1',
    [
      boxed(
        'AssignCommand',
        message(
          'AssignCommand1',
          { reassignmentId: text('The reassignment id of the unassigned event'), source, target },
          { description: 'Assign contracts in transit to their target', requires: 'all' },
        ),
      ),
      emptyVariant('Empty2'),
      boxed(
        'UnassignCommand',
        message(
          'UnassignCommand1',
          { contractId: text('The contract'), source, target },
          { description: 'Unassign a contract from its synchronizer', requires: 'all' },
        ),
      ),
    ],
    { description: 'The operation' },
  ),
})

const reassignmentCommands = message(
  'ReassignmentCommands',
  {
    workflowId: text('The id of the workflow it belongs to, visible to every reader'),
    userId: text('The user; that of the token if empty'),
    commandId: text('Identifies the command in its completion'),
    submitter: text('The submitting party; a stakeholder'),
    submissionId: text('Distinguishes submissions of the same command; generated if empty'),
    commands: list(
      reassignmentCommand,
      'Contracts to unassign, all from one synchronizer to one other; or one assignment',
    ),
  },
  { description: 'Contracts to reassign together', requires: ['commandId', 'submitter', 'commands'] },
)

export const submitReassignmentRequest = message(
  'SubmitReassignmentRequest',
  {
    reassignmentCommands: optional(reassignmentCommands),
  },
  { requires: 'all' },
)
export const submitReassignmentResponse = message('SubmitReassignmentResponse', {})
export const submitForReassignmentRequest = message(
  'SubmitAndWaitForReassignmentRequest',
  {
    reassignmentCommands: optional(reassignmentCommands),
    eventFormat: optional(eventFormat),
  },
  { requires: ['reassignmentCommands'] },
)
export const submitForReassignmentResponse = message('JsSubmitAndWaitForReassignmentResponse', { reassignment })

type CommandsJson = Static<typeof reassignmentCommands>

/** In Canton, a user that is filled in makes commands of none. */
export function reassignmentFromJson(
  given: CommandsJson | undefined,
  userId: string,
): ReassignmentCommands | undefined {
  const json = given ?? (userId === '' ? undefined : noCommands)
  return json && { ...json, userId, commands: json.commands.map(commandFromJson) }
}

const noCommands: CommandsJson = {
  workflowId: '',
  userId: '',
  commandId: '',
  submitter: '',
  submissionId: '',
  commands: [],
}

function commandFromJson({ command: json }: Static<typeof reassignmentCommand>): ReassignmentCommand {
  if ('UnassignCommand' in json) return { kind: 'unassign', ...json.UnassignCommand.value }
  if ('AssignCommand' in json) return { kind: 'assign', ...json.AssignCommand.value }
  return { kind: 'none' }
}
