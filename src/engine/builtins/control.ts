// Builtins that end evaluation, and those that ask its environment.
import { asContractId, asMap, asText, wrongKind } from '../../lf/values/kinds.ts'
import type { OrderedMap } from '../../lf/values/ordered-map.ts'
import { Any, type ContractId, LfRecord, type LfValue, none, Some } from '../../lf/values/values.ts'
import type { Code } from '../code/code.ts'
import { damlFailure, Failure } from '../failures/failures.ts'
import type { Rows } from './rows.ts'

export type BuiltinContext = {
  readonly code: Pick<Code, 'exceptionMessage'>
  /** Receives the messages of TRACE. */
  trace(message: string): void
  /** False outside of any transaction, as for interface views: only there contract ids have a text. */
  isInTransaction(): boolean
}

export function createControlBuiltins({ code, trace, isInTransaction }: BuiltinContext) {
  return {
    ERROR(text: string): never {
      const message = asText(text)
      throw new Failure('INTERPRETATION_USER_ERROR', `User abort: ${message}`, { EXCEPTION_TEXT: message })
    },

    FAIL_WITH_STATUS(errorId: string, category: number, message: string, metadata: OrderedMap): never {
      if (category !== 8 && category !== 9) wrongKind('a FailureCategory')
      throw damlFailure({ errorId: asText(errorId), category, message: asText(message), metadata: textsIn(metadata) })
    },

    TRACE(message: string, value: LfValue): LfValue {
      trace(asText(message))
      return value
    },

    ANY_EXCEPTION_MESSAGE(exception: Any): string {
      const value = exception instanceof Any ? exception.value : undefined
      return value instanceof LfRecord ? code.exceptionMessage(value.type.id, value) : wrongKind('an AnyException')
    },

    CONTRACT_ID_TO_TEXT(id: ContractId): LfValue {
      const { text } = asContractId(id)
      return isInTransaction() ? none : new Some(text)
    },
  } satisfies Partial<Rows>
}

function* textsIn(map: OrderedMap): Iterable<[string, string]> {
  for (const [key, value] of asMap(map).entries()) yield [asText(key), asText(value)]
}
