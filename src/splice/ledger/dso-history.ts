// What has happened on the DSO's ledger, and what was active at any of its updates. Anybody may ask: reads are done one at a time,
// equal ones together, and each is bounded, so that many strangers cost little more than one.
import { createQueue } from '../../base/queue.ts'
import { type Json, type Participant, ParticipantRefusal } from './participant.ts'
import { microsFrom } from './times.ts'

/** An update of the history. The state after it is known by its record time. */
export type HistoryPoint = { readonly offset: number; readonly recordMicros: number }

export type ContractSelection = {
  /** As `#package:Module:Template`; none for all. */
  readonly templates: readonly string[]
  readonly count: number
  /** The `next` of the page before. */
  readonly after?: number | undefined
  /** Some of the contracts, and a text that says which: pages of the same text continue each other. */
  readonly only?: { readonly text: string; readonly isWanted: (created: Json) => boolean } | undefined
}

export type ContractsPage = {
  readonly created: readonly CreatedContract[]
  /** Where the next page begins; undefined after the last. */
  readonly next: number | undefined
}

/** A created event of the Ledger API, and the update that it belongs to. */
export type CreatedContract = { readonly event: Json; readonly updateId: string }

export type DsoHistory = {
  /** Transactions that were recorded after a time, oldest first; fewer than `count` if they are large. */
  updatesAfter(micros: number | undefined, count: number): Promise<readonly Json[]>
  /** Undefined if the DSO sees no such transaction. */
  updateById(updateId: string): Promise<Json | undefined>
  /** The last update that was recorded at this time or before; without a time, the last of all. */
  pointAtOrBefore(micros?: number): Promise<HistoryPoint | undefined>
  pointAfter(micros: number): Promise<HistoryPoint | undefined>
  /** Contracts that were active after an update, oldest first. Undefined for a page that does not continue a page of this selection. */
  contractsAt(offset: number, selection: ContractSelection): Promise<ContractsPage | undefined>
  /** The created events of all contracts of some templates that were active after an update. */
  allAt(offset: number, templates: readonly string[]): Promise<readonly Json[]>
}

/** Contracts that are looked through for a page of some of them: readsMax pages of this size. */
const readSize = 1_000
const readsMax = 10
/** Places that are remembered, of each kind. */
const placesMax = 10_000
/** Whole states that are remembered. */
const statesMax = 2
const wholePageSize = 10_000

