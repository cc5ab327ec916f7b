// What the explorer asks the node to find, on the wire. Canton has nothing like it.
import { type Static, Type } from 'typebox'
import type { Permission } from '../../auth/authorization.ts'
import type { ContractQuery } from '../../ledger/finding/contract-query.ts'
import type { FieldTest } from '../../ledger/finding/contract-tests.ts'
import type { Directory, Place, PlaceQuery } from '../../ledger/finding/places.ts'
import type { SummariesQuery } from '../../ledger/finding/update-summaries.ts'
import { eventFormat, updateFormat, updateFormatFromJson } from './formats.ts'
import {
  choiceOf,
  flag,
  int32,
  int64,
  list,
  message,
  nullable,
  optional,
  optionalInt64,
  text,
  timestamp,
  variants,
} from './schema.ts'
import { activeContractsPageResponse, optionalEventFormat } from './state.ts'

const fieldTests: readonly FieldTest[] = ['equals', 'contains', 'less', 'greater']
const field = text('A field, with dots between its parts: amount.currency')

const fieldFilter = message(
  'FieldFilter',
  {
    field,
    test: choiceOf(fieldTests, 'Numbers are compared as numbers, everything else as text'),
    value: text('What it is compared with'),
  },
  { description: 'A condition on a field of the create argument, or of the view if the format asks for one' },
)

export const findContractsRequest = message(
  'FindContractsRequest',
  {
    eventFormat: optional(eventFormat),
    activeAtOffset: optionalInt64('The offset at which they are active; the ledger end if absent'),
    oldestFirst: flag('Oldest first; otherwise newest first'),
    sortBy: optional(
      message(
        'FieldOrder',
        { field, descending: flag('The largest first') },
        { description: 'Sort by a field, the newest first where it is equal; only on development nodes' },
      ),
    ),
    filters: list(fieldFilter, 'All of them have to hold; only on development nodes'),
    text: text('What their fields, ids and parties contain; only on development nodes'),
    pageSize: optional(int32('Contracts per page, up to 1000; 50 if absent')),
    pageToken: text('The nextPageToken of the page before'),
  },
  { requires: ['eventFormat'] },
)

export const findContractsResponse = message('FindContractsResponse', {
  activeContracts: activeContractsPageResponse.properties.activeContracts,
  activeAtOffset: int64('The offset at which they are active'),
  total: message(
    'FoundTotal',
    {
      count: int64('How many there are'),
      is: choiceOf(
        ['exact', 'atLeast', 'about'],
        'atLeast if there may be more, about if the ledger changed meanwhile',
      ),
    },
    { description: 'How many contracts pass the query, on all pages' },
  ),
  looked: int64('How many contracts were looked through for this page'),
  nextPageToken: nullable(Type.String({ description: 'Where the next page begins; null if there is none' })),
})

const kinds = ['transaction', 'reassignment', 'topology'] as const

const summaryFilter = message(
  'SummaryFilter',
  {
    kind: optional(choiceOf(kinds, 'The kind of update')),
    party: text('The beginning of a party that acts, signs, observes or sees some of it'),
    choice: text('The beginning of a choice'),
    commandId: text('The beginning of the command id, of updates that a reader submitted'),
    from: optional(timestamp('The earliest record time')),
    to: optional(timestamp('The latest record time')),
  },
  { description: 'Conditions that all have to hold' },
)

export const findUpdatesRequest = message(
  'FindUpdatesRequest',
  {
    updateFormat: optional(updateFormat),
    after: optionalInt64('The offset after which to begin'),
    upTo: optionalInt64('The offset up to which to read; the ledger end if absent'),
    oldestFirst: flag('Oldest first; otherwise newest first'),
    filter: optional(summaryFilter),
    pageSize: optional(int32('Updates per page, up to 200; 50 if absent')),
  },
  { requires: ['updateFormat'] },
)

const verbs = ['create', 'archive', 'assign', 'unassign', 'host'] as const
const subject = text('The template, or the party that is hosted')

const updateAct = variants(
  'UpdateAct',
  [
    message('ExerciseAct', { verb: choiceOf(['exercise'], 'What was done'), subject, choice: text('The choice') }),
    message('OtherAct', { verb: choiceOf(verbs, 'What was done'), subject }),
  ],
  { description: 'Something that was commanded' },
)

