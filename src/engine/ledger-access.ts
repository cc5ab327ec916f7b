// What evaluation asks the ledger for while it runs. In the process the ledger answers at once (LedgerReader); a thread
// of the pool puts its questions to the main thread, where the ledger may take its time (LedgerAccess).

/** A contract is what `createdEventBlob` holds: bytes that say all about it. */
export type KnownContract = {
  readonly id: string
  readonly blob: Uint8Array
  /** Given with the command, which shows it to whoever submits; its id must commit to it. */
  readonly isDisclosed?: boolean
}

/** Some of the active contracts with a key, newest first: as many as one answer should hold. */
export type ContractsOfKey = {
  readonly contracts: readonly KnownContract[]
  /** Where older ones begin; undefined when there are none. */
  readonly before?: bigint | undefined
}

export type LedgerReader = {
  package(id: string): Uint8Array | undefined
  contracts(ids: readonly string[]): readonly KnownContract[]
  contractsWithKey(hash: string, before?: bigint): ContractsOfKey
}

/** Whatever it throws ends the request that asked. */
export type LedgerAccess = {
  /** The dalf of a package. */
  package(id: string): Uint8Array | undefined | Promise<Uint8Array | undefined>
  /** The first of them, if it is active; and as many of the others as one answer should hold. */
  contracts(ids: readonly string[]): readonly KnownContract[] | Promise<readonly KnownContract[]>
  /** The newest active contracts with the key, or the newest of those before a place. */
  contractsWithKey(hash: string, before?: bigint): ContractsOfKey | Promise<ContractsOfKey>
}

/** A question as it crosses threads. */
export type Question =
  | { readonly about: 'package'; readonly id: string }
  | { readonly about: 'contracts'; readonly ids: readonly string[] }
  | { readonly about: 'key'; readonly hash: string; readonly before: bigint | undefined }

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

/** Bytes to send to another thread: a view of more would be copied with all of it. */
export function alone(bytes: Uint8Array): Uint8Array {
  return bytes.byteLength === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes)
}
