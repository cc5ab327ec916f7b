// Methods of the Admin API as data, and what they know of the node besides its ledger.
import type { Health } from '../../base/health.ts'
import type { Row } from '../method.ts'

export type AdminMethod = {
  /** `Service/Method`, within com.digitalasset.canton. */
  readonly method: string
  readonly call: NonNullable<Row['call']>
}

export type NodeFacts = {
  /** By the names that Canton gives them: ledger, admin, json. */
  ports(): Readonly<Record<string, number>>
  uptimeMs(): number
  readonly health: Health
}
