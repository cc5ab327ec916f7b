// Where a search leads: names of packages (name-options.tsx), and what the node finds by an id, a party or a value.
import { findParties } from '../api/ledger-reads.ts'
import { type FoundPlace, searchPlaces } from '../api/place-search.ts'
import { distanceOf, rangeIn } from '../api/ranking.ts'
import { IdWords, ShortId } from '../parts/contract-options.tsx'
import { findNames, Marked, nameOption, type RankedName } from '../parts/name-options.tsx'
import { hintOf, templateName } from '../parts/names.tsx'
import { partyOption } from '../parts/party-options.tsx'
import type { Option } from '../parts/picker.tsx'
import { pathTo } from '../state/location.ts'
import { eventFormat, maySee } from '../state/party-view.ts'
import { session } from '../state/session.ts'

const namesPerKind = 5
const partiesMax = 8
const namesAloneMs = 400

/** An option, and how far it is from what was typed (api/ranking.ts). */
type Ranked = { readonly option: Option; readonly distance: number }

/** `soFar` gets what is found before the values in fields, which take longer; names alone if the node takes long, too. */
export async function findPlaces(
  text: string,
  signal: AbortSignal,
  soFar: (options: readonly Option[]) => void = () => undefined,
): Promise<readonly Option[]> {
  const wanted = text.trim()
  if (wanted === '') return []
  const looking = orNone(maySee.peek() ? placesOf(wanted, false, signal) : partiesOf(wanted, signal))
  const names = await orNone(findNames(wanted, ['template', 'interface', 'choice', 'package'], namesPerKind))
  const named = names.map((found) => ({ option: nameOption(found, pathOf(found)), distance: found.distance }))
  const timer = setTimeout(() => soFar(inOrder(named)), namesAloneMs)
  const places = (await looking).map((place) => rankedPlace(place, wanted))
  clearTimeout(timer)
  const quick = inOrder([...named, ...places])
  if (!session.peek().isDevelopment || !maySee.peek()) return quick
  soFar(quick)
  const values = (await orNone(placesOf(wanted, true, signal))).map((place) => rankedPlace(place, wanted).option)
  return distinct([...quick, ...values])
}

/** Kind by kind, that of the best fit first. */
function inOrder(found: readonly Ranked[]): readonly Option[] {
  const byGroup = Map.groupBy(found, ({ option }) => option.group)
  const bestOf = (group: readonly Ranked[]) => Math.min(...group.map(({ distance }) => distance))
  const groups = [...byGroup.values()].sort((one, other) => bestOf(one) - bestOf(other))
  return distinct(groups.flat().map(({ option }) => option))
}

/** A search goes on without what the reader may not read. */
async function orNone<T>(found: Promise<readonly T[]>): Promise<readonly T[]> {
  return found.catch(() => [])
}

function placesOf(text: string, inValues: boolean, signal: AbortSignal): Promise<readonly FoundPlace[]> {
  return searchPlaces({ text, format: eventFormat(), inValues }, signal)
}

/** For an administrator who reads as nobody. */
async function partiesOf(text: string, signal: AbortSignal): Promise<readonly FoundPlace[]> {
  return (await findParties(text, partiesMax, signal)).map(({ party }) => ({ kind: 'party', party }))
}

/** The same place may be found in several ways; the first says how. */
function distinct(options: readonly Option[]): readonly Option[] {
  const known = new Set<string>()
  return options.filter(({ value }) => !known.has(value) && known.add(value))
}

/** Templates and interfaces lead to their contracts, choices and packages to the page of the package. */
function pathOf({ thing: { kind, of, packageId, module, owner, name, isOfInterface } }: RankedName): string {
  if (kind === 'package') return pathTo('packages', packageId)
  if (kind === 'choice') return `${pathTo('packages', packageId)}#${encodeURIComponent(`${module}.${owner}.${name}`)}`
  return `/contracts?${isOfInterface ? 'interface' : 'template'}=${encodeURIComponent(of)}`
}

/** Whoever types an id means it; parties, users and commands are names. */
function rankedPlace(place: FoundPlace, text: string): Ranked {
  const name =
    place.kind === 'party'
      ? hintOf(place.party)
      : place.kind === 'user'
        ? place.userId
        : place.kind === 'command'
          ? place.commandId
          : undefined
  return { option: placeOption(place, text), distance: name === undefined ? 0 : distanceOf(text, name) }
}

function placeOption(place: FoundPlace, text: string): Option {
  switch (place.kind) {
    case 'offset':
      return { group: 'Updates', value: pathTo('updates', place.offset), words: <>Offset {place.offset}</> }
    case 'update':
      return { group: 'Updates', value: pathTo('updates', place.offset), words: <UpdateWords {...place} text={text} /> }
    case 'command':
      return {
        group: 'Commands',
        value: pathTo('updates', place.offset),
        words: <UpdateWords {...place} text={text} />,
      }
    case 'contract':
      return {
        group: place.isActive ? 'Contracts' : 'Contracts that are no longer active',
        value: pathTo('contracts', place.contractId),
        words: <IdWords {...place} text={text} />,
      }
    case 'party':
      return { ...partyOption(place.party, text), value: pathTo('parties', place.party), group: 'Parties' }
    case 'user':
      return {
        group: 'Users',
        value: pathTo('users', place.userId),
        words: <Found text={place.userId} wanted={text} />,
      }
    case 'value':
      return {
        group: 'Values',
        value: pathTo('contracts', place.contractId),
        words: (
          <span class="name-words">
            <Found text={place.value} wanted={text} />
            <span class="faint">
              {place.field} of {templateName(place.templateId)}
            </span>
            <ShortId id={place.contractId} text="" />
          </span>
        ),
      }
  }
}

function Found({ text, wanted }: { readonly text: string; readonly wanted: string }) {
  const range = rangeIn(text, wanted)
  return (
    <span>
      <Marked text={text} ranges={range && [range]} />
    </span>
  )
}

type UpdateProps = FoundPlace & { readonly kind: 'update' | 'command'; readonly text: string }

/** What it was found by comes first. */
function UpdateWords({ kind, offset, updateId, commandId, text }: UpdateProps) {
  const command = commandId !== '' && <Found text={commandId} wanted={text} />
  return (
    <span class="name-words">
      {kind === 'command' && command}
      <ShortId id={updateId} text={text} />
      {kind === 'update' && command}
      <span class="faint">offset {offset}</span>
    </span>
  )
}
