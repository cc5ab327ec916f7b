// The state of the ledger and the numbers of names, as rows.
import { checksumOf, isWhole, listed, type OnDamage } from '../core/checksum.ts'
import type { Param, Queries, Row } from '../core/database.ts'
import type { LedgerState, LedgerStateRecords, NameRecords } from '../core/ledger-records.ts'
import { selectEach } from '../core/selection.ts'

const nameOfState = "the ledger's state"

export function ledgerStateRecords({ query }: Queries, onDamage: OnDamage): LedgerStateRecords {
  return {
    async get() {
      const [row] = await query(
        `SELECT ledger_end, last_contract, last_name, published_at, pruned_up_to, forgotten_up_to, forgotten_at,
            checksum FROM ledger`,
      )
      if (row === undefined) throw onDamage(nameOfState)
      return stateFromRow(row, onDamage)
    },
    async put(state) {
      await query(
        `UPDATE ledger SET ledger_end = $1, last_contract = $2, last_name = $3, published_at = $4,
          pruned_up_to = $5, forgotten_up_to = $6, forgotten_at = $7, checksum = $8`,
        ...factsOf(state),
        stateChecksum(factsOf(state)),
      )
    },
  }
}

export function stateFromRow(row: Row, onDamage: OnDamage): LedgerState {
  const state = {
    end: row.ledger_end as bigint,
    lastContract: row.last_contract as bigint,
    lastName: row.last_name as bigint,
    publishedAt: row.published_at as bigint,
    prunedUpTo: row.pruned_up_to as bigint,
    forgottenUpTo: row.forgotten_up_to as bigint,
    forgottenAt: row.forgotten_at as bigint,
  }
  if (!isWhole(row.checksum, () => stateChecksum(factsOf(state)))) throw onDamage(nameOfState)
  return state
}

export function stateChecksum(facts: readonly Param[]): bigint {
  return checksumOf(facts[0], listed(...facts))
}

function factsOf(state: LedgerState): bigint[] {
  const { end, lastContract, lastName, publishedAt, prunedUpTo, forgottenUpTo, forgottenAt } = state
  return [end, lastContract, lastName, publishedAt, prunedUpTo, forgottenUpTo, forgottenAt]
}

export function nameRecords(queries: Queries, onDamage: OnDamage): NameRecords {
  async function select(column: 'name' | 'number', keys: readonly (string | bigint)[]): Promise<Row[]> {
    const rows = await selectEach(queries, `SELECT number, name, checksum FROM names WHERE ${column} IN ($$)`, keys)
    for (const row of rows) {
      const { number, name, checksum } = row
      if (!isWhole(checksum, () => checksumOf(number, name))) throw onDamage(`the name with number ${number}`)
    }
    return rows
  }
  return {
    async numbers(names) {
      const rows = await select('name', names)
      return new Map(rows.map((row) => [row.name as string, row.number as bigint]))
    },
    async names(numbers) {
      const rows = await select('number', numbers)
      return new Map(rows.map((row) => [row.number as bigint, row.name as string]))
    },
    insert: (rows) =>
      queries.insert(
        'names',
        ['number', 'name', 'checksum'],
        rows.map(({ number, name }) => [number, name, checksumOf(number, name)]),
      ),
  }
}
