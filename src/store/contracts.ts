// Contracts as rows: what they are, when they were archived, and the indexes of those that are active.
import { checksumOf, isWhole, listed, type OnDamage } from './checksum.ts'
import type { Param, Queries, Row } from './database.ts'
import { forgetReassignments } from './reassignments.ts'
import { countWithin, selectEach } from './selection.ts'
import type {
  ContractPosition,
  ContractRecord,
  ContractRecords,
  ContractState,
  Location,
  StoredContractRow,
} from './store.ts'

const columns = [
  'number',
  'id_key',
  'contract_id',
  'template',
  'created_offset',
  'node_id',
  'synchronizer',
  'workflow_id',
  'stakeholders',
  'key_hash',
  'event_cut',
  'event',
  'blob',
  'checksum',
  'content_checksum',
]
const moved = ['moved_to', 'counter', 'place_checksum']
const archived = 'a.archived_offset, a.checksum AS archive_checksum'
const qualified = (names: readonly string[]) => names.map((column) => `c.${column}`).join(', ')
const all = `${qualified([...columns, ...moved])}, ${archived}`
const withoutContent = columns.filter((column) => !['event', 'blob', 'content_checksum'].includes(column))
const state = `${qualified([...withoutContent, ...moved])}, ${archived}`
const withArchives = 'contracts c LEFT JOIN archives a ON a.contract = c.number'

/** Contracts of a key that are read at a time: at most so many, or so many bytes of blobs, but one at least. */
const ofKeyMax = 100
const ofKeyBytesMax = 1024 * 1024
const afterAll = 2n ** 63n - 1n

export function contractRecords(queries: Queries, onDamage: OnDamage): ContractRecords {
  const contractFrom = (row: Row) => contractFromRow(row, onDamage)
  const { query, insert } = queries
  const indexed = ['party', 'template', 'contract']
  const indexRow = ({ party, template, number }: ContractPosition & { party: bigint }) => [party, template, number]
  const keyRow = ({ keyHash, number }: { keyHash: string; number: bigint }) => [keyHash, number]
  return {
    insert: (contracts) => insert('contracts', columns, contracts.map(rowOf)),
    activate: (rows) => insert('active_contracts', indexed, rows.map(indexRow)),
    deactivate: (rows) => queries.delete('active_contracts', indexed, rows.map(indexRow)),
    archive: (rows) =>
      insert(
        'archives',
        ['contract', 'archived_offset', 'checksum'],
        rows.map(({ number, offset }) => [number, offset, checksumOf(number, String(offset))]),
      ),
    addKeys: (rows) =>
      insert(
        'contract_keys',
        ['key_hash', 'contract', 'since'],
        rows.map(({ keyHash, number, since }) => [keyHash, number, since]),
      ),
    removeKeys: (rows) => queries.delete('contract_keys', ['key_hash', 'contract'], rows.map(keyRow)),
    async move(rows) {
      for (const { number, location, counter } of rows) {
        const values = [number, location, counter]
        const sql = 'UPDATE contracts SET moved_to = $2, counter = $3, place_checksum = $4 WHERE number = $1'
        await query(sql, ...values, checksumOf(number, listed(location, counter)))
      }
    },

    async states(contractIds) {
      return (await byId(state, contractIds)).map((row) => stateFromRow(row, onDamage))
    },
    async find(contractIds) {
      return (await byId(all, contractIds)).map(contractFrom)
    },
    async blobs(contractIds) {
      const some = 'c.contract_id, c.blob, c.synchronizer, c.moved_to, c.counter, a.archived_offset'
      const active = (await byId(some, contractIds)).filter((row) => row.archived_offset === null)
      return active.map((row) => ({
        contractId: row.contract_id as string,
        blob: row.blob as Uint8Array,
        ...locationFromRow(row),
      }))
    },
    async withKey(keyHash, before = afterAll) {
      const rows = await query(
        `SELECT k.contract AS number, c.contract_id, octet_length(c.blob) AS bytes
          FROM contract_keys k JOIN contracts c ON c.number = k.contract
          WHERE k.key_hash = $1 AND k.contract < $2 ORDER BY k.contract DESC LIMIT $3`,
        keyHash,
        before,
        BigInt(ofKeyMax),
      )
      const some = rows.slice(0, countWithin(ofKeyBytesMax, rows))
      const blobs = await blobsOf(some.map((row) => row.number as bigint))
      return {
        contracts: some.flatMap((row) => {
          const blob = blobs.get(row.number as bigint) // It may have been pruned meanwhile.
          return blob === undefined ? [] : [{ contractId: row.contract_id as string, blob }]
        }),
        before: some.length < rows.length || rows.length === ofKeyMax ? (some.at(-1)!.number as bigint) : undefined,
      }
    },
    async newToKey(keyHash, after) {
      const rows = await query(
        `SELECT c.contract_id, k.since FROM contract_keys k JOIN contracts c ON c.number = k.contract
          WHERE k.key_hash = $1 AND k.since > $2`,
        keyHash,
        after,
      )
      return rows.map((row) => ({ contractId: row.contract_id as string, since: row.since as bigint }))
    },
    async active(party, template, after, limit) {
      const place =
        template === undefined ? '(i.template, i.contract) > ($2, $3)' : 'i.template = $2 AND i.contract > $3'
      const start = template ?? after.template
      const from = template !== undefined && after.template !== template ? 0n : after.number
      const rows = await query(
        `SELECT ${all} FROM active_contracts i JOIN contracts c ON c.number = i.contract
          LEFT JOIN archives a ON a.contract = c.number
          WHERE i.party = $1 AND ${place} ORDER BY i.template, i.contract LIMIT $4`,
        party,
        start,
        from,
        BigInt(limit),
      )
      return rows.map(contractFrom)
    },
    async at(numbers) {
      const rows = await selectEach(queries, `SELECT ${all} FROM ${withArchives} WHERE c.number IN ($$)`, numbers)
      return rows.map(contractFrom)
    },
    async archivedAfter(createdUpTo, after, limit) {
      const rows = await query(
        `SELECT c.template, c.number, a.archived_offset FROM archives a JOIN contracts c ON c.number = a.contract
          WHERE (a.archived_offset, a.contract) > ($2, $3) AND c.created_offset <= $1
          ORDER BY a.archived_offset, a.contract LIMIT $4`,
        createdUpTo,
        after.archivedOffset,
        after.number,
        BigInt(limit),
      )
      return rows.map((row) => ({
        template: row.template as bigint,
        number: row.number as bigint,
        archivedOffset: row.archived_offset as bigint,
      }))
    },
    async prune({ after, upTo }) {
      const archived = 'FROM archives WHERE archived_offset > $1 AND archived_offset <= $2'
      const moves = `DELETE FROM contract_moves WHERE contract IN (SELECT contract ${archived})`
      const forgotten = await query(`${moves} RETURNING unassigned_offset`, after, upTo)
      await forgetReassignments(
        queries,
        forgotten.map((row) => row.unassigned_offset as bigint),
      )
      await query(`DELETE FROM contracts WHERE number IN (SELECT contract ${archived})`, after, upTo)
      await query(`DELETE ${archived}`, after, upTo)
    },
  }

  async function blobsOf(numbers: readonly bigint[]): Promise<Map<bigint, Uint8Array>> {
    const rows = await selectEach(queries, 'SELECT number, blob FROM contracts WHERE number IN ($$)', numbers)
    return new Map(rows.map((row) => [row.number as bigint, row.blob as Uint8Array]))
  }

  async function byId(selected: string, contractIds: readonly string[]): Promise<Row[]> {
    const wanted = new Set(contractIds)
    const keys = [...new Set(contractIds.map(contractIdKey))]
    const rows = await selectEach(queries, `SELECT ${selected} FROM ${withArchives} WHERE c.id_key IN ($$)`, keys)
    return rows.filter((row) => wanted.has(row.contract_id as string))
  }
}

