// The commands of a submission as the engine runs them, and as Canton names them in errors.
import type { Identifier } from '../lf/syntax/ast.ts'
import { fullName } from '../lf/syntax/names.ts'
import type { Packages } from '../lf/values/data-types.ts'
import { ContractId, type LfRecord, type LfValue } from '../lf/values/values.ts'
import type { Code, Effects } from './code/code.ts'
import { Failure } from './failures/failures.ts'

/** Arguments are values of the types that the template, choice or key declares. */
export type EngineCommand =
  | { readonly kind: 'create'; readonly templateId: Identifier; readonly argument: LfRecord }
  /** A choice of a template or of an interface. */
  | {
      readonly kind: 'exercise'
      readonly typeId: Identifier
      readonly contractId: string
      readonly choice: string
      readonly argument: LfValue
    }
  | {
      readonly kind: 'exercise-by-key'
      readonly templateId: Identifier
      readonly key: LfValue
      readonly choice: string
      readonly argument: LfValue
    }
  | {
      readonly kind: 'create-and-exercise'
      readonly templateId: Identifier
      readonly argument: LfRecord
      readonly choice: string
      readonly choiceArgument: LfValue
    }

export function runCommand(command: EngineCommand, effects: Effects, code: Code, packages: Packages): void {
  switch (command.kind) {
    case 'create':
      effects.create(code.template(command.templateId), command.argument)
      return
    case 'exercise': {
      const { typeId, choice, argument } = command
      const id = new ContractId(command.contractId)
      if (isTemplate(typeId, packages)) effects.exercise(code.template(typeId), choice, id, argument)
      else effects.exerciseInterface(code.interface(typeId), choice, id, argument)
      return
    }
    case 'exercise-by-key':
      effects.exerciseByKey(code.template(command.templateId), command.choice, command.key, command.argument)
      return
    case 'create-and-exercise': {
      const template = code.template(command.templateId)
      const id = effects.create(template, command.argument)
      effects.exercise(template, command.choice, id, command.choiceArgument)
    }
  }
}

function isTemplate({ packageId, module, name }: Identifier, packages: Packages): boolean {
  return packages.get(packageId)?.modules.get(module)?.templates.has(name) ?? false
}

/** The engine evaluates a template's parts outside of the package's own code: then the command says where. */
export function ofCommand(failure: Failure, command: EngineCommand | undefined): Failure {
  const { code, message, details, cause } = failure
  if (code !== 'DAML_INTERPRETATION_ERROR' || details.definition !== undefined || command === undefined) return failure
  const id = command.kind === 'exercise' ? command.typeId : command.templateId
  return new Failure(code, message, { definition: fullName(id), ...details }, cause)
}

/** How Canton names the command in which a failure happened. */
export function commandTrace(command: EngineCommand): string {
  const { packageId, module, name } = command.kind === 'exercise' ? command.typeId : command.templateId
  const type = `${packageId.slice(0, 8)}:${module}:${name}`
  switch (command.kind) {
    case 'create':
      return `in create command ${type}.`
    case 'exercise':
      return `in exercise command ${type}:${command.choice} on contract ${command.contractId.slice(0, 10)}.`
    case 'exercise-by-key':
      return `in exercise-by-key command ${type}:${command.choice} on key Doc(...).` // Canton does not render it.
    case 'create-and-exercise':
      return `in create-and-exercise command ${type}:${command.choice}.`
  }
}
