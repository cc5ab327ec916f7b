// What of the ledger a text may mean: an offset, the beginning of an id, a party, a user, a value in a field. Ids are found
// by index. Nobody learns of what they could not read elsewhere: contracts and updates are those that the format's parties
// see, parties and users those that the caller may list.
import { invalidArgument, missingField } from '../../base/errors.ts'
import { templateIdIn } from '../../events/format/event-pieces.ts'
import { updateIdKey } from '../../events/format/stored-update.ts'
import { isOnlySeen } from '../model/seen-contracts.ts'
import { createActiveReader } from '../reading/active-reader.ts'
import { seeContracts } from '../reading/json/contract-elements.ts'
import { readerOf } from '../reading/reader.ts'
import type { ReadingParts } from '../reading/reading-parts.ts'
import { createMatcher } from '../reading/requests/event-matcher.ts'
import { checkEventFormat, checkNames } from '../reading/requests/format-checks.ts'
import type { EventFormat, UpdateFormat } from '../reading/requests/queries.ts'
import { rowsAt } from '../reading/rows/active-rows.ts'
import { placesAt } from '../reading/rows/contract-places.ts'
import { newestFirst } from '../reading/rows/contract-sources.ts'
import type { Bounds } from './bounds.ts'
import type { Asking } from './contract-query.ts'
import { contractTests, placeContaining } from './contract-tests.ts'
import { hasText } from './field-values.ts'
import type { Looking } from './looking.ts'
import type { Summaries } from './update-summaries.ts'

export type Place =
  | { readonly kind: 'offset'; readonly offset: bigint }
  | {
      readonly kind: 'update' | 'command'
      readonly offset: bigint
      readonly updateId: string
      readonly commandId: string
    }
  | { readonly kind: 'contract'; readonly contractId: string; readonly templateId: string; readonly isActive: boolean }
  | { readonly kind: 'party'; readonly party: string }
  | { readonly kind: 'user'; readonly userId: string }
  | {
      readonly kind: 'value'
      readonly contractId: string
      readonly templateId: string
      readonly field: string
      readonly value: string
    }

export type PlaceQuery = {
  readonly text: string
  readonly format: EventFormat | undefined
  /** Look also into fields, and further back for the ids of commands. */
  readonly inValues: boolean
}

/** Whose parties and users the caller may list; undefined if it may not. */
export type Directory = { readonly identityProviderId: string } | undefined

export type FindPlaces = (query: PlaceQuery, directory: Directory, asking: Asking) => Promise<readonly Place[]>

type Parts = {
  readonly reading: ReadingParts
  readonly summaries: Summaries
  readonly looking: Looking
  readonly bounds: Bounds
}

const textMax = 200
/** How many of each kind are told. */
const placesMax = 8
/** Rows with such an id that are looked at: of others' there may be more. */
const candidatesMax = 100
/** Parties and users that are looked through for a part of a name. */
const namesLooked = 2_000
/** Updates that are looked through for the id of a command while one types. */
const commandsLooked = 500
/** Contracts that are looked through for a value. */
const valuesLooked = 20_000
const stepMax = 50
const valueShown = 200

