// /api/validator/v2/allocations: Amulet that a user sets aside for a settlement, by version 2 of the token standard.
import type { Json } from '../ledger/participant.ts'
import { allocationContextV2, allocationFactoryV2 } from '../registry/allocations.ts'
import { checkFields } from '../serving/request-fields.ts'
import { badRequest, type Route, type ValidatorContext } from '../serving/route.ts'
import { checkReference, outputOf } from './allocations.ts'
import { basicAccount, inputsOf, recentTime } from './token-transfers.ts'
import { exerciseWallet, noMetadata, spendInTurn, timeFromMicros } from './wallet-choices.ts'
import { type WalletContext, walletRoute } from './wallet-route.ts'

export const allocationV2Routes: readonly Route<ValidatorContext>[] = [
  walletRoute('POST v2/allocations', 'allocateAmuletV2', (context, { body }) =>
    spendInTurn(context, () => allocate(context, body)),
  ),
  walletRoute('POST v2/allocations/{cid}/withdraw', 'withdrawAmuletAllocationV2', async (context, { params }) => {
    const { choiceContextData, disclosedContracts } = await allocationContextV2(context, params.cid!, brief)
    const extraArgs = { context: choiceContextData, meta: noMetadata }
    const result = await exerciseWallet(
      context,
      'WalletAppInstall_AllocationV2_Withdraw',
      { allocationCid: params.cid, withdrawArg: { actors: [context.party], extraArgs } },
      { disclosed: disclosedContracts },
    )
    return { authorizer_holding_cids: result.authorizerHoldingCids, meta: result.meta.values }
  }),
]

/** Contexts without the fields for people. */
const brief = { excludeDebugFields: true }

const sides: ReadonlyMap<unknown, string> = new Map([
  ['SENDERSIDE', 'SenderSide'],
  ['RECEIVERSIDE', 'ReceiverSide'],
])

function checkAllocation(body: Json): void {
  const required = { settlement: 'Object', transfer_leg_sides: 'C[A]', committed: 'Boolean' } as const
  checkFields(body, { required, texts: ['meta', 'next_iteration_funding'] })
  const ofSettlement = { required: { executors: 'C[A]', settlement_ref: 'Object' } } as const
  checkFields(
    body.settlement,
    { ...ofSettlement, optional: { settlement_deadline: 'Long' }, texts: ['meta'] },
    'settlement',
  )
  checkReference(body.settlement)
  const side = { transfer_leg_id: 'String', side: 'String', otherside: 'String', amount: 'String' } as const
  for (const leg of body.transfer_leg_sides) checkFields(leg, { required: side, texts: ['meta'] }, 'transfer_leg_sides')
}

async function allocate(context: WalletContext, body: Json): Promise<object> {
  checkAllocation(body)
  const { settlement, transfer_leg_sides: legs } = body
  const { network, party } = context
  const { factoryId, choiceContext } = await allocationFactoryV2(context, brief)
  const { id, cid } = settlement.settlement_ref
  const deadline = settlement.settlement_deadline
  const result = await exerciseWallet(
    context,
    'WalletAppInstall_AllocationFactoryV2_Allocate',
    {
      allocationFactory: factoryId,
      allocateArg: {
        settlement: {
          executors: settlement.executors,
          id,
          ...(cid && { cid }),
          meta: { values: settlement.meta ?? {} },
        },
        allocation: {
          admin: network.dso,
          authorizer: basicAccount(party),
          transferLegSides: legs.map(sideFrom),
          ...(deadline && { settlementDeadline: timeFromMicros(deadline) }),
          ...(body.next_iteration_funding && { nextIterationFunding: body.next_iteration_funding }),
          committed: body.committed,
          meta: { values: body.meta ?? {} },
        },
        requestedAt: await recentTime(context),
        inputHoldingCids: await inputsOf(context),
        extraArgs: { context: choiceContext.choiceContextData, meta: noMetadata },
        actors: [party],
      },
    },
    { disclosed: choiceContext.disclosedContracts },
  )
  const { output, authorizerChangeCids, meta } = result
  return { output: outputOf(output), sender_change_cids: authorizerChangeCids.Amulet ?? [], meta: meta.values }
}

function sideFrom({ transfer_leg_id: transferLegId, side, otherside, amount, meta }: Json): object {
  const known = sides.get(side)
  if (known === undefined) {
    throw badRequest(`${side} is not a valid TransferLegSide. Must be one of ${[...sides.keys()].join(', ')}`)
  }
  const account = basicAccount(otherside)
  return {
    transferLegId,
    side: known,
    otherside: account,
    amount,
    instrumentId: 'Amulet',
    meta: { values: meta ?? {} },
  }
}
