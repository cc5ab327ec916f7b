// Where a search leads: places whose id or name begins with the text, read from the API while one types.
import { readContracts, readUpdates } from '../api/ledger-reads.ts'
import type { CreatedEvent } from '../api/wire.ts'
import { Badge } from '../parts/badge.tsx'
import { shortId, templateName } from '../parts/names.tsx'
import { partyOptions } from '../parts/party-options.tsx'
import type { Option } from '../parts/picker.tsx'
import { ledgerEnd } from '../state/ledger.ts'
import { pathTo } from '../state/location.ts'
import { referenceTo } from '../state/packages.ts'
import { eventFormat, maySee, updateFormat } from '../state/party-view.ts'

/** How many of the newest updates and of the active contracts are looked through for the beginning of an id. */
const lookedThrough = 500
const placesMax = 8

export async function findPlaces(text: string, signal: AbortSignal): Promise<readonly Option[]> {
  const wanted = text.trim()
  if (wanted === '') return []
  const found = await Promise.all([
    offsets(wanted),
    orNothing(updates(wanted, signal)),
    orNothing(contracts(wanted, signal)),
    orNothing(parties(wanted, signal)),
  ])
  return found.flat().slice(0, placesMax)
}

/** A search goes on without what the reader may not read. */
async function orNothing(options: Promise<Option[]>): Promise<Option[]> {
  return options.catch(() => [])
}

function offsets(text: string): Option[] {
  const end = ledgerEnd.peek()
  if (!/^\d{1,15}$/.test(text) || (end !== undefined && Number(text) > end)) return []
  return [place(pathTo('updates', text), 'offset', text)]
}

async function updates(text: string, signal: AbortSignal): Promise<Option[]> {
  if (!/^1[0-9a-f]*$/.test(text) || !maySee.peek()) return []
  if (text.length === 68) return [place(pathTo('updates', text), 'update', shortId(text))]
  if (text.length < 3) return []
  const page = await readUpdates({ size: lookedThrough, newestFirst: true, format: updateFormat() }, signal)
  return (page.updates ?? [])
    .map(({ update }) => Object.values(update)[0]!.value as { updateId: string; offset: number })
    .filter(({ updateId }) => updateId.startsWith(text))
    .map(({ updateId, offset }) => place(pathTo('updates', offset), 'update', shortId(updateId)))
}

async function contracts(text: string, signal: AbortSignal): Promise<Option[]> {
  if (/^00[0-9a-f]{136,}$/.test(text)) return [place(pathTo('contracts', text), 'contract', shortId(text))]
  const isId = /^00[0-9a-f]*$/.test(text)
  if (!maySee.peek() || (!isId && !/^[A-Z#]/.test(text))) return []
  const page = await readContracts({ size: lookedThrough, format: eventFormat() }, signal)
  const created = page.activeContracts.flatMap(({ contractEntry }) =>
    'JsActiveContract' in contractEntry ? [contractEntry.JsActiveContract.createdEvent] : [],
  )
  return isId ? byId(created, text) : byTemplate(created, text)
}

function byId(created: readonly CreatedEvent[], text: string): Option[] {
  return created
    .filter(({ contractId }) => contractId.startsWith(text))
    .map(({ contractId, templateId }) =>
      place(pathTo('contracts', contractId), templateName(templateId), shortId(contractId)),
    )
}

function byTemplate(created: readonly CreatedEvent[], text: string): Option[] {
  const wanted = text.replace(/^#/, '').toLowerCase()
  const names = new Map(
    created.map(({ templateId, packageName }) => [referenceTo(templateId, packageName), templateId]),
  )
  return [...names]
    .filter(([name, id]) => [templateName(id), name.slice(1)].some((one) => one.toLowerCase().startsWith(wanted)))
    .map(([name]) => place(`/contracts?template=${encodeURIComponent(name)}`, 'template', name.slice(1)))
}

async function parties(text: string, signal: AbortSignal): Promise<Option[]> {
  const found = await partyOptions(text, signal)
  return found.map(({ value, words }) => ({
    value: pathTo('parties', value),
    words: (
      <>
        <Badge>party</Badge> {words}
      </>
    ),
  }))
}

function place(to: string, kind: string, words: string): Option {
  return {
    value: to,
    words: (
      <>
        <Badge>{kind}</Badge> <span class="mono">{words}</span>
      </>
    ),
  }
}
