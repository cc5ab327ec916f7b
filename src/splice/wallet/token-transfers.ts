// /api/validator/v0/wallet/token-standard/transfers: transfers by the token standard, in one step or two.
import type { Json } from '../ledger/participant.ts'
import { templates } from '../ledger/templates.ts'
import { instructionContext, transferFactory } from '../registry/transfer-instructions.ts'
import { contractJson } from '../serving/contract-json.ts'
import { badRequest, type Route, type ValidatorContext } from '../serving/route.ts'
import { exerciseWallet, noMetadata, reasonMetadata, timeFromMicros } from './wallet-choices.ts'
import { type WalletContext, walletRoute } from './wallet-route.ts'

/** What each choice of an instruction is called, and whether it needs the locked Amulet. */
const choices = [
  { path: 'accept', choice: 'Accept', argument: 'acceptArg', needsLocked: true },
  { path: 'reject', choice: 'Reject', argument: 'rejectArg', needsLocked: false },
  { path: 'withdraw', choice: 'Withdraw', argument: 'withdrawArg', needsLocked: false },
]

export const tokenTransferRoutes: readonly Route<ValidatorContext>[] = [
  walletRoute('POST v0/wallet/token-standard/transfers', 'createTokenStandardTransfer', createTransfer),
  walletRoute('GET v0/wallet/token-standard/transfers', 'listTokenStandardTransfers', async ({ validator, party }) => ({
    transfers: (await validator.participant.contracts(templates.amuletTransferInstruction, [party])).map(contractJson),
  })),
  ...choices.map(({ path, choice, argument, needsLocked }) =>
    walletRoute(
      `POST v0/wallet/token-standard/transfers/{cid}/${path}`,
      `${path}TokenStandardTransfer`,
      async (context, { params }) => {
        const { choiceContextData, disclosedContracts } = await instructionContext(
          context,
          params.cid!,
          needsLocked,
          brief,
        )
        const result = await exerciseWallet(
          context,
          `WalletAppInstall_TransferInstruction_${choice}`,
          {
            transferInstructionCid: params.cid,
            [argument]: { extraArgs: { context: choiceContextData, meta: noMetadata } },
          },
          { disclosed: disclosedContracts },
        )
        return transferResult(result)
      },
    ),
  ),
]

/** Contexts without the fields for people. */
const brief = { excludeDebugFields: true }

async function createTransfer(context: WalletContext, { body }: { body: Json }): Promise<object> {
  const { receiver_party_id: receiver, amount, description, expires_at, tracking_id: trackingId } = body
  if (typeof receiver !== 'string' || typeof trackingId !== 'string') {
    throw badRequest('Attempt to decode value on failed cursor: DownField(receiver_party_id) or DownField(tracking_id)')
  }
  const { network, party: sender } = context
  const { factoryId, choiceContext } = await transferFactory(context, sender, receiver, brief)
  const transfer = {
    sender,
    receiver,
    amount: String(amount),
    instrumentId: { admin: network.dso, id: 'Amulet' },
    requestedAt: await recentTime(context),
    executeBefore: timeFromMicros(expires_at),
    inputHoldingCids: await inputsOf(context),
    meta: reasonMetadata(description),
  }
  const result = await exerciseWallet(
    context,
    'WalletAppInstall_TransferFactory_Transfer',
    {
      transferFactoryCid: factoryId,
      transferArg: {
        expectedAdmin: network.dso,
        transfer,
        extraArgs: { context: choiceContext.choiceContextData, meta: noMetadata },
      },
    },
    { disclosed: choiceContext.disclosedContracts, commandId: `transfer-${trackingId}` },
  )
  return transferResult(result)
}

/** It must not be after the ledger time of the command. */
export async function recentTime({ now }: WalletContext): Promise<string> {
  return new Date((await now()) - 1).toISOString()
}

/** Inputs of one transfer, by the configuration of the network. */
const inputsMax = 100

/** The user's Amulet that is not locked. */
export async function inputsOf({ validator, party }: WalletContext): Promise<string[]> {
  const amulets = await validator.participant.contracts(templates.amulet, [party])
  const own = amulets.filter(({ payload }) => payload.owner === party)
  return own.slice(0, inputsMax).map(({ contractId }) => contractId)
}

function transferResult({ output, senderChangeCids, meta }: Json): object {
  return { output: outputOf(output), sender_change_cids: senderChangeCids, meta: meta.values }
}

function outputOf({ tag, value }: Json): object {
  if (tag === 'TransferInstructionResult_Completed') return { receiver_holding_cids: value.receiverHoldingCids }
  if (tag === 'TransferInstructionResult_Pending') return { transfer_instruction_cid: value.transferInstructionCid }
  return {}
}
