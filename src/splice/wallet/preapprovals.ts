// /api/validator/v0/wallet/transfer-preapproval: a user lets everybody send Amulet to it, and sends to others who do.
import { acceptOne } from '../automation/preapprovals.ts'
import type { Contract } from '../ledger/participant.ts'
import { templates } from '../ledger/templates.ts'
import { checkFields, type Fields } from '../serving/request-fields.ts'
import { badRequest, type Route, RouteRefusal, type ValidatorContext } from '../serving/route.ts'
import { operate } from '../treasury/amulet-operations.ts'
import { type WalletContext, walletRoute } from './wallet-route.ts'

const sendFields: Fields = {
  required: { receiver_party_id: 'String', amount: 'String', deduplication_id: 'String' },
  optional: { description: 'String' },
}

export const preapprovalRoutes: readonly Route<ValidatorContext>[] = [
  walletRoute('POST v0/wallet/transfer-preapproval', 'createTransferPreapproval', async (context) => {
    const known = await preapprovalOf(context, context.party)
    if (known !== undefined) throw new RouteRefusal(409, 'There is one already', answerOf(known))
    await propose(context)
    await accept(context)
    const created = await preapprovalOf(context, context.party)
    if (created === undefined) throw new RouteRefusal(429, 'The validator did not accept the transfer preapproval.')
    return answerOf(created)
  }),
  walletRoute('POST v0/wallet/transfer-preapproval/send', 'transferPreapprovalSend', async (context, { body }) => {
    checkFields(body, sendFields)
    const { receiver_party_id: receiver, amount, description, deduplication_id: id } = body
    const { network, dso, validator, wallet } = context
    const preapproval = await preapprovalOf(context, receiver)
    if (preapproval === undefined) throw badRequest(`Receiver ${receiver} does not have a TransferPreapproval`)
    const rights = await dso.all(templates.featuredAppRight)
    const right = rights.find(({ payload }) => payload.provider === preapproval.payload.provider)
    const value = {
      transferPreapprovalCid: preapproval.contractId,
      ...(right !== undefined && { providerFeaturedAppRightCid: right.contractId }),
      amount,
      ...(description && { description }),
    }
    await operate(
      { network, dso, validator, nowMs: await context.now() },
      wallet,
      { tag: 'CO_TransferPreapprovalSend', value },
      { commandId: `preapproval-send-${id}`, disclosed: [preapproval, ...(right === undefined ? [] : [right])] },
    )
  }),
]

const answerOf = ({ contractId }: Contract) => ({ transfer_preapproval_contract_id: contractId })

async function preapprovalOf({ dso }: WalletContext, receiver: string): Promise<Contract | undefined> {
  return (await dso.all(templates.transferPreapproval)).find(({ payload }) => payload.receiver === receiver)
}

async function propose({ network, validator, party: receiver }: WalletContext): Promise<void> {
  const proposals = await validator.participant.contracts(templates.transferPreapprovalProposal, [receiver])
  if (proposals.some(({ payload }) => payload.receiver === receiver)) return
  const createArguments = { receiver, provider: validator.party, expectedDso: network.dso }
  const templateId = templates.transferPreapprovalProposal
  await validator.participant.submit({
    actAs: [receiver],
    commands: [{ CreateCommand: { templateId, createArguments } }],
  })
}

/** The automation may be faster; then there is nothing to accept any longer. */
async function accept({ network, dso, validator, now }: WalletContext): Promise<void> {
  await acceptOne({ network, dso, nowMs: await now() }, validator).catch(() => false)
}
