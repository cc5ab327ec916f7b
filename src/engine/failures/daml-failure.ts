// A failure with the id, category, text and metadata that Daml code chose for it, as FAIL_WITH_STATUS raises it.
import { Failure } from './failures.ts'

type Status = {
  readonly errorId: string
  readonly category: number
  readonly message: string
  readonly metadata: Iterable<[key: string, value: string]>
}

/** Metadata may use any key. In the details each gets the prefix `metadata.`, so none hides another entry. */
export function damlFailure({ errorId, category, message, metadata }: Status): Failure {
  const details: Record<string, string> = { errorId, category: String(category), message }
  for (const [key, value] of metadata) details[`metadata.${key}`] = value
  return new Failure('DAML_FAILURE', `User failure: ${errorId} (error category ${category}): ${message}`, details)
}
