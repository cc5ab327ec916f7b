// Reassignments for reader tests, written as commit writes them.
import { hash } from 'node:crypto'
import {
  type MovedContract,
  reassignmentToText,
  type StoredReassignment,
  updateIdKey,
} from '../../../src/events/format/stored-update.ts'
import { inTransit } from '../../../src/ledger/model/synchronizers.ts'
import { instantToText } from '../../../src/lf/codec/time-text.ts'
import type { StoredContractRow } from '../../../src/store/core/contract-records.ts'
import type { Records, Store } from '../../../src/store/core/store.ts'
import { contractIdOf, type SampleLedger, synchronizerIdOf, timeOf, updateIdOf } from './sample-ledger.ts'

type Submission = { readonly submitter: string; readonly commandId?: string; readonly workflowId?: string }

export type SampleUnassignment = Submission & {
  /** Labels of contracts on one synchronizer. */
  readonly contracts: readonly string[]
  readonly target: bigint
}

export type SampleReassignments = {
  /** Returns the reassignment id, published at once. */
  unassign(unassignment: SampleUnassignment): Promise<string>
  /** Returns the offset. */
  assign(reassignmentId: string, submission: Submission): Promise<bigint>
}

type Written = Pick<
  StoredReassignment,
  'direction' | 'reassignmentId' | 'source' | 'target' | 'exclusiveUntil' | 'synchronizerId'
>

export function exclusiveUntilOf(unassignedOffset: bigint): bigint {
  return timeOf(unassignedOffset) + 60_000_000n
}

export function reassignmentIdOf(unassignedOffset: bigint): string {
  return `001220${hash('sha256', `reassignment ${unassignedOffset}`)}`
}

export function createSampleReassignments(store: Store, ledger: SampleLedger): SampleReassignments {
  async function unassign({ contracts, target, ...submission }: SampleUnassignment): Promise<string> {
    const offset = ledger.take()
    const reassignmentId = reassignmentIdOf(offset)
    const { submitter, commandId = '', workflowId = '' } = submission
    await store.transaction(async (records) => {
      const rows = await rowsOf(contracts.map(contractIdOf), records)
      const source = rows[0]!.location
      const exclusiveUntil = exclusiveUntilOf(offset)
      const moved = rows.map((row) => ({ ...row, counter: row.counter + 1n }))
      await writeUpdate(records, offset, submission, moved, {
        direction: 'unassignment',
        reassignmentId,
        source: synchronizerIdOf(source),
        target: synchronizerIdOf(target),
        exclusiveUntil: instantToText(exclusiveUntil),
        synchronizerId: synchronizerIdOf(source),
      })
      const facts = { id: reassignmentId, source, target, submitter, exclusiveUntil, commandId, workflowId }
      await records.reassignments.insert(
        [{ ...facts, unassignedOffset: offset, userId: 'user', assigned: undefined }],
        moved.map(({ number, counter }, nodeId) => ({ contract: number, counter, unassignedOffset: offset, nodeId })),
      )
      await records.contracts.move(moved.map(({ number, counter }) => ({ number, counter, location: inTransit })))
    })
    ledger.publish(offset)
    return reassignmentId
  }

  async function assign(reassignmentId: string, submission: Submission): Promise<bigint> {
    const offset = ledger.take()
    await store.transaction(async (records) => {
      const [reassignment] = await records.reassignments.byId([reassignmentId])
      const { unassignedOffset, source, target } = reassignment!
      const moves = await records.reassignments.contractsOf(unassignedOffset)
      const unordered = await records.contracts.at(moves.map(({ contract }) => contract))
      const rows = moves.map(({ contract }) => unordered.find(({ number }) => number === contract)!)
      await writeUpdate(records, offset, submission, rows, {
        direction: 'assignment',
        reassignmentId,
        source: synchronizerIdOf(source),
        target: synchronizerIdOf(target),
        exclusiveUntil: null,
        synchronizerId: synchronizerIdOf(target),
      })
      await records.reassignments.complete(unassignedOffset, { offset, workflowId: submission.workflowId ?? '' })
      await records.contracts.move(rows.map(({ number, counter }) => ({ number, counter, location: target })))
    })
    ledger.publish(offset)
    return offset
  }

  async function writeUpdate(
    records: Records,
    offset: bigint,
    { submitter, commandId = '', workflowId = '' }: Submission,
    rows: readonly StoredContractRow[],
    written: Written,
  ): Promise<void> {
    const numbers = rows.flatMap((row) => [row.template, ...listed(row.stakeholders)])
    const texts = await ledger.names.texts([...new Set(numbers)], records.names)
    const parties = [...new Set(rows.flatMap((row) => listed(row.stakeholders)))]
    const templates = [...new Set(rows.map((row) => row.template))]
    const pieces = rows.map((row) => (written.direction === 'unassignment' ? identityOf(row) : createdOf(row)))
    let length = 0
    const events = rows.map(
      (row, nodeId): MovedContract => ({
        nodeId,
        template: templates.indexOf(row.template),
        stakeholders: listed(row.stakeholders).map((party) => parties.indexOf(party)),
        counter: Number(row.counter),
        ends: pieces[nodeId]!.map((piece) => {
          length += piece.length
          return length
        }),
      }),
    )
    const meta: StoredReassignment = {
      kind: 'reassignment',
      ...written,
      updateId: updateIdOf(offset),
      commandId,
      workflowId,
      submitters: [submitter],
      recordTime: instantToText(timeOf(offset)),
      traceContext: null,
      parties: parties.map((number) => texts.get(number)!),
      templates: templates.map((number) => texts.get(number)!),
      events,
    }
    await records.updates.insert(
      [
        {
          offset,
          idKey: updateIdKey(meta.updateId),
          templates: `,${templates.join()},`,
          meta: reassignmentToText(meta),
          body: Buffer.concat(pieces.flat()),
        },
      ],
      parties.map((party) => {
        const seen = rows.filter((row) => listed(row.stakeholders).includes(party)).map((row) => row.template)
        return { party, offset, templates: `,${[...new Set(seen)].join()},` }
      }),
    )
  }

  return { unassign, assign }
}

async function rowsOf(contractIds: readonly string[], records: Records): Promise<StoredContractRow[]> {
  const found = await records.contracts.find(contractIds)
  return contractIds.map((id) => found.find(({ contractId }) => contractId === id)!)
}

function createdOf({ event, eventCut }: StoredContractRow): Uint8Array[] {
  return [event.subarray(0, eventCut), event.subarray(eventCut)]
}

function identityOf(row: StoredContractRow): Uint8Array[] {
  const [first, second] = createdOf(row).map((piece) => Buffer.from(piece).toString())
  const { contractId, templateId, packageName } = JSON.parse(`{${first},${second}}`)
  return [Buffer.from(JSON.stringify({ contractId, templateId, packageName }).slice(1, -1))]
}

function listed(numbers: string): bigint[] {
  return numbers.split(',').filter(Boolean).map(BigInt)
}
