// Requests of the simulation as JSON.
import type { Filter, Format, UpdateFormat } from './filters.ts'
import type { Command } from './interpretation.ts'
import { holding } from './quickstart.ts'
import type { Period, ReassignmentSubmission, Submission } from './records.ts'

const typeName = (name: string) => `#quickstart:${name}`

export function submissionToJson(submission: Submission): object {
  const { commands, disclosed, disclosedOn, period, userId: _user, ...rest } = submission
  return {
    ...rest,
    commands: commands.map(commandToJson),
    disclosedContracts: disclosed.map(({ id, blob }) => {
      return { contractId: id, createdEventBlob: blob, synchronizerId: disclosedOn.get(id) ?? '' }
    }),
    ...(period.kind === 'longest' ? {} : { deduplicationPeriod: periodToJson(period) }),
  }
}

export function reassignmentToJson(submission: ReassignmentSubmission): object {
  const { reassignments, userId: _user, ...rest } = submission
  return {
    ...rest,
    commands: reassignments.map(({ kind, ...value }) => ({
      command: { [kind === 'unassign' ? 'UnassignCommand' : 'AssignCommand']: { value } },
    })),
  }
}

function commandToJson(command: Command): object {
  if (command.kind === 'exercise') {
    const { type, contractId, choice, argument } = command
    return { ExerciseCommand: { templateId: typeName(type), contractId, choice, choiceArgument: argument } }
  }
  const create = { templateId: typeName(command.template), createArguments: command.argument }
  if (command.kind === 'create') return { CreateCommand: create }
  const { choice, choiceArgument } = command
  return { CreateAndExerciseCommand: { ...create, choice, choiceArgument } }
}

function periodToJson(period: Exclude<Period, { kind: 'longest' }>): object {
  if (period.kind === 'offset') return { DeduplicationOffset: { value: period.offset } }
  const seconds = Number(period.micros / 1_000_000n)
  return { DeduplicationDuration: { value: { seconds, nanos: Number(period.micros % 1_000_000n) * 1000 } } }
}

export function eventFormatToJson(format: Format): object {
  return typeof format === 'string'
    ? { filtersForAnyParty: filterToJson(format) }
    : { filtersByParty: Object.fromEntries([...format].map(([party, filter]) => [party, filterToJson(filter)])) }
}

export function updateFormatToJson({ transactions, shape, reassignments }: UpdateFormat): object {
  return {
    ...(transactions && {
      includeTransactions: { eventFormat: eventFormatToJson(transactions), transactionShape: shape },
    }),
    ...(reassignments && { includeReassignments: eventFormatToJson(reassignments) }),
  }
}

function filterToJson(filter: Filter): object {
  return { cumulative: [{ identifierFilter: identifierFilters[filter] }] }
}

const identifierFilters: Readonly<Record<Filter, object>> = {
  all: { WildcardFilter: { value: {} } },
  'with-blob': { WildcardFilter: { value: { includeCreatedEventBlob: true } } },
  ious: { TemplateFilter: { value: { templateId: typeName('Iou:Iou') } } },
  holdings: { InterfaceFilter: { value: { interfaceId: typeName(holding), includeInterfaceView: true } } },
}
