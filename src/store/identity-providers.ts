// Identity provider configs as rows.
import type { Queries, Row } from './database.ts'
import type { IdentityProviderRecord, IdentityProviderRecords } from './store.ts'

const columns = 'id, issuer, jwks_url, audience, is_deactivated'

export function identityProviderRecords({ query }: Queries): IdentityProviderRecords {
  return {
    async get(id) {
      const [row] = await query(`SELECT ${columns} FROM identity_providers WHERE id = $1`, id)
      return row && configFromRow(row)
    },
    async byIssuer(issuer) {
      const [row] = await query(`SELECT ${columns} FROM identity_providers WHERE issuer = $1`, issuer)
      return row && configFromRow(row)
    },
    async list() {
      const rows = await query(`SELECT ${columns} FROM identity_providers ORDER BY id`)
      return rows.map(configFromRow)
    },
    async insert(config) {
      await query(`INSERT INTO identity_providers (${columns}) VALUES ($1, $2, $3, $4, $5)`, ...valuesOf(config))
    },
    async update(config) {
      await query(
        'UPDATE identity_providers SET issuer = $2, jwks_url = $3, audience = $4, is_deactivated = $5 WHERE id = $1',
        ...valuesOf(config),
      )
    },
    async delete(id) {
      await query('DELETE FROM identity_providers WHERE id = $1', id)
    },
  }
}

function valuesOf(config: IdentityProviderRecord) {
  return [config.id, config.issuer, config.jwksUrl, config.audience, config.isDeactivated ? 1n : 0n] as const
}

function configFromRow(row: Row): IdentityProviderRecord {
  return {
    id: row.id as string,
    issuer: row.issuer as string,
    jwksUrl: row.jwks_url as string,
    audience: row.audience as string,
    isDeactivated: row.is_deactivated === 1n,
  }
}
