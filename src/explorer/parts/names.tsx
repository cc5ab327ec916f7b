// How the ledger's names look everywhere: parties with a colour of their own, short ids with their links, templates with
// their packages, times with their zone.
import { type ComponentChildren, createContext } from 'preact'
import { useContext } from 'preact/hooks'
import { pathTo } from '../state/location.ts'
import { partsOf, typesOfPackage } from '../state/packages.ts'
import { hueOf } from '../state/party-colours.ts'
import { nowText, timeText } from '../state/time-zone.ts'
import { Link } from './link.tsx'

export const hintOf = (party: string): string => party.split('::')[0]!

type PartyProps = {
  readonly id: string
  readonly isLink?: boolean
  /** Instead of its hint. */
  readonly children?: ComponentChildren
}

export function Party({ id, isLink = true, children }: PartyProps) {
  const inside = (
    <>
      <span class="dot" aria-hidden="true" />
      {children ?? hintOf(id)}
    </>
  )
  const look = `party hue-${hueOf(id)}`
  if (!isLink) {
    return (
      <span class={look} title={id}>
        {inside}
      </span>
    )
  }
  return (
    <Link to={pathTo('parties', id)} class={look} title={id}>
      {inside}
    </Link>
  )
}

const partiesShown = 6

type PartiesProps = {
  readonly ids: readonly string[]
  /** If there are more than are given. */
  readonly count?: number
  readonly isLink?: boolean
}

export function Parties({ ids, count = ids.length, isLink = true }: PartiesProps) {
  const shown = ids.slice(0, partiesShown)
  const more = Math.max(count, ids.length) - shown.length
  return (
    <span class="parties">
      {shown.map((id) => (
        <Party key={id} id={id} isLink={isLink} />
      ))}
      {more > 0 && (
        <span class="faint" title={ids.slice(partiesShown).map(hintOf).join(', ')}>
          and {more} more
        </span>
      )}
    </span>
  )
}

const dotsShown = 12

/** Who sees something: a dot in each party's colour, with the names for those who do not see colours. */
export function Witnesses({ parties }: { readonly parties: readonly string[] }) {
  const names = `Seen by ${parties.map(hintOf).join(', ')}`
  return (
    <span class="witnesses" title={names}>
      <span class="unseen">{names}</span>
      {parties.slice(0, dotsShown).map((party) => (
        <span key={party} class={`dot hue-${hueOf(party)}`} aria-hidden="true" />
      ))}
      {parties.length > dotsShown && <span class="faint">+{parties.length - dotsShown}</span>}
    </span>
  )
}

/** Of a contract or update id: its end, because beginnings are alike. */
export function shortId(id: string): string {
  return id.length <= 20 ? id : `${id.slice(0, 8)}…${id.slice(-6)}`
}

/** A place in Daml without the ids of packages, and with little of those of contracts. */
export function shortPlace(place: string): string {
  return place.replace(/\b[0-9a-f]{64}:/g, '').replace(/\b00[0-9a-f]{40,}/g, shortId)
}

/** Contracts of a dry run: they have no page. */
export const UnrecordedContracts = createContext<ReadonlySet<string>>(new Set())

export function ContractLink({ id }: { readonly id: string }) {
  if (useContext(UnrecordedContracts).has(id)) {
    return (
      <span class="mono" title={id}>
        {shortId(id)}
      </span>
    )
  }
  return (
    <Link to={pathTo('contracts', id)} class="mono" title={id}>
      {shortId(id)}
    </Link>
  )
}

export function OffsetLink({ offset }: { readonly offset: number }) {
  return (
    <Link to={pathTo('updates', offset)} class="mono">
      {offset}
    </Link>
  )
}

/** `Module:Template`, and the package if there is room. */
export function Template({ id, packageName }: { readonly id: string; readonly packageName?: string | undefined }) {
  const { packageId, module, name } = partsOf(id)
  return (
    <span class="template" title={id}>
      <span class="faint">{packageName ?? typesOfPackage(packageId)?.name ?? shortId(packageId)}</span>{' '}
      <span class="faint">{module}:</span>
      <b>{name}</b>
    </span>
  )
}

export const templateName = (id: string): string => partsOf(id).name

/** A short one leaves out the date if it is today's, and the zone if it is the one of `Zone`. */
export function Time({ iso, isShort = false }: { readonly iso: string; readonly isShort?: boolean }) {
  const text = timeText(iso)
  if (text === undefined) return <span>{iso}</span>
  const now = isShort ? nowText() : undefined
  return (
    <time class="time" dateTime={iso} title={`${text.date} ${text.time} ${text.zone} (${iso})`}>
      {text.date !== now?.date && <span>{text.date} </span>}
      {text.time}
      {text.zone !== now?.zone && <span class="faint"> {text.zone}</span>}
    </time>
  )
}

/** The zone of short times: at the head of their column. */
export function Zone() {
  return <span class="zone">{nowText().zone}</span>
}

/** The alias of a synchronizer is the first part of its id. */
export function Synchronizer({ id }: { readonly id: string }) {
  return (
    <span class="synchronizer" title={id}>
      {hintOf(id)}
    </span>
  )
}
