// What a participant says of contracts that cannot be used: they are not active, or something that is not decided holds them.
import { LedgerError } from '../../base/errors.ts'

export function inactiveContracts(contractIds: readonly string[]): LedgerError {
  return new LedgerError(
    'LOCAL_VERDICT_INACTIVE_CONTRACTS',
    'Rejected transaction is referring to inactive contracts ',
    naming(contractIds),
  )
}

export function lockedContracts(contractIds: readonly string[]): LedgerError {
  return new LedgerError(
    'LOCAL_VERDICT_LOCKED_CONTRACTS',
    'Rejected transaction is referring to locked contracts ',
    naming(contractIds),
  )
}

function naming(contractIds: readonly string[]) {
  return {
    context: { CONTRACT_ID: `List(${contractIds.join(', ')})` },
    resources: contractIds.map((id) => ['CONTRACT_ID', id] as const),
  }
}
