// Completions as rows, and which changes were accepted.
import type { Queries, Row } from './database.ts'
import { selectEach } from './selection.ts'
import type { AcceptedChangeRecords, CompletionRecord, CompletionRecords } from './store.ts'

const columns = ['completion_offset', 'user_id', 'act_as', 'head', 'tail']

export function completionRecords({ query, insert }: Queries): CompletionRecords {
  return {
    insert: (completions) =>
      insert(
        'completions',
        columns,
        completions.map(({ offset, userId, actAs, head, tail }) => [offset, userId, JSON.stringify(actAs), head, tail]),
      ),
    async range(userId, { after, upTo, limit, descending = false }) {
      const rows = await query(
        `SELECT ${columns.join(', ')} FROM completions WHERE completion_offset > $1 AND completion_offset <= $2
          ${userId === undefined ? '' : 'AND user_id = $4'}
          ORDER BY completion_offset ${descending ? 'DESC' : 'ASC'} LIMIT $3`,
        after,
        upTo,
        BigInt(limit),
        ...(userId === undefined ? [] : [userId]),
      )
      return rows.map(completionFromRow)
    },
    async first() {
      const [row] = await query('SELECT completion_offset FROM completions ORDER BY completion_offset LIMIT 1')
      return row?.completion_offset as bigint | undefined
    },
    async prune({ after, upTo }) {
      await query('DELETE FROM completions WHERE completion_offset > $1 AND completion_offset <= $2', after, upTo)
    },
  }
}

export function acceptedChangeRecords(queries: Queries): AcceptedChangeRecords {
  return {
    async get(changeIds) {
      const rows = await selectEach(
        queries,
        `SELECT change_id, completion_offset, published_at, submission_id FROM accepted_changes
          WHERE change_id IN ($$)`,
        changeIds,
      )
      return rows.map((row) => ({
        changeId: row.change_id as Uint8Array,
        offset: row.completion_offset as bigint,
        publishedAt: row.published_at as bigint,
        submissionId: row.submission_id as string,
      }))
    },
    put: (changes) =>
      queries.insert(
        'accepted_changes',
        ['change_id', 'completion_offset', 'published_at', 'submission_id'],
        changes.map(({ changeId, offset, publishedAt, submissionId }) => [changeId, offset, publishedAt, submissionId]),
        'change_id',
      ),
    async prune(upTo, publishedBefore, limit) {
      const rows = await queries.query(
        `SELECT completion_offset, published_at FROM accepted_changes WHERE completion_offset <= $1
          AND published_at < $2 ORDER BY completion_offset LIMIT $3`,
        upTo,
        publishedBefore,
        BigInt(limit),
      )
      const last = rows.at(-1)
      if (last === undefined) return undefined
      const offset = last.completion_offset as bigint
      await queries.query('DELETE FROM accepted_changes WHERE completion_offset <= $1', offset)
      return { offset, publishedAt: last.published_at as bigint }
    },
  }
}

function completionFromRow(row: Row): CompletionRecord {
  return {
    offset: row.completion_offset as bigint,
    userId: row.user_id as string,
    actAs: JSON.parse(row.act_as as string),
    head: row.head as string,
    tail: row.tail as string,
  }
}
