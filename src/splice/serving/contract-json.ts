// Contracts as Splice's HTTP APIs show them.
import type { Contract } from '../ledger/participant.ts'

export function contractJson({ templateId, contractId, payload, blob, createdAt }: Contract): object {
  return { template_id: templateId, contract_id: contractId, payload, created_event_blob: blob, created_at: createdAt }
}

/** With the synchronizer that the contract is assigned to. */
export function contractWithState(contract: Contract): object {
  return { contract: contractJson(contract), domain_id: contract.synchronizerId }
}
