// The transaction of a submission, as the tree that scripts get, and the results of its commands.
import type { Identifier } from '../../lf/syntax/ast.ts'
import type { LfValue } from '../../lf/values/values.ts'
import type { Json } from '../participants.ts'
import { identifierIn, type ScriptValues } from '../script-values.ts'

type Branch = { readonly event: Event; readonly below: readonly Branch[] }
type Event = { readonly kind: string; readonly content: Json }

export type SubmissionResult = { readonly results: LfValue; readonly tree: LfValue }

/** The roots get the types of the packages that the commands named, whatever versions the ledger has used. */
export function resultOf(transaction: Json, packageIds: readonly string[], values: ScriptValues): SubmissionResult {
  const roots = branchesOf(transaction.events.map(eventOf))
    .slice(0, packageIds.length)
    .map((branch, index) => readBranch(branch, packageIds[index], values))
  const module = 'Questions.TransactionTree'
  const tree = values.record(values.ofLibrary(module, 'TransactionTree'), [
    ['rootEvents', values.list(roots.map(({ treeEvent }) => treeEvent))],
  ])
  return { results: values.list(roots.map(({ result }) => result)), tree }
}

function eventOf(json: Json): Event {
  const [[kind, content] = ['', {}]] = Object.entries<Json>(json)
  return { kind, content }
}

/** Events name their last descendant; what follows up to it happened inside. */
function branchesOf(events: readonly Event[]): Branch[] {
  const branches: Branch[] = []
  for (let at = 0; at < events.length; ) {
    const event = events[at]!
    const { nodeId, lastDescendantNodeId = nodeId } = event.content
    let end = at + 1
    while (end < events.length && events[end]!.content.nodeId <= lastDescendantNodeId) end += 1
    branches.push({ event, below: branchesOf(events.slice(at + 1, end)) })
    at = end
  }
  return branches
}

type Read = { readonly treeEvent: LfValue; readonly result: LfValue }

function readBranch({ event, below }: Branch, packageId: string | undefined, values: ScriptValues): Read {
  const { kind, content } = event
  const actual = identifierIn(content.templateId)
  const templateId = packageId === undefined ? actual : values.inPackage(actual, packageId)
  const contractId = values.anyContractId(templateId, content.contractId)
  const module = 'Questions.TransactionTree'
  const treeEvent = (tag: string, value: LfValue) => values.variantOf(values.ofLibrary(module, 'TreeEvent'), tag, value)
  const commandResult = values.ofLibrary('Questions.Commands', 'CommandResult')
  if (kind === 'CreatedEvent') {
    const argument = values.contractFromJson(templateId, content.createArgument)
    const created = values.record(values.ofLibrary(module, 'Created'), [
      ['contractId', contractId],
      ['argument', values.anyTemplate(templateId, argument)],
    ])
    return {
      treeEvent: treeEvent('CreatedEvent', created),
      result: values.variantOf(commandResult, 'CreateResult', values.contractId(content.contractId)),
    }
  }
  const interfaceId: Identifier | undefined = content.interfaceId ? identifierIn(content.interfaceId) : undefined
  const choice = values.choiceOf(templateId, interfaceId, content.choice)
  const argument = values.fromJson(choice.argument.type, content.choiceArgument)
  const exercised = values.record(values.ofLibrary(module, 'Exercised'), [
    ['contractId', contractId],
    ['choice', content.choice],
    ['argument', values.anyChoice(choice, interfaceId ?? templateId, argument)],
    ['childEvents', values.list(below.map((branch) => readBranch(branch, undefined, values).treeEvent))],
  ])
  return {
    treeEvent: treeEvent('ExercisedEvent', exercised),
    result: values.variantOf(
      commandResult,
      'ExerciseResult',
      values.fromJson(choice.returnType, content.exerciseResult),
    ),
  }
}
