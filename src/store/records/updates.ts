// The update log as rows, and which parties see which update.
import { areTexts, checksumOf, isWhole, type OnDamage } from '../core/checksum.ts'
import type { Queries, Row } from '../core/database.ts'
import type {
  OffsetRange,
  SeenUpdate,
  SizedUpdate,
  UpdateBeginning,
  UpdateRecords,
  UpdateRow,
} from '../core/ledger-records.ts'
import { inlineBytesMax, selectEach } from '../core/selection.ts'

const columns = ['update_offset', 'id_key', 'templates', 'meta', 'body', 'body_bytes', 'checksum']
const seenColumns = ['party', 'update_offset', 'templates']
const bodyBytes = 'COALESCE(body_bytes, octet_length(body))'
/** Column names are those of the record, so that rows need no conversion. Text is much cheaper to read than bytes. */
const read = `update_offset AS "offset", meta, convert_from(body, 'UTF8') AS body, checksum`
/** Leaves out large parts: the database knows their size without reading them. */
const readSized = `update_offset AS "offset", octet_length(meta) + ${bodyBytes} AS bytes,
  CASE WHEN octet_length(meta) <= ${inlineBytesMax} THEN meta END AS meta,
  CASE WHEN ${bodyBytes} <= ${inlineBytesMax} THEN convert_from(body, 'UTF8') END AS body,
  CASE WHEN octet_length(meta) <= ${inlineBytesMax} AND ${bodyBytes} <= ${inlineBytesMax} THEN checksum END
    AS checksum`

/** As much as says what an update is; large ones have megabytes of both. */
const metaBeginning = 4096
const bodyBeginning = 8192
const readBeginning = `update_offset AS "offset", octet_length(meta) AS bytes, substr(meta, 1, ${metaBeginning}) AS meta,
  substr(body, 1, ${bodyBeginning}) AS body`

