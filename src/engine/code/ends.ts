// How evaluation came to its end, whatever was thrown: as a failure that a client can be told, or as a bug of ours.
import { types } from 'node:util'
import { KindError } from '../../lf/values/kinds.ts'
import { DamlException, Failure } from '../failures/failures.ts'
import { tooMuch } from '../failures/steps.ts'
import type { Code } from './code.ts'
import { unhandledException } from './unhandled.ts'

/** Errors of JavaScript itself, which only a value of another kind than code relies on can lead to. */
const ofJavaScript: ReadonlySet<string> = new Set(['TypeError', 'ReferenceError', 'SyntaxError', 'EvalError'])

/** Rethrows what is a bug of ours, or not about evaluation at all. */
export function failureOf(error: unknown, code: Pick<Code, 'exceptionMessage'>): Failure {
  if (error instanceof Failure) return error
  if (error instanceof DamlException) return unhandled(error, code)
  if (error instanceof KindError) return illTyped(error)
  const exhaustion = exhaustionOf(error)
  if (exhaustion !== undefined) return exhaustion
  if (types.isNativeError(error) && ofJavaScript.has(error.name)) return illTyped(error)
  throw error
}

/** The message is computed by the package too. */
function unhandled(exception: DamlException, code: Pick<Code, 'exceptionMessage'>): Failure {
  try {
    return unhandledException(exception, code)
  } catch (error) {
    return failureOf(error, code)
  }
}

/** V8's own limits: the depth of calls and the length of texts. */
export function exhaustionOf(error: unknown): Failure | undefined {
  if (!types.isNativeError(error) || error.name !== 'RangeError') return undefined
  return tooMuch(/call stack/i.test(error.message) ? 'recurses deeper' : 'makes larger values')
}

/** What is not a KindError may be a bug of ours: then the cause goes into the log. */
export function illTyped(error: Error): Failure {
  const text = "the package's code met a value of another kind"
  if (error instanceof KindError) return new Failure('DAML_INTERPRETATION_ERROR', `${text}: ${error.message}`)
  const cause = new Error(error.message)
  cause.stack = String(error.stack)
  return new Failure('DAML_INTERPRETATION_ERROR', text, {}, cause)
}
