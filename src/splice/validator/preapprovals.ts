// /api/validator/v0/admin/transfer-preapprovals: those that this validator provides.
import type { Contract } from '../ledger/participant.ts'
import { templates } from '../ledger/templates.ts'
import { contractWithState } from '../serving/contract-json.ts'
import { notFound, type Route, type ValidatorContext } from '../serving/route.ts'

const base = '/api/validator/v0/admin/transfer-preapprovals'

export const preapprovalRoutes: readonly Route<ValidatorContext>[] = [
  {
    method: 'GET',
    path: base,
    access: 'operator',
    answer: async (context) => ({ contracts: (await provided(context)).map(contractWithState) }),
  },
  {
    method: 'GET',
    path: `${base}/by-party/{receiver}`,
    access: 'operator',
    answer: async (context, { params }) => ({
      transfer_preapproval: contractWithState(await preapprovalOf(context, params.receiver!)),
    }),
  },
  {
    method: 'DELETE',
    path: `${base}/by-party/{receiver}`,
    access: 'operator',
    async answer(context, { params }) {
      const { participant, party } = context.validator
      const { contractId } = await preapprovalOf(context, params.receiver!)
      const choice = { templateId: templates.transferPreapproval, contractId, choice: 'TransferPreapproval_Cancel' }
      await participant.submit({
        actAs: [party],
        commands: [{ ExerciseCommand: { ...choice, choiceArgument: { p: party } } }],
      })
    },
  },
]

async function provided({ validator }: ValidatorContext): Promise<Contract[]> {
  const contracts = await validator.participant.contracts(templates.transferPreapproval, [validator.party])
  return contracts.filter(({ payload }) => payload.provider === validator.party)
}

async function preapprovalOf(context: ValidatorContext, receiver: string): Promise<Contract> {
  const found = (await provided(context)).find(({ payload }) => payload.receiver === receiver)
  if (found === undefined) throw notFound(`No TransferPreapproval found for party: ${receiver}`)
  return found
}
