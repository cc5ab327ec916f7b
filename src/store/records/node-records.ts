// The node's own facts as rows: name and bytes.

import type { NodeRecords } from '../core/administration-records.ts'
import { checksumOf, isWhole, type OnDamage } from '../core/checksum.ts'
import type { Queries, Row } from '../core/database.ts'

export function nodeRecords({ query }: Queries, onDamage: OnDamage): NodeRecords {
  const into = 'INSERT INTO node (name, value, checksum) VALUES ($1, $2, $3)'
  const valuesOf = (name: string, value: Uint8Array) => [name, value, checksumOf(0n, name, value)]
  async function getAll(names: readonly string[]): Promise<Map<string, Uint8Array>> {
    const list = names.map((_, index) => `$${index + 1}`).join(', ')
    const rows = await query(`SELECT name, value, checksum FROM node WHERE name IN (${list})`, ...names)
    const damaged = rows.find((row) => !isFactWhole(row))
    if (damaged !== undefined) throw onDamage(nameOfFact(damaged))
    return new Map(rows.map(({ name, value }) => [name as string, value as Uint8Array]))
  }

  return {
    get: async (name) => (await getAll([name])).get(name),
    getAll,
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
