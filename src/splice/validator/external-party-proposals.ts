// /api/validator/v0/admin/external-party/setup-proposal: the validator offers an external party to receive its Amulet and rewards; the
// party accepts with its signature.
import type { Contract } from '../ledger/participant.ts'
import { templates } from '../ledger/templates.ts'
import { contractWithState } from '../serving/contract-json.ts'
import { checkFields } from '../serving/request-fields.ts'
import { badRequest, notFound, type Route, RouteRefusal, type ValidatorContext } from '../serving/route.ts'
import { operate, walletOf } from '../treasury/amulet-operations.ts'
import { AmuletOperationFailed } from '../treasury/failed-operations.ts'
import { prepare, submitSigned } from './external-submissions.ts'

const base = '/api/validator/v0/admin/external-party/setup-proposal'
/** Of the preapproval that comes with it. */
const lifetimeMs = 90 * 86_400_000

export const externalProposalRoutes: readonly Route<ValidatorContext>[] = [
  {
    method: 'POST',
    path: base,
    access: 'operator',
    async answer(context, { body }) {
      checkFields(body, { required: { user_party_id: 'String' } })
      const party: string = body.user_party_id
      const proposal = await proposalTo(context, party)
      if (proposal !== undefined) throw exists('ExternalPartySetupProposal', proposal)
      const preapproval = await preapprovalOf(context, party)
      if (preapproval !== undefined) throw exists('TransferPreapproval', preapproval)
      return { contract_id: await propose(context, party) }
    },
  },
  {
    method: 'GET',
    path: base,
    access: 'operator',
    answer: async (context) => ({ contracts: (await proposals(context)).map(contractWithState) }),
  },
  {
    method: 'POST',
    path: `${base}/prepare-accept`,
    access: 'operator',
    async answer(context, { body }) {
      checkFields(body, {
        required: { contract_id: 'String', user_party_id: 'String' },
        optional: { verbose_hashing: 'Boolean' },
      })
      const party: string = body.user_party_id
      const found = await proposalTo(context, party)
      if (found === undefined) throw notFound(`No ExternalPartySetupProposal contract found for ${party}`)
      const { contractId, templateId } = found
      if (contractId !== body.contract_id) throw badRequest('Found contract does not match provided contractId.')
      const choice = 'ExternalPartySetupProposal_Accept'
      return prepare(context, {
        party,
        command: { ExerciseCommand: { templateId, contractId, choice, choiceArgument: {} } },
        verboseHashing: body.verbose_hashing ?? false,
      })
    },
  },
  {
    method: 'POST',
    path: `${base}/submit-accept`,
    access: 'operator',
    async answer(context, { body }) {
      const updateId = await submitSigned(context, body.submission)
      const preapproval = await preapprovalOf(context, body.submission.party_id)
      if (preapproval === undefined) throw badRequest('TransferPreapproval contract was not created.')
      return { transfer_preapproval_contract_id: preapproval.contractId, update_id: updateId }
    },
  },
]

const exists = (name: string, { contractId }: Contract) =>
  new RouteRefusal(409, `${name} contract already exists: ContractId(${contractId})`)

async function proposals({ validator }: ValidatorContext): Promise<Contract[]> {
  const contracts = await validator.participant.contracts(templates.externalPartySetupProposal, [validator.party])
  return contracts.filter(({ payload }) => payload.validator === validator.party)
}

async function proposalTo(context: ValidatorContext, party: string): Promise<Contract | undefined> {
  return (await proposals(context)).find(({ payload }) => payload.user === party)
}

/** That this validator provides. */
async function preapprovalOf({ validator }: ValidatorContext, receiver: string): Promise<Contract | undefined> {
  const contracts = await validator.participant.contracts(templates.transferPreapproval, [validator.party])
  return contracts.find(({ payload }) => payload.receiver === receiver && payload.provider === validator.party)
}

/** Paid from the validator's own wallet. */
async function propose({ network, dso, validator, now }: ValidatorContext, externalParty: string): Promise<string> {
  const wallet = await walletOf(validator, validator.profile.walletUser)
  if (wallet === undefined) throw notFound(`No wallet found for validator party ${validator.party}`)
  const nowMs = await now()
  const preapprovalExpiresAt = new Date(nowMs + lifetimeMs).toISOString()
  const operation = {
    tag: 'CO_CreateExternalPartySetupProposal',
    value: { externalParty, preapprovalExpiresAt },
  }
  try {
    return (await operate({ network, dso, validator, nowMs }, wallet, operation)).value
  } catch (error) {
    throw error instanceof AmuletOperationFailed ? purchaseFailed(error) : error
  }
}

function purchaseFailed({ reason }: AmuletOperationFailed): RouteRefusal {
  return reason.tag === 'ITR_InsufficientFunds'
    ? badRequest(`Insufficient funds for the transfer pre-approval purchase (missing ${reason.missingAmount} CC)`)
    : badRequest(`Unexpectedly failed to create external party setup proposal due to ${reason.tag}`)
}
