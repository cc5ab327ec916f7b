// /api/validator/v0/wallet/token-standard/transfers: transfers by the token standard, in one step or two.
import type { Json } from '../ledger/participant.ts'
import { templates } from '../ledger/templates.ts'
import { instructionContext, transferFactory } from '../registry/transfer-instructions.ts'
import { contractJson } from '../serving/contract-json.ts'
import { checkFields, type Fields } from '../serving/request-fields.ts'
import type { Route, ValidatorContext } from '../serving/route.ts'
import { decideOffer } from '../tokens/wallet-steps.ts'
import { exerciseWallet, noMetadata, reasonMetadata, spendInTurn, timeFromMicros } from './wallet-choices.ts'
import { type WalletContext, walletRoute } from './wallet-route.ts'

/** What each choice of an instruction is called, and whether it needs the locked Amulet. */
const choices = [
  { path: 'accept', choice: 'Accept', argument: 'acceptArg', needsLocked: true },
  { path: 'reject', choice: 'Reject', argument: 'rejectArg', needsLocked: false },
  { path: 'withdraw', choice: 'Withdraw', argument: 'withdrawArg', needsLocked: false },
]

type Version = {
  /** First part of the path. */
  readonly path: string
  /** Of the names of operations and choices. */
  readonly suffix: string
  /** How the party of a wallet is named. */
  account(party: string): Json
  /** What the arguments have besides. */
  factoryFields(party: string, admin: string): object
  choiceFields(party: string): object
}

/** Those of the token standard. */
const versions: readonly Version[] = [
  {
    path: 'v0',
    suffix: '',
    account: (party) => party,
    factoryFields: (_, expectedAdmin) => ({ expectedAdmin }),
    choiceFields: () => ({}),
  },
  {
    path: 'v2',
    suffix: 'V2',
    account: basicAccount,
    factoryFields: (party) => ({ actors: [party] }),
    choiceFields: (party) => ({ actors: [party] }),
  },
]

export const tokenTransferRoutes: readonly Route<ValidatorContext>[] = [
  walletRoute('GET v0/wallet/token-standard/transfers', 'listTokenStandardTransfers', async ({ validator, party }) => ({
    transfers: (await validator.participant.contracts(templates.amuletTransferInstruction, [party])).map(contractJson),
  })),
  ...versions.flatMap((version) => {
    const { path, suffix } = version
    const base = `POST ${path}/wallet/token-standard/transfers`
    return [
      walletRoute(base, `createTokenStandardTransfer${suffix}`, (context, { body }) =>
        spendInTurn(context, () => createTransfer(context, version, body)),
      ),
      ...choices.map((choice) =>
        walletRoute(
          `${base}/{cid}/${choice.path}`,
          `${choice.path}TokenStandardTransfer${suffix}`,
          (context, { params }) => endTransfer(context, version, choice, params.cid!),
        ),
      ),
    ]
  }),
]

/** Of a request to transfer or to offer Amulet. */
export const transferFields: Fields = {
  required: {
    receiver_party_id: 'String',
    amount: 'String',
    description: 'String',
    expires_at: 'Long',
    tracking_id: 'String',
  },
}

/** Contexts without the fields for people. */
const brief = { excludeDebugFields: true }

async function endTransfer(
  context: WalletContext,
  { suffix, choiceFields }: Version,
  { choice, argument, needsLocked }: (typeof choices)[number],
  transferInstructionCid: string,
): Promise<object> {
  const { validator, party } = context
  const own = await decideOffer(validator.participant, party, transferInstructionCid, choice)
  if (own !== undefined) return transferResult(own)
  const found = await instructionContext(context, transferInstructionCid, needsLocked, brief)
  const extraArgs = { context: found.choiceContextData, meta: noMetadata }
  const result = await exerciseWallet(
    context,
    `WalletAppInstall_TransferInstruction${suffix}_${choice}`,
    { transferInstructionCid, [argument]: { ...choiceFields(party), extraArgs } },
    { disclosed: found.disclosedContracts },
  )
  return transferResult(result)
}

async function createTransfer(context: WalletContext, version: Version, body: Json): Promise<object> {
  checkFields(body, transferFields)
  const { receiver_party_id: receiver, amount, description, expires_at, tracking_id: trackingId } = body
  const { network, party: sender } = context
  const { suffix, account, factoryFields } = version
  const { factoryId, choiceContext } = await transferFactory(context, sender, receiver, brief)
  const transfer = {
    sender: account(sender),
    receiver: account(receiver),
    amount,
    instrumentId: { admin: network.dso, id: 'Amulet' },
    requestedAt: await recentTime(context),
    executeBefore: timeFromMicros(expires_at),
    inputHoldingCids: await inputsOf(context),
    meta: reasonMetadata(description),
  }
  const result = await exerciseWallet(
    context,
    `WalletAppInstall_TransferFactory${suffix}_Transfer`,
    {
      transferFactoryCid: factoryId,
      transferArg: {
        ...factoryFields(sender, network.dso),
        transfer,
        extraArgs: { context: choiceContext.choiceContextData, meta: noMetadata },
      },
    },
    {
      disclosed: choiceContext.disclosedContracts,
      commandId: `transfer${suffix}-${trackingId}`,
      duplicate: 'CreateTokenStandardTransfer duplicate command',
    },
  )
  return transferResult(result)
}

/** The account of a party that has no others. */
export function basicAccount(owner: string): object {
  return { owner, id: '' }
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