export function updateRecords(queries: Queries, onDamage: OnDamage): UpdateRecords {
  const { query, insert } = queries
  return {
    async insert(updates, seen) {
      await insert(
        'updates',
        columns,
        updates.map(({ offset, idKey, templates, meta, body, bodyBytes }) => [
          ...[offset, idKey, templates, meta, body],
          bodyBytes === undefined ? null : BigInt(bodyBytes),
          checksumOf(offset, meta, body),
        ]),
      )
      await insert(
        'update_parties',
        seenColumns,
        seen.map(({ party, offset, templates }) => [party, offset, templates]),
      )
    },
    async range(range) {
      const rows = await query(`SELECT ${readSized}, templates FROM updates WHERE ${within(range)}`, ...boundsOf(range))
      return checked(rows) as unknown as (SizedUpdate & SeenUpdate)[]
    },
    async rangeSeenBy(party, range) {
      const rows = await query(
        `SELECT ${readSized} FROM update_parties JOIN updates USING (update_offset)
          WHERE party = $4 AND ${within(range)}`,
        ...boundsOf(range),
        party,
      )
      return checked(rows) as unknown as SizedUpdate[]
    },
    async listed(range) {
      const sql = `SELECT update_offset AS "offset", templates FROM updates WHERE ${within(range)}`
      return (await query(sql, ...boundsOf(range))) as SeenUpdate[]
    },
    async seenBy(party, range) {
      const rows = await query(
        `SELECT update_offset AS "offset", templates FROM update_parties WHERE party = $4 AND ${within(range)}`,
        ...boundsOf(range),
        party,
      )
      return rows as SeenUpdate[]
    },
    async at(offsets) {
      const rows = await rowsAt(offsets)
      if (rows.length === offsets.length && rows.every(({ offset }, index) => offset === offsets[index])) return rows
      const byOffset = new Map(rows.map((row) => [row.offset, row]))
      return offsets.flatMap((offset) => byOffset.get(offset) ?? [])
    },
    async beginnings(offsets) {
      const sql = `SELECT ${readBeginning} FROM updates WHERE update_offset IN ($$)`
      const rows = await selectEach(queries, sql, offsets)
      const byOffset = new Map(rows.map((row) => [row.offset as bigint, beginningFrom(row)]))
      return offsets.flatMap((offset) => byOffset.get(offset) ?? [])
    },
    async beginningUpTo(offset) {
      const sql = `SELECT ${readBeginning} FROM updates WHERE update_offset <= $1 ORDER BY update_offset DESC LIMIT 1`
      const [row] = await query(sql, offset)
      return row && beginningFrom(row)
    },
    async withIdKeys(from, to, limit) {
      const sql = 'SELECT update_offset FROM updates WHERE id_key >= $1 AND id_key <= $2 ORDER BY id_key LIMIT $3'
      const rows = await query(sql, from, to, BigInt(limit))
      return rows.map((row) => row.update_offset as bigint)
    },
    async whole(offsets) {
      const rows = await selectEach(queries, `SELECT ${read} FROM updates WHERE update_offset IN ($$)`, offsets)
      return checked(rows) as unknown as UpdateRow[]
    },
    async metas(range) {
      const rows = await query(
        `SELECT update_offset AS "offset", meta FROM updates WHERE ${within(range)}`,
        ...boundsOf(range),
      )
      return rows as Pick<UpdateRow, 'offset' | 'meta'>[]
    },
    async withIdKey(idKey) {
      const rows = await query(`SELECT ${readSized} FROM updates WHERE id_key = $1`, idKey)
      return checked(rows) as unknown as SizedUpdate[]
    },
    async first() {
      const [row] = await query('SELECT update_offset FROM updates ORDER BY update_offset LIMIT 1')
      return row?.update_offset as bigint | undefined
    },
    async prune({ after, upTo }, parties) {
      // By party rather than by row: all of its rows in the range go.
      const seen = 'DELETE FROM update_parties WHERE update_offset > $1 AND update_offset <= $2 AND party IN ($$)'
      await selectEach(queries, seen, parties, [after, upTo])
      await query('DELETE FROM updates WHERE update_offset > $1 AND update_offset <= $2', after, upTo)
    },
  }

  async function rowsAt(offsets: readonly bigint[]): Promise<SizedUpdate[]> {
    if (offsets.length === 0) return []
    const first = offsets.reduce((a, b) => (a < b ? a : b))
    const last = offsets.reduce((a, b) => (a > b ? a : b))
    const rows =
      last - first >= BigInt(offsets.length) * gapsMax
        ? selectEach(queries, `SELECT ${readSized} FROM updates WHERE update_offset IN ($$)`, offsets)
        : query(`SELECT ${readSized} FROM updates WHERE update_offset >= $1 AND update_offset <= $2`, first, last)
    return checked(await rows) as unknown as SizedUpdate[]
  }

  function checked(rows: Row[]): Row[] {
    for (const row of rows) {
      const { offset, meta, body, checksum } = row
      const isText = meta === null || areTexts(meta)
      if (!isText || !isWhole(checksum, () => checksumOf(offset, meta, body)))
        throw onDamage(`the update at offset ${offset}`)
    }
    return rows
  }
}

/** Not checked: its checksum is of the whole. */
function beginningFrom({ offset, bytes, meta, body }: Row): UpdateBeginning {
  return { offset: offset as bigint, metaBytes: bytes as bigint, meta: meta as string, body: body as Uint8Array }
}

/** Nearby offsets are read as one range, which costs less than a lookup for each. */
const gapsMax = 2n

function within({ descending = false }: OffsetRange): string {
  return `update_offset > $1 AND update_offset <= $2 ORDER BY update_offset ${descending ? 'DESC' : 'ASC'} LIMIT $3`
}

function boundsOf({ after, upTo, limit }: OffsetRange): [bigint, bigint, bigint] {
  return [after, upTo, BigInt(limit)]
}
