// Reassignments as rows: each unassignment with what became of it, and the moves of each contract.
import type { Queries, Row } from './database.ts'
import { selectEach } from './selection.ts'
import type { ContractMove, ReassignmentRecord, ReassignmentRecords } from './store.ts'

const columns = [
  'unassigned_offset',
  'id',
  'source',
  'target',
  'submitter',
  'exclusive_until',
  'user_id',
  'command_id',
  'workflow_id',
  'assigned_offset',
  'assigned_workflow_id',
]
const all = columns.map((column) => `r.${column}`).join(', ')
const afterAll = 2n ** 63n - 1n
const moves = 'm.contract, m.counter, m.unassigned_offset, m.node_id'

export function reassignmentRecords(queries: Queries): ReassignmentRecords {
  const { query, insert } = queries
  return {
    async insert(reassignments, moved) {
      await insert(
        'reassignments',
        columns,
        reassignments.map((one) => [
          one.unassignedOffset,
          one.id,
          one.source,
          one.target,
          one.submitter,
          one.exclusiveUntil,
          one.userId,
          one.commandId,
          one.workflowId,
          one.assigned?.offset ?? null,
          one.assigned?.workflowId ?? null,
        ]),
      )
      await insert(
        'contract_moves',
        ['contract', 'counter', 'unassigned_offset', 'node_id'],
        moved.map(({ contract, counter, unassignedOffset, nodeId }) => [
          contract,
          counter,
          unassignedOffset,
          BigInt(nodeId),
        ]),
      )
    },
    async complete(unassignedOffset, { offset, workflowId }) {
      await query(
        'UPDATE reassignments SET assigned_offset = $2, assigned_workflow_id = $3 WHERE unassigned_offset = $1',
        unassignedOffset,
        offset,
        workflowId,
      )
    },
    async byId(ids) {
      const rows = await selectEach(queries, `SELECT ${all} FROM reassignments r WHERE r.id IN ($$)`, ids)
      return rows.map(reassignmentFromRow)
    },
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
      return row && reassignmentFromRow(row)
    },
    async contractsOf(unassignedOffset) {
      const rows = await query(
        `SELECT ${moves} FROM contract_moves m WHERE m.unassigned_offset = $1 ORDER BY m.node_id`,
        unassignedOffset,
      )
      return rows.map(moveFromRow)
    },
    async movesOf(contracts) {
      const rows = await selectEach(
        queries,
        `SELECT m.contract, m.counter, m.node_id, ${all} FROM contract_moves m
          JOIN reassignments r ON r.unassigned_offset = m.unassigned_offset WHERE m.contract IN ($$)`,
        contracts,
      )
      return rows.map((row) => ({ ...moveFromRow(row), of: reassignmentFromRow(row) }))
    },
    async lastMoves(contracts, upTo = afterAll) {
      const last = `(SELECT n.counter FROM contract_moves n WHERE n.contract = c.number AND n.unassigned_offset <= $1
        ORDER BY n.unassigned_offset DESC LIMIT 1)`
      const rows = await selectEach(
        queries,
        `SELECT m.contract, m.counter, m.node_id, ${all} FROM contracts c
          JOIN contract_moves m ON m.contract = c.number AND m.counter <= ${last} AND m.counter >= ${last} - 1
          JOIN reassignments r ON r.unassigned_offset = m.unassigned_offset WHERE c.number IN ($$)`,
        contracts,
        [upTo],
      )
      return rows.map((row) => ({ ...moveFromRow(row), of: reassignmentFromRow(row) }))
    },
    async prune(completed) {
      const finished = await selectEach(
        queries,
        `SELECT ${moves} FROM reassignments r JOIN contract_moves m ON m.unassigned_offset = r.unassigned_offset
          WHERE m.counter > 1 AND r.id IN ($$)`,
        completed,
      )
      const last = new Map<bigint, bigint>()
      for (const { contract, counter } of finished.map(moveFromRow)) {
        if (counter > (last.get(contract) ?? 0n)) last.set(contract, counter)
      }
      const ofThose = `SELECT ${moves} FROM contract_moves m WHERE m.contract IN ($$)`
      const known = (await selectEach(queries, ofThose, [...last.keys()])).map(moveFromRow)
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
}

/** Those of them that are left without a move; a move that is forgotten was complete. */
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

function moveFromRow(row: Row): ContractMove {
  return {
    contract: row.contract as bigint,
    counter: row.counter as bigint,
    unassignedOffset: row.unassigned_offset as bigint,
    nodeId: Number(row.node_id),
  }
}

function reassignmentFromRow(row: Row): ReassignmentRecord {
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
