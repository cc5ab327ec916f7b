// The vetting of each synchronizer as rows: vetted packages, and the number of changes.

import type { VettingRecords } from '../core/administration-records.ts'
import { isRowWhole, type OnDamage, valuesChecksum } from '../core/checksum.ts'
import type { Queries, Row } from '../core/database.ts'

const columns = ['synchronizer', 'package_id', 'valid_from', 'valid_until']

export const nameOfVetting = (row: Row) => `the vetting of the synchronizer with number ${row.synchronizer}`

export function vettingRecords({ query, insert, delete: remove }: Queries, onDamage: OnDamage): VettingRecords {
  return {
    async list() {
      const states = await query('SELECT synchronizer, serial, checksum FROM vetting ORDER BY synchronizer')
      for (const row of states) if (!isRowWhole(row)) throw onDamage(nameOfVetting(row))
      const rows = await query(`SELECT ${columns.join(', ')}, checksum FROM vetted_packages`)
      for (const row of rows) if (!isRowWhole(row)) throw onDamage(`the vetting of the package ${row.package_id}`)
      return states.map(({ synchronizer, serial }) => ({
        synchronizer: synchronizer as bigint,
        serial: Number(serial),
        packages: rows
          .filter((row) => row.synchronizer === synchronizer)
          .map((row) => ({
            packageId: row.package_id as string,
            validFrom: (row.valid_from as bigint | null) ?? undefined,
            validUntil: (row.valid_until as bigint | null) ?? undefined,
          })),
      }))
    },
    async change({ synchronizer, serial, vetted, unvetted }) {
      await query(
        `INSERT INTO vetting (synchronizer, serial, checksum) VALUES ($1, $2, $3)
          ON CONFLICT (synchronizer) DO UPDATE SET serial = excluded.serial, checksum = excluded.checksum`,
        ...[synchronizer, BigInt(serial), valuesChecksum(synchronizer, BigInt(serial))],
      )
      const gone = [...unvetted, ...vetted.map(({ packageId }) => packageId)]
      await remove(
        'vetted_packages',
        ['synchronizer', 'package_id'],
        gone.map((packageId) => [synchronizer, packageId]),
      )
      await insert(
        'vetted_packages',
        [...columns, 'checksum'],
        vetted.map(({ packageId, validFrom, validUntil }) => {
          const values = [synchronizer, packageId, validFrom ?? null, validUntil ?? null]
          return [...values, valuesChecksum(...values)]
        }),
      )
    },
  }
}
