// Synchronizers as rows. Parts that change have their own checksums: the record time, which every commit changes, and
// whether the node is connected.

import type { SynchronizerRecord, SynchronizerRecords } from '../core/administration-records.ts'
import { checksumOf, isWhole, listed, type OnDamage } from '../core/checksum.ts'
import type { Param, Queries, Row } from '../core/database.ts'

const columns = ['number', 'id', 'alias', 'record_time', 'is_connected']
const checksums = ['checksum', 'record_time_checksum', 'connected_checksum']
const all = [...columns, ...checksums]

export function synchronizerRecords({ query, insert }: Queries, onDamage: OnDamage): SynchronizerRecords {
  return {
    async list() {
      const rows = await query(`SELECT ${all.join(', ')} FROM synchronizers ORDER BY number`)
      return rows.map((row) => synchronizerFromRow(row, onDamage))
    },
    insert({ number, id, alias, recordTime, isConnected }) {
      const connected = isConnected ? 1n : 0n
      const sums = [factsChecksum(number, id, alias), partChecksum(number, recordTime), partChecksum(number, connected)]
      return insert('synchronizers', all, [[number, id, alias, recordTime, connected, ...sums]])
    },
    async setConnected(number, isConnected) {
      const connected = isConnected ? 1n : 0n
      await query(
        'UPDATE synchronizers SET is_connected = $2, connected_checksum = $3 WHERE number = $1',
        ...[number, connected, partChecksum(number, connected)],
      )
    },
    async setRecordTime(number, recordTime) {
      await query(
        'UPDATE synchronizers SET record_time = $2, record_time_checksum = $3 WHERE number = $1',
        ...[number, recordTime, partChecksum(number, recordTime)],
      )
    },
  }
}

export function isSynchronizerWhole(row: Row): boolean {
  const { number, record_time: time, is_connected: connected } = row
  if (!isWhole(row.checksum, () => factsChecksum(number, row.id, row.alias))) return false
  if (!isWhole(row.record_time_checksum, () => partChecksum(number, time))) return false
  return isWhole(row.connected_checksum, () => partChecksum(number, connected))
}

export const nameOfSynchronizer = ({ id, number }: Row) => `the synchronizer ${id} (number ${number})`

function factsChecksum(number: Param | undefined, id: Param | undefined, alias: Param | undefined): bigint {
  return checksumOf(number, listed(id, alias))
}

function partChecksum(number: Param | undefined, value: Param | undefined): bigint {
  return checksumOf(number, String(value))
}

function synchronizerFromRow(row: Row, onDamage: OnDamage): SynchronizerRecord {
  if (!isSynchronizerWhole(row)) throw onDamage(nameOfSynchronizer(row))
  return {
    number: row.number as bigint,
    id: row.id as string,
    alias: row.alias as string,
    recordTime: row.record_time as bigint,
    isConnected: row.is_connected === 1n,
  }
}
