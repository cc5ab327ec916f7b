// Returns the space of deleted rows. Only our own tables are named: VACUUM of a whole database by a role that does not own
// all of it fills the server's log with a warning for each table of the system.
import type pg from 'pg'
import { sharedTables } from '../core/sharing.ts'
import { agreementTables } from './shared-state.ts'

const untimed = 2 ** 31 - 1
/** As slowly as the server's own vacuum by default, so that commits have the disk. */
const pace = "SET vacuum_cost_delay = '2ms'"

/** Of all participants: `p2_users` is a table of the second one (participant-tables.ts). */
const ownTables = `SELECT c.relname AS name FROM pg_class c
  WHERE c.relkind = 'r' AND pg_table_is_visible(c.oid) AND regexp_replace(c.relname, '^p[0-9]+_', '') = ANY ($1::text[])
    AND pg_has_role(c.relowner, 'USAGE')
  ORDER BY c.relname`

export async function vacuum(client: pg.ClientBase): Promise<void> {
  await client.query('SET statement_timeout = 0')
  await client.query(pace)
  const { rows } = await client.query<{ name: string }>(ownTables, [[...sharedTables, ...agreementTables]])
  if (rows.length === 0) return
  const names = rows.map(({ name }) => client.escapeIdentifier(name)).join(', ')
  await client.query({ text: `VACUUM ${names}`, query_timeout: untimed } as pg.QueryConfig)
}
