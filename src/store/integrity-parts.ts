// What the checks of stored data share: what they are given, and how they tell what they found.
import { StartError } from '../base/errors.ts'
import type { Queries } from './database.ts'

/** What the ledger knows about what is in the rows. */
export type Meaning = {
  /** Throws for text that says nothing. */
  readonly readUpdate: (meta: string) => {
    readonly idKey: bigint
    readonly parties: readonly string[]
    readonly bodyBytes: number
  }
  /** Whether the contract is what its id commits to. */
  readonly isAuthentic: (contractId: string, blob: Uint8Array) => boolean
  /** Whether a package is what its id is the hash of. */
  readonly isPackage: (packageId: string, dalf: Uint8Array) => boolean
}

export type Findings = {
  problem(text: string): void
  /** Rows of a table that were looked at so far. */
  progress(table: string, rows: number, isDone: boolean): void
}

export type IntegrityParts = Findings & { readonly queries: Queries; readonly meaning: Meaning }

/** A table that cannot be read at all is one problem, and the next one is looked at. */
export async function attempt(what: string, problem: Findings['problem'], run: () => Promise<void>): Promise<void> {
  try {
    await run()
  } catch (error) {
    if (error instanceof StartError) throw error
    problem(`${what} cannot be read to the end: ${(error as Error).message}`)
  }
}
