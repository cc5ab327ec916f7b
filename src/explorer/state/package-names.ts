// The names of the packages that the ledger has, for what is only of use where some of them are.
import { readPackageNames } from '../api/packages.ts'
import { ledgerEpoch } from './ledger.ts'
import { type Loaded, useLoaded } from './loading.ts'

export function usePackageNames(): Loaded<ReadonlySet<string>> {
  return useLoaded((signal) => readPackageNames(signal), [ledgerEpoch.value]).value
}
