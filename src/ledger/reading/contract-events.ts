// Lookups of one contract: its create and archive events, or the contract itself. Mirrors Canton's
// EventQueryServiceRequestValidator, EventsReader and ApiContractService.
import { type ErrorDetails, invalidArgument, invalidField, LedgerError, missingField } from '../../base/errors.ts'
import { partyProblem } from '../../base/names.ts'
import { Pieces, piecesOf, startOf } from '../../events/format/event-pieces.ts'
import { bodyBytes } from '../../events/format/stored-update.ts'
import { archivedFrame, archivedIn } from '../../events/json/event-json.ts'
import { contractIdProblem } from '../../lf/values/contract-ids.ts'
import type { ContractRow } from '../../store/core/contract-records.ts'
import { isOnlySeen } from '../model/seen-contracts.ts'
import { createdEventJson, type SeenContract, seeContracts } from './json/contract-elements.ts'
import { implementedInterfaces } from './json/contract-views.ts'
import { type OnAccount, takeLarge } from './reader.ts'
import type { ReadingParts } from './reading-parts.ts'
import { createMatcher, type Matcher } from './requests/event-matcher.ts'
import { checkEventFormat, checkNames } from './requests/format-checks.ts'
import type { ContractEvents, EventFormat } from './requests/queries.ts'
import { isArrival } from './rows/contract-places.ts'
import { wholeUpdates } from './rows/update-rows.ts'

export function createContractEvents(parts: ReadingParts): ContractEvents {
  const { store, names, end, contents, synchronizerIds } = parts
  const { contractViews, metas } = parts.caches

  async function find(
    contractId: string,
    matcher: Matcher | undefined,
    asking: OnAccount | undefined,
  ): Promise<SeenContract | undefined> {
    if (matcher === undefined) return undefined
    const [sized] = await store.contracts.sizedById([contractId])
    if (sized === undefined || !(await isPublished(sized.createdOffset))) return undefined
    // Rows that are pruned are deleted a little later.
    if (sized.archivedOffset !== undefined && sized.archivedOffset <= end.prunedUpTo()) return undefined
    await takeLarge(sized.bytes, asking)
    const event = sized.event ?? (await store.contracts.events([sized.number])).get(sized.number)
    if (event === undefined) return undefined
    return (await seeContracts({ store, names, contractViews }, [{ ...sized, event }], matcher))[0]
  }

  /** Another node may have committed it. */
  async function isPublished(offset: bigint): Promise<boolean> {
    return offset <= (await end.latest(offset)).offset
  }

  /** Undefined if no archive is published. */
  async function archiveOf(
    { row, witnesses, rule }: SeenContract,
    asking: OnAccount | undefined,
  ): Promise<string | undefined> {
    const { archivedOffset } = row
    if (archivedOffset === undefined || !(await isPublished(archivedOffset))) return undefined
    const sized = await store.updates.at([archivedOffset])
    for (const { bytes } of sized) await takeLarge(bytes, asking)
    const [update] = await wholeUpdates(sized, store.updates.whole)
    const meta = update && metas.of(update)
    if (meta?.kind !== 'transaction') return undefined
    const body = new Pieces(update!, bodyBytes(meta))
    let next = 0
    for (const event of meta.outline.events) {
      const first = next
      next += piecesOf[event.kind]
      if (!event.isConsuming || body.contractIdAt(startOf(first, meta)) !== row.contractId) continue
      const pieces = meta.ends.slice(first, next).map((end, index) => body.cut(startOf(first + index, meta), end))
      const frame = archivedFrame({ nodeId: event.nodeId, witnesses }, implementedInterfaces(rule, witnesses))
      return archivedIn(frame, { offset: String(archivedOffset), pieces }).join('')
    }
    return undefined
  }

  return {
    async byContractId(contractId, format, asking) {
      checkContractId(contractId)
      if (format === undefined) throw missingField('event_format')
      checkEventFormat(format)
      const known = await contents((found) => checkNames(format, found))
      const seen = await find(contractId, createMatcher(format, known), asking)
      if (seen === undefined || isOnlySeen(seen.row) || (await isArrival(store, seen.row))) {
        const text = 'Contract events not found, or not visible.'
        throw notFound('CONTRACT_EVENTS_NOT_FOUND', text, contractId, { foundBy: 'request' })
      }
      const { row } = seen
      const synchronizer = `,"synchronizerId":"${synchronizerIds(row.synchronizer)}"}`
      const place = { offset: row.createdOffset, nodeId: row.nodeId }
      const created = createdEventJson(seen, place, !isTransient(row))
      const archive = await archiveOf(seen, asking)
      const archived = archive === undefined ? 'null' : `{"archivedEvent":${archive}${synchronizer}`
      return `{"created":{"createdEvent":${created}${synchronizer},"archived":${archived}}`
    },

    /** Also finds archived contracts; offset and node id are not revealed. */
    async contract(contractId, queryingParties, asking) {
      checkContractId(contractId)
      for (const party of queryingParties) {
        const problem = partyProblem(party)
        if (problem !== undefined) throw invalidArgument(problem)
      }
      const seen = await find(contractId, createMatcher(blobsFor(queryingParties), await contents()), asking)
      if (seen === undefined) {
        throw notFound('CONTRACT_PAYLOAD_NOT_FOUND', 'Contract payload not found, or not visible.', contractId)
      }
      return `{"createdEvent":${createdEventJson(seen, { offset: 1n, nodeId: 0 }, false)}}`
    },
  }
}

function checkContractId(text: string): void {
  if (text === '') throw missingField('contract_id')
  const problem = contractIdProblem(text)
  if (problem !== undefined) throw invalidField('contract_id', problem)
}

function isTransient({ createdOffset, archivedOffset }: ContractRow): boolean {
  return createdOffset === archivedOffset
}

function blobsFor(parties: readonly string[]): EventFormat {
  const withBlob = [{ kind: 'wildcard', includeCreatedEventBlob: true }] as const
  return {
    filtersByParty: new Map(parties.map((party) => [party, withBlob])),
    filtersForAnyParty: parties.length === 0 ? withBlob : undefined,
  }
}

function notFound(
  code: 'CONTRACT_EVENTS_NOT_FOUND' | 'CONTRACT_PAYLOAD_NOT_FOUND',
  text: string,
  contractId: string,
  details: ErrorDetails = {},
): LedgerError {
  return new LedgerError(code, text, { resources: [['CONTRACT_ID', contractId]], ...details })
}