export function createDsoHistory(participant: Participant, dso: string): DsoHistory {
  const share = createSharedReads()
  /** By microseconds of its record time, the offset of an update. A client that follows the history asks for what comes after. */
  const offsets = createBoundedMap<number, number>(placesMax)
  const updateIds = createBoundedMap<number, string>(placesMax)
  /** Where pages of contracts continue. */
  const places = createBoundedMap<string, Place>(placesMax)
  const states = createBoundedMap<string, readonly Json[]>(statesMax)

  const eventFormat = (templates: readonly string[]) => ({
    filtersByParty: {
      [dso]: {
        cumulative: templates.map((templateId) => ({
          identifierFilter: { TemplateFilter: { value: { templateId } } },
        })),
      },
    },
    verbose: false,
  })
  const updateFormat = {
    includeTransactions: { eventFormat: eventFormat([]), transactionShape: 'TRANSACTION_SHAPE_LEDGER_EFFECTS' },
  }

  async function updates(range: object, maxPageSize: number): Promise<Json[]> {
    const request = { ...range, maxPageSize, updateFormat }
    const page = await participant.call('POST', '/v2/updates/get-updates-page', request)
    const found = page.updates.map(({ update }: Json) => update.Transaction.value)
    for (const { recordTime, offset, updateId } of found) {
      offsets.set(microsFrom(recordTime)!, offset)
      updateIds.set(offset, updateId)
    }
    return found
  }

  /** The offset up to which updates were recorded at this time or before. Record times grow with offsets. */
  async function offsetAt(micros: number, end: number): Promise<number> {
    const known = offsets.get(micros)
    if (known !== undefined) return known
    const pruned = await participant.call('GET', '/v2/state/latest-pruned-offsets')
    let low: number = pruned.participantPrunedUpToInclusive
    let high = end
    while (low < high) {
      const middle = Math.floor((low + high) / 2)
      const [next] = await updates({ beginOffsetExclusive: middle, endOffsetInclusive: high }, 1)
      if (next === undefined || microsFrom(next.recordTime)! > micros) high = middle
      else low = next.offset
    }
    return low
  }

  async function activeAt(
    activeAtOffset: number,
    templates: readonly string[],
    maxPageSize: number,
    pageToken?: string,
  ) {
    const request = { activeAtOffset, eventFormat: eventFormat(templates), maxPageSize, pageToken }
    const page = await participant.call('POST', '/v2/state/active-contracts-page', request)
    const events: Json[] = page.activeContracts.map(
      ({ contractEntry }: Json) => contractEntry.JsActiveContract.createdEvent,
    )
    return { events, next: page.nextPageToken || undefined }
  }

  /** Active contracts say at which offset they were created, not by which update. */
  async function updateIdAt(offset: number): Promise<string> {
    const known = updateIds.get(offset)
    if (known !== undefined) return known
    const { update } = await participant.call('POST', '/v2/updates/update-by-offset', { offset, updateFormat })
    const { updateId } = update.Transaction.value
    updateIds.set(offset, updateId)
    return updateId
  }

  async function contractsFrom(
    offset: number,
    selection: ContractSelection,
    first: Place,
    keyOf: (position: number) => string,
  ) {
    const { templates, count, only } = selection
    const created: CreatedContract[] = []
    let place = first

    function pageEnd(next: Place): ContractsPage {
      places.set(keyOf(next.position), next)
      return { created, next: next.position }
    }

    for (let reads = 0; reads < readsMax; reads += 1) {
      const { events, next } = await activeAt(offset, templates, only === undefined ? count : readSize, place.pageToken)
      for (const [index, event] of events.entries()) {
        if (index < place.skipped || only?.isWanted(event) === false) continue
        created.push({ event, updateId: await updateIdAt(event.offset) })
        const position = place.position + index - place.skipped + 1
        const isLast = index + 1 === events.length
        if (created.length < count || (isLast && next === undefined)) continue
        return pageEnd(isLast ? { position, pageToken: next, skipped: 0 } : { ...place, position, skipped: index + 1 })
      }
      if (next === undefined) return { created, next: undefined }
      place = { position: place.position + events.length - place.skipped, pageToken: next, skipped: 0 }
    }
    return pageEnd(place)
  }

  return {
    async updatesAfter(micros, count) {
      const end = await participant.end()
      return share(`updates ${micros} ${count} ${end}`, async () => {
        const begin = micros === undefined ? {} : { beginOffsetExclusive: await offsetAt(micros, end) }
        return updates({ ...begin, endOffsetInclusive: end }, count)
      })
    },
    updateById: (updateId) =>
      share(`update ${updateId}`, async () => {
        try {
          const { update } = await participant.call('POST', '/v2/updates/update-by-id', { updateId, updateFormat })
          return update.Transaction?.value
        } catch (error) {
          if (error instanceof ParticipantRefusal && (error.status === 404 || error.status === 400)) return undefined
          throw error
        }
      }),
    async pointAtOrBefore(micros) {
      const end = await participant.end()
      return share(`last ${micros} ${end}`, async () => {
        const upTo = micros === undefined ? end : await offsetAt(micros, end)
        const [last] = upTo === 0 ? [] : await updates({ endOffsetInclusive: upTo, descendingOrder: true }, 1)
        return last && pointOf(last)
      })
    },
    async pointAfter(micros) {
      const end = await participant.end()
      return share(`first ${micros} ${end}`, async () => {
        const begin = await offsetAt(micros, end)
        const [first] = begin === end ? [] : await updates({ beginOffsetExclusive: begin, endOffsetInclusive: end }, 1)
        return first && pointOf(first)
      })
    },
    async contractsAt(offset, selection) {
      const { templates, count, after, only } = selection
      const keyOf = (position: number) => JSON.stringify([offset, templates, only?.text, position])
      const place = after === undefined ? firstPlace : places.get(keyOf(after))
      if (place === undefined) return undefined
      return share(`contracts ${keyOf(place.position)} ${count}`, () => contractsFrom(offset, selection, place, keyOf))
    },
    allAt(offset, templates) {
      const key = JSON.stringify([offset, templates])
      return share(`all ${key}`, async () => {
        const known = states.get(key)
        if (known !== undefined) return known
        const all: Json[] = []
        let pageToken: string | undefined
        do {
          const page = await activeAt(offset, templates, wholePageSize, pageToken)
          for (const event of page.events) all.push(event)
          pageToken = page.next
        } while (pageToken !== undefined)
        states.set(key, all)
        return all
      })
    },
  }
}

/** A page of the participant, how many contracts of it are behind, and how many contracts altogether. */
type Place = { readonly position: number; readonly pageToken: string | undefined; readonly skipped: number }

const firstPlace: Place = { position: 0, pageToken: undefined, skipped: 0 }

function pointOf({ offset, recordTime }: Json): HistoryPoint {
  return { offset, recordMicros: microsFrom(recordTime)! }
}

type Share = <T>(key: string, read: () => Promise<T>) => Promise<T>

/** A read that is asked for again before it was done is done once. */
function createSharedReads(): Share {
  const inOrder = createQueue()
  const underWay = new Map<string, Promise<unknown>>()
  return <T>(key: string, read: () => Promise<T>) => {
    const known = underWay.get(key)
    if (known !== undefined) return known as Promise<T>
    const reading = inOrder(read).finally(() => underWay.delete(key))
    underWay.set(key, reading)
    return reading
  }
}

/** Forgets its oldest entries. */
function createBoundedMap<Key, Value>(entriesMax: number) {
  const entries = new Map<Key, Value>()
  return {
    get: (key: Key) => entries.get(key),
    set(key: Key, value: Value) {
      entries.delete(key)
      entries.set(key, value)
      if (entries.size > entriesMax) entries.delete(entries.keys().next().value!)
    },
  }
}
