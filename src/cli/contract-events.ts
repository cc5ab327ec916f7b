// The creation and the archival of a contract, as the node tells them.
import { type EventFormat, eventFormat, updateFormat } from './event-formats.ts'
import type { CreatedEvent, Update } from './ledger-rows.ts'
import type { NodeClient } from './node-client.ts'
import { postJson } from './running-node.ts'

export type ContractEvents = {
  readonly created: CreatedEvent & {
    readonly createdAt: string
    readonly contractKey?: unknown
    readonly interfaceViews?: readonly { readonly interfaceId: string }[]
  }
  /** The offset; undefined while it is active. */
  readonly archivedAt: number | undefined
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
  const answer = await postJson<Answer>(node, '/v2/events/events-by-contract-id', { contractId, eventFormat: format })
  return { created: answer.created.createdEvent, archivedAt: answer.archived?.archivedEvent.offset }
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
