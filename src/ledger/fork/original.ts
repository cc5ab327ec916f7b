// What a fork takes from the participant that it is made from, its original.

export type OriginalSynchronizer = { readonly alias: string; readonly id: string }

export type OriginalVetting = {
  readonly synchronizerId: string
  readonly packages: readonly {
    readonly packageId: string
    /** Microseconds since 1970. */
    readonly validFrom: bigint | undefined
    readonly validUntil: bigint | undefined
  }[]
}

export type OriginalContract = {
  readonly contractId: string
  readonly templateId: string
  readonly packageName: string
  readonly offset: number
  readonly nodeId: number
  /** JSON text, as the original writes it. */
  readonly createArgument: string
  readonly contractKey: string | undefined
  readonly blob: Uint8Array
  readonly synchronizerId: string
  readonly reassignmentCounter: number
}

export type Original = {
  /** Where it is, without credentials. */
  readonly from: string
  readonly participantId: string
  /** The offset at which it is read. */
  readonly offset: number
  /** Undefined for any party. */
  readonly parties: readonly string[] | undefined
  readonly synchronizers: readonly OriginalSynchronizer[]
  /** Ids of all parties that the participant knows. */
  knownParties(): Promise<readonly string[]>
  packageIds(): Promise<readonly string[]>
  /** The payload of the archive; the id is its hash. */
  packagePayload(id: string): Promise<Uint8Array>
  vettings(): Promise<readonly OriginalVetting[]>
  /** Active contracts at the offset, always in the same order; 'in transit' stands for one between synchronizers. */
  contracts(): AsyncIterable<OriginalContract | 'in transit'>
}
