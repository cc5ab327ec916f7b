// Ways out of evaluation, and what asks its surroundings.
import type { OrderedMap } from '../../lf/ordered-map.ts'
import { type Any, type ContractId, type LfRecord, type LfValue, none, Some } from '../../lf/values.ts'
import type { Code } from '../code.ts'
import { damlFailure } from '../daml-failure.ts'
import { Failure } from '../failures.ts'
import type { Rows } from './rows.ts'

export type BuiltinContext = {
  readonly code: Pick<Code, 'exceptionMessage'>
  /** Takes the messages of TRACE. */
  trace(message: string): void
  /** False where a value is computed apart from any transaction, as interface views are: only there ids have a text. */
  isInTransaction(): boolean
}

export function createControlBuiltins({ code, trace, isInTransaction }: BuiltinContext) {
  return {
    ERROR(message: string): never {
      throw new Failure('INTERPRETATION_USER_ERROR', `User abort: ${message}`, { EXCEPTION_TEXT: message })
    },

    FAIL_WITH_STATUS(errorId: string, category: number, message: string, metadata: OrderedMap): never {
      throw damlFailure({ errorId, category, message, metadata: metadata.entries() as Iterable<[string, string]> })
    },

    TRACE(message: string, value: LfValue): LfValue {
      trace(message)
      return value
    },

    ANY_EXCEPTION_MESSAGE(exception: Any): string {
      return code.exceptionMessage((exception.value as LfRecord).type.id, exception.value)
    },

    CONTRACT_ID_TO_TEXT(id: ContractId): LfValue {
      return isInTransaction() ? none : new Some(id.text)
    },
  } satisfies Partial<Rows>
}
