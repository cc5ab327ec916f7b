// Users and their rights as rows.
import { type PartyRight, partyRights, type Right } from '../../base/rights.ts'
import type { UserRecord, UserRecords } from '../core/administration-records.ts'
import { isRowWhole, type OnDamage, valuesChecksum } from '../core/checksum.ts'
import type { Queries, Row } from '../core/database.ts'
import { pageRows } from '../core/page-rows.ts'

const columns = `id, identity_provider_id, primary_party, is_deactivated, primary_party_authentication,
  resource_version, annotations, checksum`

export function userRecords({ query }: Queries, onDamage: OnDamage): UserRecords {
  const userFrom = (row: Row) => userFromRow(row, onDamage)
  const rightFrom = (row: Row) => rightFromRow(row, onDamage)
  return {
    async get(id) {
      const [row] = await query(`SELECT ${columns} FROM users WHERE id = $1`, id)
      return row && userFrom(row)
    },
    async list(identityProviderId, page) {
      const from = 'FROM users WHERE identity_provider_id = $1 AND id > $2 ORDER BY id'
      const values = [identityProviderId, page.after]
      const { rows, isCut } = await pageRows({ query }, { columns, large: 'annotations', from, values }, page)
      return { records: rows.map(userFrom), isCut }
    },
    async count(identityProviderId) {
      const [row] = await query('SELECT count(*) AS n FROM users WHERE identity_provider_id = $1', identityProviderId)
      return row!.n as bigint
    },
    async insert(user) {
      await query(`INSERT INTO users (${columns}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`, ...valuesOf(user))
    },
    async update(user) {
      await query(
        `UPDATE users SET identity_provider_id = $2, primary_party = $3, is_deactivated = $4,
          primary_party_authentication = $5, resource_version = $6, annotations = $7, checksum = $8 WHERE id = $1`,
        ...valuesOf(user),
      )
    },
    async delete(id) {
      await query('DELETE FROM users WHERE id = $1', id)
    },
    async rights(id) {
      const rows = await query(
        'SELECT user_id, kind, party, checksum FROM user_rights WHERE user_id = $1 ORDER BY kind, party',
        id,
      )
      return rows.map(rightFrom)
    },
    async grant(id, rights) {
      for (const right of rights) {
        const values = [id, right.kind, 'party' in right ? right.party : '']
        await query(
          'INSERT INTO user_rights (user_id, kind, party, checksum) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING',
          ...values,
          valuesChecksum(...values),
        )
      }
    },
    async revoke(id, rights) {
      for (const right of rights) {
        await query(
          'DELETE FROM user_rights WHERE user_id = $1 AND kind = $2 AND party = $3',
          id,
          right.kind,
          'party' in right ? right.party : '',
        )
      }
    },
  }
}

function valuesOf(user: UserRecord) {
  const values = [
    user.id,
    user.identityProviderId,
    user.primaryParty,
    user.isDeactivated ? 1n : 0n,
    user.primaryPartyAuthentication ? 1n : 0n,
    user.resourceVersion,
    JSON.stringify(user.annotations),
  ]
  return [...values, valuesChecksum(...values)]
}

function userFromRow(row: Row, onDamage: OnDamage): UserRecord {
  if (!isRowWhole(row)) throw onDamage(`the user ${row.id}`)
  return {
    id: row.id as string,
    identityProviderId: row.identity_provider_id as string,
    primaryParty: row.primary_party as string,
    isDeactivated: row.is_deactivated === 1n,
    primaryPartyAuthentication: row.primary_party_authentication === 1n,
    resourceVersion: row.resource_version as bigint,
    annotations: JSON.parse(row.annotations as string),
  }
}

function rightFromRow(row: Row, onDamage: OnDamage): Right {
  if (!isRowWhole(row)) throw onDamage(`a right of the user ${row.user_id}`)
  const kind = row.kind as Right['kind']
  const isOfParty = (partyRights as readonly string[]).includes(kind)
  return isOfParty ? ({ kind, party: row.party } as PartyRight) : ({ kind } as Right)
}
