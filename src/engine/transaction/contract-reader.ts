// Finds the contracts that an update uses: this transaction's own, and the ledger's. Each is looked up once, and
// checked once for each version of its template that uses it; whether it is active is checked every time.
import type { InterfaceCode, TemplateCode } from '../code/code.ts'
import { isSameIdentifier } from '../values/identifier.ts'
import type { ContractState } from './contract-state.ts'
import {
  authenticate,
  type Contract,
  type ContractRules,
  type ContractSource,
  readContract,
  type StoredContract,
} from './contracts.ts'
import { contractNotActive, contractNotFound, doesNotImplement, unresolvedPackageName } from './effect-failures.ts'
import type { ContractKey } from './nodes.ts'
import { membership } from './parties.ts'

/** Who reads contracts, and where they are found. */
type Reading = {
  readonly actAs: readonly string[]
  readonly readAs: readonly string[]
  readonly lookUpContract: (id: string) => StoredContract | undefined
  readonly lookUpKey: (key: ContractKey) => Iterable<StoredContract>
  readonly preferredPackage: (packageName: string) => string | undefined
}

type Parts = {
  readonly reading: Reading
  readonly rules: ContractRules
  readonly state: ContractState
}

export type ContractReader = ReturnType<typeof createContractReader>

export function createContractReader({ reading, rules, state }: Parts) {
  /** Made for the first contract of the ledger: many commands use none. */
  let isReader: ((party: string) => boolean) | undefined
  const stored = new Map<string, StoredContract>()
  /** Keyed by contract id: as the versions of its template see it. */
  const checked = new Map<string, Contract[]>()

  /** A contract that no reader may see counts as missing. */
  function isVisible({ stakeholders, isDisclosed }: StoredContract): boolean {
    if (isDisclosed === true) return true
    isReader ??= membership(reading.readAs.length === 0 ? reading.actAs : [...reading.actAs, ...reading.readAs])
    return stakeholders.some(isReader)
  }

  function* contractsWithKey(key: ContractKey): Iterable<StoredContract> {
    for (const contract of reading.lookUpKey(key)) {
      if (contract.key?.hash !== key.hash) throw new Error('the ledger answered with a contract of another key')
      if (!isVisible(contract)) continue
      if (!stored.has(contract.id)) stored.set(contract.id, contract)
      yield contract
    }
  }

  function storedContract(id: string): StoredContract {
    let found = stored.get(id)
    if (found === undefined) {
      found = reading.lookUpContract(id)
      if (found === undefined || !isVisible(found)) throw contractNotFound(id)
      stored.set(id, found)
    }
    return found
  }

  /** The contract with this id, if it is active. */
  function sourceOf(id: string): ContractSource {
    const used = state.contract(id)
    const local = used?.local
    const source = local === undefined ? storedContract(id) : sourceFrom(id, local)
    const consumption = used?.consumption
    if (consumption !== undefined) throw contractNotActive(id, source.templateId, consumption.node)
    if (used?.isUndone) throw contractNotFound(id)
    return source
  }

  function asSeenBy(template: TemplateCode, source: ContractSource): Contract {
    const local = state.contract(source.id)?.local
    if (local !== undefined && isSameTemplate(local.template, template)) return local
    const versions = checked.get(source.id)
    let contract = versions?.find((version) => isSameTemplate(version.template, template))
    if (contract === undefined) {
      contract = readContract(source, template, rules)
      authenticate(local === undefined ? storedContract(source.id) : source, contract, rules)
      if (versions === undefined) checked.set(source.id, [contract])
      else versions.push(contract)
    }
    return contract
  }

  return {
    contractsWithKey,

    /** The contract as this template sees it. */
    byTemplate(template: TemplateCode, id: string): Contract {
      return asSeenBy(template, sourceOf(id))
    },

    /** The contract as the preferred version of its template sees it, which must implement the interface. */
    byInterface(of: InterfaceCode, id: string): Contract {
      const source = sourceOf(id)
      const packageId = reading.preferredPackage(source.packageName)
      if (packageId === undefined) throw unresolvedPackageName(source.packageName)
      const { templateId } = source
      const template = rules.code.template(
        templateId.packageId === packageId ? templateId : { ...templateId, packageId },
      )
      if (!template.instances.has(of.key)) throw doesNotImplement(id, of.id, template.id)
      return asSeenBy(template, source)
    },

    /** Records that a node refers to the contract; contracts of the ledger become inputs. */
    use(id: string, contract: Contract): void {
      if (state.contract(id) === undefined) state.use(storedContract(id), contract.key)
    },
  }
}

function sourceFrom(id: string, { template, argument, signatories, stakeholders, key }: Contract): ContractSource {
  return { id, templateId: template.id, packageName: template.package.name, argument, signatories, stakeholders, key }
}

function isSameTemplate(a: TemplateCode, b: TemplateCode): boolean {
  return a === b || isSameIdentifier(a.id, b.id)
}
