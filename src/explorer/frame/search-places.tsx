// Where a search leads: places whose id or name begins with the text, read from the API while one types.
import { readContracts, readUpdates } from '../api/ledger-reads.ts'
import type { CreatedEvent, Update } from '../api/wire.ts'
import { Badge } from '../parts/badge.tsx'
import { shortId, templateName } from '../parts/names.tsx'
import { partyOptions } from '../parts/party-options.tsx'
import type { Option } from '../parts/picker.tsx'
import { kindOptions } from '../parts/template-options.tsx'
import { ledgerEnd } from '../state/ledger.ts'
import { pathTo } from '../state/location.ts'
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
    orNothing(templates(wanted, signal)),
    orNothing(parties(wanted, signal)),
  ])
  const places = new Map(found.flat().map((option) => [option.value, option]))
  return [...places.values()].slice(0, placesMax)
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

/** By its id, or by one of a contract that it created: contracts that were archived since are found there, too. */
async function updates(text: string, signal: AbortSignal): Promise<Option[]> {
  const isContract = isContractId.test(text)
  if (!(isContract || isUpdateId.test(text)) || !maySee.peek()) return []
  if (text.length === 68) return [place(pathTo('updates', text), 'update', shortId(text))]
  if (text.length < 3) return []
  const page = await readUpdates({ size: lookedThrough, newestFirst: true, format: updateFormat() }, signal)
  const found = (page.updates ?? []).map(({ update }) => update)
  if (isContract) return byId(found.flatMap(createdIn), text)
  return found
    .map((update) => Object.values(update)[0]!.value as { updateId: string; offset: number })
    .filter(({ updateId }) => updateId.startsWith(text))
    .map(({ updateId, offset }) => place(pathTo('updates', offset), 'update', shortId(updateId)))
}

function createdIn(update: Update): CreatedEvent[] {
  if (!('Transaction' in update)) return []
  return update.Transaction.value.events.flatMap((event) => ('CreatedEvent' in event ? [event.CreatedEvent] : []))
}

const isUpdateId = /^1[0-9a-f]*$/
const isContractId = /^00[0-9a-f]*$/

async function contracts(text: string, signal: AbortSignal): Promise<Option[]> {
  if (/^00[0-9a-f]{136,}$/.test(text)) return [place(pathTo('contracts', text), 'contract', shortId(text))]
  if (!isContractId.test(text) || !maySee.peek()) return []
  const page = await readContracts({ size: lookedThrough, format: eventFormat() }, signal)
  const created = page.activeContracts.flatMap(({ contractEntry }) =>
    'JsActiveContract' in contractEntry ? [contractEntry.JsActiveContract.createdEvent] : [],
  )
  return byId(created, text)
}

function byId(created: readonly CreatedEvent[], text: string): Option[] {
  return created
    .filter(({ contractId }) => contractId.startsWith(text))
    .map(({ contractId, templateId }) =>
      place(pathTo('contracts', contractId), templateName(templateId), shortId(contractId)),
    )
}

/** Of all packages, whether there are contracts of it or not. */
async function templates(text: string, signal: AbortSignal): Promise<Option[]> {
  if (!/^[A-Za-z#]/.test(text)) return []
  const wanted = text.replace(/^#/, '').toLowerCase()
  const begins = (value: string) => {
    const [, module = '', name = ''] = value.split(':')
    return [name, `${module}:${name}`, value].some((one) => one.toLowerCase().startsWith(wanted))
  }
  return (await kindOptions(text, signal))
    .map(({ value }) => (value.startsWith('interface ') ? ['interface', value.slice(10)] : ['template', value]))
    .filter(([, name]) => begins(name!.slice(1)))
    .map(([kind, name]) => place(`/contracts?${kind}=${encodeURIComponent(name!)}`, kind!, name!.slice(1)))
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
