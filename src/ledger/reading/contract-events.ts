// One contract for its readers: its creation and its archive, or the contract itself. Mirrors Canton's
// EventQueryServiceRequestValidator, EventsReader and ApiContractService.
import { invalidArgument, invalidField, LedgerError, missingField } from '../../base/errors.ts'
import { partyProblem } from '../../base/names.ts'
import { contractIdProblem } from '../../lf/contract-ids.ts'
import type { StoredContractRow } from '../../store/store.ts'
import { metaFromText } from '../stored-update.ts'
import { createdEventOf, type SeenContract, seeContracts } from './contract-elements.ts'
import { createContractViews } from './contract-views.ts'
import { checkEventFormat, checkNames } from './event-format.ts'
import { createMatcher, type Matcher } from './event-matcher.ts'
import { JsonWriter } from './json-writer.ts'
import { writeArchivedEvent, writeCreatedEvent } from './projection.ts'
import type { ContractEvents, EventFormat } from './reading.ts'
import type { ReadingParts } from './reading-parts.ts'
import { contractIdAt } from './visibility.ts'

const bytesAtFirst = 2048

export function createContractEvents(parts: ReadingParts): ContractEvents {
  const { store, names, end, contents, synchronizerIds, views, limits } = parts
  const contractViews = createContractViews({ views, bytesMax: limits.interfaceViewBytesMax })

  async function find(contractId: string, matcher: Matcher | undefined): Promise<SeenContract | undefined> {
    if (matcher === undefined) return undefined
    const { offset } = end.current()
    const rows = (await store.contracts.find([contractId])).filter(({ createdOffset }) => createdOffset <= offset)
    return (await seeContracts({ store, names, contractViews }, rows, matcher))[0]
  }

  /** Undefined while it is not archived, as far as readers know. */
  async function writeArchive(out: JsonWriter, { row, witnesses, rule }: SeenContract): Promise<boolean> {
    const { archivedOffset } = row
    if (archivedOffset === undefined || archivedOffset > end.current().offset) return false
    const [record] = await store.updates.at([archivedOffset])
    if (record === undefined) return false
    const meta = metaFromText(record.meta)
    if (meta.kind !== 'transaction') return false
    let start = 0
    for (const event of meta.events) {
      const eventStart = start
      start = event.ends.at(-1)!
      if (!event.isConsuming || contractIdAt(record.body, eventStart) !== row.contractId) continue
      const seen = { event, start: eventStart, witnesses, isDelta: event.isDelta, rule, wanted: undefined }
      writeArchivedEvent(out, record, seen)
      return true
    }
    return false
  }

  return {
    async byContractId(contractId, format) {
      checkContractId(contractId)
      if (format === undefined) throw missingField('event_format')
      checkEventFormat(format)
      const known = await contents()
      checkNames(format, known)
      const seen = await find(contractId, createMatcher(format, known))
      if (seen === undefined) {
        throw notFound('CONTRACT_EVENTS_NOT_FOUND', 'Contract events not found, or not visible.', contractId)
      }
      const { row } = seen
      const synchronizer = `,"synchronizerId":"${synchronizerIds(row.synchronizer)}"}`
      const out = new JsonWriter(bytesAtFirst)
      out.text('{"created":{"createdEvent":')
      writeCreatedEvent(out, createdEventOf(seen, { offset: row.createdOffset, nodeId: row.nodeId }, !isTransient(row)))
      out.text(`${synchronizer},"archived":`)
      const created = out.take()
      out.text('{"archivedEvent":')
      const isArchived = await writeArchive(out, seen)
      out.text(synchronizer)
      const archived = out.take()
      return Buffer.concat([created, isArchived ? archived : Buffer.from('null'), Buffer.from('}')])
    },

    /** Archived contracts too; where it was created is not told. */
    async contract(contractId, queryingParties) {
      checkContractId(contractId)
      for (const party of queryingParties) {
        const problem = partyProblem(party)
        if (problem !== undefined) throw invalidArgument(problem)
      }
      const seen = await find(contractId, createMatcher(blobsFor(queryingParties), await contents()))
      if (seen === undefined) {
        throw notFound('CONTRACT_PAYLOAD_NOT_FOUND', 'Contract payload not found, or not visible.', contractId)
      }
      const out = new JsonWriter(bytesAtFirst)
      out.text('{"createdEvent":')
      writeCreatedEvent(out, createdEventOf(seen, { offset: 1n, nodeId: 0 }, false))
      out.text('}')
      return out.take()
    },
  }
}

function checkContractId(text: string): void {
  if (text === '') throw missingField('contract_id')
  const problem = contractIdProblem(text)
  if (problem !== undefined) throw invalidField('contract_id', problem)
}

function isTransient({ createdOffset, archivedOffset }: StoredContractRow): boolean {
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
): LedgerError {
  return new LedgerError(code, text, { resources: [['CONTRACT_ID', contractId]] })
}
