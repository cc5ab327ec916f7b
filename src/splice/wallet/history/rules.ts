// What each choice of Splice's templates means for a wallet's history, as a table by the name of the choice.
import { type EventNode, findInside, isExercise } from '../../ledger/event-tree.ts'
import { templates } from '../../ledger/templates.ts'
import { type BalanceEntry, changeTransfers, mergeIntoTransfer } from './entries.ts'
import type { Rule, Rules } from './reading.ts'
import { balanceEntry, choiceOf, reasonKey, subtypeOf, transferByRules, transferEntry, unitsOf } from './rule-parts.ts'
import {
  acceptTransfer,
  allocate,
  endTransfer,
  executeAllocation,
  receivedInstruction,
  settleBatch,
  transferByFactory,
} from './token-standard-rules.ts'
import { costsOf, receiversOf, senderChange, senderOf } from './transfer-amounts.ts'

/** The transfer inside counts, under the name of this choice. */
const transferInside: Rule = (node, reading) =>
  changeTransfers(reading.entriesInside(node), { subtype: subtypeOf(node) })

/** The same, with the Amulet that was unlocked for it. */
const collection: Rule = (node, reading) => mergeIntoTransfer(reading.entriesInside(node), { subtype: subtypeOf(node) })

/** A choice whose result has the Amulet that it created for one party. */
const creation: Rule = (node, reading) => {
  const { amuletCid, amuletSum, amulet = amuletSum } = node.event.exerciseResult
  const { owner, amount } = reading.created(amuletCid ?? amulet.amulet)
  return [balanceEntry(node, reading, { party: owner, units: unitsOf(amount.initialAmount) })]
}

/** Amulet that was worth nothing any longer. */
const expiry: Rule = (node, reading) => [
  balanceEntry(node, reading, { party: node.event.exerciseResult.expireSum.owner, units: 0n }),
]

const transferOfRules: Rule = (node, reading) => {
  const { sender, outputs } = node.event.choiceArgument.transfer
  const { summary } = node.event.exerciseResult
  return [
    transferEntry(node, reading, {
      sender: senderOf(sender, outputs, summary),
      receivers: receiversOf(sender, outputs, summary),
      costs: costsOf(summary),
    }),
  ]
}

const preapprovedSend: Rule = (node, reading) =>
  changeTransfers(transferInside(node, reading), {
    description: node.event.exerciseResult.meta?.values[reasonKey],
  })

/** Without a transfer inside: there are no fees, and one output. */
const preapprovedSendV2: Rule = (node, reading) => {
  const { sender, amount, description } = node.event.choiceArgument
  const { summary } = node.event.exerciseResult.result
  const receiver = othersThan(sender, summary.balanceChanges)[0] ?? sender
  const outputs = [{ receiver, amount, receiverFeeRatio: '0' }]
  return [
    transferEntry(node, reading, {
      subtype: subtypeOf(node, choiceOf('Splice.AmuletRules:TransferPreapproval', 'TransferPreapproval_Send')),
      sender: senderOf(sender, outputs, summary),
      receivers: receiversOf(sender, outputs, summary),
      costs: costsOf(summary),
      description: description ?? undefined,
    }),
  ]
}

function othersThan(party: string, balanceChanges: readonly [party: string, change: unknown][]): string[] {
  return balanceChanges.map(([one]) => one).filter((one) => one !== party)
}

/** The sender's Amulet is burnt; the DSO, which gets nothing, is named as the receiver. */
const trafficPurchase: Rule = (node, reading) => {
  const { provider } = node.event.choiceArgument
  const { summary } = node.event.exerciseResult
  return [
    transferEntry(node, reading, {
      sender: { party: provider, units: senderChange(summary) },
      receivers: othersThan(provider, summary.balanceChanges).map((party) => ({ party, units: 0n })),
      costs: { ...costsOf(summary), svRewards: undefined },
    }),
  ]
}

/** What a validator pays for a preapproval. */
const preapprovalPurchase =
  (payerOf: (node: EventNode) => string, choice: string, entity = 'Splice.AmuletRules:AmuletRules'): Rule =>
  (node, reading) => {
    const { summary } = node.event.exerciseResult.transferResult
    return [
      transferEntry(node, reading, {
        subtype: subtypeOf(node, choiceOf(entity, choice)),
        sender: { party: payerOf(node), units: senderChange(summary) },
        receivers: [],
        costs: { ...costsOf(summary), svRewards: undefined },
      }),
    ]
  }

/** Names are paid to the DSO, which burns what it gets. */
const entryPayment =
  (collecting: string): Rule =>
  (node, reading) => {
    const collect = findInside(node, collecting)!
    const { owner, amount } = reading.created(collect.event.exerciseResult.amulet)
    const burnt: BalanceEntry = balanceEntry(node, reading, { party: owner, units: -unitsOf(amount.initialAmount) })
    const change = { subtype: subtypeOf(node), eventId: reading.eventId(node) }
    return mergeIntoTransfer([...reading.entriesOf(collect), burnt], change)
  }

