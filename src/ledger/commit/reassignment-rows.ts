// The rows of an accepted unassignment or assignment: its update, and the new location of its contracts.

import { unassignedPiece } from '../../events/format/event-pieces.ts'
import {
  type MovedContract,
  reassignmentToText,
  type StoredReassignment,
  updateIdKey,
} from '../../events/format/stored-update.ts'
import { instantToText } from '../../lf/codec/time-text.ts'
import { listed, numbersIn } from '../model/name-numbers.ts'
import { inTransit } from '../model/synchronizers.ts'
import type { AcceptedReassignment } from './commit-item.ts'
import type { Rows } from './rows.ts'

export function addReassignment(accepted: AcceptedReassignment, rows: Rows): void {
  const { item, decision, reassignment, kind } = accepted
  const { offset } = decision
  addReassignmentUpdate(accepted, rows)
  const isLeaving = kind === 'unassignment'
  for (const [nodeId, { row }] of item.contracts.entries()) {
    const { number, keyHash } = row
    const counter = isLeaving ? row.counter + 1n : row.counter
    rows.moved.push({ number, counter, location: isLeaving ? inTransit : item.target.number })
    if (isLeaving) rows.moves.push({ contract: number, counter, unassignedOffset: offset, nodeId })
    if (keyHash === undefined) continue
    if (isLeaving) rows.oldKeys.push({ number, keyHash })
    else rows.newKeys.push({ number, keyHash, since: offset })
  }
  if (isLeaving) rows.unassigned.push(reassignment)
  else rows.assigned.push(reassignment)
}

/** Only the update: what it says about contracts, others write. */
export function addReassignmentUpdate(
  { item, decision, recordTime, reassignment, kind }: AcceptedReassignment,
  rows: Rows,
): void {
  const { contracts, updateId } = item
  const { offset } = decision
  const isLeaving = kind === 'unassignment'
  // Contracts of one batch have the same stakeholders.
  const { stakeholders: parties, row: first } = contracts[0]!
  const templates = [...new Set(contracts.map(({ template }) => template))]
  const pieces: Uint8Array[] = []
  let length = 0
  const add = (piece: Uint8Array) => {
    pieces.push(piece)
    length += piece.length
    return length
  }
  const events = contracts.map((contract, nodeId): MovedContract => {
    const { row } = contract
    return {
      nodeId,
      template: templates.indexOf(contract.template),
      stakeholders: contract.stakeholders.map((party) => parties.indexOf(party)),
      counter: Number(isLeaving ? row.counter + 1n : row.counter),
      ends: isLeaving
        ? [add(Buffer.from(unassignedPiece(row, contract.template)))]
        : [add(row.event.subarray(0, row.eventCut)), add(row.event.subarray(row.eventCut))],
    }
  })
  const meta: StoredReassignment = {
    kind: 'reassignment',
    direction: kind,
    updateId,
    commandId: item.commandId,
    workflowId: item.workflowId,
    submitters: [item.submitter],
    isDelivered: item.isDelivered,
    recordTime: instantToText(recordTime),
    synchronizerId: item.synchronizer.id,
    traceContext: item.traceContext,
    reassignmentId: reassignment.id,
    source: item.source.id,
    target: item.target.id,
    exclusiveUntil: isLeaving && item.isHalf !== true ? instantToText(reassignment.exclusiveUntil) : null,
    parties,
    templates,
    events,
  }
  const numbers = listed(new Set(contracts.map(({ row }) => row.template)))
  rows.updates.push({
    offset,
    idKey: updateIdKey(updateId),
    templates: numbers,
    meta: reassignmentToText(meta),
    body: Buffer.concat(pieces),
  })
  for (const party of numbersIn(first.stakeholders)) rows.seen.push({ party, offset, templates: numbers })
}
