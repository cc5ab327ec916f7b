// Elements of active-contract lists: contracts on a synchronizer and contracts in transit. Mirrors Canton's
// JsContractEntry.

import { unassignedPiece } from '../../../events/format/event-pieces.ts'
import { unassignedEventJson } from '../../../events/json/update-json.ts'
import { instantToText } from '../../../lf/codec/time-text.ts'
import type { Activation, ContractPlace, Move } from '../rows/contract-places.ts'
import { createdEventJson, type SeenContract } from './contract-elements.ts'

export type PlacedContract = { readonly contract: SeenContract; readonly place: ContractPlace }

/** Several for a contract that was assigned before its unassignment was seen. */
export function activeElementsJson(
  placed: PlacedContract,
  continuationToken: string,
  synchronizerIds: (number: bigint) => string,
): readonly string[] {
  const { contract, place } = placed
  const { early, activation } = place
  const active = activeElementJson(placed, continuationToken, synchronizerIds)
  if (early === undefined) return [active]
  const left = { contract, place: { activation: early.before, departure: undefined } }
  const arrival = `{"JsIncompleteAssigned":{"assignedEvent":${arrivalJson(contract, early.move, activation, synchronizerIds)}}}`
  return [
    activeElementJson(left, continuationToken, synchronizerIds),
    active,
    elementJson(activation.workflowId, arrival, continuationToken),
  ]
}

/** As the contract is used. */
export function activeElementJson(
  { contract, place }: PlacedContract,
  continuationToken: string,
  synchronizerIds: (number: bigint) => string,
): string {
  const { activation, departure } = place
  const created = createdEventJson(contract, activation, true)
  const [workflowId, entry]: readonly [string, string] =
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
  return elementJson(workflowId, entry, continuationToken)
}

function elementJson(workflowId: string, entry: string, continuationToken: string): string {
  return `{"workflowId":"${workflowId}","contractEntry":${entry},"streamContinuationToken":"${continuationToken}"}`
}

function arrivalJson(
  contract: SeenContract,
  { of, counter }: Move,
  activation: Activation,
  synchronizerIds: (number: bigint) => string,
): string {
  return (
    `{"source":"${synchronizerIds(of.source)}","target":"${synchronizerIds(of.target)}","reassignmentId":"${of.id}",` +
    `"submitter":"${of.submitter}","reassignmentCounter":${counter},` +
    `"createdEvent":${createdEventJson(contract, activation, true)}}`
  )
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
