// What a development node offers besides the ledger: tools for people who write and test applications.
import type { ForkStatus } from '../fork/fork-status.ts'
import type { Faults } from './faults.ts'
import type { Rejections } from './rejections.ts'
import type { Scripts } from './scripts.ts'
import type { SignIn } from './sign-in.ts'
import type { Snapshots } from './snapshots.ts'
import type { Tokens } from './tokens.ts'

export type Development = {
  readonly snapshots: Snapshots
  readonly rejections: Rejections
  readonly faults: Faults
  readonly scripts: Scripts
  readonly tokens: Tokens
  readonly signIn: SignIn
  /** Undefined unless the ledger is a fork. */
  readonly fork: () => Promise<ForkStatus | undefined>
}
