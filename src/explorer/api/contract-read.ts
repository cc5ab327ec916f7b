// One contract by its id: with its creation and its archival or, where the participant has no events of it, alone.
import { ApiError } from './api-error.ts'
import { post } from './client.ts'
import { searchPlaces } from './place-search.ts'
import type { ArchivedEvent, CreatedEvent, EventFormat } from './wire.ts'

export const eventsPath = '/v2/events/events-by-contract-id'
export const contractPath = '/v2/contracts/contract-by-id'

export type FoundContract = {
  readonly event: CreatedEvent
  /**
   * Undefined if the participant does not see where it was created: it came by an assignment, or was moved before a fork.
   * Then the event has neither an offset nor views.
   */
  readonly creation: { readonly offset: number; readonly synchronizerId: string } | undefined
  /** The offset. */
  readonly archivedAt: number | undefined
  readonly isActive: boolean
}

type Events = {
  readonly created: { readonly createdEvent: CreatedEvent; readonly synchronizerId: string }
  readonly archived?: { readonly archivedEvent: ArchivedEvent } | null
}

export async function readContract(
  contractId: string,
  eventFormat: EventFormat,
  signal?: AbortSignal,
): Promise<FoundContract> {
  try {
    const { created, archived } = await post<Events>(eventsPath, { contractId, eventFormat }, { signal })
    const { createdEvent: event, synchronizerId } = created
    const archivedAt = archived?.archivedEvent.offset
    const creation = { offset: event.offset, synchronizerId }
    return { event, creation, archivedAt, isActive: archivedAt === undefined }
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'CONTRACT_EVENTS_NOT_FOUND') throw error
    return readAlone(contractId, eventFormat, signal)
  }
}

async function readAlone(contractId: string, format: EventFormat, signal?: AbortSignal): Promise<FoundContract> {
  const request = contractRequest(contractId, format)
  const { createdEvent: event } = await post<{ createdEvent: CreatedEvent }>(contractPath, request, { signal })
  const places = await searchPlaces({ text: contractId, format }, signal)
  const isActive = places.some((one) => one.kind === 'contract' && one.contractId === contractId && one.isActive)
  return { event, creation: undefined, archivedAt: undefined, isActive }
}

export const contractRequest = (contractId: string, { filtersByParty }: EventFormat): object => ({
  contractId,
  queryingParties: Object.keys(filtersByParty ?? {}),
})