const updateSummary = message('UpdateSummary', {
  kind: choiceOf(kinds, 'The kind of update'),
  offset: int64('Its offset'),
  updateId: text('Its id'),
  recordTime: text('When it was recorded'),
  commandId: text('The id of its command; empty unless a reader submitted it'),
  synchronizerId: text('Where it was recorded'),
  roots: list(updateAct, 'The first acts that were commanded'),
  hasMoreRoots: flag('Whether there are more'),
  created: int32('Contracts that it created'),
  archived: int32('Contracts that it archived'),
  exercised: int32('Choices that it exercised'),
  templates: list(Type.String(), 'The first templates, by package name'),
  acting: list(Type.String(), 'The first parties that act'),
  parties: list(Type.String(), 'The first readers that see some of it'),
  partyCount: int32('How many readers see some of it'),
  isWhole: flag('Whether all of it was looked at; otherwise it has so many events that they were not counted'),
})

export const findUpdatesResponse = message('FindUpdatesResponse', {
  updates: list(updateSummary, 'The updates of this page'),
  looked: int64('How many updates were looked through for this page'),
  next: nullable(int64('Where the next page begins: its upTo, or its after if the oldest are first; null at the end')),
})

export function summariesQueryFromJson(json: Static<typeof findUpdatesRequest>): SummariesQuery {
  const { after, upTo, oldestFirst, filter, pageSize } = json
  const { kind, party = '', choice = '', commandId = '', from, to } = filter ?? {}
  return {
    format: json.updateFormat && updateFormatFromJson(json.updateFormat),
    filter: { kind, party, choice, commandId, from, to },
    ...{ after, upTo, oldestFirst, pageSize },
  }
}

export const findPlacesRequest = message(
  'FindPlacesRequest',
  {
    text: text('An offset, the beginning of an id, a part of a party or a user, a value'),
    eventFormat: optional(eventFormat),
    inValues: flag('Look also into the fields of the newest contracts; only on development nodes'),
  },
  { requires: ['text', 'eventFormat'] },
)

const kindOf = <K extends Place['kind']>(...kinds: readonly K[]) => choiceOf(kinds, 'What it is')
const contractId = text('The contract')
const templateId = text('Its template')

const foundPlace = variants(
  'FoundPlace',
  [
    message('FoundOffset', { kind: kindOf('offset'), offset: int64('The offset') }),
    message('FoundUpdate', {
      kind: kindOf('update', 'command'),
      offset: int64('The offset of the update'),
      updateId: text('The update'),
      commandId: text('The id of its command; empty unless a reader submitted it'),
    }),
    message('FoundContract', {
      kind: kindOf('contract'),
      contractId,
      templateId,
      isActive: flag('Whether it is active'),
    }),
    message('FoundParty', { kind: kindOf('party'), party: text('The party') }),
    message('FoundUser', { kind: kindOf('user'), userId: text('The user') }),
    message('FoundValue', {
      kind: kindOf('value'),
      contractId,
      templateId,
      field: text('The field that contains the text'),
      value: text('The beginning of its value'),
    }),
  ],
  { description: 'What the text may mean' },
)

export const findPlacesResponse = message('FindPlacesResponse', { places: list(foundPlace, 'The best first') })

export function placeQueryFromJson(json: Static<typeof findPlacesRequest>): PlaceQuery {
  return { text: json.text, format: optionalEventFormat(json), inValues: json.inValues }
}

/** The parties and users that GET /v2/parties and GET /v2/users would list. */
export function directoryOf({ caller, identityProviderId }: Permission): Directory {
  return caller.isParticipantAdmin || caller.isIdentityProviderAdmin ? { identityProviderId } : undefined
}

export function placesJson(places: readonly Place[]): string {
  const json = places.map((place) => {
    if (!('offset' in place)) return JSON.stringify(place)
    const { offset, ...rest } = place
    return `{"offset":${offset},${JSON.stringify(rest).slice(1)}`
  })
  return `{"places":[${json.join()}]}`
}

export function contractQueryFromJson(json: Static<typeof findContractsRequest>): ContractQuery {
  const { activeAtOffset, oldestFirst, sortBy, filters, text, pageSize, pageToken } = json
  const format = optionalEventFormat(json)
  return { format, activeAtOffset, oldestFirst, sortBy, filters, text, pageSize, pageToken }
}
