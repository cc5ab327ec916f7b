// What of the ledger a text may mean: the node looks ids and values up. Names of templates are ranked here (name-index.ts).
import { post } from './client.ts'
import type { EventFormat } from './wire.ts'

export type FoundPlace =
  | { readonly kind: 'offset'; readonly offset: number }
  /** By its id, or by the id of its command. */
  | {
      readonly kind: 'update' | 'command'
      readonly offset: number
      readonly updateId: string
      /** Empty unless the reader submitted it. */
      readonly commandId: string
    }
  | {
      readonly kind: 'contract'
      readonly contractId: string
      /** `package-id:Module:Template` */
      readonly templateId: string
      readonly isActive: boolean
    }
  | { readonly kind: 'party'; readonly party: string }
  | { readonly kind: 'user'; readonly userId: string }
  /** An active contract with the text in a field. */
  | {
      readonly kind: 'value'
      readonly contractId: string
      readonly templateId: string
      /** `amount.currency` */
      readonly field: string
      readonly value: string
    }

export type PlaceQuery = {
  readonly text: string
  /** As whom to look: contracts and updates of these parties. */
  readonly format: EventFormat
  /** Also look through the fields of the newest contracts, which takes longer. Only on development nodes. */
  readonly inValues?: boolean | undefined
}

/** The best first; none is an empty list. */
export async function searchPlaces(query: PlaceQuery, signal?: AbortSignal): Promise<readonly FoundPlace[]> {
  const { text, format, inValues = false } = query
  const request = { text, eventFormat: format, inValues }
  return (await post<{ places: readonly FoundPlace[] }>('/explorer/find/places', request, { signal })).places
}
