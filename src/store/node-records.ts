// The node's own facts as rows: name and bytes.
import { checksumOf, isWhole, type OnDamage } from './checksum.ts'
import type { Queries, Row } from './database.ts'
import type { NodeRecords } from './store.ts'

export function nodeRecords({ query }: Queries, onDamage: OnDamage): NodeRecords {
  const into = 'INSERT INTO node (name, value, checksum) VALUES ($1, $2, $3)'
  const valuesOf = (name: string, value: Uint8Array) => [name, value, checksumOf(0n, name, value)]
  return {
    async get(name) {
      const [row] = await query('SELECT name, value, checksum FROM node WHERE name = $1', name)
      if (row !== undefined && !isFactWhole(row)) throw onDamage(nameOfFact(row))
      return row?.value as Uint8Array | undefined
    },
    async put(name, value) {
      const sql = `${into} ON CONFLICT (name) DO UPDATE SET value = excluded.value, checksum = excluded.checksum`
      await query(sql, ...valuesOf(name, value))
    },
    async delete(name) {
      await query('DELETE FROM node WHERE name = $1', name)
    },
    async insert(name, value) {
      await query(into, ...valuesOf(name, value))
    },
  }
}

export function isFactWhole({ name, value, checksum }: Row): boolean {
  return isWhole(checksum, () => checksumOf(0n, name, value))
}

export const nameOfFact = ({ name }: Row) => `what the node knows as ${name}`
