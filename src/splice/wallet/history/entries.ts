// The entries of a wallet's history, and what is done with several of them that one transaction made.

export type PartyAmount = {
  readonly party: string
  /** In the smallest unit. */
  readonly units: bigint
}

/** The choice for which an entry stands. */
export type Subtype = {
  readonly templateId: string
  readonly choice: string
  readonly interfaceId?: string | undefined
}

type EntryHead = {
  /** Of the event for which it stands; where clients go on reading. */
  readonly eventId: string
  readonly subtype: Subtype
  readonly date: string
}

/** What a transfer used besides Amulet, in decimals. */
export type TransferCosts = {
  readonly holdingFees?: string | undefined
  readonly appRewards?: string | undefined
  readonly validatorRewards?: string | undefined
  readonly svRewards?: string | undefined
  readonly developmentFund?: string | undefined
}

export type TransferEntry = EntryHead & {
  readonly type: 'transfer'
  /** With the change of its balance. */
  readonly sender: PartyAmount
  readonly receivers: readonly PartyAmount[]
  readonly costs: TransferCosts
  readonly description?: string | undefined
  readonly instructionReceiver?: string | undefined
  readonly instructionAmount?: string | undefined
  readonly instructionCid?: string | undefined
}

/** A change that is no transfer, such as a tap or the end of a lock. */
export type BalanceEntry = EntryHead & {
  readonly type: 'balance_change'
  readonly receiver: PartyAmount
  readonly instructionCid?: string | undefined
}

export type NotificationEntry = EntryHead & { readonly type: 'notification'; readonly details: string }

/** For a transaction that moves Amulet in a way that we do not know. */
export type UnknownEntry = EntryHead & { readonly type: 'unknown' }

export type Entry = TransferEntry | BalanceEntry | NotificationEntry | UnknownEntry

export const isTransfer = (entry: Entry): entry is TransferEntry => entry.type === 'transfer'
export const isBalance = (entry: Entry): entry is BalanceEntry => entry.type === 'balance_change'

/** The transfers among them, changed. */
export function changeTransfers(entries: readonly Entry[], change: Partial<TransferEntry>): Entry[] {
  return entries.map((entry) => (isTransfer(entry) ? { ...entry, ...change } : entry))
}

/** One transfer that contains the changes of balances around it: Amulet that was unlocked to be sent was never there to be spent. */
export function mergeIntoTransfer(entries: readonly Entry[], change: Partial<TransferEntry>): Entry[] {
  if (entries.filter(isTransfer).length !== 1) throw new Error('one transfer was expected')
  const changes = new Map<string, bigint>()
  for (const { receiver } of entries.filter(isBalance)) {
    changes.set(receiver.party, (changes.get(receiver.party) ?? 0n) + receiver.units)
  }
  const net = ({ party, units }: PartyAmount) => ({ party, units: units + (changes.get(party) ?? 0n) })
  return entries
    .filter((entry) => !isBalance(entry))
    .map((entry) =>
      isTransfer(entry)
        ? { ...entry, ...change, sender: net(entry.sender), receivers: entry.receivers.map(net) }
        : entry,
    )
}

/** What concerns the party. */
export function entriesFor(party: string, entries: readonly Entry[]): Entry[] {
  return entries.filter((entry) => {
    if (isTransfer(entry)) return [entry.sender, ...entry.receivers].some((one) => one.party === party)
    return !isBalance(entry) || entry.receiver.party === party
  })
}
