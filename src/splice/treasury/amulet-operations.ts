// What a validator does with the Amulet of a wallet: one operation of Splice's WalletAppInstall, with the contracts of the DSO that
// it needs and the Amulet of the wallet's party as inputs. Splice's TreasuryService does the same in batches.
import type { LocalNetwork } from '../founding/founding.ts'
import type { Validator } from '../founding/parties.ts'
import { type DsoReads, roundOf } from '../ledger/dso-reads.ts'
import { type Contract, disclosedFrom, type Json, type Participant, ParticipantRefusal } from '../ledger/participant.ts'
import { templates } from '../ledger/templates.ts'
import { failedOperation } from './failed-operations.ts'
import { inTurn } from './wallet-turns.ts'

export type Treasury = {
  readonly network: LocalNetwork
  readonly dso: DsoReads
  readonly validator: Validator
  readonly nowMs: number
}

/** A variant of Splice's AmuletOperation. */
export type AmuletOperation = { readonly tag: string; readonly value: Json }

export type OperationOptions = {
  /** The same id is accepted once. */
  readonly commandId?: string | undefined
  /** What the operation refers to besides rules and rounds. */
  readonly disclosed?: readonly Contract[]
  /** Coupons; the wallet's Amulet comes after them. */
  readonly inputs?: readonly object[]
}

/** Inputs of one transfer, by the configuration of the network. */
const inputsMax = 100

/**
 * The WalletAppInstall of a user; undefined if it has no wallet here. The validator sees the wallets of all users, the user's own party
 * only its own, so that is asked first if it is known.
 */
export async function walletOf(
  { participant, party }: Validator,
  userName: string,
  userParty = party,
): Promise<Contract | undefined> {
  for (const reader of new Set([userParty, party])) {
    const installs = await installsSeenBy(participant, reader)
    const found = installs.find(({ payload }) => payload.endUserName === userName && payload.validatorParty === party)
    if (found !== undefined) return found
  }
  return undefined
}

/** None for a party that has nothing to do with the validator, which may not read for it. */
async function installsSeenBy(participant: Participant, party: string): Promise<Contract[]> {
  try {
    return await participant.contracts(templates.walletAppInstall, [party])
  } catch (error) {
    if (error instanceof ParticipantRefusal && error.status === 403) return []
    throw error
  }
}

/** The outcome, a variant of Splice's AmuletOperationOutcome. */
export function operate(
  treasury: Treasury,
  wallet: Contract,
  operation: AmuletOperation,
  options: OperationOptions = {},
): Promise<Json> {
  const { participant } = treasury.validator
  return inTurn(participant, wallet.payload.endUserParty, () => operateOnce(treasury, wallet, operation, options))
}

async function operateOnce(
  treasury: Treasury,
  wallet: Contract,
  operation: AmuletOperation,
  { commandId, disclosed: more = [], inputs: first = [] }: OperationOptions,
): Promise<Json> {
  const { participant, party: validator } = treasury.validator
  const { endUserParty: owner } = wallet.payload
  const { context, disclosed } = await paymentContext(treasury, { owner })
  const amulets = await participant.contracts(templates.amulet, [owner])
  const own = amulets.filter(({ payload }) => payload.owner === owner)
  const amuletInputs = own.map(({ contractId: value }) => ({ tag: 'InputAmulet', value }))
  const inputs = [...first, ...amuletInputs].slice(0, inputsMax)
  const submission = {
    actAs: [validator],
    readAs: owner === validator ? [] : [owner],
    disclosed: [...disclosed, ...more].map(disclosedFrom),
    ...(commandId !== undefined && { commandId }),
    commands: [
      {
        ExerciseCommand: {
          templateId: templates.walletAppInstall,
          contractId: wallet.contractId,
          choice: 'WalletAppInstall_ExecuteBatch',
          choiceArgument: { context, inputs, operations: [operation] },
        },
      },
    ],
  }
  const transaction = await participant.submit(submission).catch((error: unknown) => {
    throw failedOperation(error)
  })
  const [exercised] = transaction.events
  return exercised.ExercisedEvent.exerciseResult.outcomes[0]
}

type PaymentContext = { readonly context: object; readonly disclosed: readonly Contract[] }

/** Whose Amulet is paid with, and which app the payment is for: the validator's own by default. */
type Payment = { readonly owner: string; readonly provider?: string | undefined }

/** What every payment refers to. Validators do not see these contracts of the DSO, so they are disclosed. */
export async function paymentContext(
  { dso, validator, nowMs }: Treasury,
  { owner, provider = validator.party }: Payment,
): Promise<PaymentContext> {
  const { participant, party } = validator
  const rules = (await dso.only(templates.amuletRules))!
  const round = (await dso.usableRound(nowMs))!
  const issuing = await dso.all(templates.issuingMiningRound)
  const open = issuing.filter(({ payload }) => Date.parse(payload.opensAt) <= nowMs)
  const featured = (await dso.all(templates.featuredAppRight)).find(({ payload }) => payload.provider === provider)
  // Only a validator itself collects for its users.
  const rights = owner === party ? await participant.contracts(templates.validatorRight, [party]) : []
  return {
    context: {
      amuletRules: rules.contractId,
      context: {
        openMiningRound: round.contractId,
        issuingMiningRounds: open.map((one) => [{ number: String(roundOf(one)) }, one.contractId]),
        validatorRights: rights.map(({ contractId, payload }) => [payload.user, contractId]),
        ...(featured !== undefined && { featuredAppRight: featured.contractId }),
      },
    },
    disclosed: [rules, round, ...open, ...(featured === undefined ? [] : [featured])],
  }
}
