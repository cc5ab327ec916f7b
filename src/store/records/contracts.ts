// Contracts as rows: their contents, their keys and their archives.
import { checksumOf, damagedChecksum, isWhole, type OnDamage } from '../core/checksum.ts'
import type {
  ContractPosition,
  ContractRecords,
  ContractState,
  Location,
  NewContract,
  StoredContractRow,
} from '../core/contract-records.ts'
import type { Param, Queries, Row } from '../core/database.ts'
import { countWithin, inlineBytesMax, selectEach } from '../core/selection.ts'
import { activeContracts, templatesOf } from './active-contracts.ts'
import {
  archiveChecksum,
  checksumColumns,
  checksumsOf,
  isContentWhole,
  isStateWhole,
  nameOfContract,
  placeChecksum,
} from './contract-checksums.ts'
import { eventIn, placeColumns, storedEventOf } from './contract-events.ts'
import {
  countPast,
  newestBefore,
  oldestAfter,
  columns as pastColumns,
  pastContracts,
  pastFromRow,
  pastRows,
  readPast,
} from './past-contracts.ts'
import { forgetReassignments } from './reassignments.ts'

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
  ...placeColumns,
  'event',
  'blob',
  ...checksumColumns,
]
/** Columns that a state does without. */
const content = [...placeColumns, 'event', 'blob']
const indexColumns = ['party', 'template', 'contract']
const archiveColumns = ['contract', 'archived_offset', 'checksum']
const keyRowColumns = ['key_hash', 'contract']
const keyColumns = [...keyRowColumns, 'since']
const moved = ['moved_to', 'counter', 'place_checksum']
const archive = 'a.archived_offset, a.checksum AS archive_checksum'
const qualified = (names: readonly string[]) => names.map((column) => `c.${column}`).join(', ')
const state = `${qualified([...columns.filter((column) => !content.includes(column)), ...moved])}, ${archive}`
const event = `${qualified(placeColumns)}, ${storedEventOf('c')} AS event`
const all = `${state}, ${event}, c.blob`
const eventBytes = 'COALESCE(c.event_bytes, octet_length(c.event))'
/** Leaves out large events: the database knows their size without reading them. */
const sized = `${state}, ${qualified(placeColumns)}, ${eventBytes} AS bytes,
  CASE WHEN ${eventBytes} <= ${inlineBytesMax} THEN ${storedEventOf('c')} END AS event`
const withArchives = 'contracts c LEFT JOIN archives a ON a.contract = c.number'

/** Limits per read for the contracts of a key: a count and bytes of blobs, but at least one contract. */
const ofKeyMax = 100
const ofKeyBytesMax = 1024 * 1024
/** Limit for the large blobs of contracts that a command names. */
const blobsBytesMax = 1024 * 1024
const afterAll = 2n ** 63n - 1n

