// Checks every row by itself: its checksum, and whether its contents make sense.
import { unpackCompletion } from '../../events/format/stored-completion.ts'
import { unpackBytes } from '../../events/format/unpacking.ts'
import { checksumOf, isRowWhole, isWhole } from '../core/checksum.ts'
import type { Row } from '../core/database.ts'
import { scanRows, type Table } from '../core/row-scan.ts'
import { changeChecksum, completionChecksum } from '../records/completions.ts'
import { isContentWhole, isStateWhole, nameOfContract } from '../records/contract-checksums.ts'
import { storedEventOf } from '../records/contract-events.ts'
import { contractIdKey } from '../records/contracts.ts'
import { isFactWhole, nameOfFact } from '../records/node-records.ts'
import { nameOfDar } from '../records/packages.ts'
import { nameOfHost } from '../records/parties.ts'
import { isReassignmentWhole, nameOfMove, nameOfReassignment } from '../records/reassignments.ts'
import { isSynchronizerWhole, nameOfSynchronizer } from '../records/synchronizers.ts'
import { nameOfCertificate, nameOfProposal } from '../records/topology.ts'
import { nameOfVetting } from '../records/vetting.ts'
import { isWaitingUpdateWhole, nameOfWaitingContract, nameOfWaitingUpdate } from '../records/waiting-updates.ts'
import { attempt, type IntegrityParts, type Meaning } from './parts.ts'

type Check = Table & {
  readonly nameOf: (row: Row) => string
  /** The problem of a row, if there is one. */
  readonly problemOf: (row: Row, meaning: Meaning) => string | undefined
}

const numbered = { before: -1n, large: [] as readonly string[] }

const checks: readonly Check[] = [
  {
    name: 'packages',
    key: 'id',
    before: '',
    large: ['dalf'],
    nameOf: (row) => `the package ${row.id}`,
    problemOf({ dalf, ...row }, { isPackage }) {
      if (!isPackage(row.id as string, dalf as Uint8Array)) return 'is not what its id is the hash of'
      return ofValues(row)
    },
  },
  {
    ...numbered,
    name: 'updates',
    key: 'update_offset',
    large: ['meta', 'body'],
    nameOf: (row) => `the update at offset ${row.update_offset}`,
    problemOf: updateProblem,
  },
  {
    ...numbered,
    name: 'completions',
    key: 'completion_offset',
    large: ['act_as', 'head', 'tail'],
    nameOf: (row) => `the completion at offset ${row.completion_offset}`,
    problemOf(row) {
      if (!isWhole(row.checksum, () => completionChecksum(row))) return differs
      const [head, tail] = [unpackCompletion(row.head as string), unpackCompletion(row.tail as string)]
      return isJson(`${head}${row.act_as}${tail}`) ? undefined : 'is no JSON'
    },
  },
  {
    ...numbered,
    name: 'contracts',
    key: 'number',
    large: ['event', 'blob'],
    bytes: 'COALESCE(event_bytes, 0)',
    select: `t.*, ${storedEventOf('t')} AS event, a.archived_offset, a.checksum AS archive_checksum`,
    join: 'LEFT JOIN archives a ON a.contract = t.number',
    nameOf: nameOfContract,
    problemOf: contractProblem,
  },
  {
    name: 'accepted_changes',
    key: 'change_id',
    before: new Uint8Array(),
    large: [],
    nameOf: (row) => `the accepted change of the completion at offset ${row.completion_offset}`,
    problemOf: (row) => (isWhole(row.checksum, () => changeChecksum(row)) ? undefined : differs),
  },
  {
    ...numbered,
    name: 'names',
    key: 'number',
    nameOf: (row) => `the name with number ${row.number}`,
    problemOf: (row) => (isWhole(row.checksum, () => checksumOf(row.number, row.name)) ? undefined : differs),
  },
  {
    name: 'package_contents',
    key: 'package_id',
    before: '',
    large: ['contents'],
    problemOf: ofValues,
    nameOf: (row) => `the contents of the package ${row.package_id}`,
  },
  {
    name: 'vetted_packages',
    key: 'package_id',
    before: '',
    large: [],
    problemOf: ofValues,
    nameOf: (row) => `the vetting of the package ${row.package_id}`,
  },
  {
    name: 'identity_providers',
    key: 'id',
    before: '',
    large: [],
    problemOf: ofValues,
    nameOf: (row) => `the identity provider ${row.id}`,
  },
  {
    name: 'users',
    key: 'id',
    before: '',
    large: ['annotations'],
    problemOf: ofValues,
    nameOf: (row) => `the user ${row.id}`,
  },
  {
    name: 'user_rights',
    key: 'user_id',
    before: '',
    large: [],
    problemOf: ofValues,
    nameOf: (row) => `a right of the user ${row.user_id}`,
  },
  {
    name: 'parties',
    key: 'party',
    before: '',
    large: ['annotations'],
    problemOf: ofValues,
    nameOf: (row) => `the party ${row.party}`,
  },
  {
    name: 'external_parties',
    key: 'party',
    before: '',
    large: ['keys'],
    problemOf: ofValues,
    nameOf: (row) => `the keys of the party ${row.party}`,
  },
  {
    name: 'namespace_certificates',
    key: 'namespace_id',
    before: '',
    large: ['content'],
    problemOf: ofValues,
    nameOf: nameOfCertificate,
  },
  {
    name: 'party_proposals',
    key: 'party',
    before: '',
    large: ['signers'],
    problemOf: ofValues,
    nameOf: nameOfProposal,
  },
  {
    name: 'party_synchronizers',
    key: 'party',
    before: '',
    large: [],
    problemOf: ofValues,
    nameOf: (row) => `a host of the party ${row.party}`,
  },
  { name: 'party_hosts', key: 'party', before: '', large: [], problemOf: ofValues, nameOf: nameOfHost },
  { name: 'dars', key: 'hash', before: '', large: [], problemOf: ofValues, nameOf: nameOfDar },
  { ...numbered, name: 'vetting', key: 'synchronizer', problemOf: ofValues, nameOf: nameOfVetting },
  {
    name: 'node',
    key: 'name',
    before: '',
    large: [],
    nameOf: nameOfFact,
    problemOf: (row) => (isFactWhole(row) ? undefined : differs),
  },
  {
    ...numbered,
    name: 'synchronizers',
    key: 'number',
    nameOf: nameOfSynchronizer,
    problemOf: (row) => (isSynchronizerWhole(row) ? undefined : differs),
  },
  {
    ...numbered,
    name: 'reassignments',
    key: 'unassigned_offset',
    nameOf: nameOfReassignment,
    problemOf: (row) => (isReassignmentWhole(row) ? undefined : differs),
  },
  { ...numbered, name: 'contract_moves', key: 'contract', problemOf: ofValues, nameOf: nameOfMove },
  {
    ...numbered,
    name: 'waiting_updates',
    key: 'number',
    large: ['content'],
    nameOf: nameOfWaitingUpdate,
    problemOf: (row) => (isWaitingUpdateWhole(row) ? undefined : differs),
  },
  {
    name: 'waiting_contracts',
    key: 'contract_id',
    before: '',
    large: [],
    problemOf: ofValues,
    nameOf: nameOfWaitingContract,
  },
]

