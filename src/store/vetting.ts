// The vetting of each synchronizer as rows: what is vetted, and how often that has changed.
import type { Queries } from './database.ts'
import type { VettingRecords } from './store.ts'

export function vettingRecords({ query, insert, delete: remove }: Queries): VettingRecords {
  return {
    async list() {
      const states = await query('SELECT synchronizer, serial FROM vetting ORDER BY synchronizer')
      const rows = await query('SELECT synchronizer, package_id, valid_from, valid_until FROM vetted_packages')
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
        `INSERT INTO vetting (synchronizer, serial) VALUES ($1, $2)
          ON CONFLICT (synchronizer) DO UPDATE SET serial = excluded.serial`,
        synchronizer,
        BigInt(serial),
      )
      const gone = [...unvetted, ...vetted.map(({ packageId }) => packageId)]
      await remove(
        'vetted_packages',
        ['synchronizer', 'package_id'],
        gone.map((packageId) => [synchronizer, packageId]),
      )
      await insert(
        'vetted_packages',
        ['synchronizer', 'package_id', 'valid_from', 'valid_until'],
        vetted.map(({ packageId, validFrom, validUntil }) => [
          synchronizer,
          packageId,
          validFrom ?? null,
          validUntil ?? null,
        ]),
      )
    },
  }
}
