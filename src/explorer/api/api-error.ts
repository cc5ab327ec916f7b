// A refusal of the node, or its silence, as something that a page can show.
import type { ErrorBody } from './wire.ts'

export class ApiError extends Error {
  /** 0 if the node did not answer. */
  readonly status: number
  readonly code: string
  readonly context: Readonly<Record<string, string>>
  readonly traceId: string | undefined

  constructor(status: number, { code, cause, context, traceId }: ErrorBody) {
    super(cause)
    this.name = 'ApiError'
    this.status = status
    this.code = code
    this.context = context ?? {}
    this.traceId = traceId ?? undefined
  }

  /** What the node suggests, on a development node. */
  get hint(): string | undefined {
    return this.context.hint
  }
}

export const isOffline = (error: unknown): boolean => error instanceof ApiError && error.status === 0
export const isBusy = (error: unknown): boolean => error instanceof ApiError && error.status === 503

/** Reads the body of a refusal: Canton's JSON, or plain text. */
export function errorFrom(status: number, text: string, hint: string | null): ApiError {
  const body = bodyFrom(text) ?? { code: `HTTP ${status}`, cause: text.slice(0, causeLengthMax) }
  const context = hint === null ? body.context : { hint, ...body.context }
  return new ApiError(status, { ...body, ...(context && { context }) })
}

const causeLengthMax = 2000

function bodyFrom(text: string): ErrorBody | undefined {
  try {
    const body = JSON.parse(text) as Partial<ErrorBody>
    return typeof body.code === 'string' && typeof body.cause === 'string' ? (body as ErrorBody) : undefined
  } catch {
    return undefined
  }
}
