// Opens connections to a host, provided that its server has the wanted role. A standby is refused although it could be
// read: it may lack what clients were told, so their streams would skip it.
import pg from 'pg'
import type { ServerRole } from '../../base/postgres-url.ts'
import { DatabaseUnfit } from './errors.ts'

/**
 * The server ends the statement of a client that is gone, instead of finishing it; a killed command may run a long one,
 * with locks. An operator's own setting stays. Servers before version 14 do not know it, and some platforms cannot.
 */
const deadClientsNoticed = `CASE WHEN current_setting('client_connection_check_interval', true) = '0'
  AND version() LIKE '%linux%' THEN set_config('client_connection_check_interval', '500ms', false) END`

/** As texts, because not every client reads booleans as such. */
const roleQuery = `SELECT CASE WHEN pg_is_in_recovery() THEN 'on' ELSE 'off' END AS standby,
  current_setting('transaction_read_only') AS read_only, ${deadClientsNoticed}`

type Role = { readonly standby: string; readonly read_only: string }

/** Throws if the server of a new connection does not have the role. */
export async function prepareSession(client: pg.ClientBase, role: ServerRole): Promise<void> {
  const { standby, read_only } = (await client.query<Role>(roleQuery)).rows[0]!
  if (role === 'any') return
  const [isStandby, isReadOnly] = [standby === 'on', read_only === 'on']
  if (role === 'standby') {
    if (isStandby) return
    throw new DatabaseUnfit('the database is no standby')
  }
  if (isStandby) throw new DatabaseUnfit('the database is a standby')
  if (isReadOnly && role === 'read-write') throw new DatabaseUnfit('the database is read-only')
}

/** Outside a pool. */
export async function connectClient(options: pg.ClientConfig, role: ServerRole): Promise<pg.Client> {
  const client = new pg.Client(options)
  client.on('error', () => undefined) // The statement under way fails with it.
  try {
    await client.connect()
    await prepareSession(client, role)
  } catch (error) {
    void client.end().catch(() => undefined)
    throw error
  }
  return client
}
