// Elements of active-contract lists: contracts on a synchronizer and contracts in transit. Mirrors Canton's
// JsContractEntry.

import { unassignedPiece } from '../../../events/format/event-pieces.ts'
import { unassignedEventJson } from '../../../events/json/update-json.ts'
import { instantToText } from '../../../lf/codec/time-text.ts'
import type { ContractPlace, Move } from '../rows/contract-places.ts'
import { createdEventJson, type SeenContract } from './contract-elements.ts'

export type PlacedContract = { readonly contract: SeenContract; readonly place: ContractPlace }

export function activeElementJson(
  { contract, place }: PlacedContract,
  continuationToken: string,
  synchronizerIds: (number: bigint) => string,
): string {
  const { activation, departure } = place
  const created = createdEventJson(contract, activation, true)
  const [workflowId, entry] =
    departure === undefined
      ? [
          activation.workflowId,
          `{"JsActiveContract":{"createdEvent":${created},` +
            `"synchronizerId":"${synchronizerIds(activation.synchronizer)}","reassignmentCounter":${activation.counter}}}`,
        ]
      : [
          departure.of.workflowId,
          `{"JsIncompleteUnassigned":{"createdEvent":${created},` +
            `"unassignedEvent":${departureJson(contract, departure, synchronizerIds)}}}`,
        ]
  return `{"workflowId":"${workflowId}","contractEntry":${entry},"streamContinuationToken":"${continuationToken}"}`
}

/** Made from the contract itself, because the update may be pruned. */
function departureJson(
  { row, template, witnesses }: SeenContract,
  { of, counter, nodeId }: Move,
  synchronizerIds: (number: bigint) => string,
): string {
  return unassignedEventJson({
    offset: of.unassignedOffset,
    nodeId,
    contract: unassignedPiece(row, template),
    reassignmentId: of.id,
    source: synchronizerIds(of.source),
    target: synchronizerIds(of.target),
    submitter: of.submitter,
    counter,
    exclusiveUntil: instantToText(of.exclusiveUntil),
    witnesses,
  })
}