/** Eight bytes of the hash in the id: enough to find it, cheap to index. */
export function contractIdKey(contractId: string): bigint {
  return BigInt.asIntN(64, BigInt(`0x${contractId.slice(2, 18) || '0'}`))
}

function rowOf(contract: ContractRecord): Param[] {
  const { number, contractId, template, createdOffset, synchronizer, workflowId, stakeholders } = contract
  const [nodeId, eventCut] = [BigInt(contract.nodeId), BigInt(contract.eventCut)]
  const keyHash = contract.keyHash ?? null
  const facts = [contractId, template, createdOffset, nodeId, synchronizer, workflowId, stakeholders, keyHash, eventCut]
  return [
    contract.number,
    contractIdKey(contract.contractId),
    contract.contractId,
    contract.template,
    contract.createdOffset,
    BigInt(contract.nodeId),
    contract.synchronizer,
    contract.workflowId,
    contract.stakeholders,
    contract.keyHash ?? null,
    BigInt(contract.eventCut),
    contract.event,
    contract.blob,
    checksumOf(number, listed(...facts)),
    checksumOf(number, contract.event, contract.blob),
  ]
}

function stateFromRow(row: Row, onDamage: OnDamage): ContractState {
  if (!isStateWhole(row)) throw onDamage(nameOf(row))
  return {
    number: row.number as bigint,
    contractId: row.contract_id as string,
    template: row.template as bigint,
    stakeholders: row.stakeholders as string,
    keyHash: (row.key_hash as string | null) ?? undefined,
    ...locationFromRow(row),
    archivedOffset: (row.archived_offset as bigint | null) ?? undefined,
  }
}

function locationFromRow(row: Row): Location {
  return { location: (row.moved_to ?? row.synchronizer) as bigint, counter: row.counter as bigint }
}

/** Everything but event and blob. */
export function isStateWhole(row: Row): boolean {
  const { number, checksum, place_checksum: placeChecksum, archive_checksum: archiveChecksum } = row
  if (!isWhole(checksum, () => checksumOf(number, factsIn(row)))) return false
  if (!isWhole(archiveChecksum, () => checksumOf(number, String(row.archived_offset)))) return false
  if (placeChecksum !== null) {
    return isWhole(placeChecksum, () => checksumOf(number, listed(row.moved_to, row.counter)))
  }
  return checksum === null || (row.moved_to === null && row.counter === 0n) // It has not moved.
}

function factsIn(row: Row): string {
  return listed(
    ...[row.contract_id, row.template, row.created_offset, row.node_id, row.synchronizer],
    ...[row.workflow_id, row.stakeholders, row.key_hash, row.event_cut],
  )
}

export function isContentWhole({ number, event, blob, content_checksum: checksum }: Row): boolean {
  return isWhole(checksum, () => checksumOf(number, event, blob))
}

function nameOf(row: Row): string {
  return `the contract ${row.contract_id} (number ${row.number})`
}

function contractFromRow(row: Row, onDamage: OnDamage): StoredContractRow {
  if (!isContentWhole(row)) throw onDamage(nameOf(row))
  return {
    ...stateFromRow(row, onDamage),
    synchronizer: row.synchronizer as bigint,
    createdOffset: row.created_offset as bigint,
    nodeId: Number(row.node_id),
    workflowId: row.workflow_id as string,
    event: row.event as Uint8Array,
    eventCut: Number(row.event_cut),
    blob: row.blob as Uint8Array,
  }
}
