// Runs the recorded evaluations of one file and reports differences.

import { unhandledException } from '../../src/engine/code/evaluation-failures.ts'
import { DamlException, Failure } from '../../src/engine/failures/failures.ts'
import type { Type } from '../../src/lf/syntax/ast.ts'
import { type Loaded, load } from './load.ts'
import { type Recorded, type Replay, readRecorded, writeRecorded } from './recorded-values.ts'

const stepsMax = 1_000_000

export function replayEvaluations(file: string): Replay[] {
  const loaded = load(file)
  return loaded.recording.cases
    .filter((entry: Recorded) => entry.evaluate !== undefined)
    .map(({ evaluate, arguments: args, outcome }: Recorded) => ({
      name: `${evaluate} ${JSON.stringify(args)}`,
      group: evaluate,
      actual: evaluated(evaluate, args, loaded),
      expected: 'value' in outcome ? { value: outcome.value } : { error: outcome.error.message },
    }))
}

function evaluated(name: string, args: Recorded[], { identifier, packages, engine }: Loaded): Recorded {
  const id = identifier(name)
  const { type } = packages.get(id.packageId)!.modules.get(id.module)!.values.get(id.name)!
  const { parameters, result } = arrowsOf(type)
  try {
    const values = args.map((arg, index) => readRecorded(arg, parameters[index]!, engine.dataTypes))
    return { value: writeRecorded(engine.evaluate(id, values, stepsMax), result, engine.dataTypes) }
  } catch (error) {
    return { error: messageOf(error, engine) }
  }
}

function messageOf(error: unknown, engine: Loaded['engine']): string {
  if (error instanceof DamlException) return exceptionText(error, engine)
  if (!(error instanceof Failure)) throw error
  return error.code === 'INTERPRETER_ERROR' ? error.message : `Interpretation error: Error: ${error.message}`
}

/** Outside a transaction, an exception whose message function fails is reported as that second failure. */
function exceptionText(error: DamlException, engine: Loaded['engine']): string {
  const { type, value } = error.exception
  try {
    if (type.kind === 'constructor') engine.code.exceptionMessage(type.id, value)
  } catch (second) {
    return messageOf(second, engine)
  }
  return messageOf(unhandledException(error, engine.code), engine)
}

function arrowsOf(type: Type): { parameters: Type[]; result: Type } {
  const parameters: Type[] = []
  let result = type
  while (result.kind === 'builtin' && result.name === 'Arrow' && result.args.length === 2) {
    parameters.push(result.args[0]!)
    result = result.args[1]!
  }
  return { parameters, result }
}
