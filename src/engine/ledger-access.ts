// What evaluation asks the ledger for while it runs. In process the ledger answers at once (LedgerReader); a pool
// thread asks the main thread, where the ledger may answer later (LedgerAccess).

/** A contract as `createdEventBlob` holds it: bytes that say all about it. */
export type KnownContract = {
  readonly id: string
  readonly blob: Uint8Array
  /** Given with the command, so the submitters may see it; its id must commit to it. */
  readonly isDisclosed?: boolean
}

/** A page of the active contracts with a key, newest first. */
export type ContractsOfKey = {
  readonly contracts: readonly KnownContract[]
  /** Where the next page begins; undefined after the last. */
  readonly before?: KeyPosition | undefined
}

/** A place among the contracts of a key: when the key got the contract, and its number. */
export type KeyPosition = { readonly since: bigint; readonly number: bigint }

export type LedgerReader = {
  package(id: string): Uint8Array | undefined
  contracts(ids: readonly string[]): readonly KnownContract[]
  contractsWithKey(hash: string, before?: KeyPosition): ContractsOfKey
}

/** An error that it throws ends the request whose question it was. */
export type LedgerAccess = {
  /** The dalf of a package. */
  package(id: string): Uint8Array | undefined | Promise<Uint8Array | undefined>
  /** The first of them, if it is active, and as many of the others as fit in one answer. */
  contracts(ids: readonly string[]): readonly KnownContract[] | Promise<readonly KnownContract[]>
  /** The newest active contracts with the key, or the newest of those before a position. */
  contractsWithKey(hash: string, before?: KeyPosition): ContractsOfKey | Promise<ContractsOfKey>
}

/** A question as it crosses threads. */
export type Question =
  | { readonly about: 'package'; readonly id: string }
  | { readonly about: 'contracts'; readonly ids: readonly string[] }
  | { readonly about: 'key'; readonly hash: string; readonly before: KeyPosition | undefined }

export type Found = Uint8Array | undefined | readonly KnownContract[] | ContractsOfKey

export async function lookUp(question: Question, ledger: LedgerAccess): Promise<Found> {
  switch (question.about) {
    case 'package': {
      const dalf = await ledger.package(question.id)
      return dalf && alone(dalf)
    }
    case 'contracts':
      return (await ledger.contracts(question.ids)).map(contractAlone)
    case 'key': {
      const { contracts, before } = await ledger.contractsWithKey(question.hash, question.before)
      return { contracts: contracts.map(contractAlone), before }
    }
  }
}

export function contractAlone(contract: KnownContract): KnownContract {
  return { ...contract, blob: alone(contract.blob) }
}

/** Bytes to send to another thread: sending a view would copy its whole buffer. */
export function alone(bytes: Uint8Array): Uint8Array {
  return bytes.byteLength === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes)
}