/** A transfer that the batch makes itself merges Amulet and collects rewards; those of users are inside other choices. */
const walletBatch: Rule = (node, reading) =>
  node.children.flatMap((child) => {
    const entries = reading.entriesOf(child)
    return isExercise(child, transferByRules.choice) ? changeTransfers(entries, { subtype: subtypeOf(node) }) : entries
  })

const missedPayment: Rule = (node, reading) => [
  {
    type: 'notification',
    eventId: reading.eventId(node),
    subtype: subtypeOf(node),
    date: reading.date,
    details: `Expired by ${node.event.choiceArgument.actor} because the last subscription payment was missed`,
  },
]

export const historyRules: Rules = {
  choices: new Map<string, Rule>([
    ['WalletAppInstall_ExecuteBatch', walletBatch],
    ['AmuletRules_Transfer', transferOfRules],
    ['AmuletRules_DevNet_Tap', creation],
    ['AmuletRules_Mint', creation],
    ['AmuletRules_BuyMemberTraffic', trafficPurchase],
    [
      'AmuletRules_CreateExternalPartySetupProposal',
      preapprovalPurchase(({ event }) => event.exerciseResult.validator, 'AmuletRules_CreateTransferPreapproval'),
    ],
    [
      'AmuletRules_CreateTransferPreapproval',
      preapprovalPurchase(({ event }) => event.choiceArgument.provider, 'AmuletRules_CreateTransferPreapproval'),
    ],
    [
      'TransferPreapproval_Renew',
      preapprovalPurchase(
        ({ event }) => event.exerciseResult.provider,
        'TransferPreapproval_Renew',
        'Splice.AmuletRules:TransferPreapproval',
      ),
    ],
    ['TransferPreapproval_Send', preapprovedSend],
    ['TransferPreapproval_SendV2', preapprovedSendV2],
    ['AcceptedTransferOffer_Complete', transferInside],
    ['AppPaymentRequest_Accept', transferInside],
    ['SubscriptionRequest_AcceptAndMakePayment', transferInside],
    ['SubscriptionIdleState_MakePayment', transferInside],
    ['AcceptedAppPayment_Collect', collection],
    ['SubscriptionInitialPayment_Collect', collection],
    ['SubscriptionPayment_Collect', collection],
    ['AnsRules_CollectInitialEntryPayment', entryPayment('SubscriptionInitialPayment_Collect')],
    ['AnsRules_CollectEntryRenewalPayment', entryPayment('SubscriptionPayment_Collect')],
    ['AcceptedAppPayment_Reject', creation],
    ['AcceptedAppPayment_Expire', creation],
    ['SubscriptionInitialPayment_Reject', creation],
    ['SubscriptionInitialPayment_Expire', creation],
    ['SubscriptionPayment_Reject', creation],
    ['SubscriptionPayment_Expire', creation],
    ['SubscriptionIdleState_ExpireSubscription', missedPayment],
    ['LockedAmulet_Unlock', creation],
    ['LockedAmulet_UnlockV2', creation],
    ['LockedAmulet_OwnerExpireLock', creation],
    ['LockedAmulet_OwnerExpireLockV2', creation],
    ['LockedAmulet_ExpireAmulet', expiry],
    ['LockedAmulet_ExpireAmuletV2', expiry],
    ['Amulet_Expire', expiry],
    ['Amulet_ExpireV2', expiry],
    ['TransferFactory_Transfer', transferByFactory],
    ['TransferInstruction_Accept', acceptTransfer],
    ['TransferInstruction_Reject', endTransfer],
    ['TransferInstruction_Withdraw', endTransfer],
    ['AllocationFactory_Allocate', allocate],
    ['Allocation_ExecuteTransfer', executeAllocation],
    ['SettlementFactory_SettleBatch', settleBatch],
  ]),
  creations: new Map<string, Rule>([
    ['Splice.AmuletTransferInstruction:AmuletTransferInstruction', receivedInstruction],
  ]),
}

/** The templates whose events are read: those of the choices above, and of what the choices create. */
export const historyTemplates: readonly string[] = [
  templates.amuletRules,
  templates.externalPartyAmuletRules,
  templates.transferPreapproval,
  templates.amulet,
  templates.lockedAmulet,
  templates.amuletTransferInstruction,
  templates.amuletAllocation,
  templates.amuletAllocationV2,
  templates.ansRules,
  templates.walletAppInstall,
  templates.acceptedTransferOffer,
  templates.appPaymentRequest,
  templates.acceptedAppPayment,
  templates.subscriptionRequest,
  templates.subscriptionInitialPayment,
  templates.subscriptionIdleState,
  templates.subscriptionPayment,
]
