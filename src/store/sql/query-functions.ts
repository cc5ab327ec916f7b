// The functions of a query store for `tallystick sql` over SQLite, which has no table functions of one's own: a call in the
// statement is replaced by a subquery over the views. Names, arguments and columns are those of docs/query-store.md; what
// cannot be had is left out, so that a statement that needs it fails.
import { StartError } from '../../base/errors.ts'

type Build = (...args: string[]) => string

export type Rewritten = {
  readonly sql: string
  /** Whether the statement calls any of the functions. */
  readonly hasCalls: boolean
}

/** Functions of the database that return the name in full, or throw. */
export const templateNamed = 'template_named'
export const choiceNamed = 'choice_named'

/** Texts, names in quotes and comments are single tokens. */
const tokenPattern = /'(?:[^']|'')*'|"(?:[^"]|"")*"|`[^`]*`|\[[^\]]*\]|--[^\n]*|\/\*[\s\S]*?\*\/|[a-z_][\w$]*|\s+|./giu
const isSpace = (token: string | undefined) => token !== undefined && /^(\s+|--.*|\/\*[\s\S]*)$/.test(token)

/** `tables` stands before the names of tables. */
export function withQueryFunctions(sql: string, tables: string): Rewritten {
  const functions = functionsOver(tables)
  const tokens = sql.match(tokenPattern) ?? []
  let hasCalls = false

  /** Rewrites the tokens from a place up to another. */
  function rewritten(from: number, to: number): string {
    let text = ''
    for (let at = from; at < to; at += 1) {
      const build = functions.get(tokens[at]!.toLowerCase())
      let open = at + 1
      while (isSpace(tokens[open])) open += 1
      if (build === undefined || tokens[open] !== '(' || tokens[at - 1] === '.') {
        text += tokens[at]
        continue
      }
      const { args, close } = argumentsFrom(open, to)
      if (definesTable(close)) {
        text += tokens[at] // Its own name for a table: WITH active (n) AS (…).
        continue
      }
      hasCalls = true
      text += build(...args)
      at = close
    }
    return text
  }

  function definesTable(close: number): boolean {
    const [as, opened] = tokens.slice(close + 1).filter((token) => !isSpace(token))
    return as?.toLowerCase() === 'as' && opened === '('
  }

  function argumentsFrom(open: number, to: number): { readonly args: string[]; readonly close: number } {
    const args: string[] = []
    let depth = 0
    let start = open + 1
    for (let at = open; at < to; at += 1) {
      const token = tokens[at]
      if (token === '(') depth += 1
      if (token === ')') depth -= 1
      if ((token === ',' && depth === 1) || depth === 0) {
        const arg = rewritten(start, at).trim()
        if (arg !== '' || token === ',') args.push(arg)
        start = at + 1
      }
      if (depth === 0) return { args, close: at }
    }
    throw new StartError('the statement failed: a ) is missing')
  }

  return { sql: rewritten(0, tokens.length), hasCalls }
}

const allOf = (...conditions: readonly (string | undefined)[]) =>
  conditions.filter((one) => one !== undefined).join(' AND ') || '1'
/** Times are texts with as many digits as they need; without the `Z` they sort by time. */
const moment = (time: string) => `rtrim(${time}, 'Z')`
const isGiven = (arg: string | undefined): arg is string => arg !== undefined && !/^null$/i.test(arg)