const differs = 'is not what was written'

/** For a row with a checksum over all its values. */
function ofValues(row: Row): string | undefined {
  return isRowWhole(row) ? undefined : differs
}

export async function checkRows({ queries, meaning, problem, progress }: IntegrityParts): Promise<void> {
  for (const check of checks) {
    await attempt(`the table ${check.name}`, problem, async () => {
      let count = 0
      for await (const rows of scanRows(queries, check)) {
        for (const row of rows) {
          const found = check.problemOf(row, meaning)
          if (found !== undefined) problem(`${check.nameOf(row)} ${found}`)
        }
        count += rows.length
        progress(check.name, count, false)
      }
      progress(check.name, count, true)
    })
  }
}

function updateProblem(row: Row, { readUpdate }: Meaning): string | undefined {
  const body = row.body as Uint8Array
  if (!isWhole(row.checksum, () => checksumOf(row.update_offset, row.meta, body))) return differs
  try {
    const { idKey, bodyBytes } = readUpdate(row.meta as string)
    if (idKey !== row.id_key) return 'is not found by its id'
    const isAsLong = bodyBytes === unpackBytes(body).length && bodyBytes === Number(row.body_bytes ?? body.length)
    return isAsLong ? undefined : 'has a body of another length'
  } catch {
    return 'has a description that says nothing'
  }
}

function contractProblem(row: Row, { isAuthentic }: Meaning): string | undefined {
  if (!isStateWhole(row) || !isContentWhole(row) || row.event === null) return differs
  const contractId = row.contract_id as string
  if (contractIdKey(contractId) !== row.id_key) return 'is not found by its id'
  try {
    return isAuthentic(contractId, row.blob as Uint8Array) ? undefined : 'is not what its id commits to'
  } catch (error) {
    return `cannot be checked: ${(error as Error).message}`
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
