// Daml exceptions that nothing catches, or that are thrown where nothing may catch them. They become a failure with
// status, as if Daml code had raised it (Canton: Speedy.scala, unhandledException).
import type { Identifier } from '../../lf/syntax/ast.ts'
import { KindError } from '../../lf/values/kinds.ts'
import type { LfValue } from '../../lf/values/values.ts'
import { damlFailure } from '../failures/daml-failure.ts'
import { DamlException, type Failure } from '../failures/failures.ts'
import type { Code } from './code.ts'

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