export function contractRecords(queries: Queries, onDamage: OnDamage): ContractRecords {
  const contractFrom = (row: Row) => contractFromRow(row, onDamage)
  const sizedFrom = (row: Row) => {
    const contract = contractFrom(row)
    return { ...contract, event: row.event === null ? null : contract.event, bytes: row.bytes as bigint }
  }
  const whole = (row: Row): Row => {
    if (row.event === null || !isContentWhole(row)) throw onDamage(nameOfContract(row))
    return row
  }
  const { query, insert } = queries
  const indexRow = ({ party, template, number }: ContractPosition & { party: bigint }) => [party, template, number]
  const keyRow = ({ keyHash, number }: { keyHash: string; number: bigint }) => [keyHash, number]
  return {
    async insert(contracts) {
      for (let first = 0; first < contracts.length; first += rowsAtOnce) {
        await insert('contracts', columns, contracts.slice(first, first + rowsAtOnce).map(rowOf))
      }
    },
    activate: (rows) => insert('active_contracts', indexColumns, rows.map(indexRow)),
    deactivate: (rows) => queries.delete('active_contracts', indexColumns, rows.map(indexRow)),
    async archive(rows) {
      await insert(
        'archives',
        archiveColumns,
        rows.map(({ number, archivedOffset }) => [number, archivedOffset, archiveChecksum(number, archivedOffset)]),
      )
      await insert('past_contracts', pastColumns, rows.flatMap(pastRows))
    },
    addKeys: (rows) =>
      insert(
        'contract_keys',
        keyColumns,
        rows.map(({ keyHash, number, since }) => [keyHash, number, since]),
      ),
    removeKeys: (rows) => queries.delete('contract_keys', keyRowColumns, rows.map(keyRow)),
    move: (rows) =>
      queries.update(
        'contracts',
        'number',
        moved,
        rows.map(({ number, location, counter }) => {
          return [number, location, counter, placeChecksum(number, { location, counter })]
        }),
      ),

    async states(contractIds) {
      return (await byId(state, contractIds)).map((row) => stateFromRow(row, onDamage))
    },
    async find(contractIds) {
      return (await byId(all, contractIds)).map(contractFrom)
    },
    async blobs(contractIds) {
      const some = `c.number, c.contract_id, c.synchronizer, c.moved_to, c.counter, a.archived_offset,
        octet_length(c.blob) AS bytes, CASE WHEN octet_length(c.blob) <= ${inlineBytesMax} THEN c.blob END AS blob`
      const active = (await byId(some, contractIds)).filter((row) => row.archived_offset === null).map(whole)
      const large = active.filter((row) => row.blob === null)
      // The first is needed now; others are requested again when they are needed.
      large.sort((a, b) => Number(b.contract_id === contractIds[0]) - Number(a.contract_id === contractIds[0]))
      const wanted = large.slice(0, countWithin(blobsBytesMax, large))
      const blobs = await blobsByNumber(wanted.map((row) => row.number as bigint))
      return active.flatMap((row) => {
        const blob = (row.blob as Uint8Array | null) ?? blobs.get(row.number as bigint)
        return blob === undefined ? [] : [{ contractId: row.contract_id as string, blob, ...locationFromRow(row) }]
      })
    },
    async withKey(keyHash, before = { since: afterAll, number: 0n }) {
      const rows = await query(
        `SELECT k.contract AS number, k.since, c.contract_id, octet_length(c.blob) AS bytes
          FROM contract_keys k JOIN contracts c ON c.number = k.contract
          WHERE k.key_hash = $1 AND (k.since, k.contract) < ($2, $3)
          ORDER BY k.since DESC, k.contract DESC LIMIT $4`,
        keyHash,
        before.since,
        before.number,
        BigInt(ofKeyMax),
      )
      const some = rows.slice(0, countWithin(ofKeyBytesMax, rows))
      const blobs = await blobsByNumber(some.map((row) => row.number as bigint))
      return {
        contracts: some.flatMap((row) => {
          const blob = blobs.get(row.number as bigint) // May have been pruned meanwhile.
          return blob === undefined ? [] : [{ contractId: row.contract_id as string, blob }]
        }),
        before: some.length < rows.length || rows.length === ofKeyMax ? keyPlaceOf(some.at(-1)!) : undefined,
      }
    },
    ...activeContracts(queries),
    past: (query, after, limit) => readPast(queries, query, oldestAfter(after, query.lastNumber), limit),
    pastBefore: (query, before, limit) => readPast(queries, query, newestBefore(before, query.lastNumber), limit),
    countPast: (query, limit) => countPast(queries, query, limit),
    pastTemplates: (party) => templatesOf(queries, 'past_contracts', party),
    lastCreated,
    async withIdKeys(from, to, limit) {
      const sql = 'SELECT number FROM contracts WHERE id_key >= $1 AND id_key <= $2 ORDER BY id_key LIMIT $3'
      const rows = await query(sql, from, to, BigInt(limit))
      return rows.map((row) => row.number as bigint)
    },
    async at(numbers) {
      const rows = await selectEach(queries, `SELECT ${all} FROM ${withArchives} WHERE c.number IN ($$)`, numbers)
      return rows.map(contractFrom)
    },
    async sized(numbers) {
      const rows = await selectEach(queries, `SELECT ${sized} FROM ${withArchives} WHERE c.number IN ($$)`, numbers)
      return rows.map(sizedFrom)
    },
    async sizedById(contractIds) {
      return (await byId(sized, contractIds)).map(sizedFrom)
    },
    async events(numbers) {
      const sql = `SELECT number, ${event}, event_checksum FROM contracts c WHERE number IN ($$)`
      const rows = await selectEach(queries, sql, numbers)
      return new Map(rows.map(whole).map((row) => [row.number as bigint, eventIn(row)]))
    },
    async blobsOf(contractIds) {
      const rows = await byId('c.number, c.contract_id, c.blob, c.blob_checksum', contractIds)
      return rows.map(whole).map((row) => ({ contractId: row.contract_id as string, blob: row.blob as Uint8Array }))
    },
    async positions(numbers) {
      const sql = 'SELECT number, template, stakeholders FROM contracts WHERE number IN ($$)'
      const rows = await selectEach(queries, sql, numbers)
      return rows as unknown as Pick<ContractState, 'number' | 'template' | 'stakeholders'>[]
    },
    async archivedAfter(after, limit) {
      const rows = await query(
        `SELECT contract, archived_offset, checksum FROM archives WHERE (archived_offset, contract) > ($1, $2)
          ORDER BY archived_offset, contract LIMIT $3`,
        after.archivedOffset,
        after.number,
        BigInt(limit),
      )
      return rows.map(({ contract, archived_offset: archivedOffset, checksum }) => {
        const isFine = isWhole(checksum, () => archiveChecksum(contract, archivedOffset))
        if (!isFine) throw onDamage(`the archive of the contract with number ${contract}`)
        return { number: contract as bigint, archivedOffset: archivedOffset as bigint }
      })
    },
    async prune({ after, upTo }, lastNumber) {
      const archived = 'FROM archives WHERE archived_offset > $1 AND archived_offset <= $2'
      const moves = `DELETE FROM contract_moves WHERE contract IN (SELECT contract ${archived})`
      const forgotten = await query(`${moves} RETURNING unassigned_offset`, after, upTo)
      await forgetReassignments(
        queries,
        forgotten.map((row) => row.unassigned_offset as bigint),
      )
      const gone = await query(`${pastContracts} WHERE archived_offset > $1 AND archived_offset <= $2`, after, upTo)
      await queries.delete('past_contracts', pastColumns, gone.map(pastFromRow).flatMap(pastRows))
      await query(`DELETE FROM contracts WHERE number IN (SELECT contract ${archived})`, after, upTo)
      await query(`DELETE ${archived}`, after, upTo)
      return copyEvents(lastNumber ?? (await lastCreated(after)), upTo)
    },
  }

  /**
   * Of the contracts created after one with this number, up to an offset: their updates are about to be deleted. Returns
   * the number of the last one. It goes forward, because a search would pass over all that was deleted before.
   */
  async function copyEvents(after: bigint, upTo: bigint): Promise<bigint> {
    for (let number = after; ; ) {
      const rows = await query(
        `SELECT number, created_offset, event_start, event_bytes, event_checksum,
            CASE WHEN created_offset <= $2 AND event_start IS NOT NULL THEN ${storedEventOf('c')} END AS event
          FROM contracts c WHERE number > $1 ORDER BY number LIMIT $3`,
        number,
        upTo,
        copiedAtOnce,
      )
      const created = rows.filter((row) => (row.created_offset as bigint) <= upTo)
      const shared = created.filter((row) => row.event_start !== null)
      await queries.update('contracts', 'number', copyColumns, shared.map(copyOf))
      number = (created.at(-1)?.number as bigint | undefined) ?? number
      if (created.length < Number(copiedAtOnce)) return number
    }
  }

  /** Contract numbers ascend with offsets. */
  async function lastCreated(upTo: bigint): Promise<bigint> {
    const before = (number: bigint) =>
      query(
        'SELECT number, created_offset FROM contracts WHERE number <= $1 ORDER BY number DESC LIMIT 1',
        number,
      ) as Promise<{ number: bigint; created_offset: bigint }[]>
    const isThere = (row: { created_offset: bigint } | undefined) => row === undefined || row.created_offset <= upTo
    const [last] = await before(afterAll)
    if (isThere(last)) return last?.number ?? 0n
    let [low, high] = [0n, last!.number - 1n]
    while (low < high) {
      const middle = (low + high + 1n) / 2n
      const [row] = await before(middle)
      if (isThere(row)) low = middle
      else high = row!.number - 1n
    }
    return low
  }

  async function blobsByNumber(numbers: readonly bigint[]): Promise<Map<bigint, Uint8Array>> {
    const sql = 'SELECT number, blob, blob_checksum FROM contracts WHERE number IN ($$)'
    const rows = await selectEach(queries, sql, numbers)
    return new Map(rows.map(whole).map((row) => [row.number as bigint, row.blob as Uint8Array]))
  }

  async function checkStates(numbers: readonly bigint[]): Promise<void> {
    const rows = await selectEach(queries, `SELECT ${state} FROM ${withArchives} WHERE c.number IN ($$)`, numbers)
    for (const row of rows) stateFromRow(row, onDamage)
  }

  async function byId(selected: string, contractIds: readonly string[]): Promise<Row[]> {
    const wanted = new Set(contractIds)
    const keys = [...new Set(contractIds.map(contractIdKey))]
    const rows = await selectEach(queries, `SELECT ${selected} FROM ${withArchives} WHERE c.id_key IN ($$)`, keys)
    const others = rows.filter((row) => !wanted.has(row.contract_id as string))
    // Another contract with the same key, or the wanted one with a damaged id.
    if (others.length > 0) await checkStates(others.map((row) => row.number as bigint))
    return rows.filter((row) => !others.includes(row))
  }
}

