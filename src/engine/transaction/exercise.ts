// The effect that exercises a choice: it opens a node, runs the choice inside it, and closes it.
import { KindError } from '../../lf/values/kinds.ts'
import type { LfValue } from '../../lf/values/values.ts'
import { asUpdate } from '../code/apply.ts'
import type { ChoiceCode, InterfaceCode, TemplateCode } from '../code/code.ts'
import { uncatchable } from '../code/unhandled.ts'
import { steps } from '../failures/steps.ts'
import { authorizeExercise } from './authority.ts'
import { partiesFromList } from './parties.ts'
import { closeExercise, nodeSteps, type Running } from './running-transaction.ts'
import { type Exercising, exerciseScope } from './scopes.ts'

export function exercise(running: Running, exercising: Exercising): LfValue {
  steps.charge(nodeSteps)
  const { code, checkValue, scope, nextNode } = running
  const { id, contract, choice, argument } = exercising
  const actors = uncatchable(() => partiesFromList(choice.controllers(contract.argument, argument)), code)
  const choiceObservers = uncatchable(() => partiesFromList(choice.observers(contract.argument, argument)), code)
  checkValue(argument, choice.argumentType)
  const opened = exerciseScope(scope, exercising, { actors, choiceObservers }, nextNode)
  running.reader.use(id.text, contract)
  if (choice.isConsuming) running.state.archive(opened.exercise, nextNode)
  authorizeExercise(nextNode, contract.template.id, actors, scope.authority)
  running.nextNode += 1
  running.scope = opened
  const result = asUpdate(choice.update(id, contract.argument, argument))(running.effects)
  checkValue(result, choice.returnType)
  opened.exercise.result = { type: choice.returnType, value: result }
  closeExercise(running)
  return result
}

export function choiceOf(of: TemplateCode | InterfaceCode, name: string): ChoiceCode {
  const choice = of.choices.get(name)
  if (choice === undefined) throw new KindError(`${of.id.name} has no choice ${name}`)
  return choice
}
