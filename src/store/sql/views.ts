// The views of `tallystick sql`: documented columns over tables that may change. They are temporary views of the
// session, so commits do not pay for them, no ledger has to be migrated when they change, and they may have the name of
// a table. Both databases decode what is stored (events/sql/decoding.ts).
import { type Dialect, decodingIn, transactionCondition } from '../../events/sql/decoding.ts'
import { unseen } from '../core/ledger-records.ts'
import type { ParticipantTables } from './session.ts'

export type View = { readonly name: string; readonly select: string }

/** Party 0 of the index of active contracts stands for anybody. */
const anybody = 0
/** The synchronizer of a contract that was only seen. */
const nowhere = 0

/**
 * The views in the order of creation; `schema` has the tables of the participant. The first view is for the others.
 * `contractsWhere` is a condition on `c`, the table of contracts, that all of them meet.
 */
export function viewsIn(
  schema: string,
  { prefix, isInNetwork }: ParticipantTables,
  dialect: Dialect,
  contractsWhere?: string,
): readonly View[] {
  const tables = `${schema}.${prefix}`
  const { unpacked, transactionColumns, createdJson, exercisesIn, ...fields } = decodingIn(dialect)

  const described = `SELECT update_offset, ${transactionColumns}
  FROM ${tables}updates WHERE ${transactionCondition('meta')}`

  const transaction = fields.transaction('t')
  const transactions = `SELECT t.update_offset,
    ${transaction.updateId} AS update_id,
    ${transaction.commandId} AS command_id,
    ${transaction.workflowId} AS workflow_id,
    c.user_id,
    ${transaction.submitters} AS act_as,
    ${transaction.effectiveAt} AS effective_at,
    ${transaction.recordTime} AS record_time,
    s.alias AS synchronizer,
    ${transaction.eventCount} AS events,
    t.update_offset AS ix,
    t.update_offset AS "offset",
    ${transaction.updateId} AS transaction_id
  FROM ledger_transactions t
  LEFT JOIN ${tables}completions c ON c.completion_offset = t.update_offset
  LEFT JOIN ${tables}synchronizers s ON s.id = ${transaction.synchronizerId}`

  const createdBytes = `CASE WHEN c.event_start IS NULL THEN c.event ELSE (
    SELECT substr(${unpacked('u.body')}, CAST(c.event_start AS INTEGER) + 1, CAST(c.event_bytes AS INTEGER))
    FROM ${tables}updates u WHERE u.update_offset = c.created_offset) END`
  const decoded = `SELECT c.*, ${createdJson('c.created', 'c.event_cut')} AS json
  FROM (SELECT c.*, ${createdBytes} AS created FROM ${tables}contracts c) c`

  const created = fields.created('c.json')
  const contractColumns = `c.number,
    c.contract_id,
    n.name AS template,
    ${created.templateId} AS template_id,
    ${created.packageId} AS package_id,
    ${created.packageName} AS package_name,
    ${created.payload} AS payload,
    ${created.contractKey} AS contract_key,
    ${created.signatories} AS signatories,
    ${created.observers} AS observers,
    ${created.stakeholders} AS stakeholders,
    c.created_offset,
    ${created.createdAt} AS created_at`
  const rest = `s.alias AS synchronizer,
    c.workflow_id`
  const synchronizer = `LEFT JOIN ${tables}synchronizers s ON s.number = COALESCE(c.moved_to, c.synchronizer)`

  // In a network, rows of contracts that were only seen are kept for their content, and rows of those that went where the
  // participant does not see them stay in the index.
  const isGone = `c.moved_to = 0 AND EXISTS (SELECT 1 FROM ${tables}contract_moves m
    JOIN ${tables}reassignments r ON r.unassigned_offset = m.unassigned_offset
    WHERE m.contract = c.number AND m.counter = c.counter AND r.assigned_offset = ${unseen})`
  const isHere = isInNetwork ? ` AND NOT (${isGone})` : ''
  const conditions = [
    ...(contractsWhere === undefined ? [] : [contractsWhere]),
    ...(isInNetwork ? [`c.synchronizer <> ${nowhere}`] : []),
  ]

  const contracts = `SELECT ${contractColumns},
    a.archived_offset,
    ${fields.transaction('u').effectiveAt} AS archived_at,
    CASE WHEN a.contract IS NULL${isHere} THEN 1 ELSE 0 END AS is_active,
    ${rest}
  FROM (${decoded}) c
  JOIN ${tables}names n ON n.number = c.template
  LEFT JOIN ${tables}archives a ON a.contract = c.number
  LEFT JOIN ledger_transactions u ON u.update_offset = a.archived_offset
  ${synchronizer}${conditions.length === 0 ? '' : ` WHERE ${conditions.join(' AND ')}`}`

  // These begin with the index of active contracts, which has them by party and template.
  const activeContracts = `SELECT ${contractColumns},
    ${rest}
  FROM ${tables}active_contracts p
  JOIN ${tables}names n ON n.number = p.template
  JOIN (${decoded}) c ON c.number = p.contract
  ${synchronizer} WHERE p.party = ${anybody}${isHere}`

  const goneStake = `EXISTS (SELECT 1 FROM ${tables}contracts c WHERE c.number = p.contract AND ${isGone})`
  const isStake = isInNetwork ? ` AND NOT ${goneStake}` : ''
  const stakes = `SELECT party.name AS party, n.name AS template, p.contract AS number
  FROM ${tables}active_contracts p
  JOIN ${tables}names party ON party.number = p.party
  JOIN ${tables}names n ON n.number = p.template
  WHERE p.party <> ${anybody}${isStake}`

  const exercise = fields.exercise('e')
  const exercises = `SELECT e.update_offset,
    ${exercise.nodeId} AS node_id,
    ${exercise.contractId} AS contract_id,
    ${exercise.template} AS template,
    ${exercise.templateId} AS template_id,
    ${exercise.packageName} AS package_name,
    ${exercise.interfaceId} AS interface_id,
    ${exercise.choice} AS choice,
    ${exercise.argument} AS argument,
    ${exercise.result} AS result,
    ${exercise.actingParties} AS acting_parties,
    ${exercise.isConsuming} AS is_consuming,
    ${exercise.lastDescendantNodeId} AS last_descendant_node_id
  FROM (${exercisesIn('ledger_transactions')}) e`

  return [
    { name: 'ledger_transactions', select: described },
    { name: 'contracts', select: contracts },
    { name: 'active_contracts', select: activeContracts },
    { name: 'stakeholders', select: stakes },
    { name: 'transactions', select: transactions },
    { name: 'exercises', select: exercises },
  ]
}
