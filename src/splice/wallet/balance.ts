// GET /api/validator/v0/wallet/user-status, balance and amulets: what a user has.

import { decimalFrom, sumOf } from '../ledger/decimals.ts'
import { roundOf } from '../ledger/dso-reads.ts'
import { holdingFee } from '../ledger/holding-fee.ts'
import type { Contract, Json } from '../ledger/participant.ts'
import { templates } from '../ledger/templates.ts'
import { contractWithState } from '../serving/contract-json.ts'
import type { Route, ValidatorContext } from '../serving/route.ts'
import { userWithRights } from '../validator/operators.ts'
import { type WalletContext, walletOfUser, walletRoute } from './wallet-route.ts'

/** Answers users without a wallet, too. */
export const userStatusRoute: Route<ValidatorContext> = {
  method: 'GET',
  path: '/api/validator/v0/wallet/user-status',
  access: 'user',
  async answer({ validator, dso }, { user }) {
    const found = await userWithRights(validator.participant, user!)
    const wallet = await walletOfUser(validator, user!, found)
    const party = wallet?.payload.endUserParty ?? ''
    const rights = wallet === undefined ? [] : await dso.all(templates.featuredAppRight)
    return {
      party_id: party,
      user_onboarded: wallet !== undefined,
      user_wallet_installed: wallet !== undefined,
      has_featured_app_right: rights.some(({ payload }) => payload.provider === party),
    }
  },
}

export const balanceRoute = walletRoute('GET v0/wallet/balance', 'getBalance', async (context) => {
  const round = await latestRound(context)
  const [amulets, locked] = await holdingsOf(context)
  const fees = amulets.map(({ payload }) => holdingFee(payload.amount, round))
  const feeUnits = fees.reduce((sum, fee) => sum + fee, 0n)
  return {
    round,
    // Fees for holding Amulet are told, but only taken when it expires.
    effective_unlocked_qty: sumOf(amulets.map(({ payload }) => payload.amount.initialAmount)),
    effective_locked_qty: sumOf(locked.map(({ payload }) => payload.amulet.amount.initialAmount)),
    total_holding_fees: decimalFrom(feeUnits),
  }
})

export const amuletsRoute = walletRoute('GET v0/wallet/amulets', 'list', async (context) => {
  const round = await latestRound(context)
  const [amulets, locked] = await holdingsOf(context)
  return {
    amulets: amulets.map((contract) => position(contract, contract.payload.amount, round)),
    locked_amulets: locked.map((contract) => position(contract, contract.payload.amulet.amount, round)),
  }
})

async function latestRound({ dso, now }: WalletContext): Promise<number> {
  const round = await dso.usableRound(await now())
  return round === undefined ? 0 : roundOf(round)
}

async function holdingsOf({ validator, party }: WalletContext): Promise<readonly [Contract[], Contract[]]> {
  const { participant } = validator
  const amulets = await participant.contracts(templates.amulet, [party])
  const locked = await participant.contracts(templates.lockedAmulet, [party])
  return [
    amulets.filter(({ payload }) => payload.owner === party),
    locked.filter(({ payload }) => payload.amulet.owner === party),
  ]
}

function position(contract: Contract, amount: Json, round: number): object {
  const fee = holdingFee(amount, round)
  return {
    contract: contractWithState(contract),
    round,
    accrued_holding_fee: decimalFrom(fee),
    effective_amount: sumOf([amount.initialAmount]),
  }
}
