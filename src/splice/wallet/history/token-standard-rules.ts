// What the choices of the token standard mean for a wallet's history: transfers in one step or two, allocations and settlements.
import type { EventNode } from '../../ledger/event-tree.ts'
import type { Json } from '../../ledger/participant.ts'
import { type Entry, entriesFor, isBalance, isTransfer, mergeIntoTransfer } from './entries.ts'
import type { Reading, Rule } from './reading.ts'
import { balanceEntry, choiceOf, reasonKey, subtypeOf, transferByRules, transferEntry, unitsOf } from './rule-parts.ts'

const senderKey = 'splice.lfdecentralizedtrust.org/sender'

/** Package ids of the token standard never change. */
const transferPackage = '55ba4deb0ad4662c4168b39859738a0e91388d252286480c7331b3f71a517281'

/** Under which every first step of a transfer goes, also by version 2 of the standard. */
const transferFactory = choiceOf(
  'Splice.ExternalPartyAmuletRules:ExternalPartyAmuletRules',
  'TransferFactory_Transfer',
  `${transferPackage}:Splice.Api.Token.TransferInstructionV1:TransferFactory`,
)

/** A party in version 1; in version 2 an account, which belongs to the admin of the instrument if to nobody else. */
function ownerOf(account: Json, admin: string): string {
  return typeof account === 'string' ? account : (account.owner ?? admin)
}

/** Both steps account for all that is inside, unless that is a transfer by the rules. */
function withTransfer(node: EventNode, reading: Reading, makeEntry: () => Entry): Entry[] {
  const inside = reading.entriesInside(node, true)
  return inside.some(isTransfer) ? inside : [...inside, makeEntry()]
}

export const transferByFactory: Rule = (node, reading) => {
  const { transfer } = node.event.choiceArgument
  const { tag, value } = node.event.exerciseResult.output
  const { admin } = transfer.instrumentId
  const sender = ownerOf(transfer.sender, admin)
  const common = { eventId: reading.eventId(node), description: transfer.meta.values[reasonKey] }
  if (tag === 'TransferInstructionResult_Pending') {
    const units = -unitsOf(transfer.amount)
    const entries = withTransfer(node, reading, () =>
      transferEntry(node, reading, { sender: { party: sender, units }, receivers: [] }),
    )
    return mergeIntoTransfer(entries, {
      ...common,
      subtype: subtypeOf(node, transferFactory),
      instructionReceiver: ownerOf(transfer.receiver, admin),
      instructionAmount: transfer.amount,
      instructionCid: value.transferInstructionCid,
    })
  }
  if (tag !== 'TransferInstructionResult_Completed') return reading.entriesInside(node)
  // To oneself there is no transfer inside, and no change of the balance.
  const entries = withTransfer(node, reading, () =>
    transferEntry(node, reading, { sender: { party: sender, units: 0n }, receivers: [] }),
  )
  return mergeIntoTransfer(entries, { ...common, subtype: subtypeOf(node, transferByRules) })
}

/** From the Amulet that the receiver got. */
function completedTransfer(node: EventNode, reading: Reading, receiverHoldings: readonly string[]): Entry {
  const { owner, amount } = reading.created(receiverHoldings[0]!)
  const units = unitsOf(amount.initialAmount)
  const sender = node.event.exerciseResult.meta.values[senderKey]
  return transferEntry(node, reading, {
    subtype: subtypeOf(node, transferByRules),
    sender: { party: sender, units: -units },
    receivers: [{ party: owner, units }],
  })
}

export const acceptTransfer: Rule = (node, reading) => {
  const { value } = node.event.exerciseResult.output
  const entries = withTransfer(node, reading, () => completedTransfer(node, reading, value.receiverHoldingCids))
  return mergeIntoTransfer(entries, {
    subtype: subtypeOf(node),
    eventId: reading.eventId(node),
    instructionCid: node.event.contractId,
  })
}

/** Rejected or withdrawn: the sender has its Amulet again; for the receiver nothing changes. */
export const endTransfer: Rule = (node, reading) => {
  const { party } = reading
  const inside = reading.entriesInside(node)
  const isConcerned = entriesFor(party, inside).length > 0
  const entries = isConcerned ? inside : [balanceEntry(node, reading, { party, units: 0n })]
  const change = { subtype: subtypeOf(node), eventId: reading.eventId(node), instructionCid: node.event.contractId }
  return entries.map((entry) => (isBalance(entry) ? { ...entry, ...change } : entry))
}

/** For the receiver, who does not see the choice of the factory: nothing has moved yet. */
export const receivedInstruction: Rule = (node, reading) => {
  const { transfer } = node.event.createArgument
  const { sender, receiver, amount } = transfer
  if (receiver !== reading.party) return []
  return [
    transferEntry(node, reading, {
      subtype: subtypeOf(node, transferFactory),
      sender: { party: sender, units: 0n },
      receivers: [{ party: receiver, units: 0n }],
      description: transfer.meta.values[reasonKey],
      instructionReceiver: receiver,
      instructionAmount: amount,
      instructionCid: node.event.contractId,
    }),
  ]
}

/** In version 2, the settlement has all of it. */
export const allocate: Rule = (node, reading) => {
  const leg = node.event.choiceArgument.allocation.transferLeg
  if (leg === undefined) return []
  return withTransfer(node, reading, () =>
    transferEntry(node, reading, {
      subtype: subtypeOf(node, transferByRules),
      sender: { party: leg.sender, units: -unitsOf(leg.amount) },
      receivers: [],
    }),
  )
}

export const executeAllocation: Rule = (node, reading) =>
  withTransfer(node, reading, () => completedTransfer(node, reading, node.event.exerciseResult.receiverHoldingCids))

/** One for each leg, with the leg in its id. */
export const settleBatch: Rule = (node, reading) =>
  node.event.choiceArgument.transferLegs
    .filter(({ instrumentId }: Json) => instrumentId === 'Amulet')
    .map(({ transferLegId, sender, receiver, amount }: Json) =>
      transferEntry(node, reading, {
        eventId: `${reading.eventId(node)}:${transferLegId}`,
        subtype: subtypeOf(node, transferByRules),
        sender: { party: sender.owner, units: -unitsOf(amount) },
        receivers: [{ party: receiver.owner, units: unitsOf(amount) }],
      }),
    )
