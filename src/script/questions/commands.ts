// The commands of a submission, as the script has them and as the Ledger API takes them.
import type { Identifier } from '../../lf/syntax/ast.ts'
import type { LfValue } from '../../lf/values/values.ts'
import type { ScriptValues } from '../script-values.ts'
import {
  anyIn,
  boolIn,
  constructorOf,
  contractIdIn,
  fieldsIn,
  typeRepIn,
  type ValueOfType,
  variantIn,
  wrong,
} from '../shapes.ts'

export type ScriptCommand = {
  /** The command in the form of the JSON Ledger API. */
  readonly json: object
  /** The packages that the script compiles with: one for each root of the transaction that the command makes. */
  readonly packageIds: readonly string[]
}

/** A CommandWithMeta. */
export function commandIn(value: LfValue, isLegacy: boolean, values: ScriptValues): ScriptCommand {
  const [command, isExplicit] = fieldsIn(value, 2, 'a CommandWithMeta')
  const isExact = boolIn(isExplicit)
  const reference = (id: Identifier) => values.reference(id, isExact)
  const { tag, value: content } = variantIn(command)
  switch (tag) {
    case 'Create': {
      const { id, json: createArguments } = templateIn(fieldsIn(content, 1, 'Create')[0], values)
      return { json: { CreateCommand: { templateId: reference(id), createArguments } }, packageIds: [id.packageId] }
    }
    case 'Exercise': {
      const [type, contractId, choice] = fieldsIn(content, 3, 'Exercise')
      const id = typeRepIn(type)
      const exercise = { templateId: reference(id), contractId: contractIdIn(contractId), ...choiceIn(choice, values) }
      return { json: { ExerciseCommand: exercise }, packageIds: [id.packageId] }
    }
    case 'ExerciseByKey': {
      const [type, key, choice] = fieldsIn(content, 3, 'ExerciseByKey')
      const id = typeRepIn(type)
      const contractKey = values.toJson(values.contractKeyIn(key, isLegacy).key)
      const exercise = { templateId: reference(id), contractKey, ...choiceIn(choice, values) }
      return { json: { ExerciseByKeyCommand: exercise }, packageIds: [id.packageId] }
    }
    case 'CreateAndExercise': {
      const [template, choice] = fieldsIn(content, 2, 'CreateAndExercise')
      const { id, json: createArguments } = templateIn(template, values)
      const both = { templateId: reference(id), createArguments, ...choiceIn(choice, values) }
      return { json: { CreateAndExerciseCommand: both }, packageIds: [id.packageId, id.packageId] }
    }
    default:
      return wrong('a command')
  }
}

/** An AnyTemplate. */
function templateIn(value: LfValue, values: ScriptValues): { readonly id: Identifier; readonly json: unknown } {
  const template: ValueOfType = anyIn(fieldsIn(value, 1, 'an AnyTemplate')[0])
  return { id: constructorOf(template.type), json: values.toJson(template) }
}

/** An AnyChoice. The type of its argument has the name of the choice. */
function choiceIn(value: LfValue, values: ScriptValues): { readonly choice: string; readonly choiceArgument: unknown } {
  const argument: ValueOfType = anyIn(fieldsIn(value, 2, 'an AnyChoice')[0])
  return { choice: constructorOf(argument.type).name, choiceArgument: values.toJson(argument) }
}
