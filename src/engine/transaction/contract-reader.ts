// Finds the contracts that an update uses: this transaction's own, and the ledger's. Each is looked up once, and
// checked once for each version of its template that uses it; whether it is active is checked every time.

import { isSameIdentifier } from '../../lf/syntax/names.ts'
import type { InterfaceCode, TemplateCode } from '../code/code.ts'
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

/** What is known of a contract. */
type Known = {
  /** Undefined for a contract of this transaction. */
  stored: StoredContract | undefined
  /** As the versions of its template see it. */
  readonly versions: Contract[]
}

export class ContractReader {
  readonly #reading: Reading
  readonly #rules: ContractRules
  readonly #state: ContractState
  // Both are made for the first contract of the ledger: many commands use none.
  #isReader: ((party: string) => boolean) | undefined
  /** By contract id. */
  #known: Map<string, Known> | undefined

  constructor(reading: Reading, rules: ContractRules, state: ContractState) {
    this.#reading = reading
    this.#rules = rules
    this.#state = state
  }

  *contractsWithKey(key: ContractKey): Iterable<StoredContract> {
    for (const contract of this.#reading.lookUpKey(key)) {
      if (contract.key?.hash !== key.hash) throw new Error('the ledger answered with a contract of another key')
      if (!this.#isVisible(contract)) continue
      this.#knownOf(contract.id).stored ??= contract
      yield contract
    }
  }

  /** The contract as this template sees it. */
  byTemplate(template: TemplateCode, id: string): Contract {
    return this.#asSeenBy(template, this.#sourceOf(id))
  }

  /** The contract as the preferred version of its template sees it, which must implement the interface. */
  byInterface(of: InterfaceCode, id: string): Contract {
    const source = this.#sourceOf(id)
    const packageId = this.#reading.preferredPackage(source.packageName)
    if (packageId === undefined) throw unresolvedPackageName(source.packageName)
    const { templateId } = source
    const template = this.#rules.code.template(
      templateId.packageId === packageId ? templateId : { ...templateId, packageId },
    )
    if (!template.instances.has(of.key)) throw doesNotImplement(id, of.id, template.id)
    return this.#asSeenBy(template, source)
  }

  /** Records that a node refers to the contract; contracts of the ledger become inputs. */
  use(id: string, contract: Contract): void {
    if (this.#state.contract(id) === undefined) this.#state.use(this.#storedContract(id), contract)
  }

  /** A contract that no reader may see counts as missing. */
  #isVisible({ stakeholders, isDisclosed }: StoredContract): boolean {
    if (isDisclosed === true) return true
    const { actAs, readAs } = this.#reading
    this.#isReader ??= membership(readAs.length === 0 ? actAs : [...actAs, ...readAs])
    return stakeholders.some(this.#isReader)
  }

  #knownOf(id: string): Known {
    this.#known ??= new Map()
    let known = this.#known.get(id)
    if (known === undefined) {
      known = { stored: undefined, versions: [] }
      this.#known.set(id, known)
    }
    return known
  }

  #storedContract(id: string): StoredContract {
    const known = this.#known?.get(id)?.stored
    if (known !== undefined) return known
    const found = this.#reading.lookUpContract(id)
    if (found === undefined || !this.#isVisible(found)) throw contractNotFound(id)
    this.#knownOf(id).stored = found
    return found
  }

  /** The contract with this id, if it is active. */
  #sourceOf(id: string): ContractSource {
    const used = this.#state.contract(id)
    const local = used?.local
    const source = local === undefined ? this.#storedContract(id) : sourceFrom(id, local)
    const consumption = used?.consumption
    if (consumption !== undefined) throw contractNotActive(id, source.templateId, consumption.node)
    if (used?.isUndone) throw contractNotFound(id)
    return source
  }

  #asSeenBy(template: TemplateCode, source: ContractSource): Contract {
    const local = this.#state.contract(source.id)?.local
    if (local !== undefined && isSameTemplate(local.template, template)) return local
    const { versions } = this.#knownOf(source.id)
    for (const version of versions) if (isSameTemplate(version.template, template)) return version
    const contract = readContract(source, template, this.#rules)
    authenticate(local === undefined ? this.#storedContract(source.id) : source, contract, this.#rules)
    versions.push(contract)
    return contract
  }
}

function sourceFrom(id: string, { template, argument, signatories, stakeholders, key }: Contract): ContractSource {
  return { id, templateId: template.id, packageName: template.package.name, argument, signatories, stakeholders, key }
}

function isSameTemplate(a: TemplateCode, b: TemplateCode): boolean {
  return a === b || isSameIdentifier(a.id, b.id)
}
