// The tables of one participant in a database that holds the ledgers of several. The first participant has the tables as
// the schema names them, so a database with one participant is what it would be without this. Every other participant has
// a whole set of its own, with a prefix before each name: what one participant stores, another cannot read by mistake.
import type { Database, Queries } from './database.ts'
import { sharedTables } from './sharing.ts'

/** Numbers begin with 1. */
export function tablesOfParticipant(database: Database, participant: number): Database {
  if (participant === 1) return database
  const prefix = prefixOf(participant)
  const over = <T>(body: (tx: Queries) => Promise<T>) => {
    return (tx: Queries) => body(inTablesOf(participant, tx))
  }
  const { beside, replica, sharing } = database
  return {
    ...database,
    ...inTablesOf(participant, database),
    tablePrefix: prefix,
    transaction: (body) => database.transaction(over(body)),
    ...(beside !== undefined && { beside: (body) => beside(over(body)) }),
    ...(replica !== undefined && { replica: tablesOfParticipant(replica, participant) }),
    ...(sharing !== undefined && {
      sharing: { ...sharing, follow: (follower) => sharing.follow(follower, participant) },
    }),
    script: (tx, sql) => database.script(inAllTables(tx), withNames(sql, prefix)),
    async [Symbol.asyncDispose]() {
      // The database belongs to all of them.
    },
  }
}

/** The queries that each was made of. */
const origins = new WeakMap<Queries, Queries>()
const ownQueries = new WeakMap<Queries, Map<number, Queries>>()

/** The same queries, in a transaction or outside one, over the tables of another participant. */
export function inTablesOf(participant: number, queries: Queries): Queries {
  const all = inAllTables(queries)
  if (participant === 1) return all
  const own = ownQueries.getOrInsertComputed(all, () => new Map())
  return own.getOrInsertComputed(participant, () => {
    const named = withPrefix(all, prefixOf(participant))
    origins.set(named, all)
    return named
  })
}

function inAllTables(queries: Queries): Queries {
  return origins.get(queries) ?? queries
}

export function prefixOf(participant: number): string {
  return `p${participant}_`
}

function withPrefix({ query, insert, update, delete: remove }: Queries, prefix: string): Queries {
  const texts = textsWith.getOrInsertComputed(prefix, () => new Map())
  const named = (sql: string) => texts.getOrInsertComputed(sql, () => withNames(sql, prefix))
  return {
    query: (sql, ...params) => query(named(sql), ...params),
    insert: (table, columns, rows, key) => insert(`${prefix}${table}`, columns, rows, key),
    update: (table, key, columns, rows) => update(`${prefix}${table}`, key, columns, rows),
    delete: (table, columns, rows) => remove(`${prefix}${table}`, columns, rows),
  }
}

/** Renamed statements: each is renamed once. There are as many as the records have. */
const textsWith = new Map<string, Map<string, string>>()

const mention =
  /\b(FROM|JOIN|INTO|UPDATE|TABLE IF NOT EXISTS|TABLE IF EXISTS|TABLE|REFERENCES)(\s+)(\w+)\b(?!\()(?=(?:\s+(?:AS\s+)?(\w+))?)/g
const index = /\bINDEX (\w+)(\s+)ON (\w+)/g
/** What may follow a table that has no alias. */
const keywords =
  /^(WHERE|SET|JOIN|LEFT|INNER|CROSS|ON|USING|ORDER|GROUP|LIMIT|UNION|EXCEPT|RETURNING|VALUES|SELECT|CHECK|FOR|ADD)$/i

/**
 * The statement with the names of the participant's tables. A table without an alias keeps its name as one, because
 * columns may be qualified with it.
 */
export function withNames(sql: string, prefix: string): string {
  return sql
    .replaceAll(index, (_, name, space, table) => `INDEX ${prefix}${name}${space}ON ${prefix}${table}`)
    .replaceAll(mention, (whole, verb: string, space: string, table: string, alias?: string) => {
      if (!sharedTables.has(table)) return whole
      const isNamed = alias !== undefined && !keywords.test(alias)
      const isDefinition = verb.startsWith('TABLE') || verb === 'REFERENCES'
      const name = `${verb}${space}${prefix}${table}`
      return isNamed || isDefinition ? name : `${name} AS ${table}`
    })
}
