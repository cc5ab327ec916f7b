// What the integrity checks share: their inputs, and how they report findings.
import { StartError } from '../../base/errors.ts'
import type { Queries } from '../core/database.ts'

/** The ledger's knowledge about the contents of rows. */
export type Meaning = {
  /** Throws for unreadable text. */
  readonly readUpdate: (meta: string) => {
    readonly idKey: bigint
    readonly parties: readonly string[]
    readonly bodyBytes: number
  }
  /** Whether the contract matches its id. */
  readonly isAuthentic: (contractId: string, blob: Uint8Array) => boolean
  /** Whether the package matches its id, which is a hash. */
  readonly isPackage: (packageId: string, dalf: Uint8Array) => boolean
}

export type Findings = {
  problem(text: string): void
  /** The number of rows of a table checked so far. */
  progress(table: string, rows: number, isDone: boolean): void
}

export type IntegrityParts = Findings & { readonly queries: Queries; readonly meaning: Meaning }

/** An unreadable table is one problem; the check continues with the next one. */
export async function attempt(what: string, problem: Findings['problem'], run: () => Promise<void>): Promise<void> {
  try {
    await run()
  } catch (error) {
    if (error instanceof StartError) throw error
    problem(`${what} cannot be read to the end: ${(error as Error).message}`)
  }
}
