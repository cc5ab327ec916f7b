// Reassignments as rows: each unassignment with its assignment, and the moves of each contract.
import { checksumOf, isRowWhole, isWhole, listed, type OnDamage, valuesChecksum } from '../core/checksum.ts'
import type { Param, Queries, Row } from '../core/database.ts'
import { type ContractMove, type ReassignmentRecord, type ReassignmentRecords, unseen } from '../core/ledger-records.ts'
import { selectEach } from '../core/selection.ts'

const unassigned = [
  'unassigned_offset',
  'id',
  'source',
  'target',
  'submitter',
  'exclusive_until',
  'user_id',
  'command_id',
  'workflow_id',
]
const assigned = ['assigned_offset', 'assigned_workflow_id']
const columns = [...unassigned, ...assigned, 'checksum', 'assigned_checksum']
const of = (table: string, names: readonly string[]) => names.map((name) => `${table}.${name}`).join(', ')
const all = of('r', columns)
const columnsOfMove = ['contract', 'counter', 'unassigned_offset', 'node_id', 'checksum']
const moves = of('m', columnsOfMove)
/** A move joined with its reassignment; columns of the same name are renamed. */
const movesAndAll = `${of('m', columnsOfMove.slice(0, -1))}, m.checksum AS move_checksum,
  ${of('r', columns.slice(1))}`
const afterAll = 2n ** 63n - 1n

export function reassignmentRecords(queries: Queries, onDamage: OnDamage): ReassignmentRecords {
  const { query, insert } = queries
  const reassignmentFrom = (row: Row) => reassignmentFromRow(row, onDamage)
  const moveFrom = (row: Row) => moveFromRow(row, onDamage)
  const insertAll: ReassignmentRecords['insert'] = async (reassignments, moved) => {
    await insert('reassignments', columns, reassignments.map(rowOf))
    await insert(
      'contract_moves',
      columnsOfMove,
      moved.map(({ contract, counter, unassignedOffset, nodeId }) => {
        const values = [contract, counter, unassignedOffset, BigInt(nodeId)]
        return [...values, valuesChecksum(...values)]
      }),
    )
  }
  const byId: ReassignmentRecords['byId'] = async (ids) => {
    const rows = await selectEach(queries, `SELECT ${all} FROM reassignments r WHERE r.id IN ($$)`, ids)
    return rows.map(reassignmentFrom)
  }
  const contractsOf: ReassignmentRecords['contractsOf'] = async (unassignedOffset) => {
    const rows = await query(
      `SELECT ${moves} FROM contract_moves m WHERE m.unassigned_offset = $1 ORDER BY m.node_id`,
      unassignedOffset,
    )
    return rows.map(moveFrom)
  }
  return {
    insert: insertAll,
    async replace(reassignments) {
      for (const reassignment of reassignments) {
        const { unassignedOffset } = reassignment
        for (const before of await byId([reassignment.id])) {
          const moved = await contractsOf(before.unassignedOffset)
          await queries.delete('reassignments', ['unassigned_offset'], [[before.unassignedOffset]])
          await queries.delete(
            'contract_moves',
            ['contract', 'counter'],
            moved.map(({ contract, counter }) => [contract, counter]),
          )
          await insertAll(
            [reassignment],
            moved.map((move) => ({ ...move, unassignedOffset })),
          )
        }
      }
    },
    async complete(unassignedOffset, { offset, workflowId }) {
      await query(
        `UPDATE reassignments SET assigned_offset = $2, assigned_workflow_id = $3, assigned_checksum = $4
          WHERE unassigned_offset = $1`,
        ...[unassignedOffset, offset, workflowId, assignedChecksum(unassignedOffset, offset, workflowId)],
      )
    },
    byId,
    async nextInTransit({ exclusiveUntil, unassignedOffset }, targets) {
      if (targets.length === 0) return undefined
      const [row] = await query(
        `SELECT ${all} FROM reassignments r
          WHERE r.assigned_offset IS NULL AND (r.exclusive_until, r.unassigned_offset) > ($1, $2)
            AND r.target IN (${targets.join()})
          ORDER BY r.exclusive_until, r.unassigned_offset LIMIT 1`,
        exclusiveUntil,
        unassignedOffset,
      )
      return row && reassignmentFrom(row)
    },
    contractsOf,
    async movesOf(contracts) {
      const rows = await selectEach(
        queries,
        `SELECT ${movesAndAll} FROM contract_moves m
          LEFT JOIN reassignments r ON r.unassigned_offset = m.unassigned_offset WHERE m.contract IN ($$)`,
        contracts,
      )
      return rows.map(bothFrom)
    },
    async lastMoves(contracts, upTo = afterAll) {
      const last = `(SELECT n.counter FROM contract_moves n WHERE n.contract = c.number AND n.unassigned_offset <= $1
        ORDER BY n.unassigned_offset DESC LIMIT 1)`
      const rows = await selectEach(
        queries,
        `SELECT c.counter AS moves, ${movesAndAll} FROM contracts c
          JOIN contract_moves m ON m.contract = c.number AND m.counter <= ${last} AND m.counter >= ${last} - 1
          LEFT JOIN reassignments r ON r.unassigned_offset = m.unassigned_offset WHERE c.number IN ($$)`,
        contracts,
        [upTo],
      )
      const found = rows.map(bothFrom)
      await checkLast(contracts, rows)
      return found
    },
    async departed(upTo, limit) {
      const rows = await query(
        `SELECT DISTINCT m.contract FROM reassignments r
          JOIN contract_moves m ON m.unassigned_offset = r.unassigned_offset
          WHERE r.assigned_offset = ${unseen} AND r.unassigned_offset <= $1 LIMIT ${limit}`,
        upTo,
      )
      return rows.map((row) => row.contract as bigint)
    },
    async prune(completed) {
      const finished = await selectEach(
        queries,
        `SELECT ${moves} FROM reassignments r JOIN contract_moves m ON m.unassigned_offset = r.unassigned_offset
          WHERE m.counter > 1 AND r.id IN ($$)`,
        completed,
      )
      const last = new Map<bigint, bigint>()
      for (const { contract, counter } of finished.map(moveFrom)) {
        if (counter > (last.get(contract) ?? 0n)) last.set(contract, counter)
      }
      const ofThose = `SELECT ${moves} FROM contract_moves m WHERE m.contract IN ($$)`
      const known = (await selectEach(queries, ofThose, [...last.keys()])).map(moveFrom)
      const older = known.filter(({ contract, counter }) => counter < last.get(contract)!)
      await queries.delete(
        'contract_moves',
        ['contract', 'counter'],
        older.map(({ contract, counter }) => [contract, counter]),
      )
      await forgetReassignments(
        queries,
        older.map(({ unassignedOffset }) => unassignedOffset),
      )
    },
  }

  function bothFrom({ move_checksum: checksum, ...row }: Row) {
    const { contract, counter, unassigned_offset, node_id } = row
    const move = moveFrom({ contract, counter, unassigned_offset, node_id, checksum } as Row)
    if (row.id === null) throw onDamage(`the reassignment at offset ${unassigned_offset} is missing`)
    return { ...move, of: reassignmentFrom(row) }
  }

  /** A last move that was not found began later, or is damaged. */
  async function checkLast(contracts: readonly bigint[], found: readonly Row[]): Promise<void> {
    const known = new Set(found.filter((row) => row.counter === row.moves).map(({ contract }) => contract))
    const rows = await selectEach(
      queries,
      `SELECT c.number, ${moves} FROM contracts c
        LEFT JOIN contract_moves m ON m.contract = c.number AND m.counter = c.counter
        WHERE c.counter > 0 AND c.number IN ($$)`,
      contracts.filter((contract) => !known.has(contract)),
    )
    for (const { number, ...move } of rows) {
      if (move.contract === null) throw onDamage(`the last move of the contract with number ${number} is missing`)
      moveFrom(move)
    }
  }
}

