// Where an interpretation finds contracts: in the request, or else by asking the ledger. They come as blobs, the same
// for a contract of ours and for one that a client discloses.
import { invalidArgument, LedgerError, storedDataDamaged } from '../../base/errors.ts'
import { type ContractBlob, decodeContractBlob } from '../../lf/codec/contract-blob.ts'
import type { ValueHash } from '../../lf/codec/hash.ts'
import type { ProtobufCodec } from '../../lf/codec/protobuf.ts'
import { ValueError } from '../../lf/codec/value-error.ts'
import type { Identifier } from '../../lf/syntax/ast.ts'
import { fullName, isSameIdentifier } from '../../lf/syntax/names.ts'
import type { Packages } from '../../lf/values/data-types.ts'
import type { LfRecord } from '../../lf/values/values.ts'
import type { TemplateCode } from '../code/code.ts'
import type { KeyPosition, KnownContract, LedgerReader } from '../ledger-access.ts'
import { saltFrom } from '../transaction/authentication-data.ts'
import { type StoredContract, typeOfTemplate } from '../transaction/contracts.ts'
import type { ContractKey } from '../transaction/nodes.ts'
import { authenticateContract } from '../transaction/suffix.ts'

export type ContractSource = {
  /** Undefined when no such contract is active. */
  contract(id: string): KnownContract | undefined
  /**
   * The contracts with the key: those that the request discloses in its order, then the active ones of the ledger, newest first,
   * which is asked for more as they are iterated.
   */
  withKey(hash: string): Iterable<KnownContract>
  /** Requests the newest contracts of a key before they are needed. */
  prefetchKey(hash: string): void
}

type Given = {
  /** The contracts of the request; they are used first. */
  readonly contracts: readonly KnownContract[]
  /** Likely to be used: requested together with the first that is, because each question costs a round trip. */
  readonly mentioned: () => Iterable<string>
  readonly ledger: LedgerReader
}

/** Maximum number of ids in one question. */
const idsMax = 1_000

/** What the ledger has returned for a key so far. */
type OfKey = { readonly contracts: KnownContract[]; before: KeyPosition | undefined; isComplete: boolean }

/** The ledger as one request sees it: each contract and each page of a key's contracts is requested once. */
export function createContractSource({ contracts, mentioned, ledger }: Given): ContractSource {
  const known = new Map<string, KnownContract | undefined>(contracts.map((contract) => [contract.id, contract]))
  const byKey = new Map<string, OfKey>()
  const disclosed = contracts.filter(({ isDisclosed }) => isDisclosed === true)
  const disclosedIds = new Set(disclosed.map(({ id }) => id))
  let isFirst = true

  function ask(id: string): void {
    const ids = new Set([id])
    if (isFirst) {
      for (const other of mentioned()) {
        if (ids.size >= idsMax) break
        if (!known.has(other)) ids.add(other)
      }
    }
    isFirst = false
    known.set(id, undefined) // The answer may leave out some of the others: they are requested when they are used.
    for (const contract of ledger.contracts([...ids])) known.set(contract.id, contract)
  }

  function ofKey(hash: string): OfKey {
    let found = byKey.get(hash)
    if (found === undefined) {
      const ofRequest = disclosed.filter(({ blob }) => keyHashOf(blob) === hash)
      found = { contracts: ofRequest, before: undefined, isComplete: false }
      byKey.set(hash, found)
    }
    return found
  }

  function askForMore(hash: string, found: OfKey): void {
    const { contracts, before } = ledger.contractsWithKey(hash, found.before)
    for (const contract of contracts) {
      if (disclosedIds.has(contract.id)) continue
      const first = known.get(contract.id) ?? contract
      known.set(contract.id, first)
      found.contracts.push(first)
    }
    found.before = before
    found.isComplete = before === undefined
  }

  return {
    contract(id) {
      if (!known.has(id)) ask(id)
      return known.get(id)
    },

    *withKey(hash) {
      const found = ofKey(hash)
      for (let index = 0; ; index += 1) {
        while (index >= found.contracts.length) {
          if (found.isComplete) return
          askForMore(hash, found)
        }
        yield found.contracts[index]!
      }
    },

    prefetchKey(hash) {
      const found = ofKey(hash)
      if (found.contracts.length === 0 && !found.isComplete) askForMore(hash, found)
    },
  }
}

function keyHashOf(blob: Uint8Array): string | undefined {
  const { key } = decodeContractBlob(blob)
  return key && Buffer.from(key.hash).toString('hex')
}

