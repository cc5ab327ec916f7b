// The keys of external parties as rows.

import type { ExternalPartyRecord, ExternalPartyRecords } from '../core/administration-records.ts'
import { isRowWhole, type OnDamage, valuesChecksum } from '../core/checksum.ts'
import type { Queries, Row } from '../core/database.ts'

const columns = 'party, synchronizer, threshold, keys, checksum'

type StoredKey = { readonly spec: string; readonly data: string }

export function externalPartyRecords({ query }: Queries, onDamage: OnDamage): ExternalPartyRecords {
  return {
    async of(party) {
      const rows = await query(`SELECT ${columns} FROM external_parties WHERE party = $1 ORDER BY synchronizer`, party)
      return rows.map((row) => externalPartyFromRow(row, onDamage))
    },
    async insert({ party, synchronizer, threshold, keys }) {
      const stored = keys.map(({ keySpec, keyData }): StoredKey => {
        return { spec: keySpec, data: Buffer.from(keyData).toString('base64') }
      })
      const values = [party, synchronizer, BigInt(threshold), JSON.stringify(stored)]
      await query(
        `INSERT INTO external_parties (${columns}) VALUES ($1, $2, $3, $4, $5)`,
        ...values,
        valuesChecksum(...values),
      )
    },
  }
}

function externalPartyFromRow(row: Row, onDamage: OnDamage): ExternalPartyRecord {
  if (!isRowWhole(row)) throw onDamage(`the keys of the party ${row.party}`)
  const stored: readonly StoredKey[] = JSON.parse(row.keys as string)
  return {
    party: row.party as string,
    synchronizer: row.synchronizer as bigint,
    threshold: Number(row.threshold),
    keys: stored.map(({ spec, data }) => ({ keySpec: spec, keyData: Buffer.from(data, 'base64') })),
  }
}
