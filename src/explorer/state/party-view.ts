// "View as party": whose eyes the lists look through. All reads take their formats from here.
import { computed, effect, signal } from '@preact/signals'
import type { EventFormat, Filters, IdentifierFilter, UpdateFormat } from '../api/wire.ts'
import { query, setQuery } from './location.ts'
import { mayReadAs, session, sessionState } from './session.ts'
import { toast } from './toasts.ts'

const storageKey = 'tallystick-party-view'
const chosen = signal<string | undefined>(sessionStorage.getItem(storageKey) ?? undefined)

/** Undefined for everything that the token may see. Another token may not read as the party that was chosen before. */
export const viewedParty = computed(() => {
  const party = chosen.value
  return party !== undefined && sessionState.value.kind === 'signed in' && mayReadAs(party) ? party : undefined
})

export function viewAs(party: string | undefined): void {
  if (party !== undefined && !mayReadAs(party)) {
    return toast(`Your token may not read as ${party.split('::')[0]}`, 'error')
  }
  if (party === undefined) sessionStorage.removeItem(storageKey)
  else sessionStorage.setItem(storageKey, party)
  chosen.value = party
}

/** A link may say with whose eyes to look: `/contracts?as=PARTY`. */
export const asSeenBy = (party: string, to: string): string =>
  `${to}${to.includes('?') ? '&' : '?'}${new URLSearchParams({ as: party })}`

effect(() => {
  const party = query.value.get('as')
  if (!party || sessionState.value.kind !== 'signed in') return
  viewAs(party)
  setQuery({ as: undefined })
})

/** The parties that reads are for; undefined for any. */
export const readers = computed((): readonly string[] | undefined => {
  if (viewedParty.value !== undefined) return [viewedParty.value]
  const { readsAs } = session.value
  return readsAs === 'any' ? undefined : readsAs
})

/** Whether there is anybody to read as. */
export const maySee = computed(() => readers.value === undefined || readers.value.length > 0)

export const everything: Filters = {
  cumulative: [{ identifierFilter: { WildcardFilter: { value: { includeCreatedEventBlob: false } } } }],
}

export function filtersOf(...filters: readonly IdentifierFilter[]): Filters {
  return { cumulative: filters.map((identifierFilter) => ({ identifierFilter })) }
}

/** Contracts of a template, or of those that implement an interface (with their views). */
export function templateFilter(templateId: string, includeCreatedEventBlob = false): IdentifierFilter {
  return { TemplateFilter: { value: { templateId, includeCreatedEventBlob } } }
}
export function interfaceFilter(interfaceId: string): IdentifierFilter {
  return { InterfaceFilter: { value: { interfaceId, includeInterfaceView: true, includeCreatedEventBlob: false } } }
}

export function eventFormat(filters: Filters = everything, parties = readers.value): EventFormat {
  if (parties === undefined) return { filtersByParty: {}, filtersForAnyParty: filters, verbose: true }
  return { filtersByParty: Object.fromEntries(parties.map((party) => [party, filters])), verbose: true }
}

/** All kinds of updates, transactions with all their nodes. */
export function updateFormat(filters: Filters = everything, of = readers.value): UpdateFormat {
  const format = eventFormat(filters, of)
  const parties = of ?? []
  return {
    includeTransactions: { eventFormat: format, transactionShape: 'TRANSACTION_SHAPE_LEDGER_EFFECTS' },
    includeReassignments: format,
    includeTopologyEvents: { includeParticipantAuthorizationEvents: { parties } },
  }
}
