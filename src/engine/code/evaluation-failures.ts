// Turns whatever an evaluation threw into a failure that a client may see, or into a bug of ours.

import { types } from 'node:util'
import type { Identifier } from '../../lf/syntax/ast.ts'
import { KindError, UnstorableError } from '../../lf/values/kinds.ts'
import type { LfValue } from '../../lf/values/values.ts'
import { DamlException, damlFailure, Failure } from '../failures/failures.ts'
import { tooMuch } from '../failures/steps.ts'
import type { Code } from './code.ts'

/** JavaScript's own errors, which code runs into only with a value of another kind than it relies on. */
const ofJavaScript: ReadonlySet<string> = new Set(['TypeError', 'ReferenceError', 'SyntaxError', 'EvalError'])

/** Rethrows a bug of ours, and errors that are not about evaluation. */
export function failureOf(error: unknown, code: Pick<Code, 'exceptionMessage'>): Failure {
  if (error instanceof Failure) return error
  if (error instanceof DamlException) return unhandled(error, code)
  if (error instanceof KindError) return illTyped(error)
  const exhaustion = exhaustionOf(error)
  if (exhaustion !== undefined) return exhaustion
  if (types.isNativeError(error) && ofJavaScript.has(error.name)) return illTyped(error)
  throw error
}

/** The package's code computes the message, and may fail too. */
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

/** Anything but a KindError may be a bug of ours: then the cause is logged. */
export function illTyped(error: Error): Failure {
  if (error instanceof UnstorableError) return new Failure('DAML_INTERPRETATION_ERROR', error.message)
  const text = "the package's code met a value of another kind"
  if (error instanceof KindError) return new Failure('DAML_INTERPRETATION_ERROR', `${text}: ${error.message}`)
  const cause = new Error(error.message)
  cause.stack = String(error.stack)
  return new Failure('DAML_INTERPRETATION_ERROR', text, {}, cause)
}

// ── Daml exceptions

type Messages = Pick<Code, 'exceptionMessage'>

/** Canton's InvalidGivenCurrentSystemStateOther. */
const category = 9

export function unhandledException({ exception }: DamlException, code: Messages): Failure {
  const { type, value } = exception
  if (type.kind !== 'constructor') throw new KindError('an exception has the type of a record')
  const { id } = type
  return damlFailure({
    errorId: `UNHANDLED_EXCEPTION/${id.module}:${id.name}`,
    category,
    message: messageOf(id, value, code),
    metadata: [],
  })
}

/** Runs code of the ledger's rules rather than of the program: no try around it catches what it throws. */
export function uncatchable<Result>(run: () => Result, code: Messages): Result {
  try {
    return run()
  } catch (thrown) {
    throw thrown instanceof DamlException ? unhandledException(thrown, code) : thrown
  }
}

function messageOf(id: Identifier, exception: LfValue, code: Messages): string {
  try {
    return code.exceptionMessage(id, exception)
  } catch (thrown) {
    if (!(thrown instanceof DamlException) || thrown.exception.type.kind !== 'constructor') throw thrown
    const { module, name } = thrown.exception.type.id
    return `<Failed to calculate message as ${module}:${name} was thrown during conversion>`
  }
}
