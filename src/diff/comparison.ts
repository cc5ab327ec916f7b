// Compares the active contracts of two ledgers. The first ledger waits in a file of SQLite's own, which is gone when the
// comparison is over, so memory is bounded however many contracts there are: what the second ledger has, too, is taken out, and
// the rest is what differs.
import { createHash } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import {
  type ComparedContract,
  type Content,
  contentFrom,
  contentText,
  withoutNamespaces,
} from './compared-contract.ts'
import { type FieldDifference, fieldDifferences } from './field-differences.ts'

/** Which contracts of two ledgers are the same one: those with the same id, or those that say the same. */
export type Matching = 'id' | 'fields'

export type Difference =
  | { readonly kind: 'only in A' | 'only in B'; readonly contractId: string; readonly content: Content }
  | {
      readonly kind: 'different'
      readonly contractId: string
      /** Its id in B, where it is another one. */
      readonly contractIdInB?: string
      readonly fields: readonly FieldDifference[]
    }

export type TemplateComparison = {
  readonly template: string
  equal: number
  onlyInA: number
  onlyInB: number
  different: number
  /** The first ones. */
  readonly differences: Difference[]
}

export type Wish = {
  readonly matching: Matching
  /** Differences that are told of each template; all are counted. */
  readonly differencesMax: number
}

/** What is told of all differences together. */
const toldBytesMax = 16 * 1024 * 1024

type Row = { readonly place: number; readonly template: string; readonly id: string; readonly content: string }

/** By template, in order. */
export async function compareContracts(
  a: AsyncIterable<ComparedContract>,
  b: AsyncIterable<ComparedContract>,
  { matching, differencesMax }: Wish,
): Promise<readonly TemplateComparison[]> {
  using waiting = openWaiting()
  const templates = new Map<string, TemplateComparison>()
  let toldBytes = 0

  function of(template: string): TemplateComparison {
    const known = templates.get(template)
    if (known !== undefined) return known
    const fresh = { template, equal: 0, onlyInA: 0, onlyInB: 0, different: 0, differences: [] }
    templates.set(template, fresh)
    return fresh
  }

  function tell(template: string, content: string, difference: () => Difference): void {
    const { differences } = of(template)
    if (differences.length >= differencesMax || toldBytes + content.length > toldBytesMax) return
    toldBytes += content.length
    differences.push(difference())
  }

  function differs(row: Row, { template, contractId }: ComparedContract, content: string): void {
    of(template).different += 1
    tell(template, row.content + content, () => ({
      kind: 'different',
      contractId: row.id,
      ...(row.id !== contractId && { contractIdInB: contractId }),
      fields: fieldDifferences(contentFrom(row.content), contentFrom(content)),
    }))
  }

  function isAlone(kind: 'only in A' | 'only in B', { template, id, content }: Omit<Row, 'place'>): void {
    of(template)[kind === 'only in A' ? 'onlyInA' : 'onlyInB'] += 1
    tell(template, content, () => ({ kind, contractId: id, content: contentFrom(content) }))
  }

  for await (const contract of a) waiting.add('first', contract, ...marked(contract, matching))
  waiting.added()
  for await (const contract of b) {
    const [mark, content] = marked(contract, matching)
    const row = waiting.take(mark)
    if (row === undefined) waiting.add('second', contract, mark, content)
    else if (row.content === content) of(contract.template).equal += 1
    else differs(row, contract, content)
  }
  for (const row of waiting.rest('second')) {
    const sameKey = matching === 'fields' ? waiting.takeWithKey(row.template, row.content) : undefined
    if (sameKey === undefined) isAlone('only in B', row)
    else differs(sameKey, { ...contentFrom(row.content), template: row.template, contractId: row.id }, row.content)
  }
  for (const row of waiting.rest('first')) isAlone('only in A', row)
  for (const { differences } of templates.values()) differences.sort((one, other) => rank(one) - rank(other))
  return [...templates.values()].sort((one, other) => (one.template < other.template ? -1 : 1))
}

const rank = ({ kind }: Difference) => ['different', 'only in A', 'only in B'].indexOf(kind)

/** By what a contract is found, and its content. */
function marked(contract: ComparedContract, matching: Matching): [mark: string, content: string] {
  if (matching === 'id') return [contract.contractId, contentText(contract)]
  const content = contentText(withoutNamespaces(contract))
  return [createHash('sha256').update(contract.template).update('\0').update(content).digest('base64'), content]
}

type Table = 'first' | 'second'

function openWaiting() {
  const db = new DatabaseSync('') // A file without a name, that SQLite deletes.
  db.exec('PRAGMA journal_mode = OFF')
  db.exec('PRAGMA synchronous = OFF')
  const columns = 'place INTEGER PRIMARY KEY, mark TEXT, template TEXT, key TEXT, id TEXT, content TEXT'
  for (const table of ['first', 'second']) db.exec(`CREATE TABLE ${table} (${columns})`)
  const insertInto = (table: Table) =>
    db.prepare(`INSERT INTO ${table} (mark, template, key, id, content) VALUES (?, ?, ?, ?, ?)`)
  const inserts = { first: insertInto('first'), second: insertInto('second') }
  const row = 'SELECT place, template, id, content FROM first'
  const byMark = db.prepare(`${row} WHERE mark = ? LIMIT 1`)
  const byKey = db.prepare(`${row} WHERE template = ? AND key = ? LIMIT 1`)
  const remove = db.prepare('DELETE FROM first WHERE place = ?')
  const taken = (found: Row | undefined) => {
    if (found !== undefined) remove.run(found.place)
    return found
  }
  db.exec('BEGIN')
  return {
    add(table: Table, { template, contractId }: ComparedContract, mark: string, content: string): void {
      inserts[table].run(mark, template, keyIn(content), contractId, content)
    },
    /** All of the first ledger is here. */
    added(): void {
      db.exec('CREATE INDEX first_mark ON first (mark)')
      db.exec('CREATE INDEX first_key ON first (template, key) WHERE key IS NOT NULL')
    },
    take: (mark: string) => taken(byMark.get(mark) as Row | undefined),
    takeWithKey(template: string, content: string): Row | undefined {
      const key = keyIn(content)
      return key === null ? undefined : taken(byKey.get(template, key) as Row | undefined)
    },
    rest: (table: Table) =>
      db
        .prepare(`SELECT place, template, id, content FROM ${table} ORDER BY template, place`)
        .iterate() as Iterable<Row>,
    [Symbol.dispose]: () => db.close(),
  }
}

function keyIn(content: string): string | null {
  const { contractKey } = contentFrom(content)
  return contractKey === null ? null : JSON.stringify(contractKey)
}
