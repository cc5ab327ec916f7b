// /api/validator/v0/allocations: Amulet that a user sets aside for a settlement.
import type { Json } from '../ledger/participant.ts'
import { templates } from '../ledger/templates.ts'
import { allocationContext, allocationFactory } from '../registry/allocations.ts'
import { checkFields } from '../serving/request-fields.ts'
import type { Route, ValidatorContext } from '../serving/route.ts'
import { withdrawAllocation } from '../tokens/wallet-steps.ts'
import { inOrder } from './allocation-requests.ts'
import { inputsOf, recentTime } from './token-transfers.ts'
import { exerciseWallet, noMetadata, spendInTurn, timeFromMicros } from './wallet-choices.ts'
import { type WalletContext, walletRoute } from './wallet-route.ts'

export const allocationRoutes: readonly Route<ValidatorContext>[] = [
  walletRoute('POST v0/allocations', 'allocateAmulet', (context, { body }) =>
    spendInTurn(context, () => allocate(context, body)),
  ),
  walletRoute('GET v0/allocations', 'listAmuletAllocations', async ({ validator, party }) => {
    const { participant } = validator
    const contracts = [
      ...(await participant.contracts(templates.amuletAllocationV2, [party])),
      ...(await participant.contracts(templates.amuletAllocation, [party])),
    ]
    return { allocations: inOrder(contracts) }
  }),
  walletRoute('POST v0/allocations/{cid}/withdraw', 'withdrawAmuletAllocation', async (context, { params }) => {
    const own = await withdrawAllocation(context.validator.participant, context.party, params.cid!)
    if (own !== undefined) return withdrawn(own)
    const { choiceContextData, disclosedContracts } = await allocationContext(context, params.cid!, false, brief)
    const result = await exerciseWallet(
      context,
      'WalletAppInstall_Allocation_Withdraw',
      {
        allocationCid: params.cid,
        withdrawArg: { extraArgs: { context: choiceContextData, meta: noMetadata } },
      },
      { disclosed: disclosedContracts },
    )
    return withdrawn(result)
  }),
]

/** Contexts without the fields for people. */
const brief = { excludeDebugFields: true }

function withdrawn({ senderHoldingCids, meta }: Json): object {
  return { sender_holding_cids: senderHoldingCids, meta: meta.values }
}

function checkAllocation(body: Json): void {
  checkFields(body, { required: { settlement: 'Object', transfer_leg_id: 'String', transfer_leg: 'Object' } })
  const times = { requested_at: 'Long', allocate_before: 'Long', settle_before: 'Long' } as const
  const required = { executor: 'String', settlement_ref: 'Object', ...times } as const
  checkFields(body.settlement, { required, texts: ['meta'] }, 'settlement')
  checkReference(body.settlement)
  const leg = { receiver: 'String', amount: 'String' } as const
  checkFields(body.transfer_leg, { required: leg, texts: ['meta'] }, 'transfer_leg')
}

/** By which a settlement is known. */
export function checkReference({ settlement_ref: reference }: Json): void {
  const fields = { required: { id: 'String' }, optional: { cid: 'String' } } as const
  checkFields(reference, fields, 'settlement_ref', 'settlement')
}

async function allocate(context: WalletContext, body: Json): Promise<object> {
  checkAllocation(body)
  const { settlement, transfer_leg_id: transferLegId, transfer_leg: leg } = body
  const { network, party: sender } = context
  const { factoryId, choiceContext } = await allocationFactory(context, brief)
  const { id, cid } = settlement.settlement_ref
  const allocation = {
    settlement: {
      executor: settlement.executor,
      settlementRef: { id, ...(cid && { cid }) },
      requestedAt: timeFromMicros(settlement.requested_at),
      allocateBefore: timeFromMicros(settlement.allocate_before),
      settleBefore: timeFromMicros(settlement.settle_before),
      meta: { values: settlement.meta ?? {} },
    },
    transferLegId,
    transferLeg: {
      sender,
      receiver: leg.receiver,
      amount: leg.amount,
      instrumentId: { admin: network.dso, id: 'Amulet' },
      meta: { values: leg.meta ?? {} },
    },
  }
  const result = await exerciseWallet(
    context,
    'WalletAppInstall_AllocationFactory_Allocate',
    {
      allocationFactory: factoryId,
      allocateArg: {
        expectedAdmin: network.dso,
        allocation,
        requestedAt: await recentTime(context),
        inputHoldingCids: await inputsOf(context),
        extraArgs: { context: choiceContext.choiceContextData, meta: noMetadata },
      },
    },
    { disclosed: choiceContext.disclosedContracts },
  )
  const { output, senderChangeCids, meta } = result
  return { output: outputOf(output), sender_change_cids: senderChangeCids, meta: meta.values }
}

export function outputOf({ tag, value }: Json): object {
  if (tag === 'AllocationInstructionResult_Completed') return { allocation_cid: value.allocationCid }
  if (tag === 'AllocationInstructionResult_Pending')
    return { allocation_instruction_cid: value.allocationInstructionCid }
  return {}
}
