// GET /api/validator/v0/wallet/…-coupons and -records: rewards that a user has not collected yet.
import { couponKinds } from '../automation/rewards.ts'
import type { Contract } from '../ledger/participant.ts'
import { templates } from '../ledger/templates.ts'
import { contractJson } from '../serving/contract-json.ts'
import type { Route, ValidatorContext } from '../serving/route.ts'
import { type WalletContext, walletRoute } from './wallet-route.ts'

type CouponList = { readonly path: string; readonly operation: string; readonly template: string }

const lists: readonly CouponList[] = [
  { path: 'app-reward-coupons', operation: 'listAppRewardCoupons', template: templates.appRewardCoupon },
  { path: 'sv-reward-coupons', operation: 'listSvRewardCoupons', template: templates.svRewardCoupon },
  {
    path: 'validator-reward-coupons',
    operation: 'listValidatorRewardCoupons',
    template: templates.validatorRewardCoupon,
  },
  {
    path: 'validator-liveness-activity-records',
    operation: 'listValidatorLivenessActivityRecords',
    template: templates.validatorLivenessActivityRecord,
  },
]

export const couponRoutes: readonly Route<ValidatorContext>[] = [
  ...lists.map(({ path, operation, template }) =>
    walletRoute(`GET v0/wallet/${path}`, operation, async (context) => ({
      [path.replaceAll('-', '_')]: (await couponsOf(context, template)).map(contractJson),
    })),
  ),
  // Their place was taken by the records of liveness.
  walletRoute('GET v0/wallet/validator-faucet-coupons', 'listValidatorFaucetCoupons', async () => ({
    validator_faucet_coupons: [],
  })),
]

/** As many as Splice shows. */
const couponsMax = 1000

/** A validator collects those of its users, too. */
async function couponsOf({ validator, party }: WalletContext, template: string): Promise<Contract[]> {
  const { participant } = validator
  const { ownerOf } = couponKinds.find((kind) => kind.template === template)!
  const users = template === templates.validatorRewardCoupon ? await usersOf({ validator, party }) : [party]
  if (users.length === 0) return []
  const coupons = await participant.contracts(template, users)
  return coupons.filter(({ payload }) => users.includes(ownerOf(payload))).slice(0, couponsMax)
}

async function usersOf({ validator, party }: Pick<WalletContext, 'validator' | 'party'>): Promise<string[]> {
  const rights = await validator.participant.contracts(templates.validatorRight, [party])
  return rights.filter(({ payload }) => payload.validator === party).map(({ payload }) => payload.user)
}
