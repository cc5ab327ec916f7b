// The contracts that a picker offers: active ones of the wanted template or interface, whose id or fields contain a text.
import { readContracts } from '../api/ledger-reads.ts'
import { loadTypes, partsOf, type TypeDescription } from '../state/packages.ts'
import { eventFormat, filtersOf, interfaceFilter, templateFilter } from '../state/party-view.ts'
import { shortId } from './names.tsx'
import type { Option } from './picker.tsx'
import { ContractFields } from './typed.tsx'

const lookedThrough = 200
const optionsMax = 10

export function contractOptions(of: TypeDescription) {
  return async (text: string, signal: AbortSignal): Promise<readonly Option[]> => {
    const page = await readContracts({ size: lookedThrough, format: eventFormat(await filtersFor(of)) }, signal)
    return page.activeContracts
      .flatMap(({ contractEntry }) => ('JsActiveContract' in contractEntry ? [contractEntry.JsActiveContract] : []))
      .map(({ createdEvent }) => createdEvent)
      .filter(({ contractId, createArgument }) => `${contractId} ${JSON.stringify(createArgument)}`.includes(text))
      .slice(0, optionsMax)
      .map((event) => ({
        value: event.contractId,
        words: (
          <>
            <span class="mono">{shortId(event.contractId)}</span> <ContractFields event={event} isInline />
          </>
        ),
      }))
  }
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
