// Elements of lists of active contracts: contracts where they are, and those on their way to another synchronizer.
// Mirrors Canton's JsContractEntry.
import { instantToText } from '../../lf/codec/time-text.ts'
import { createdEventOf, type SeenContract } from './contract-elements.ts'
import type { ContractPlace, Move } from './contract-places.ts'
import type { JsonWriter } from './json-writer.ts'
import { writeCreatedEvent } from './projection.ts'
import { writeUnassignedEvent } from './reassignment-projection.ts'
import { textAt } from './visibility.ts'

export type PlacedContract = { readonly contract: SeenContract; readonly place: ContractPlace }

export function writeActiveElement(
  out: JsonWriter,
  { contract, place }: PlacedContract,
  continuationToken: string,
  synchronizerIds: (number: bigint) => string,
): void {
  const { activation, departure } = place
  const { workflowId, synchronizer, counter } = activation
  const entry = departure === undefined ? 'JsActiveContract' : 'JsIncompleteUnassigned'
  out.text(
    `{"workflowId":"${departure === undefined ? workflowId : departure.of.workflowId}",` +
      `"contractEntry":{"${entry}":{"createdEvent":`,
  )
  writeCreatedEvent(out, createdEventOf(contract, activation, true))
  if (departure === undefined) {
    out.text(`,"synchronizerId":"${synchronizerIds(synchronizer)}","reassignmentCounter":${counter}}}`)
  } else {
    out.text(',"unassignedEvent":')
    writeDeparture(out, contract, departure, synchronizerIds)
    out.text('}}')
  }
  out.text(`,"streamContinuationToken":"${continuationToken}"}`)
}

/** Of what the contract itself tells, because the update may be pruned. */
function writeDeparture(
  out: JsonWriter,
  { row, template, witnesses }: SeenContract,
  { of, counter, nodeId }: Move,
  synchronizerIds: (number: bigint) => string,
): void {
  const head = `"contractId":"${row.contractId}","templateId":"`
  const templateId = textAt(row.event, head.length)
  const packageName = template.slice(1, template.indexOf(':'))
  const body = Buffer.from(`${head}${templateId}","packageName":"${packageName}"`)
  writeUnassignedEvent(out, {
    offset: of.unassignedOffset,
    nodeId,
    body,
    start: 0,
    end: body.length,
    reassignmentId: of.id,
    source: synchronizerIds(of.source),
    target: synchronizerIds(of.target),
    submitter: of.submitter,
    counter,
    exclusiveUntil: instantToText(of.exclusiveUntil),
    witnesses,
  })
}
