// Reads of the index of active contracts: by party, template and number.
import type { ContractRecords } from '../core/contract-records.ts'
import type { Queries } from '../core/database.ts'

type Reads = Pick<ContractRecords, 'active' | 'firstActive' | 'countActive' | 'activeBefore' | 'lastActive'>

export function activeContracts({ query }: Queries): Reads {
  return {
    async active(party, template, after, upTo, limit) {
      const rows = await query(
        `SELECT contract FROM active_contracts
          WHERE party = $1 AND template = $2 AND contract > $3 AND contract <= $4 ORDER BY contract LIMIT $5`,
        party,
        template,
        after,
        upTo,
        BigInt(limit),
      )
      return rows.map((row) => row.contract as bigint)
    },
    async firstActive(party, after, upTo) {
      const first = `SELECT MIN(contract) FROM active_contracts a
        WHERE a.party = $1 AND a.template = t.template AND a.contract > $2 AND a.contract <= $3`
      const rows = await query(
        `${templatesIn('active_contracts')}
          SELECT t.template, (${first}) AS number FROM templates t WHERE t.template IS NOT NULL`,
        party,
        after,
        upTo,
      )
      return rows.flatMap(({ template, number }) => {
        return number === null ? [] : [{ template: template as bigint, number: number as bigint }]
      })
    },
    async countActive(party, template, after, upTo, limit) {
      const [row] = await query(
        `SELECT COUNT(*) AS count, MAX(contract) AS last FROM (
          SELECT contract FROM active_contracts
            WHERE party = $1 AND template = $2 AND contract > $3 AND contract <= $4 ORDER BY contract LIMIT $5) AS found`,
        party,
        template,
        after,
        upTo,
        BigInt(limit),
      )
      return { count: Number(row!.count), last: (row!.last as bigint | null) ?? after }
    },
    async activeBefore(party, template, before, limit) {
      const rows = await query(
        `SELECT contract FROM active_contracts
          WHERE party = $1 AND template = $2 AND contract < $3 ORDER BY contract DESC LIMIT $4`,
        party,
        template,
        before,
        BigInt(limit),
      )
      return rows.map((row) => row.contract as bigint)
    },
    async lastActive(party, before) {
      const last = `SELECT MAX(contract) FROM active_contracts a
        WHERE a.party = $1 AND a.template = t.template AND a.contract < $2`
      const rows = await query(
        `${templatesIn('active_contracts')}
          SELECT t.template, (${last}) AS number FROM templates t WHERE t.template IS NOT NULL`,
        party,
        before,
      )
      return rows.flatMap(({ template, number }) => {
        return number === null ? [] : [{ template: template as bigint, number: number as bigint }]
      })
    },
  }
}

/** The templates of which a party has rows in the index. */
export async function templatesOf(
  { query }: Queries,
  table: 'active_contracts' | 'past_contracts',
  party: bigint,
): Promise<bigint[]> {
  const sql = `${templatesIn(table)} SELECT template FROM templates WHERE template IS NOT NULL`
  const rows = await query(sql, party)
  return rows.map((row) => row.template as bigint)
}

/** The templates of which a party ($1) has rows: one look into the index for each, however many rows there are. */
function templatesIn(table: 'active_contracts' | 'past_contracts'): string {
  const next = `SELECT MIN(template) FROM ${table} WHERE party = $1`
  return `WITH RECURSIVE templates(template) AS (
    SELECT (${next}) UNION ALL
    SELECT (${next} AND template > t.template) FROM templates t WHERE t.template IS NOT NULL)`
}
