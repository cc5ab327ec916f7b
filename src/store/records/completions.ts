// Completions as rows, and accepted changes.
import { unpackCompletion } from '../../events/format/stored-completion.ts'
import { areTexts, checksumOf, isWhole, type OnDamage } from '../core/checksum.ts'
import type { Queries, Row } from '../core/database.ts'
import type {
  AcceptedChange,
  AcceptedChangeRecords,
  CompletionRecord,
  CompletionRecords,
} from '../core/ledger-records.ts'
import { countWithin, inlineBytesMax, selectEach } from '../core/selection.ts'

const columns = ['completion_offset', 'user_id', 'act_as', 'head', 'tail', 'checksum']

const bytes = 'octet_length(act_as) + octet_length(head) + octet_length(tail)'
const small = ['act_as', 'head', 'tail', 'checksum'].map(
  (part) => `CASE WHEN ${bytes} <= ${inlineBytesMax} THEN ${part} END AS ${part}`,
)

export function completionRecords(queries: Queries, onDamage: OnDamage): CompletionRecords {
  const { query, insert } = queries
  return {
    insert: (completions) =>
      insert(
        'completions',
        columns,
        completions.map(({ offset, userId, actAs, head, tail }) => {
          const parties = JSON.stringify(actAs)
          return [offset, userId, parties, head, tail, checksumOf(offset, userId, parties, head, tail)]
        }),
      ),
    async range(userId, { after, upTo, limit, descending = false }) {
      const rows = await query(
        `SELECT completion_offset, user_id, ${bytes} AS bytes, ${small.join(', ')} FROM completions WHERE completion_offset > $1 AND completion_offset <= $2
          ${userId === undefined ? '' : 'AND user_id = $4'}
          ORDER BY completion_offset ${descending ? 'DESC' : 'ASC'} LIMIT $3`,
        after,
        upTo,
        BigInt(limit),
        ...(userId === undefined ? [] : [userId]),
      )
      const some = rows.slice(0, countWithin(rangeBytesMax, rows))
      const large = await whole(some.flatMap((row) => (row.head === null ? [row.completion_offset as bigint] : [])))
      return {
        rows: some.flatMap((row) => {
          const found = row.head === null ? large.get(row.completion_offset as bigint) : row
          return found === undefined ? [] : [completionFromRow(found, onDamage)] // May have been pruned meanwhile.
        }),
        last: some.at(-1)?.completion_offset as bigint | undefined,
        hasMore: some.length < rows.length || rows.length === limit,
      }
    },
    async first() {
      const [row] = await query('SELECT completion_offset FROM completions ORDER BY completion_offset LIMIT 1')
      return row?.completion_offset as bigint | undefined
    },
    async prune({ after, upTo }) {
      await query('DELETE FROM completions WHERE completion_offset > $1 AND completion_offset <= $2', after, upTo)
    },
  }

  async function whole(offsets: readonly bigint[]): Promise<Map<bigint, Row>> {
    const sql = `SELECT ${columns.join(', ')} FROM completions WHERE completion_offset IN ($$)`
    const rows = await selectEach(queries, sql, offsets)
    return new Map(rows.map((row) => [row.completion_offset as bigint, row]))
  }
}

/** Bytes per read, unless a single row is larger. */
const rangeBytesMax = 512 * 1024

const columnsOfChange = ['change_id', 'completion_offset', 'published_at', 'submission_id', 'checksum']
const selectChanges = `SELECT ${columnsOfChange.join(', ')} FROM accepted_changes`
const changesById = `${selectChanges} WHERE change_id IN ($$)`

export function acceptedChangeRecords(queries: Queries, onDamage: OnDamage): AcceptedChangeRecords {
  const changeFrom = (row: Row) => changeFromRow(row, onDamage)
  return {
    async get(changeIds) {
      return (await selectEach(queries, changesById, changeIds)).map(changeFrom)
    },
    put: (changes) =>
      queries.insert(
        'accepted_changes',
        columnsOfChange,
        changes.map(({ changeId, offset, publishedAt, submissionId }) => [
          ...[changeId, offset, publishedAt, submissionId],
          checksumOf(offset, changeId, String(publishedAt), submissionId),
        ]),
        'change_id',
      ),
    async prune(after, limit, isForgotten) {
      const rows = await queries.query(
        `${selectChanges} WHERE change_id > $1 ORDER BY change_id LIMIT $2`,
        after,
        BigInt(limit),
      )
      const forgotten = rows.map(changeFrom).filter(isForgotten)
      await queries.delete(
        'accepted_changes',
        ['change_id'],
        forgotten.map(({ changeId }) => [changeId]),
      )
      const last = rows.length < limit ? undefined : (rows.at(-1)!.change_id as Uint8Array)
      return { forgotten, last }
    },
  }
}

export function completionChecksum(row: Row): bigint {
  return checksumOf(row.completion_offset, row.user_id, row.act_as, row.head, row.tail)
}

export function changeChecksum(row: Row): bigint {
  return checksumOf(row.completion_offset, row.change_id, String(row.published_at), row.submission_id)
}

function completionFromRow(row: Row, onDamage: OnDamage): CompletionRecord {
  if (!areTexts(row.act_as, row.head, row.tail) || !isWhole(row.checksum, () => completionChecksum(row))) {
    throw onDamage(`the completion at offset ${row.completion_offset}`)
  }
  return {
    offset: row.completion_offset as bigint,
    userId: row.user_id as string,
    actAs: JSON.parse(row.act_as as string),
    head: unpackCompletion(row.head as string),
    tail: unpackCompletion(row.tail as string),
  }
}

function changeFromRow(row: Row, onDamage: OnDamage): AcceptedChange {
  if (!isWhole(row.checksum, () => changeChecksum(row))) {
    throw onDamage(`the accepted change of the completion at offset ${row.completion_offset}`)
  }
  return {
    changeId: row.change_id as Uint8Array,
    offset: row.completion_offset as bigint,
    publishedAt: row.published_at as bigint,
    submissionId: row.submission_id as string,
  }
}