type Parts = {
  readonly packages: Packages
  readonly protobuf: ProtobufCodec
  readonly hash: ValueHash
}

export type ContractLookUp = {
  lookUpContract(id: string): StoredContract | undefined
  lookUpKey(key: ContractKey): Iterable<StoredContract>
  isAuthentic(contract: StoredContract, argument: LfRecord, template: TemplateCode): boolean
}

/** The source as the engine uses it; contracts are decoded at their first use. */
export function createLookUp(source: ContractSource, parts: Parts): ContractLookUp {
  function stored(known: KnownContract): StoredContract {
    try {
      const blob = decodeContractBlob(known.blob)
      if (blob.contractId.text !== known.id) throw differs(known)
      const contract = contractFrom(blob, known.isDisclosed ?? false, parts)
      // A contract of ours is what its id commits to, or the disk has changed it: then nothing of it is used.
      if (known.isDisclosed !== true && !isAuthenticAs(contract, contract.templateId, contract.argument)) {
        throw damaged(known.id)
      }
      return contract
    } catch (error) {
      if (!(error instanceof ValueError)) throw error
      if (known.isDisclosed !== true) throw damaged(known.id)
      throw invalidArgument(`Unable to decode disclosed contract event payload: DecodeError(${error.reason})`)
    }
  }

  function isAuthenticAs(contract: ReadContract, templateId: Identifier, argument: LfRecord): boolean {
    const { authenticationData, createdAt = 0 } = contract.blob
    const salt = saltFrom(authenticationData)
    if (salt === undefined) return false
    const contractHash = hashOf(contract, templateId, argument)
    return authenticateContract(contract.id, { ...contract, salt, createdAt, contractHash })
  }

  function hashOf({ packageName }: StoredContract, templateId: Identifier, value: LfRecord): string {
    return parts.hash.contractHash({ packageName, templateId, type: typeOfTemplate(templateId), value })
  }

  return {
    lookUpContract(id) {
      const known = source.contract(id)
      return known && stored(known)
    },

    *lookUpKey({ hash }) {
      for (const contract of source.withKey(hash)) yield stored(contract)
    },

    /** Our contracts were checked when they were read; only another version of their template needs a new check. */
    isAuthentic(contract, argument, template) {
      if (contract.isDisclosed !== true && isSameIdentifier(contract.templateId, template.id)) return true
      if (isRead(contract)) return isAuthenticAs(contract, template.id, argument)
      // Without a blob, the contract is of this transaction, and its id commits to nothing yet.
      return hashOf(contract, template.id, argument) === hashOf(contract, contract.templateId, contract.argument)
    },
  }
}

/** A contract with the blob it was read from. */
type ReadContract = StoredContract & { readonly blob: ContractBlob }

function isRead(contract: StoredContract): contract is ReadContract {
  return 'blob' in contract
}

function contractFrom(blob: ContractBlob, isDisclosed: boolean, { packages, protobuf }: Parts): ReadContract {
  const { templateId, packageName, signatories, stakeholders } = blob
  const template = packages.get(templateId.packageId)?.modules.get(templateId.module)?.templates.get(templateId.name)
  // The ledger keeps the packages of its contracts, so one of ours names its template wrongly only if the disk has changed it.
  if (template === undefined) throw isDisclosed ? templateNotFound(templateId) : damaged(blob.contractId.text)
  return {
    id: blob.contractId.text,
    templateId,
    packageName,
    argument: protobuf.decode(blob.createArgument, typeOfTemplate(templateId)) as LfRecord,
    signatories,
    stakeholders,
    key:
      blob.key === undefined || template.key === undefined
        ? undefined
        : {
            type: template.key.type,
            value: protobuf.decode(blob.key.value, template.key.type),
            hash: Buffer.from(blob.key.hash).toString('hex'),
            maintainers: blob.key.maintainers,
          },
    isDisclosed,
    createdAt: blob.createdAt,
    blob,
  }
}

function differs({ id, isDisclosed }: KnownContract): Error {
  return isDisclosed ? new Error(`the contract ${id} says that it is another`) : damaged(id)
}

function damaged(id: string): LedgerError {
  return storedDataDamaged(`the contract ${id} is not what its id commits to`)
}

function templateNotFound(id: Identifier): LedgerError {
  const text = `Couldn't find package ${id.packageId} while looking for template ${fullName(id)}`
  return new LedgerError('PACKAGE_NOT_FOUND', text, { resources: [['PACKAGE', id.packageId]] })
}