export function createFindPlaces({ reading, summaries, looking, bounds }: Parts): FindPlaces {
  const { store, names, end, contents } = reading
  const active = createActiveReader(reading)

  async function offsets(text: string): Promise<Place[]> {
    if (!/^[1-9]\d{0,17}$/.test(text) || BigInt(text) > (await end.latest()).offset) return []
    return [{ kind: 'offset', offset: BigInt(text) }]
  }

  async function updates(text: string, format: UpdateFormat, { signal }: Asking): Promise<Place[]> {
    const wanted = text.toLowerCase()
    if (!/^1220[0-9a-f]{1,64}$/.test(wanted)) return []
    const [from, to] = keysOf(wanted.slice(4)).map((key) => updateIdKey(`1220${key}`)) as [bigint, bigint]
    const last = end.current().offset
    const found = (await store.updates.withIdKeys(from, to, candidatesMax)).filter((offset) => offset <= last)
    const seen = await summaries.at(found, format, signal)
    return seen
      .filter(({ updateId }) => updateId.startsWith(wanted))
      .slice(0, placesMax)
      .map(({ offset, updateId, commandId }) => ({ kind: 'update', offset, updateId, commandId }))
  }

  async function commands(text: string, format: UpdateFormat, isDeep: boolean, asking: Asking): Promise<Place[]> {
    const found = await summaries.newest(
      format,
      { commandId: text },
      {
        most: placesMax,
        ...(!isDeep && { lookedMax: commandsLooked }),
        asking,
      },
    )
    return found.map(({ offset, updateId, commandId }) => ({ kind: 'command', offset, updateId, commandId }))
  }

  async function contracts(text: string, format: EventFormat, { signal, account }: Asking): Promise<Place[]> {
    const wanted = text.toLowerCase()
    const matcher = createMatcher(format, await contents())
    if (!/^00[0-9a-f]{1,136}$/.test(wanted) || matcher === undefined) return []
    const [from, to] = keysOf(wanted.slice(2)).map((key) => BigInt.asIntN(64, BigInt(`0x${key}`))) as [bigint, bigint]
    const numbers = await store.contracts.withIdKeys(from, to, candidatesMax)
    const last = end.current().offset
    const places: Place[] = []
    const reader = readerOf(signal, { account })
    for await (const some of rowsAt(store, numbers, (number) => ({ number, lastNumber: number }), reader)) {
      const rows = some
        .map(({ row }) => row)
        .filter((row) => row.createdOffset <= last && row.contractId.startsWith(wanted) && !isOnlySeen(row))
      const plain = { ...matcher, wantsContracts: false }
      const { contractViews } = reading.caches
      const seen = (await seeContracts({ store, names, contractViews }, rows, plain)).map(({ row }) => row)
      const whereabouts = await placesAt(store, seen, last)
      for (const [index, { contractId, event, archivedOffset }] of seen.entries()) {
        // In a network, a contract may have gone where this participant does not see it.
        const isActive = (archivedOffset === undefined || archivedOffset > last) && whereabouts[index] !== undefined
        places.push({ kind: 'contract', contractId, templateId: templateIdIn(event), isActive })
      }
      if (places.length >= placesMax) break
    }
    return places.slice(0, placesMax)
  }

  /** Those that begin with the text, then those whose name contains it. */
  async function parties(text: string, format: EventFormat, directory: Directory, asking: Asking): Promise<Place[]> {
    const found = new Set<string>()
    const wanted = text.toLowerCase()
    if (directory === undefined) {
      for (const party of format.filtersByParty.keys()) if (hasText(party, wanted)) found.add(party)
    } else {
      const page = { limit: placesMax, bytesMax: Infinity }
      for (const { party } of (await store.parties.list(text, { ...page, after: '' })).records) found.add(party)
      const list = (after: string) => store.parties.list('', { ...page, limit: stepMax * 4, after })
      for await (const { party } of eachOf(list, (one) => one.party, asking)) {
        if (hasText(party, wanted)) found.add(party)
        if (found.size >= placesMax) break
      }
    }
    const begins = (party: string) => Number(!party.toLowerCase().startsWith(wanted))
    const ordered = [...found].sort((a, b) => begins(a) - begins(b) || (a < b ? -1 : 1))
    return ordered.slice(0, placesMax).map((party) => ({ kind: 'party', party }))
  }

  async function users(text: string, directory: Directory, asking: Asking): Promise<Place[]> {
    if (directory === undefined) return []
    const page = { limit: stepMax * 4, bytesMax: Infinity }
    const list = (after: string) => store.users.list(directory.identityProviderId, { ...page, after })
    const places: Place[] = []
    for await (const { id } of eachOf(list, (one) => one.id, asking)) {
      if (id.toLowerCase().includes(text.toLowerCase())) places.push({ kind: 'user', userId: id })
      if (places.length >= placesMax) break
    }
    return places
  }

  /** As many as one request looks through. */
  async function* eachOf<T>(
    list: (after: string) => Promise<{ readonly records: readonly T[] }>,
    idOf: (one: T) => string,
    { owner, signal }: Asking,
  ): AsyncGenerator<T> {
    let after = ''
    for (let looked = 0; looked < namesLooked; ) {
      const { records } = await list(after)
      yield* records
      if (records.length === 0) return
      looked += records.length
      after = idOf(records.at(-1)!)
      await looking.turn(owner, signal)
    }
  }

  async function values(text: string, format: EventFormat, { owner, signal, account }: Asking): Promise<Place[]> {
    const wanted = text.toLowerCase()
    const { passes } = contractTests({ sortField: undefined, filters: [], text })
    const activeAt = (await end.latest()).offset
    const reader = readerOf(signal, { account, elementsMax: stepMax })
    const places: Place[] = []
    let looked = 0
    for await (const some of active.read({ format, activeAt, after: undefined, order: newestFirst }, reader)) {
      for (const { contract } of some) {
        const found = passes(contract) ? placeContaining(contract, wanted) : undefined
        if (found === undefined) continue
        const { contractId, event } = contract.row
        const [field, value] = [found.path.join('.'), found.value.slice(0, valueShown)]
        places.push({ kind: 'value', contractId, templateId: templateIdIn(event), field, value })
      }
      looked += some.length
      if (places.length >= placesMax || looked >= valuesLooked) break
      await looking.turn(owner, signal)
    }
    return places.slice(0, placesMax)
  }

  return async function find({ text: given, format, inValues }, directory, asking) {
    if (format === undefined) throw missingField('event_format')
    checkEventFormat(format)
    const text = given.trim()
    if (text.length > textMax) throw invalidArgument(`the text has more than ${textMax} characters`)
    if (inValues && !bounds.looksIntoFields) throw invalidArgument(onlyDevelopment)
    await contents((found) => checkNames(format, found))
    if (text === '') return []
    const ofUpdates = updateFormatOf(format)
    const look = async () => {
      const found: Place[] = [
        ...(await offsets(text)),
        ...(await updates(text, ofUpdates, asking)),
        ...(await contracts(text, format, asking)),
        ...(await parties(text, format, directory, asking)),
        ...(await users(text, directory, asking)),
      ]
      // No index has the ids of commands: newest updates are looked through for what is found nowhere else.
      if (found.length === 0 || inValues) found.push(...(await commands(text, ofUpdates, inValues, asking)))
      if (inValues) found.push(...(await values(text, format, asking)))
      asking.signal.throwIfAborted()
      return found
    }
    return looking.alone(asking.owner, asking.signal, look)
  }
}

/** All kinds of updates that the parties see. */
function updateFormatOf(format: EventFormat): UpdateFormat {
  return {
    transactions: { eventFormat: format, shape: 'TRANSACTION_SHAPE_LEDGER_EFFECTS' },
    reassignments: format,
    topology: format.filtersForAnyParty === undefined ? [...format.filtersByParty.keys()] : [],
  }
}

const keyDigits = 16

/** The first and the last key of ids that begin with these digits. */
function keysOf(digits: string): [first: string, last: string] {
  const beginning = digits.slice(0, keyDigits)
  return [beginning.padEnd(keyDigits, '0'), beginning.padEnd(keyDigits, 'f')]
}

const onlyDevelopment = 'looking for values in fields is for development nodes only'
