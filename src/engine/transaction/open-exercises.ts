// Where in a transaction something went wrong: the open exercises, innermost first.
import type { Identifier } from '../../lf/syntax/ast.ts'
import { fullName } from '../../lf/syntax/names.ts'
import { Failure } from '../failures/failures.ts'

/** `node` is the number that errors use: tries count too, and nothing is in normal form yet. */
export type OpenExercise = {
  readonly templateId: Identifier
  readonly interfaceId: Identifier | undefined
  readonly choice: string
  readonly contractId: string
  readonly node: number
}

/**
 * The failure with the exercises that led to it and what they did, for developers of the model. A failure that Daml code raises on
 * purpose gets a trace, which ends with the command.
 */
export function withExercises(
  { code, message, details, cause }: Failure,
  exercises: readonly OpenExercise[],
  command?: string | undefined,
  soFar?: string | undefined,
): Failure {
  const [innermost] = exercises
  const lastLine = command === undefined ? '' : `    ${command}\n`
  const trace = code === 'DAML_FAILURE' ? { exerciseTrace: `${traceText(exercises)}${lastLine}` } : {}
  if (innermost === undefined) return new Failure(code, message, { ...trace, ...details }, cause)
  const where = {
    ...trace,
    choice: `${fullName(innermost.templateId)}:${innermost.choice}`,
    exercises: exercises
      .map(({ templateId, choice, contractId }) => `${fullName(templateId)}:${choice} (${contractId})`)
      .join('\n'),
    ...(soFar !== undefined && { transaction: soFar }),
  }
  return new Failure(code, message, { ...where, ...details }, cause)
}

/** The lines Canton puts under some errors. */
export function traceText(exercises: readonly OpenExercise[], max = 10): string {
  const lines = exercises.slice(0, max).map(({ templateId, interfaceId, choice, contractId, node }) => {
    const { packageId, module, name } = interfaceId ?? templateId
    const where = `${packageId.slice(0, 8)}:${module}:${name}:${choice}`
    return `    in choice ${where} on contract ${contractId.slice(0, 10)} (#${node})\n`
  })
  return lines.join('') + (exercises.length > max ? '    ...\n' : '')
}