function functionsOver(tables: string): ReadonlyMap<string, Build> {
  const latest = `(SELECT ledger_end FROM ${tables}ledger)`
  const pruned = `(SELECT pruned_up_to FROM ${tables}ledger)`
  const prunedOrNull = `(SELECT nullif(pruned_up_to, 0) FROM ${tables}ledger)`
  const oldest = `(SELECT coalesce(min(update_offset), ${pruned}) FROM transactions)`

  const contracts = (source: string, where: string) => `(SELECT substr(c.template, 2) AS template_fqn,
    'template' AS payload_type, c.created_offset AS created_at_ix, c.created_offset AS created_at_offset,
    c.archived_offset AS archived_at_ix, c.archived_offset AS archived_at_offset, c.contract_id, c.payload,
    c.contract_key, c.created_at AS created_effective_at, c.archived_at AS archived_effective_at, c.package_name,
    p.version AS package_version, c.package_id, c.signatories, c.observers, 0 AS divulged_only,
    substr(c.template_id, 1, instr(c.template_id, ':') - 1) AS creation_package_id
  FROM ${source} c LEFT JOIN ${tables}packages p ON p.id = c.package_id WHERE ${where})`

  const stillActive = '(SELECT *, NULL AS archived_offset, NULL AS archived_at FROM active_contracts)'
  const ofTemplate = (name: string | undefined) =>
    isGiven(name) ? `c.template = '#' || ${templateNamed}(${name})` : undefined

  const exercises = (where: string) => `(SELECT e.* FROM (SELECT e.owner AS template_fqn,
      e.owner || ':' || e.choice AS choice_fqn, e.choice, e.is_consuming AS consuming,
      '(' || e.update_offset || ',' || e.node_id || ')' AS exercise_event_id, e.update_offset AS exercised_at_ix,
      e.update_offset AS exercised_at_offset, e.contract_id, e.argument, e.result,
      t.effective_at AS exercised_effective_at, e.package_name, p.version AS package_version, p.id AS package_id,
      e.acting_parties AS controllers, e.last_descendant_node_id
    FROM (SELECT x.*, CASE WHEN x.interface_id IS NULL THEN substr(x.template, 2)
        ELSE i.name || substr(x.interface_id, instr(x.interface_id, ':')) END AS owner
      FROM exercises x LEFT JOIN ${tables}packages i
        ON i.id = substr(x.interface_id, 1, instr(x.interface_id, ':') - 1)) e
      JOIN transactions t ON t.update_offset = e.update_offset
      LEFT JOIN ${tables}packages p ON p.id = substr(e.template_id, 1, instr(e.template_id, ':') - 1)) e WHERE ${where})`
  const ofChoice = (name: string | undefined) => (isGiven(name) ? `e.choice_fqn = ${choiceNamed}(${name})` : undefined)

  const within = (column: string, from: string | undefined, to: string | undefined) =>
    allOf(isGiven(from) ? `${column} >= ${from}` : undefined, isGiven(to) ? `${column} <= ${to}` : undefined)
  const at = (offset: string) =>
    `c.created_offset <= ${offset} AND (c.archived_offset IS NULL OR c.archived_offset > ${offset})`

  const active: Build = (name, offset) =>
    isGiven(offset)
      ? contracts('contracts', allOf(ofTemplate(name), at(offset)))
      : contracts(stillActive, allOf(ofTemplate(name)))
  const creates: Build = (name, from, to) =>
    contracts('contracts', allOf(ofTemplate(name), within('c.created_offset', from, to)))
  const archives: Build = (name, from, to) =>
    contracts('contracts', allOf(ofTemplate(name), 'NOT c.is_active', within('c.archived_offset', from, to)))
  const exercised: Build = (name, from, to) =>
    exercises(allOf(ofChoice(name), within('e.exercised_at_offset', from, to)))
  const transients: Build = (from, to) =>
    contracts(
      'contracts',
      allOf('NOT c.is_active', within('c.created_offset', from, to), within('c.archived_offset', from, to)),
    )

  const counted = (source: string) =>
    `(SELECT template_fqn, payload_type, count(*) AS count FROM ${source} GROUP BY 1, 2)`
  const checkpoint = (offset: string) => `(SELECT ${offset} AS "offset", ${offset} AS ix)`

  return new Map<string, Build>([
    ['active', active],
    ['creates', creates],
    ['archives', archives],
    ['exercises', exercised],
    ['lookup_contract', (id, name) => contracts('contracts', allOf(`c.contract_id = ${id}`, ofTemplate(name)))],
    ['lookup_exercises', (id, name) => exercises(allOf(`e.contract_id = ${id}`, ofChoice(name)))],
    ['summary_active', (offset) => counted(active('null', offset ?? 'null'))],
    ['summary_creates', (from, to) => counted(creates('null', from ?? 'null', to ?? 'null'))],
    ['summary_archives', (from, to) => counted(archives('null', from ?? 'null', to ?? 'null'))],
    ['summary_transients', (from, to) => counted(transients(from ?? 'null', to ?? 'null'))],
    [
      'summary_exercises',
      (from, to) => `(SELECT template_fqn, choice_fqn, choice, consuming, count(*) AS count
        FROM ${exercised('null', from ?? 'null', to ?? 'null')} GROUP BY 1, 2, 3, 4)`,
    ],
    [
      'summary_updates',
      (
        from,
        to,
      ) => `(SELECT template_fqn, payload_type, sum(is_create) AS creates, sum(1 - is_create) AS archives FROM (
        SELECT template_fqn, payload_type, 1 AS is_create FROM ${creates('null', from ?? 'null', to ?? 'null')}
        UNION ALL
        SELECT template_fqn, payload_type, 0 FROM ${archives('null', from ?? 'null', to ?? 'null')}) GROUP BY 1, 2)`,
    ],
    ['latest_offset', () => latest],
    ['oldest_offset', () => oldest],
    ['pruned_offset', () => prunedOrNull],
    ['latest_checkpoint', () => checkpoint(latest)],
    ['oldest_checkpoint', () => checkpoint(oldest)],
    [
      'nearest_offset',
      (time) => `(SELECT max(update_offset) FROM transactions WHERE ${moment('effective_at')} <= ${moment(time!)})`,
    ],
    ...unavailable.map(([name, advice]): [string, Build] => [
      name,
      () => {
        throw new StartError(`${name} is not for a ledger in SQLite: ${advice}`)
      },
    ]),
  ])
}

const onlyReads = 'tallystick sql only reads; follow the ledger with tallystick query-store'

/** What to write instead. */
const unavailable: readonly (readonly [name: string, advice: string])[] = [
  ['set_latest', 'give the offset as an argument: active(name, offset)'],
  ['set_oldest', 'give the offset as an argument: creates(name, from, to)'],
  ['validate_offset_exists', 'compare with oldest_offset() and latest_offset()'],
  ...['create_index_for_contract', 'print_create_index_for_contract', 'prune_to_offset', 'prune_archived_to_offset']
    .concat('prune_archived_to_offset_dry_run', 'validate_pruning_offset', 'reset_to_offset', 'validate_reset_offset')
    .concat('redact_contract', 'redact_exercise')
    .map((name) => [name, onlyReads] as const),
]

/** Of all names that there are, the one that is meant: in full, or without its first parts. */
export function nameMeant(name: string, known: ReadonlySet<string>): string {
  const meant = [...known].filter((one) => one === name || one.endsWith(`:${name}`))
  if (meant.length === 1) return meant[0]!
  throw new StartError(meant.length === 0 ? `Identifier not found: ${name}` : `Ambiguous identifier: ${name}`)
}
