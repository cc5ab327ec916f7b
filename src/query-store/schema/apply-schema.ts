// Creates the schema of a query store in an empty place, and checks one that is there: its version, and that nobody has
// changed a table or a function that the store relies on. Indexes and other objects are the user's own business.
import type pg from 'pg'
import { StartError } from '../../base/errors.ts'
import { indexFunctions, maintenanceFunctions } from './maintenance-functions.ts'
import { eventFunctions, nameFunctions, offsetFunctions, summaryFunctions } from './reading-functions.ts'
import { tables, types, views } from './tables.ts'

const version = '2'
const versionName = 'schema version'
/** BEGIN ATOMIC. */
const serverVersionMin = 140_000

/** Two followers may start at once. */
const lock = 7_226_851_023

/**
 * Texts that the server gives for functions, tables and views, the same in all its versions. The partitions of __contracts
 * are left out: they follow it.
 */
const definitions = `
  SELECT 'function ' || p.oid::regprocedure AS name,
    md5(concat_ws(E'\\n', pg_get_function_arguments(p.oid), pg_get_function_result(p.oid), p.prosrc,
      p.prosqlbody IS NULL, p.provolatile, p.proisstrict)) AS definition
  FROM pg_proc p WHERE p.pronamespace = current_schema()::regnamespace
  UNION ALL
  SELECT 'table ' || c.relname, md5((
    SELECT string_agg(concat_ws(' ', a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull), ',' ORDER BY a.attnum)
    FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped))
  FROM pg_class c
  WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p', 'v', 'c') AND NOT c.relispartition`

/** In one transaction, so that there is all of it or nothing. The search path begins with the schema. */
export async function applySchema(client: pg.ClientBase, schema: string): Promise<'created' | 'found'> {
  await checkServer(client)
  await client.query('BEGIN')
  try {
    await client.query('SELECT pg_advisory_xact_lock($1)', [lock])
    await createNamespace(client, schema)
    const isThere = (await client.query("SELECT to_regclass('__definitions') IS NOT NULL AS is_there")).rows[0].is_there
    if (isThere) await checkDefinitions(client, schema)
    else await create(client, schema)
    await client.query('COMMIT')
    return isThere ? 'found' : 'created'
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined)
    throw error
  }
}

async function checkServer(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query(
    "SELECT current_setting('server_version_num')::integer AS number, current_setting('server_version') AS text",
  )
  if (rows[0].number >= serverVersionMin) return
  throw new StartError(`the database is PostgreSQL ${rows[0].text}; a query store needs 14 or newer`)
}

async function createNamespace(client: pg.ClientBase, schema: string): Promise<void> {
  const { rows } = await client.query('SELECT to_regnamespace(quote_ident($1)) IS NOT NULL AS is_there', [schema])
  if (!rows[0].is_there) await client.query(`CREATE SCHEMA ${quoted(schema)}`)
  await client.query(`SET search_path TO ${quoted(schema)}`)
  const { rows: found } = await client.query('SELECT current_schema() AS name')
  if (found[0].name !== schema) throw new StartError(`the database does not permit the use of schema ${schema}`)
}

export const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`

async function create(client: pg.ClientBase, schema: string): Promise<void> {
  const { rows } = await client.query(
    "SELECT to_regclass(quote_ident(current_schema()) || '.__contract_tpe') IS NOT NULL AS is_pqs",
  )
  const elsewhere = 'give another schema with --schema, or an empty database'
  if (rows[0].is_pqs) throw new StartError(`schema ${schema} has the tables of another query store; ${elsewhere}`)
  const others = (await client.query(definitions)).rows.map(({ name }) => name)
  const parts = [types, tables, offsetFunctions, nameFunctions, eventFunctions, summaryFunctions, indexFunctions]
  try {
    for (const part of [...parts, maintenanceFunctions, views]) await client.query(part)
  } catch (error) {
    const { code, message } = error as { code?: string; message: string }
    if (code !== undefined && /^42(710|723|P07)$/.test(code)) {
      throw new StartError(`schema ${schema} has something of the same name: ${message}; ${elsewhere}`)
    }
    throw error
  }
  await client.query(`INSERT INTO __definitions SELECT * FROM (${definitions}) own WHERE name <> ALL ($1)`, [others])
  await client.query('INSERT INTO __definitions VALUES ($1, $2)', [versionName, version])
}

async function checkDefinitions(client: pg.ClientBase, schema: string): Promise<void> {
  const kept = await client.query<{ name: string; definition: string }>('SELECT name, definition FROM __definitions')
  const found = kept.rows.find(({ name }) => name === versionName)?.definition
  if (found !== version) {
    const advice = Number(found) > Number(version) ? 'use a newer Tallystick' : 'start with an empty schema'
    throw new StartError(`schema ${schema} has version ${found} of the query store, not ${version}; ${advice}`)
  }
  const now = new Map((await client.query(definitions)).rows.map(({ name, definition }) => [name, definition]))
  const changed = kept.rows
    .filter(({ name, definition }) => name !== versionName && now.get(name) !== definition)
    .map(({ name }) => (now.has(name) ? `${name} was changed` : `${name} is missing`))
    .sort()
  if (changed.length === 0) return
  const more = changed.length > 3 ? ` and ${changed.length - 3} more` : ''
  throw new StartError(
    `somebody has changed schema ${schema}: ${changed.slice(0, 3).join(', ')}${more}; restore it, or fill an empty schema`,
  )
}
