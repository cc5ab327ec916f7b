// Updates that a participant of a network has not been given yet, as rows.
import { checksumOf, isRowWhole, isWhole, listed, type OnDamage, valuesChecksum } from '../core/checksum.ts'
import type { Queries, Row } from '../core/database.ts'
import type { WaitingUpdate, WaitingUpdateRecords } from '../core/ledger-records.ts'
import { countWithin, selectEach } from '../core/selection.ts'

const columns = ['number', 'synchronizer', 'record_time', 'content', 'checksum']
const contractColumns = ['contract_id', 'number', 'checksum']

export function waitingUpdateRecords(queries: Queries, onDamage: OnDamage): WaitingUpdateRecords {
  const { query, insert, delete: remove } = queries
  const release = async (numbers: readonly bigint[]) => {
    const rows = await selectEach(
      queries,
      'SELECT contract_id, number FROM waiting_contracts WHERE number IN ($$)',
      numbers,
    )
    const keys = rows.map(({ contract_id: id, number }) => [id!, number!])
    await remove('waiting_contracts', ['contract_id', 'number'], keys)
  }
  return {
    async behind(synchronizers) {
      const found = new Set<bigint>()
      for (const synchronizer of synchronizers) {
        const rows = await query('SELECT number FROM waiting_updates WHERE synchronizer = $1 LIMIT 1', synchronizer)
        if (rows.length > 0) found.add(synchronizer)
      }
      return found
    },
    async append(updates) {
      const [last] = await query('SELECT number FROM waiting_updates ORDER BY number DESC LIMIT 1')
      const first = ((last?.number as bigint | undefined) ?? 0n) + 1n
      const numbers = updates.map((_, index) => first + BigInt(index))
      await insert(
        'waiting_updates',
        columns,
        updates.map(({ synchronizer, recordTime, content }, index) => {
          const number = numbers[index]!
          return [number, synchronizer, recordTime, content, checksumFor(number, synchronizer, recordTime, content)]
        }),
      )
      const contracts = updates.flatMap((update, index) =>
        [...new Set(update.taken)].map((id) => [id, numbers[index]!, valuesChecksum(id, numbers[index])]),
      )
      if (contracts.length > 0) await insert('waiting_contracts', contractColumns, contracts)
      return numbers
    },
    async find(number, recordTime) {
      const [row] = await query(
        `SELECT ${columns.join(', ')} FROM waiting_updates WHERE number = $1 AND record_time = $2`,
        ...[number, recordTime],
      )
      return row && updateFromRow(row, onDamage)
    },
    async decide({ number, synchronizer, recordTime }, content) {
      await query(
        'UPDATE waiting_updates SET content = $2, checksum = $3 WHERE number = $1',
        ...[number, content, checksumFor(number, synchronizer, recordTime, content)],
      )
    },
    async next(synchronizer, { limit, bytesMax }) {
      const sizes = await query(
        `SELECT number, octet_length(content) AS bytes FROM waiting_updates WHERE synchronizer = $1
          ORDER BY number LIMIT $2`,
        ...[synchronizer, BigInt(limit)],
      )
      const last = sizes[countWithin(bytesMax, sizes) - 1]
      if (last === undefined) return []
      const rows = await query(
        `SELECT ${columns.join(', ')} FROM waiting_updates WHERE synchronizer = $1 AND number <= $2 ORDER BY number`,
        ...[synchronizer, last.number!],
      )
      return rows.map((row) => updateFromRow(row, onDamage))
    },
    async delete(numbers) {
      await release(numbers)
      await remove(
        'waiting_updates',
        ['number'],
        numbers.map((number) => [number]),
      )
    },
    release,
    async taken(ids) {
      const rows = await selectEach(
        queries,
        `SELECT c.contract_id, c.number, c.checksum, u.synchronizer, octet_length(u.content) AS bytes FROM waiting_contracts c
          JOIN waiting_updates u ON u.number = c.number WHERE c.contract_id IN ($$)`,
        ids,
      )
      return rows.map(({ bytes, synchronizer, ...row }) => {
        if (!isRowWhole(row)) throw onDamage(nameOfWaitingContract(row))
        return {
          id: row.contract_id as string,
          synchronizer: synchronizer as bigint,
          isDecided: bytes !== 0n,
        }
      })
    },
    async undecided() {
      const rows = await query('SELECT number FROM waiting_updates WHERE octet_length(content) = 0 ORDER BY number')
      return rows.map(({ number }) => number as bigint)
    },
    async summaries() {
      const rows = await query(
        `SELECT synchronizer, count(*) AS n, CAST(sum(octet_length(content)) AS BIGINT) AS bytes, min(record_time) AS since
          FROM waiting_updates GROUP BY synchronizer ORDER BY synchronizer`,
      )
      return rows.map(({ synchronizer, n, bytes, since }) => {
        return { synchronizer: synchronizer as bigint, count: Number(n), bytes: Number(bytes), since: since as bigint }
      })
    },
  }
}

export function isWaitingUpdateWhole({ number, synchronizer, record_time: time, content, checksum }: Row): boolean {
  return isWhole(checksum, () => checksumFor(number as bigint, synchronizer, time, content as Uint8Array))
}

export const nameOfWaitingUpdate = ({ number }: Row): string => `the waiting update with number ${number}`
export const nameOfWaitingContract = ({ contract_id: id }: Row): string =>
  `the note that ${id} is taken by a waiting update`

function checksumFor(
  number: bigint,
  synchronizer: Row[string] | undefined,
  recordTime: Row[string] | undefined,
  content: Uint8Array,
): bigint {
  return checksumOf(number, listed(synchronizer, recordTime), content)
}

function updateFromRow(row: Row, onDamage: OnDamage): WaitingUpdate {
  if (!isWaitingUpdateWhole(row)) throw onDamage(nameOfWaitingUpdate(row))
  return {
    number: row.number as bigint,
    synchronizer: row.synchronizer as bigint,
    recordTime: row.record_time as bigint,
    content: row.content as Uint8Array,
  }
}
