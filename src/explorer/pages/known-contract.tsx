// What a contract says, in one line, for pages that have only its id. What cannot be read is left out.
import { readContractEvents } from '../api/ledger-reads.ts'
import { ContractFields } from '../parts/typed.tsx'
import { ledgerEpoch } from '../state/ledger.ts'
import { useLoaded } from '../state/loading.ts'
import { eventFormat, maySee, readers } from '../state/party-view.ts'

export function KnownContract({ contractId }: { readonly contractId: string }) {
  const { value } = useLoaded(
    async (signal) => (maySee.peek() ? readContractEvents(contractId, eventFormat(), signal) : undefined),
    [contractId, readers.value?.join(), ledgerEpoch.value],
  ).value
  const event = value?.created?.createdEvent
  return event === undefined ? null : <ContractFields event={event} isInline />
}
