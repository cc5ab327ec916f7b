// Packages and DARs as rows. The dalf is read only on request.
import { isArchiveOf } from '../../lf/archive/archive-hash.ts'
import type { DarRecords, PackageRecord, PackageRecords } from '../core/administration-records.ts'
import { isRowWhole, type OnDamage, valuesChecksum } from '../core/checksum.ts'
import type { Param, Queries, Row } from '../core/database.ts'

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
      const rows = await query(`SELECT ${columns} FROM packages ORDER BY id`)
      return rows.map((row) => packageFrom(row).id)
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

const columnsOfDar = ['hash', 'main_package_id', 'is_vetted']

export function darRecords({ query, insert }: Queries, onDamage: OnDamage): DarRecords {
  const read = `SELECT ${columnsOfDar.join(', ')}, checksum FROM dars`
  const write = (rows: readonly Param[][]) =>
    insert(
      'dars',
      [...columnsOfDar, 'checksum'],
      rows.map((values) => [...values, valuesChecksum(...values)]),
      'hash',
    )
  return {
    async get(hash) {
      const [row] = await query(`${read} WHERE hash = $1`, hash)
      if (row !== undefined && !isRowWhole(row)) throw onDamage(nameOfDar(row))
      return (
        row && {
          hash: row.hash as string,
          mainPackageId: row.main_package_id as string,
          isVetted: row.is_vetted === 1n,
        }
      )
    },
    put: ({ hash, mainPackageId, isVetted }) => write([[hash, mainPackageId, isVetted ? 1n : 0n]]),
    async doubtVetting() {
      // A damaged row is left alone: a new checksum would hide the damage.
      const rows = (await query(`${read} WHERE is_vetted <> 0`)).filter(isRowWhole)
      await write(rows.map(({ hash, main_package_id: main }) => [hash!, main!, 0n]))
    },
  }
}

export const nameOfDar = ({ hash }: Row) => `the DAR file ${hash}`

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
