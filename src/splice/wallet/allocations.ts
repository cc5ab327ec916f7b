// /api/validator/v0/allocations and v0/wallet/token-standard/allocation-requests: Amulet that a user sets aside for a settlement,
// and the requests of apps to do so.
import { type Contract, type Json, type Participant, ParticipantRefusal } from '../ledger/participant.ts'
import { interfaces, templates } from '../ledger/templates.ts'
import { allocationContext, allocationFactory } from '../registry/allocations.ts'
import { contractJson } from '../serving/contract-json.ts'
import { badRequest, notFound, type Route, type ValidatorContext } from '../serving/route.ts'
import { inputsOf, recentTime } from './token-transfers.ts'
import { exerciseWallet, noMetadata, timeFromMicros } from './wallet-choices.ts'
import { type WalletContext, walletRoute } from './wallet-route.ts'

export const allocationRoutes: readonly Route<ValidatorContext>[] = [
  walletRoute('POST v0/allocations', 'allocateAmulet', allocate),
  walletRoute('GET v0/allocations', 'listAmuletAllocations', async ({ validator, party }) => {
    const { participant } = validator
    const contracts = [
      ...(await participant.contracts(templates.amuletAllocationV2, [party])),
      ...(await participant.contracts(templates.amuletAllocation, [party])),
    ]
    return { allocations: inOrder(contracts) }
  }),
  walletRoute('POST v0/allocations/{cid}/withdraw', 'withdrawAmuletAllocation', async (context, { params }) => {
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
    return { sender_holding_cids: result.senderHoldingCids, meta: result.meta.values }
  }),
  walletRoute('GET v0/wallet/token-standard/allocation-requests', 'listAllocationRequests', async (context) => ({
    allocation_requests: inOrder(await requestsOf(context)),
  })),
  walletRoute(
    'POST v0/wallet/token-standard/allocation-requests/{cid}/reject',
    'rejectAllocationRequest',
    async (context, { params }) => {
      const { validator, party } = context
      const request = (await requestsOf(context)).find(({ contractId }) => contractId === params.cid)
      if (request === undefined) throw notFound(`No AllocationRequest with contract id ${params.cid} found.`)
      const transaction = await validator.participant.submit({
        actAs: [...new Set([validator.party, party])],
        commands: [
          {
            ExerciseCommand: {
              templateId: interfaces.allocationRequest,
              contractId: request.contractId,
              choice: 'AllocationRequest_Reject',
              choiceArgument: { actor: party, extraArgs: { context: noMetadata, meta: noMetadata } },
            },
          },
        ],
      })
      return { meta: transaction.events[0].ExercisedEvent.exerciseResult.meta.values }
    },
  ),
]

/** Contexts without the fields for people. */
const brief = { excludeDebugFields: true }

async function allocate(context: WalletContext, { body }: { body: Json }): Promise<object> {
  const { settlement, transfer_leg_id: transferLegId, transfer_leg: leg } = body
  if (typeof settlement?.executor !== 'string' || typeof leg?.receiver !== 'string') {
    throw badRequest('Attempt to decode value on failed cursor: DownField(settlement) or DownField(transfer_leg)')
  }
  const { network, party: sender } = context
  const { factoryId, choiceContext } = await allocationFactory(context, brief)
  const { id, cid } = settlement.settlement_ref
  const allocation = {
    settlement: {
      executor: settlement.executor,
      settlementRef: { id, ...(cid !== undefined && { cid }) },
      requestedAt: timeFromMicros(settlement.requested_at),
      allocateBefore: timeFromMicros(settlement.allocate_before),
      settleBefore: timeFromMicros(settlement.settle_before),
      meta: { values: settlement.meta ?? {} },
    },
    transferLegId,
    transferLeg: {
      sender,
      receiver: leg.receiver,
      amount: String(leg.amount),
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

function outputOf({ tag, value }: Json): object {
  if (tag === 'AllocationInstructionResult_Completed') return { allocation_cid: value.allocationCid }
  if (tag === 'AllocationInstructionResult_Pending')
    return { allocation_instruction_cid: value.allocationInstructionCid }
  return {}
}

/** By either version of the interface; a contract that has both counts as the newer one. */
async function requestsOf({ validator, party }: WalletContext): Promise<Contract[]> {
  const views = await Promise.all(
    [interfaces.allocationRequestV2, interfaces.allocationRequest].map((id) =>
      viewsOf(validator.participant, id, party),
    ),
  )
  const byId = new Map(views.flat().map((contract) => [contract.contractId, contract]))
  return [...byId.values()]
}

/** None where nobody has uploaded the interface. */
async function viewsOf(participant: Participant, interfaceId: string, party: string): Promise<Contract[]> {
  try {
    const contracts = await participant.views(interfaceId, [party])
    return contracts.map((contract) => ({ ...contract, templateId: interfaceId.replace('#', '') }))
  } catch (error) {
    if (error instanceof ParticipantRefusal && error.status === 404) return []
    throw error
  }
}

function inOrder(contracts: readonly Contract[]): object[] {
  return contracts
    .toSorted((one, other) => Date.parse(one.createdAt) - Date.parse(other.createdAt))
    .map((contract) => ({ contract: contractJson(contract) }))
}
