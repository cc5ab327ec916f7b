// The node's own facts as rows: name and bytes.
import type { Queries } from './database.ts'
import type { NodeRecords } from './store.ts'

export function nodeRecords({ query }: Queries): NodeRecords {
  return {
    async get(name) {
      const [row] = await query('SELECT value FROM node WHERE name = $1', name)
      return row?.value as Uint8Array | undefined
    },
    async put(name, value) {
      await query(
        'INSERT INTO node (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
        name,
        value,
      )
    },
    async delete(name) {
      await query('DELETE FROM node WHERE name = $1', name)
    },
    async insert(name, value) {
      await query('INSERT INTO node (name, value) VALUES ($1, $2)', name, value)
    },
  }
}
