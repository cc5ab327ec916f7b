// Contracts that a client sends with its command. Checks and texts are those of Canton's ValidateDisclosedContracts;
// whether a contract matches its id is checked when it is used.
import { invalidArgument, invalidField, LedgerError, missingField } from '../../base/errors.ts'
import { packageIdProblem, shorten, uniqueIdentifierProblem } from '../../base/names.ts'
import type { KnownContract } from '../../engine/ledger-access.ts'
import type { ContractBlob } from '../../lf/codec/contract-blob.ts'
import { contractIdProblem } from '../../lf/values/contract-ids.ts'
import type { DisclosedContract } from '../model/commands.ts'

export type Disclosed = {
  readonly contracts: readonly KnownContract[]
  /** By contract id, where the client says that it is. */
  readonly synchronizers: ReadonlyMap<string, string>
}

export async function readDisclosed(contracts: readonly DisclosedContract[]): Promise<Disclosed> {
  const known = new Map<string, KnownContract>()
  const synchronizers = new Map<string, string>()
  for (const contract of contracts) {
    const { createdEventBlob: blob } = contract
    const { contractId } = await checked(contract)
    const other = known.get(contractId.text)
    if (other !== undefined && Buffer.compare(other.blob, blob) !== 0) {
      throw new LedgerError(
        'DISCLOSED_CONTRACTS_CONFLICTING_PAYLOADS',
        `Disclosed contracts with the id ${contractId.text} have different payloads`,
      )
    }
    known.set(contractId.text, { id: contractId.text, blob, isDisclosed: true })
    if (contract.synchronizerId !== '') synchronizers.set(contractId.text, contract.synchronizerId)
  }
  return { contracts: [...known.values()], synchronizers }
}

async function checked({ createdEventBlob, templateId, contractId, synchronizerId }: DisclosedContract) {
  if (createdEventBlob.length === 0) throw missingField('DisclosedContract.createdEventBlob')
  const packageId = templateId.slice(0, Math.max(0, templateId.indexOf(':')))
  const wrongPackage = templateId === '' ? undefined : packageIdProblem(packageId)
  if (wrongPackage !== undefined) throw invalidField('package_id', wrongPackage)
  const malformed = contractId === '' ? undefined : contractIdProblem(contractId)
  if (malformed !== undefined) throw invalidField('DisclosedContract.contract_id', malformed)
  const problem = synchronizerId === '' ? undefined : uniqueIdentifierProblem(synchronizerId)
  if (problem !== undefined) throw invalidField('DisclosedContract.synchronizer_id', problem)
  const blob = await decoded(createdEventBlob)
  if (contractId !== '' && contractId !== blob.contractId.text) {
    throw mismatch('contract_id', contractId, blob.contractId.text)
  }
  const { module, name, ...created } = blob.templateId
  const actual = `${created.packageId}:${module}:${name}`
  if (templateId !== '' && templateId !== actual) throw mismatch('template_id', templateId, actual)
  if (blob.createdAt === undefined) throw invalidArgument("Contract creation time cannot be 'Now'")
  return blob
}

async function decoded(bytes: Uint8Array): Promise<ContractBlob> {
  const { decodeContractBlob } = await import('../../lf/codec/contract-blob.ts')
  const { ValueError } = await import('../../lf/codec/value-error.ts')
  try {
    return decodeContractBlob(bytes)
  } catch (error) {
    if (!(error instanceof ValueError)) throw error
    throw invalidArgument(`Unable to decode disclosed contract event payload: DecodeError(${error.reason})`)
  }
}

function mismatch(field: string, sent: string, actual: string): LedgerError {
  return invalidArgument(
    `Mismatch between DisclosedContract.${field} (${shorten(sent)}) and ${field} from decoded ` +
      `DisclosedContract.created_event_blob (${actual})`,
  )
}
