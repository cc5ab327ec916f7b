// The rows of an accepted transaction: its update, the contracts it creates and those it archives.

import { transactionToText, updateIdKey } from '../../events/format/stored-update.ts'
import { instantToText } from '../../lf/codec/time-text.ts'
import type { ContractState } from '../../store/core/contract-records.ts'
import type { UpdateRecord } from '../../store/core/ledger-records.ts'
import { listed, numbersIn } from '../model/name-numbers.ts'
import { nowhere } from '../model/seen-contracts.ts'
import type { AcceptedTransaction, InterpretedCommand } from './commit-item.ts'
import type { Rows } from './rows.ts'

/** In the index of active contracts. */
export const anybody = 0n

/** A contract in a larger update has a copy of its event, because a database reads a body as a whole. */
export const sharedBodyBytesMax = 16 * 1024

/** A transaction, as far as its rows show it. */
export type WrittenTransaction = Pick<AcceptedTransaction, 'recordTime' | 'archived'> & {
  readonly decision: { readonly offset: bigint }
  readonly item: WrittenItem
}

type WrittenItem = Pick<
  InterpretedCommand,
  'served' | 'synchronizer' | 'updateId' | 'commandId' | 'workflowId' | 'actAs' | 'ledgerTime' | 'traceContext'
> & {
  readonly effects: Pick<InterpretedCommand['effects'], 'created'>
  readonly signed?: { readonly hash: string }
}

/** Returns the number of the last contract it created. */
export function addTransaction(
  { item, decision, recordTime, archived }: WrittenTransaction,
  numbers: ReadonlyMap<string, bigint>,
  lastContract: bigint,
  rows: Rows,
): bigint {
  const { served, effects, synchronizer, workflowId } = item
  const { offset } = decision
  const parties = served.parties.map((party) => numbers.get(party)!)
  const templates = served.templates.map((template) => numbers.get(template)!)
  rows.updates.push(updateOf(item, offset, recordTime, listed(templates)))
  for (const [index, party] of parties.entries()) {
    rows.seen.push({ party, offset, templates: listed(served.seen[index]!.map((template) => templates[template]!)) })
  }

  const { body, bodyBytes } = served
  const isShared = bodyBytes !== undefined || body.length <= sharedBodyBytesMax
  let number = lastContract
  for (const contract of effects.created) {
    number += 1n
    const { contractId, nodeId, keyHash, blob, isOnlySeen = false } = contract
    const [start, cut, end] = contract.pieces
    const stakeholders = contract.stakeholders.map((index) => parties[index]!)
    const template = templates[contract.template]!
    rows.contracts.push({
      number,
      contractId,
      template,
      createdOffset: offset,
      nodeId,
      synchronizer: isOnlySeen ? nowhere : synchronizer.number,
      workflowId,
      stakeholders: listed(stakeholders),
      keyHash,
      event: isShared ? { body, start, end } : body.subarray(start, end),
      eventCut: cut - start,
      blob,
    })
    if (!contract.isTransient && !isOnlySeen) {
      for (const party of [anybody, ...stakeholders]) rows.activated.push({ party, template, number })
      if (keyHash !== undefined) rows.newKeys.push({ number, keyHash, since: offset })
    } else {
      // Transient, created and archived here; or only seen here.
      rows.archives.push({ number, template, parties: [], createdOffset: offset, archivedOffset: offset })
    }
  }
  for (const contract of archived) deactivate(contract, offset, rows)
  return number
}

function deactivate(contract: ContractState, offset: bigint, rows: Rows): void {
  const { number, template, createdOffset, keyHash } = contract
  const parties = [anybody, ...numbersIn(contract.stakeholders)]
  for (const party of parties) rows.deactivated.push({ party, template, number })
  rows.archives.push({ number, template, parties, createdOffset, archivedOffset: offset })
  if (keyHash !== undefined) rows.oldKeys.push({ number, keyHash })
}

function updateOf(item: WrittenItem, offset: bigint, recordTime: bigint, templates: string): UpdateRecord {
  const { served, updateId, commandId, workflowId, actAs, ledgerTime, synchronizer, traceContext } = item
  const facts = {
    updateId,
    commandId,
    workflowId,
    submitters: actAs,
    effectiveAt: instantToText(ledgerTime),
    recordTime: instantToText(recordTime),
    synchronizerId: synchronizer.id,
    traceContext,
    externalTransactionHash: item.signed?.hash,
  }
  return {
    offset,
    idKey: updateIdKey(updateId),
    templates,
    meta: transactionToText(facts, served),
    body: served.body,
    bodyBytes: served.bodyBytes,
  }
}
