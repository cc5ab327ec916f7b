// A failure with the id, category, text and metadata that Daml code chose for it: what FAIL_WITH_STATUS makes.
import { Failure } from './failures.ts'

type Status = {
  readonly errorId: string
  readonly category: number
  readonly message: string
  readonly metadata: Iterable<[key: string, value: string]>
}

/** Metadata may use any key; in the details each is behind `metadata.`, so none hides what stands beside it. */
export function damlFailure({ errorId, category, message, metadata }: Status): Failure {
  const details: Record<string, string> = { errorId, category: String(category), message }
  for (const [key, value] of metadata) details[`metadata.${key}`] = value
  return new Failure('DAML_FAILURE', `User failure: ${errorId} (error category ${category}): ${message}`, details)
}
