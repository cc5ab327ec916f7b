// A contract of which a page has only the id: in one line, or as a form needs it. What cannot be read is left out.
import type { ReadonlySignal } from '@preact/signals'
import type { PartyPlace } from '../../codegen/type-description.ts'
import { readContract } from '../api/contract-read.ts'
import type { CreatedEvent } from '../api/wire.ts'
import { ContractFields } from '../parts/typed.tsx'
import { ledgerEpoch } from '../state/ledger.ts'
import { type Loaded, useLoaded } from '../state/loading.ts'
import { eventFormat, everything, filtersOf, interfaceFilter, maySee, readers } from '../state/party-view.ts'

export function KnownContract({ contractId }: { readonly contractId: string }) {
  const { value } = useContract(contractId).value
  return value === undefined ? null : <ContractFields event={value} isInline />
}

/** With its view as an interface, if one is named. */
export function useContract(contractId: string, viewedAs?: string): ReadonlySignal<Loaded<CreatedEvent | undefined>> {
  return useLoaded(
    async (signal) => {
      if (contractId === '' || !maySee.peek()) return undefined
      const views = viewedAs === undefined ? [] : [interfaceFilter(viewedAs)]
      const filters = filtersOf(...everything.cumulative.map(({ identifierFilter }) => identifierFilter), ...views)
      return (await readContract(contractId, eventFormat(filters), signal)).event
    },
    [contractId, viewedAs, readers.value?.join(), ledgerEpoch.value],
  )
}

/** Whose fields are not in the form itself. */
const owners = { contract: "the contract's ", view: "the view's ", argument: '', signatories: 'the signatories' }

/** Fields in words, `issuer and owner`; those of the contract itself if it is being created. */
export function fieldsOf(places: readonly PartyPlace[] | undefined, isCreating: boolean): string | undefined {
  if (places === undefined || places.length === 0) return undefined
  const names = places.map(({ of, path }) => `${isCreating ? '' : owners[of]}${path.join('.')}`)
  const last = names.at(-1)!
  return names.length === 1 ? last : `${names.slice(0, -1).join(', ')} and ${last}`
}
