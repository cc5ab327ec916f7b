// When to try again. Each try has the same command id, so that the ledger records a command once, however often it is
// sent.

/** A refusal of the ledger, with Canton's error code. */
export class Refused extends Error {
  readonly code: string
  readonly category: number
  readonly context: Readonly<Record<string, string>>

  constructor(body: { code: string; cause: string; errorCategory: number; context?: Record<string, string> }) {
    super(`${body.code}: ${body.cause}`)
    this.code = body.code
    this.category = body.errorCategory
    this.context = body.context ?? {}
  }
}

/** Canton's categories of errors that pass: transient failures of the server, and contention. */
const passing: ReadonlySet<number> = new Set([1, 2])

export type Patience = { readonly tries: number; readonly pauseMs: number }

/** Tries again after contention, and if no answer came: the ledger tells whether the command was recorded. */
export async function withRetries<T>(attempt: () => Promise<T>, { tries, pauseMs }: Patience): Promise<T> {
  for (let round = 1; ; round += 1) {
    try {
      return await attempt()
    } catch (error) {
      const mayPass = error instanceof Refused ? passing.has(error.category) : error instanceof TypeError
      if (!mayPass || round === tries) throw error
      await new Promise((resolve) => setTimeout(resolve, pauseMs * round))
    }
  }
}
