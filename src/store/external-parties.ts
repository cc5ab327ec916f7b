// The keys of external parties as rows.
import type { Queries, Row } from './database.ts'
import type { ExternalPartyRecord, ExternalPartyRecords } from './store.ts'

const columns = 'party, synchronizer, threshold, keys'

type StoredKey = { readonly spec: string; readonly data: string }

export function externalPartyRecords({ query }: Queries): ExternalPartyRecords {
  return {
    async of(party) {
      const rows = await query(`SELECT ${columns} FROM external_parties WHERE party = $1 ORDER BY synchronizer`, party)
      return rows.map(externalPartyFromRow)
    },
    async insert({ party, synchronizer, threshold, keys }) {
      const stored = keys.map(({ keySpec, keyData }): StoredKey => {
        return { spec: keySpec, data: Buffer.from(keyData).toString('base64') }
      })
      await query(
        `INSERT INTO external_parties (${columns}) VALUES ($1, $2, $3, $4)`,
        party,
        synchronizer,
        BigInt(threshold),
        JSON.stringify(stored),
      )
    },
  }
}

function externalPartyFromRow(row: Row): ExternalPartyRecord {
  const stored: readonly StoredKey[] = JSON.parse(row.keys as string)
  return {
    party: row.party as string,
    synchronizer: row.synchronizer as bigint,
    threshold: Number(row.threshold),
    keys: stored.map(({ spec, data }) => ({ keySpec: spec, keyData: Buffer.from(data, 'base64') })),
  }
}