const noBytes = new Uint8Array()

const copyColumns = ['event', 'event_checksum', ...placeColumns]

/** A damaged one is reported when it is read. */
function copyOf(row: Row): Param[] {
  const copy = row.event === null || !isContentWhole(row) ? undefined : eventIn(row)
  const checksum = copy === undefined ? damagedChecksum : checksumOf(row.number, copy)
  return [row.number!, copy ?? noBytes, checksum, null, null]
}

/** Bodies are read with them, of a few kilobytes each. */
const copiedAtOnce = 250n

/** Building all rows of a large transaction at once would block other work. */
const rowsAtOnce = 256

/** Eight bytes of the hash in the id: enough to find it, cheap to index. */
export function contractIdKey(contractId: string): bigint {
  return BigInt.asIntN(64, BigInt(`0x${contractId.slice(2, 18) || '0'}`))
}

function rowOf(contract: NewContract): Param[] {
  const { event } = contract
  const place = event instanceof Uint8Array ? undefined : event
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
    place === undefined ? null : BigInt(place.start),
    place === undefined ? null : BigInt(place.end - place.start),
    place === undefined ? (event as Uint8Array) : noBytes,
    contract.blob,
    ...checksumsOf(contract, place?.body ?? (event as Uint8Array)),
  ]
}

