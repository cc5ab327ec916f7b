// The contracts that a picker offers: active ones of the wanted template or interface, the newest first. A text is looked for
// in their ids and fields where the node does that, elsewhere only as the beginning of an id.
import { queryContracts } from '../api/contract-query.ts'
import { rowOf } from '../api/contract-rows.ts'
import { searchPlaces } from '../api/place-search.ts'
import { rangeIn } from '../api/ranking.ts'
import type { CreatedEvent, EventFormat } from '../api/wire.ts'
import { loadTypes, partsOf, type TypeDescription } from '../state/packages.ts'
import { eventFormat, filtersOf, interfaceFilter, templateFilter } from '../state/party-view.ts'
import { session } from '../state/session.ts'
import { Marked } from './name-options.tsx'
import { shortId, templateName } from './names.tsx'
import type { Option } from './picker.tsx'
import { ContractFields } from './typed.tsx'

const optionsMax = 10

export function contractOptions(of: TypeDescription) {
  return async (text: string, signal: AbortSignal): Promise<readonly Option[]> => {
    const format = eventFormat(await filtersFor(of))
    const wanted = text.trim()
    if (wanted !== '' && !session.peek().isDevelopment) return byId(wanted, format, signal)
    const query = { format, size: optionsMax, ...(wanted !== '' && { text: wanted }) }
    const { activeContracts } = await queryContracts(query, signal)
    return activeContracts.map(({ contractEntry }) => contractOption(rowOf(contractEntry).event, wanted))
  }
}

async function byId(text: string, format: EventFormat, signal: AbortSignal): Promise<readonly Option[]> {
  const places = await searchPlaces({ text, format }, signal)
  return places.flatMap((place) =>
    place.kind === 'contract' && place.isActive
      ? [{ value: place.contractId, words: <IdWords {...place} text={text} /> }]
      : [],
  )
}

function contractOption(event: CreatedEvent, text: string): Option {
  return {
    value: event.contractId,
    words: (
      <>
        <ShortId id={event.contractId} text={text} /> <ContractFields event={event} isInline />
      </>
    ),
  }
}

type IdProps = { readonly contractId: string; readonly templateId: string; readonly text: string }

export function IdWords({ contractId, templateId, text }: IdProps) {
  return (
    <span class="name-words">
      <b>{templateName(templateId)}</b>
      <ShortId id={contractId} text={text} />
    </span>
  )
}

/** The shortened id, with the beginning that was typed marked. */
export function ShortId({ id, text }: { readonly id: string; readonly text: string }) {
  const short = shortId(id)
  const range = text !== '' && id.startsWith(text) ? rangeIn(short, text.slice(0, short.indexOf('…'))) : undefined
  return (
    <span class="mono">
      <Marked text={short} ranges={range && [range]} />
    </span>
  )
}

async function filtersFor(of: TypeDescription) {
  if (of.kind !== 'Data') return undefined
  const { packageId, module, name } = partsOf(of.id)
  const types = await loadTypes(packageId)
  if (types === undefined) return undefined
  const reference = `#${types.name}:${module}:${name}`
  if (types.templates.some(({ id }) => id === of.id)) return filtersOf(templateFilter(reference))
  if (types.interfaces.some(({ id }) => id === of.id)) return filtersOf(interfaceFilter(reference))
  return undefined
}
