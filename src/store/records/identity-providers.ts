// Identity provider configs as rows.

import type { IdentityProviderRecord, IdentityProviderRecords } from '../core/administration-records.ts'
import { isRowWhole, type OnDamage, valuesChecksum } from '../core/checksum.ts'
import type { Queries, Row } from '../core/database.ts'

const columns = 'id, issuer, jwks_url, audience, is_deactivated, checksum'

export function identityProviderRecords({ query }: Queries, onDamage: OnDamage): IdentityProviderRecords {
  const configFrom = (row: Row) => configFromRow(row, onDamage)
  return {
    async get(id) {
      const [row] = await query(`SELECT ${columns} FROM identity_providers WHERE id = $1`, id)
      return row && configFrom(row)
    },
    async byIssuer(issuer) {
      const [row] = await query(`SELECT ${columns} FROM identity_providers WHERE issuer = $1`, issuer)
      return row && configFrom(row)
    },
    async list() {
      const rows = await query(`SELECT ${columns} FROM identity_providers ORDER BY id`)
      return rows.map(configFrom)
    },
    async insert(config) {
      await query(`INSERT INTO identity_providers (${columns}) VALUES ($1, $2, $3, $4, $5, $6)`, ...valuesOf(config))
    },
    async update(config) {
      await query(
        `UPDATE identity_providers SET issuer = $2, jwks_url = $3, audience = $4, is_deactivated = $5, checksum = $6
          WHERE id = $1`,
        ...valuesOf(config),
      )
    },
    async delete(id) {
      await query('DELETE FROM identity_providers WHERE id = $1', id)
    },
  }
}

function valuesOf(config: IdentityProviderRecord) {
  const values = [config.id, config.issuer, config.jwksUrl, config.audience, config.isDeactivated ? 1n : 0n]
  return [...values, valuesChecksum(...values)]
}

function configFromRow(row: Row, onDamage: OnDamage): IdentityProviderRecord {
  if (!isRowWhole(row)) throw onDamage(`the identity provider ${row.id}`)
  return {
    id: row.id as string,
    issuer: row.issuer as string,
    jwksUrl: row.jwks_url as string,
    audience: row.audience as string,
    isDeactivated: row.is_deactivated === 1n,
  }
}
