// /api/validator/v0/wallet/token-standard/allocation-requests: requests of apps that a user sets Amulet aside for a settlement.
import { type Contract, type Participant, ParticipantRefusal } from '../ledger/participant.ts'
import { interfaces } from '../ledger/templates.ts'
import { contractJson } from '../serving/contract-json.ts'
import { notFound, type Route, type ValidatorContext } from '../serving/route.ts'
import { noMetadata } from './wallet-choices.ts'
import { type WalletContext, walletRoute } from './wallet-route.ts'

type Version = {
  readonly path: string
  readonly operation: string
  readonly interfaceId: string
  /** For messages. */
  readonly name: string
  actorOf(party: string): object
}

const versions: readonly Version[] = [
  {
    path: 'v0',
    operation: 'rejectAllocationRequest',
    interfaceId: interfaces.allocationRequest,
    name: 'AllocationRequest',
    actorOf: (actor) => ({ actor }),
  },
  {
    path: 'v2',
    operation: 'rejectAllocationRequestV2',
    interfaceId: interfaces.allocationRequestV2,
    name: 'AllocationRequest v2',
    actorOf: (actor) => ({ actors: [actor] }),
  },
]

export const allocationRequestRoutes: readonly Route<ValidatorContext>[] = [
  walletRoute('GET v0/wallet/token-standard/allocation-requests', 'listAllocationRequests', async (context) => ({
    allocation_requests: inOrder(await requestsOf(context)),
  })),
  ...versions.map((version) =>
    walletRoute(
      `POST ${version.path}/wallet/token-standard/allocation-requests/{cid}/reject`,
      version.operation,
      (context, { params }) => reject(context, version, params.cid!),
    ),
  ),
]

async function reject({ validator, party }: WalletContext, version: Version, cid: string): Promise<object> {
  const { interfaceId, name, actorOf } = version
  const requests = await viewsOf(validator.participant, interfaceId, party)
  if (!requests.some(({ contractId }) => contractId === cid)) {
    throw notFound(`No ${name} with contract id ${cid} found.`)
  }
  const transaction = await validator.participant.submit({
    actAs: [...new Set([validator.party, party])],
    commands: [
      {
        ExerciseCommand: {
          templateId: interfaceId,
          contractId: cid,
          choice: 'AllocationRequest_Reject',
          choiceArgument: { ...actorOf(party), extraArgs: { context: noMetadata, meta: noMetadata } },
        },
      },
    ],
  })
  return { meta: transaction.events[0].ExercisedEvent.exerciseResult.meta.values }
}

/** By either version of the interface; a contract that has both counts as the newer one. */
async function requestsOf({ validator, party }: WalletContext): Promise<Contract[]> {
  const views = await Promise.all(versions.map(({ interfaceId }) => viewsOf(validator.participant, interfaceId, party)))
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

/** By their age. */
export function inOrder(contracts: readonly Contract[]): object[] {
  return contracts
    .toSorted((one, other) => Date.parse(one.createdAt) - Date.parse(other.createdAt))
    .map((contract) => ({ contract: contractJson(contract) }))
}
