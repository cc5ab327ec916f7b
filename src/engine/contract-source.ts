// Where an interpretation finds the ledger's contracts. A contract is what `createdEventBlob` holds: bytes that say all
// about it, the same for a contract of ours and for one that a client discloses. Today they come with the request; a
// source that reads a database implements the same two functions.
import { invalidArgument, LedgerError } from '../base/errors.ts'
import type { Identifier, Package, Type } from '../lf/ast.ts'
import { type ContractBlob, decodeContractBlob } from '../lf/codec/contract-blob.ts'
import type { ValueHash } from '../lf/codec/hash.ts'
import type { ProtobufCodec } from '../lf/codec/protobuf.ts'
import { ValueError } from '../lf/codec/value-error.ts'
import type { LfRecord } from '../lf/values.ts'
import { saltFrom } from './authentication-data.ts'
import type { TemplateCode } from './code.ts'
import type { StoredContract } from './contracts.ts'
import { identifierKey, isSameIdentifier } from './identifier.ts'
import type { ContractKey } from './nodes.ts'
import { authenticateContract } from './suffix.ts'

export type KnownContract = {
  readonly id: string
  readonly blob: Uint8Array
  /** Given with the command, which shows it to whoever submits; its id must commit to it. */
  readonly isDisclosed?: boolean
}

export type ContractSource = {
  /** Undefined when the source cannot tell. */
  contract(id: string): KnownContract | 'absent' | undefined
  /** All active contracts with the key, in the ledger's order; undefined when the source cannot tell. */
  withKey(hash: string): readonly KnownContract[] | undefined
}

/** What a request brings along. Whatever it does not name is unknown, and ends the run with what is missing. */
export type GivenContracts = {
  readonly contracts: readonly KnownContract[]
  /** Ids that were looked for: no such contract is active. */
  readonly absent: readonly string[]
  /** Keys that were looked for, by hash: all their contracts, which are among `contracts`. */
  readonly keys: readonly { readonly hash: string; readonly contractIds: readonly string[] }[]
}

export function givenContracts({ contracts, absent, keys }: GivenContracts): ContractSource {
  const known = new Map(contracts.map((contract) => [contract.id, contract]))
  const gone = new Set(absent)
  const byKey = new Map(keys.map(({ hash, contractIds }) => [hash, contractIds]))
  return {
    contract: (id) => known.get(id) ?? (gone.has(id) ? 'absent' : undefined),
    withKey: (hash) =>
      byKey.get(hash)?.map((id) => {
        const contract = known.get(id)
        if (contract === undefined) throw new Error(`the request names ${id} for a key without bringing it`)
        return contract
      }),
  }
}

/** A run that needs what its source cannot tell. No Daml code catches it. */
export class MissingContracts extends Error {
  readonly contractIds: readonly string[]
  readonly keys: readonly string[]

  constructor({ contractIds = [], keys = [] }: { contractIds?: readonly string[]; keys?: readonly string[] }) {
    super('contracts are missing')
    this.contractIds = contractIds
    this.keys = keys
  }
}

type Parts = {
  readonly packages: ReadonlyMap<string, Package>
  readonly protobuf: ProtobufCodec
  readonly hash: ValueHash
}

export type ContractLookUp = {
  lookUpContract(id: string): StoredContract | undefined
  lookUpKey(key: ContractKey): Iterable<StoredContract>
  isAuthentic(contract: StoredContract, argument: LfRecord, template: TemplateCode): boolean
}

/** The source as the engine asks it; contracts are decoded when they are first used. */
export function createLookUp(source: ContractSource, parts: Parts): ContractLookUp {
  const blobs = new WeakMap<StoredContract, ContractBlob>()

  function stored(known: KnownContract): StoredContract {
    try {
      const blob = decodeContractBlob(known.blob)
      if (blob.contractId.text !== known.id) throw new Error(`the contract ${known.id} says that it is another`)
      const contract = contractFrom(blob, known.isDisclosed ?? false, parts)
      blobs.set(contract, blob)
      return contract
    } catch (error) {
      if (!(error instanceof ValueError)) throw error
      if (known.isDisclosed !== true) throw new Error(`the contract ${known.id} cannot be read`, { cause: error })
      throw invalidArgument(`Unable to decode disclosed contract event payload: ${error.message}`)
    }
  }

  return {
    lookUpContract(id) {
      const known = source.contract(id)
      if (known === undefined) throw new MissingContracts({ contractIds: [id] })
      return known === 'absent' ? undefined : stored(known)
    },

    lookUpKey({ hash }) {
      const found = source.withKey(hash)
      if (found === undefined) throw new MissingContracts({ keys: [hash] })
      return found.values().map(stored)
    },

    /** Ours were authentic when they were created, and are again asked only by another version of their template. */
    isAuthentic(contract, argument, template) {
      if (contract.isDisclosed !== true && isSameIdentifier(contract.templateId, template.id)) return true
      const { authenticationData, createdAt = 0 } = blobs.get(contract)!
      const salt = saltFrom(authenticationData)
      if (salt === undefined) return false
      const type: Type = { kind: 'constructor', id: template.id, args: [] }
      const hashed = { packageName: contract.packageName, templateId: template.id, type, value: argument }
      const contractHash = parts.hash.contractHash(hashed)
      return authenticateContract(contract.id, { ...contract, salt, createdAt, contractHash })
    },
  }
}

function contractFrom(blob: ContractBlob, isDisclosed: boolean, { packages, protobuf }: Parts): StoredContract {
  const { templateId, packageName, signatories, stakeholders } = blob
  const template = packages.get(templateId.packageId)?.modules.get(templateId.module)?.templates.get(templateId.name)
  if (template === undefined) throw templateNotFound(templateId)
  const type: Type = { kind: 'constructor', id: templateId, args: [] }
  return {
    id: blob.contractId.text,
    templateId,
    packageName,
    argument: protobuf.decode(blob.createArgument, type) as LfRecord,
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
  }
}

function templateNotFound(id: Identifier): LedgerError {
  const text = `Couldn't find package ${id.packageId} while looking for template ${identifierKey(id)}`
  return new LedgerError('PACKAGE_NOT_FOUND', text, { resources: [['PACKAGE', id.packageId]] })
}
