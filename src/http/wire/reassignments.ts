// Reassignments on the wire. Mirrors part of Canton's JsCommandService.
import type { Static } from 'typebox'
import type { ReassignmentCommand, ReassignmentCommands } from '../../ledger/reassignment/reassignment-commands.ts'
import { reassignment } from './events.ts'
import { eventFormat } from './formats.ts'
import { boxed, emptyVariant, list, message, oneOf, optional, text } from './schema.ts'

const source = text('The synchronizer that the contract is on')
const target = text('The synchronizer that it goes to')

const command = message('ReassignmentCommand', {
  command: oneOf(
    'Command1',
    [
      boxed(
        'AssignCommand',
        message(
          'AssignCommand1',
          { reassignmentId: text('As the unassigned event has it'), source, target },
          { description: 'Let contracts that are in transit come to their target', requires: 'all' },
        ),
      ),
      emptyVariant('Empty2'),
      boxed(
        'UnassignCommand',
        message(
          'UnassignCommand1',
          { contractId: text('The contract'), source, target },
          { description: 'Let a contract leave its synchronizer', requires: 'all' },
        ),
      ),
    ],
    { description: 'What to do' },
  ),
})

const reassignmentCommands = message(
  'ReassignmentCommands',
  {
    workflowId: text('Names the workflow it belongs to, for all who see it'),
    userId: text('The user; that of the token when empty'),
    commandId: text('Names the command in its completion'),
    submitter: text('The party on whose behalf it is done; a stakeholder'),
    submissionId: text('Tells submissions of the same command apart; a new one when empty'),
    commands: list(command, 'Contracts to unassign, all from one synchronizer to one other; or one assignment'),
  },
  { description: 'Contracts to be moved together', requires: ['commandId', 'submitter', 'commands'] },
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

export function reassignmentFromJson(json: CommandsJson | undefined, userId: string): ReassignmentCommands | undefined {
  return json && { ...json, userId, commands: json.commands.map(commandFromJson) }
}

function commandFromJson({ command: json }: Static<typeof command>): ReassignmentCommand {
  if ('UnassignCommand' in json) return { kind: 'unassign', ...json.UnassignCommand.value }
  if ('AssignCommand' in json) return { kind: 'assign', ...json.AssignCommand.value }
  return { kind: 'none' }
}