function stateFromRow(row: Row, onDamage: OnDamage): ContractState {
  if (!isStateWhole(row)) throw onDamage(nameOfContract(row))
  return {
    number: row.number as bigint,
    contractId: row.contract_id as string,
    template: row.template as bigint,
    createdOffset: row.created_offset as bigint,
    stakeholders: row.stakeholders as string,
    keyHash: (row.key_hash as string | null) ?? undefined,
    ...locationFromRow(row),
    archivedOffset: (row.archived_offset as bigint | null) ?? undefined,
  }
}

function locationFromRow(row: Row): Location {
  return { location: (row.moved_to ?? row.synchronizer) as bigint, counter: row.counter as bigint }
}

function contractFromRow(row: Row, onDamage: OnDamage): StoredContractRow {
  const isLarge = Number(row.bytes ?? 0) > inlineBytesMax
  if (!isContentWhole(row) || (row.event === null && !isLarge)) throw onDamage(nameOfContract(row))
  return {
    ...stateFromRow(row, onDamage),
    synchronizer: row.synchronizer as bigint,
    nodeId: Number(row.node_id),
    workflowId: row.workflow_id as string,
    event: row.event === null ? noBytes : eventIn(row),
    eventCut: Number(row.event_cut),
    blob: row.blob as Uint8Array,
  }
}

const keyPlaceOf = (row: Row) => ({ since: row.since as bigint, number: row.number as bigint })
