// The creation and the archival of a contract, as the node tells them; or the contract alone, where it was not created.
import { type EventFormat, eventFormat, updateFormat } from './event-formats.ts'
import type { CreatedEvent, Update } from './ledger-rows.ts'
import { placesNamed } from './named-ids.ts'
import { type NodeClient, RefusedError } from './node-client.ts'
import { postJson } from './running-node.ts'

export type ContractEvents = {
  /** Its offset means something only if `hasEvents`. */
  readonly created: CreatedEvent & {
    readonly createdAt: string
    readonly contractKey?: unknown
    readonly interfaceViews?: readonly { readonly interfaceId: string }[]
  }
  /** The offset; undefined while it is active. */
  readonly archivedAt: number | undefined
  /** Undefined if the node does not tell. */
  readonly isActive: boolean | undefined
  /** The participant has no events of a contract that came to it by an assignment. */
  readonly hasEvents: boolean
}

type Answer = {
  readonly created: { readonly createdEvent: ContractEvents['created'] }
  readonly archived?: { readonly archivedEvent: { readonly offset: number } } | null
}

/** As these parties see it; as everybody if there are none. */
export async function contractAt(
  contractId: string,
  parties: readonly string[],
  node: NodeClient,
): Promise<ContractEvents> {
  const format = await eventFormat({ party: parties }, node)
  try {
    const request = { contractId, eventFormat: format }
    const { created, archived } = await postJson<Answer>(node, '/v2/events/events-by-contract-id', request)
    const archivedAt = archived?.archivedEvent.offset
    return { created: created.createdEvent, archivedAt, isActive: archivedAt === undefined, hasEvents: true }
  } catch (error) {
    if (!(error instanceof RefusedError) || error.code !== 'CONTRACT_EVENTS_NOT_FOUND') throw error
    return contractAlone(contractId, format, node)
  }
}

async function contractAlone(contractId: string, format: EventFormat, node: NodeClient): Promise<ContractEvents> {
  const request = { contractId, queryingParties: Object.keys(format.filtersByParty ?? {}) }
  const { createdEvent } = await postJson<Answer['created']>(node, '/v2/contracts/contract-by-id', request)
  const places = await placesNamed(contractId, node, format)
  const isActive = places?.some((one) => one.contractId === contractId && one.isActive === true)
  return { created: createdEvent, archivedAt: undefined, isActive, hasEvents: false }
}

/** With everything that the format shows, in the order of execution. */
export async function updateAt(
  place: { readonly offset: number } | { readonly updateId: string },
  format: EventFormat,
  node: NodeClient,
): Promise<{ readonly update: Update }> {
  const path = 'offset' in place ? '/v2/updates/update-by-offset' : '/v2/updates/update-by-id'
  return postJson(node, path, { ...place, updateFormat: updateFormat(format) })
}
