// Packages and DARs as rows. The dalf is read only when it is asked for.
import { isArchiveOf } from '../lf/archive/archive-hash.ts'
import { isRowWhole, type OnDamage, valuesChecksum } from './checksum.ts'
import type { Queries, Row } from './database.ts'
import type { DarRecords, PackageRecord, PackageRecords } from './store.ts'

const columns = 'id, name, version, language_version, is_upgradable, size, uploaded_at_ms, checksum'

export function packageRecords({ query, insert, delete: remove }: Queries, onDamage: OnDamage): PackageRecords {
  const packageFrom = (row: Row) => packageFromRow(row, onDamage)
  return {
    async get(id) {
      const [row] = await query(`SELECT ${columns} FROM packages WHERE id = $1`, id)
      return row && packageFrom(row)
    },
    async dalf(id) {
      const [row] = await query('SELECT dalf FROM packages WHERE id = $1', id)
      if (row === undefined) return undefined
      const dalf = row.dalf as Uint8Array
      if (!isArchiveOf(id, dalf)) throw onDamage(`the package ${id} is not what its id is the hash of`)
      return dalf
    },
    async ids() {
      const rows = await query('SELECT id FROM packages ORDER BY id')
      return rows.map((row) => row.id as string)
    },
    async list() {
      const rows = await query(`SELECT ${columns} FROM packages ORDER BY id`)
      return rows.map(packageFrom)
    },
    async mains() {
      const mains = 'SELECT main_package_id FROM dars'
      const rows = await query(
        `SELECT ${columns} FROM packages WHERE id IN (${mains}) ORDER BY uploaded_at_ms, name, version`,
      )
      return rows.map(packageFrom)
    },
    async named(name, version) {
      const rows = await query(
        `SELECT ${columns} FROM packages WHERE name = $1 AND version = $2 ORDER BY id`,
        name,
        version,
      )
      return rows.map(packageFrom)
    },
    async insert(record, dalf) {
      const values = [
        record.id,
        record.name,
        record.version,
        record.languageVersion,
        record.isUpgradable ? 1n : 0n,
        BigInt(record.size),
        BigInt(record.uploadedAtMs),
      ]
      await query(
        `INSERT INTO packages (${columns}, dalf) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
        ...values,
        valuesChecksum(...values),
        dalf,
      )
    },
    async contents() {
      const rows = await query('SELECT package_id, contents, checksum FROM package_contents')
      for (const row of rows) if (!isRowWhole(row)) throw onDamage(`the contents of the package ${row.package_id}`)
      return new Map(rows.map((row) => [row.package_id as string, row.contents as string]))
    },
    async putContents(contents) {
      await remove(
        'package_contents',
        ['package_id'],
        [...contents.keys()].map((id) => [id]),
      )
      await insert(
        'package_contents',
        ['package_id', 'contents', 'checksum'],
        [...contents].map((values) => [...values, valuesChecksum(...values)]),
      )
    },
  }
}

export function darRecords({ query }: Queries): DarRecords {
  return {
    async get(hash) {
      const [row] = await query('SELECT hash, main_package_id, is_vetted FROM dars WHERE hash = $1', hash)
      return (
        row && {
          hash: row.hash as string,
          mainPackageId: row.main_package_id as string,
          isVetted: row.is_vetted === 1n,
        }
      )
    },
    async put({ hash, mainPackageId, isVetted }) {
      await query(
        `INSERT INTO dars (hash, main_package_id, is_vetted) VALUES ($1, $2, $3)
          ON CONFLICT (hash) DO UPDATE SET is_vetted = excluded.is_vetted`,
        hash,
        mainPackageId,
        isVetted ? 1n : 0n,
      )
    },
    async doubtVetting() {
      await query('UPDATE dars SET is_vetted = 0')
    },
  }
}

function packageFromRow(row: Row, onDamage: OnDamage): PackageRecord {
  if (!isRowWhole(row)) throw onDamage(`the description of the package ${row.id}`)
  return {
    id: row.id as string,
    name: row.name as string,
    version: row.version as string,
    languageVersion: row.language_version as string,
    isUpgradable: row.is_upgradable === 1n,
    size: Number(row.size),
    uploadedAtMs: Number(row.uploaded_at_ms),
  }
}
