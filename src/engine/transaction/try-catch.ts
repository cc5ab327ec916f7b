// A part of an update that can be undone: when it throws, what it did becomes a rollback, and its handler goes on.
import { contentOf } from '../../lf/values/kinds.ts'
import type { Any, LfValue } from '../../lf/values/values.ts'
import { asUpdate } from '../code/apply.ts'
import type { Update } from '../code/code.ts'
import { DamlException } from '../failures/failures.ts'
import { steps } from '../failures/steps.ts'
import { rollbackOf } from './rollback.ts'
import { closeExercise, nodeSteps, type Running } from './running-transaction.ts'
import { tryScope } from './scopes.ts'

export function tryCatch(running: Running, body: Update, handler: (exception: Any) => LfValue): LfValue {
  steps.charge(nodeSteps)
  const { state, scope: outer, effects } = running
  const mark = state.mark()
  const tried = tryScope(outer, running.nextNode)
  running.nextNode += 1
  running.scope = tried
  let thrown: DamlException
  try {
    const result = body(effects)
    for (const child of tried.children) outer.children.push(child)
    outer.nextChild = tried.nextChild
    running.scope = outer
    return result
  } catch (error) {
    if (!(error instanceof DamlException)) throw error
    thrown = error
  }
  state.rollBack(mark)
  while (running.scope !== tried) closeExercise(running)
  running.scope = outer
  outer.nextChild = tried.nextChild
  outer.children.push(rollbackOf(tried.children))
  const handling = contentOf(handler(thrown.exception))
  if (handling === undefined) throw thrown
  return asUpdate(handling)(effects)
}