/** Deletes those that have no move left; a deleted move was complete. */
export async function forgetReassignments(queries: Queries, unassignedOffsets: readonly bigint[]): Promise<void> {
  const candidates = [...new Set(unassignedOffsets)]
  const rows = await selectEach(
    queries,
    'SELECT unassigned_offset FROM contract_moves WHERE unassigned_offset IN ($$)',
    candidates,
  )
  const needed = new Set(rows.map((row) => row.unassigned_offset as bigint))
  await queries.delete(
    'reassignments',
    ['unassigned_offset'],
    candidates.filter((offset) => !needed.has(offset)).map((offset) => [offset]),
  )
}

function rowOf(one: ReassignmentRecord): Param[] {
  const facts = [
    ...[one.unassignedOffset, one.id, one.source, one.target, one.submitter],
    ...[one.exclusiveUntil, one.userId, one.commandId, one.workflowId],
  ]
  const sum = valuesChecksum(...facts)
  if (one.assigned === undefined) return [...facts, null, null, sum, null]
  const { offset, workflowId } = one.assigned
  return [...facts, offset, workflowId, sum, assignedChecksum(one.unassignedOffset, offset, workflowId)]
}

function assignedChecksum(unassignedOffset: Param, offset: Param, workflowId: Param): bigint {
  return checksumOf(unassignedOffset, listed(offset, workflowId))
}

export function isReassignmentWhole(row: Row): boolean {
  if (!isWhole(row.checksum, () => valuesChecksum(...unassigned.map((column) => row[column])))) return false
  const { unassigned_offset: number, assigned_offset: offset, assigned_workflow_id: workflowId } = row
  if (row.assigned_checksum === null) return row.checksum === null || (offset === null && workflowId === null)
  return isWhole(row.assigned_checksum, () => assignedChecksum(number!, offset!, workflowId!))
}

export const nameOfReassignment = (row: Row) => `the reassignment ${row.id} at offset ${row.unassigned_offset}`
export const nameOfMove = (row: Row) => `a move of the contract with number ${row.contract}`

function moveFromRow(row: Row, onDamage: OnDamage): ContractMove {
  if (!isRowWhole(row)) throw onDamage(nameOfMove(row))
  return {
    contract: row.contract as bigint,
    counter: row.counter as bigint,
    unassignedOffset: row.unassigned_offset as bigint,
    nodeId: Number(row.node_id),
  }
}

function reassignmentFromRow(row: Row, onDamage: OnDamage): ReassignmentRecord {
  if (!isReassignmentWhole(row)) throw onDamage(nameOfReassignment(row))
  const offset = row.assigned_offset as bigint | null
  return {
    unassignedOffset: row.unassigned_offset as bigint,
    id: row.id as string,
    source: row.source as bigint,
    target: row.target as bigint,
    submitter: row.submitter as string,
    exclusiveUntil: row.exclusive_until as bigint,
    userId: row.user_id as string,
    commandId: row.command_id as string,
    workflowId: row.workflow_id as string,
    assigned: offset === null ? undefined : { offset, workflowId: row.assigned_workflow_id as string },
  }
}
