// A model of what the users of a localnet must have, by the answers that they got. Amounts are in units of Daml's decimals.

/** Who has what: free, and locked for something that is under way. */
export type Holding = { free: bigint; locked: bigint }

/** Amulet that is locked until its receiver or its sender decides. */
export type Locked = {
  readonly kind: 'transfer' | 'allocation'
  readonly contractId: string
  readonly sender: string
  readonly receiver: string
  readonly units: bigint
}

/** What was asked for without an answer: the process died first. */
export type Unanswered = {
  /** Known by its command, or by the contract that it consumes. */
  readonly commandId?: string
  readonly consumed?: string
  /** Or it locks Amulet, in a contract whose id was lost with the answer. */
  readonly lock?: Omit<Locked, 'contractId'>
  /** The participant of who asked. */
  readonly sender: 'app-user' | 'app-provider'
  /** What has to be noted if it was done. */
  note(): void
}

export type Model = {
  readonly holdings: ReadonlyMap<string, Holding>
  readonly locked: Map<string, Locked>
  readonly unanswered: Unanswered[]
  /** Done, by number of kind. */
  readonly counts: Map<string, number>
  tapped(user: string, units: bigint): void
  sent(sender: string, receiver: string, units: bigint): void
  lock(lock: Locked): void
  /** To the receiver, or back. */
  unlock(contractId: string, isToReceiver: boolean): void
}

export function createModel(users: readonly string[]): Model {
  const holdings = new Map(users.map((user) => [user, { free: 0n, locked: 0n }]))
  const locked = new Map<string, Locked>()
  const counts = new Map<string, number>()
  const of = (user: string) => holdings.get(user)!
  const count = (kind: string) => void counts.set(kind, (counts.get(kind) ?? 0) + 1)
  return {
    holdings,
    locked,
    unanswered: [],
    counts,
    tapped(user, units) {
      count('taps')
      of(user).free += units
    },
    sent(sender, receiver, units) {
      count('transfers')
      of(sender).free -= units
      of(receiver).free += units
    },
    lock(lock) {
      count('locks')
      of(lock.sender).free -= lock.units
      of(lock.sender).locked += lock.units
      locked.set(lock.contractId, lock)
    },
    unlock(contractId, isToReceiver) {
      count('unlocks')
      const { sender, receiver, units } = locked.get(contractId)!
      locked.delete(contractId)
      of(sender).locked -= units
      of(isToReceiver ? receiver : sender).free += units
    },
  }
}
