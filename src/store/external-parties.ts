// The keys of external parties as rows.
import type { Queries } from './database.ts'
import type { ExternalPartyRecords } from './store.ts'

type StoredKey = { readonly spec: string; readonly data: string }

export function externalPartyRecords({ query }: Queries): ExternalPartyRecords {
  return {
    async get(party) {
      const [row] = await query('SELECT threshold, keys FROM external_parties WHERE party = $1', party)
      if (row === undefined) return undefined
      const stored: readonly StoredKey[] = JSON.parse(row.keys as string)
      const keys = stored.map(({ spec, data }) => ({ keySpec: spec, keyData: Buffer.from(data, 'base64') }))
      return { party, keys, threshold: Number(row.threshold) }
    },
    async insert({ party, keys, threshold }) {
      const stored = keys.map(({ keySpec, keyData }): StoredKey => {
        return { spec: keySpec, data: Buffer.from(keyData).toString('base64') }
      })
      await query(
        'INSERT INTO external_parties (party, threshold, keys) VALUES ($1, $2, $3)',
        party,
        BigInt(threshold),
        JSON.stringify(stored),
      )
    },
  }
}
