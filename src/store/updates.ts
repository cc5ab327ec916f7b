// The log of updates as rows, and which of them a party sees.
import type { Queries, Row } from './database.ts'
import { selectEach } from './selection.ts'
import type { OffsetRange, UpdateRecord, UpdateRecords } from './store.ts'

const columns = ['update_offset', 'id_key', 'templates', 'meta', 'body']
const list = columns.join(', ')

export function updateRecords(queries: Queries): UpdateRecords {
  const { query, insert } = queries
  return {
    async insert(updates, seen) {
      await insert(
        'updates',
        columns,
        updates.map(({ offset, idKey, templates, meta, body }) => [offset, idKey, templates, meta, body]),
      )
      await insert(
        'update_parties',
        ['party', 'update_offset', 'templates'],
        seen.map(({ party, offset, templates }) => [party, offset, templates]),
      )
    },
    async range(range) {
      const rows = await query(`SELECT ${list} FROM updates WHERE ${within(range)}`, ...boundsOf(range))
      return rows.map(updateFromRow)
    },
    async seenBy(party, range) {
      const rows = await query(
        `SELECT update_offset, templates FROM update_parties WHERE party = $4 AND ${within(range)}`,
        ...boundsOf(range),
        party,
      )
      return rows.map((row) => ({ offset: row.update_offset as bigint, templates: row.templates as string }))
    },
    async at(offsets) {
      const rows = await rowsAt(offsets)
      const byOffset = new Map(rows.map((row) => [row.update_offset, row]))
      return offsets.flatMap((offset) => {
        const row = byOffset.get(offset)
        return row === undefined ? [] : [updateFromRow(row)]
      })
    },
    async withIdKey(idKey) {
      const rows = await query(`SELECT ${list} FROM updates WHERE id_key = $1`, idKey)
      return rows.map(updateFromRow)
    },
    async first() {
      const [row] = await query('SELECT update_offset FROM updates ORDER BY update_offset LIMIT 1')
      return row?.update_offset as bigint | undefined
    },
    async prune({ after, upTo }, seen) {
      await queries.delete(
        'update_parties',
        ['party', 'update_offset'],
        seen.map(({ party, offset }) => [party, offset]),
      )
      await query('DELETE FROM updates WHERE update_offset > $1 AND update_offset <= $2', after, upTo)
    },
  }

  async function rowsAt(offsets: readonly bigint[]): Promise<Row[]> {
    if (offsets.length === 0) return []
    const first = offsets.reduce((a, b) => (a < b ? a : b))
    const last = offsets.reduce((a, b) => (a > b ? a : b))
    if (last - first >= BigInt(offsets.length) * gapsMax) {
      return selectEach(queries, `SELECT ${list} FROM updates WHERE update_offset IN ($$)`, offsets)
    }
    return query(`SELECT ${list} FROM updates WHERE update_offset >= $1 AND update_offset <= $2`, first, last)
  }
}

/** Offsets that lie close together are read as one stretch, which costs less than to look up each. */
const gapsMax = 2n

function within({ descending = false }: OffsetRange): string {
  return `update_offset > $1 AND update_offset <= $2 ORDER BY update_offset ${descending ? 'DESC' : 'ASC'} LIMIT $3`
}

function boundsOf({ after, upTo, limit }: OffsetRange): [bigint, bigint, bigint] {
  return [after, upTo, BigInt(limit)]
}

function updateFromRow(row: Row): UpdateRecord {
  return {
    offset: row.update_offset as bigint,
    idKey: row.id_key as bigint,
    templates: row.templates as string,
    meta: row.meta as string,
    body: row.body as Uint8Array,
  }
}
