// An error answer of the JSON Ledger API, as any client reads it.

export type ErrorAnswer = {
  /** Undefined for plain text. */
  readonly code: string | undefined
  readonly cause: string
  /** What a development node suggests. */
  readonly hint: string | undefined
  readonly context: Readonly<Record<string, string>>
  readonly category: number | undefined
  readonly grpcCode: number | undefined
  /** Empty if it has none. */
  readonly correlationId: string
  readonly resources: readonly (readonly [kind: string, name: string])[]
}

/** The header of hints; answers in plain text have no other place for one. */
export const hintHeader = 'tallystick-hint'

/** Reads Canton's JSON, or the plain text of a request that could not be read. */
export function errorAnswerOf(text: string, hintInHeader?: string | null): ErrorAnswer {
  const { code, cause, context, errorCategory, grpcCodeValue, correlationId, traceId, resources } = objectIn(text)
  const known = textsIn(context)
  const hasCode = typeof code === 'string' && typeof cause === 'string'
  return {
    ...(hasCode ? { code, cause, context: known } : { code: undefined, cause: text, context: {} }),
    hint: known.hint ?? hintInHeader ?? undefined,
    category: numberIn(errorCategory),
    grpcCode: numberIn(grpcCodeValue),
    correlationId: String(correlationId ?? traceId ?? ''),
    resources: (Array.isArray(resources) ? resources : [])
      .filter(Array.isArray)
      .map(([kind, name]) => [kindIn(String(kind)), String(name)]),
  }
}

/** As a client of gRPC sees it, in the description of its status. */
export function descriptionOf({ code, cause, category, correlationId }: ErrorAnswer): string {
  if (code === undefined || category === undefined || cause.startsWith(`${code}(`)) return cause
  return `${code}(${category},${correlationId.slice(0, 8) || '0'}): ${cause}`
}

/** Canton's JSON API prints the kind of a resource as Scala does. */
function kindIn(text: string): string {
  return /^ErrorResource\((.*)\)$/.exec(text)?.[1] ?? text
}

function numberIn(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined
}

function objectIn(text: string): Readonly<Record<string, unknown>> {
  try {
    const json: unknown = JSON.parse(text)
    return typeof json === 'object' && json !== null ? (json as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}

function textsIn(context: unknown): Record<string, string> {
  if (typeof context !== 'object' || context === null) return {}
  return Object.fromEntries(Object.entries(context).filter(([, value]) => typeof value === 'string'))
}
