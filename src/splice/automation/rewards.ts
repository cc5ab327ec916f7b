// Rewards: validators record that they are alive in each round, wallets collect what their coupons are worth and merge small Amulet,
// and what nobody collects goes back to the DSO. Splice's ReceiveFaucetCouponTrigger, CollectRewardsAndMergeAmuletsTrigger and
// ExpireRewardCouponsTrigger.
import type { Validator } from '../founding/parties.ts'
import { roundOf } from '../ledger/dso-reads.ts'
import { type Contract, disclosedFrom, type Json } from '../ledger/participant.ts'
import { templates } from '../ledger/templates.ts'
import { operate } from '../treasury/amulet-operations.ts'
import { type Automation, type AutomationContext, done, dueAt, earliest, nothingDue } from './automation.ts'
import { exerciseDsoRules } from './dso-choices.ts'

/** What coupons there are: whose they are, and how they enter a transfer and an expiry. */
export const couponKinds = [
  {
    template: templates.appRewardCoupon,
    input: 'InputAppRewardCoupon',
    expiry: 'appCouponCids',
    ownerOf: ({ beneficiary, provider }: Json) => beneficiary ?? provider,
  },
  {
    template: templates.svRewardCoupon,
    input: 'InputSvRewardCoupon',
    expiry: 'svRewardCouponCids',
    ownerOf: ({ beneficiary }: Json) => beneficiary,
  },
  {
    template: templates.validatorRewardCoupon,
    input: 'InputValidatorRewardCoupon',
    expiry: 'validatorRewardCouponCids',
    ownerOf: ({ user }: Json) => user,
  },
  {
    template: templates.validatorLivenessActivityRecord,
    input: 'InputValidatorLivenessActivityRecord',
    expiry: 'optValidatorLivenessActivityRecordCids',
    ownerOf: ({ validator }: Json) => validator,
  },
] as const

const timeOf = (text: string) => Date.parse(text)

export const recordLiveness: Automation = {
  name: 'record that a validator is alive',
  async step(context) {
    const round = await context.dso.usableRound(context.nowMs)
    if (round === undefined) return nothingDue
    for (const validator of context.network.validators) if (await recordOne(validator, round)) return done
    const rounds = await context.dso.all(templates.openMiningRound)
    const opening = rounds.map(({ payload }) => timeOf(payload.opensAt)).filter((opensMs) => opensMs > context.nowMs)
    return earliest(opening.map(dueAt))
  },
}

async function recordOne({ participant, party }: Validator, round: Contract): Promise<boolean> {
  const [licence] = await participant.contracts(templates.validatorLicense, [party])
  if (licence === undefined || licence.payload.validator !== party) return false
  const last = Number(licence.payload.faucetState?.lastReceivedFor.number ?? -1)
  if (last >= roundOf(round)) return false
  await participant.submit({
    actAs: [party],
    disclosed: [disclosedFrom(round)],
    commands: [
      {
        ExerciseCommand: {
          templateId: templates.validatorLicense,
          contractId: licence.contractId,
          choice: 'ValidatorLicense_RecordValidatorLivenessActivity',
          choiceArgument: { openRoundCid: round.contractId },
        },
      },
    ],
  })
  return true
}

/** A wallet with more pieces of Amulet than this merges them. */
const piecesMax = 10

export const collectRewards: Automation = {
  name: 'collect rewards and merge Amulet',
  async step(context) {
    const issuing = await context.dso.all(templates.issuingMiningRound)
    const open = issuing.filter(({ payload }) => timeOf(payload.opensAt) <= context.nowMs)
    const rounds = new Set(open.map(roundOf))
    for (const validator of context.network.validators) if (await collectOne(context, validator, rounds)) return done
    const later = issuing.filter((round) => !open.includes(round))
    return earliest(later.map(({ payload }) => dueAt(timeOf(payload.opensAt))))
  },
}

async function collectOne(
  context: AutomationContext,
  validator: Validator,
  rounds: ReadonlySet<number>,
): Promise<boolean> {
  const { participant, party } = validator
  const installs = await participant.contracts(templates.walletAppInstall, [party])
  const owners = installs.map(({ payload }): string => payload.endUserParty)
  if (owners.length === 0) return false
  const due = new Map<string, object[]>()
  for (const { template, input, ownerOf } of couponKinds) {
    for (const coupon of await participant.contracts(template, owners)) {
      const owner = ownerOf(coupon.payload)
      const isOurs = template !== templates.validatorRewardCoupon || owner === party
      if (!isOurs || !rounds.has(roundOf(coupon))) continue
      due.set(owner, [...(due.get(owner) ?? []), { tag: input, value: coupon.contractId }])
    }
  }
  const pieces = new Map<string, number>()
  for (const { payload } of await participant.contracts(templates.amulet, owners)) {
    pieces.set(payload.owner, (pieces.get(payload.owner) ?? 0) + 1)
  }
  for (const install of installs) {
    const { endUserParty: owner } = install.payload
    const inputs = due.get(owner) ?? []
    if (inputs.length === 0 && (pieces.get(owner) ?? 0) <= piecesMax) continue
    await operate({ ...context, validator }, install, { tag: 'CO_MergeTransferInputs', value: {} }, { inputs })
    return true
  }
  return false
}

export const expireCoupons: Automation = {
  name: 'take back rewards that nobody has collected',
  async step(context) {
    for (const closed of await context.dso.all(templates.closedMiningRound)) {
      const left = await couponsOf(context, roundOf(closed))
      if (left.every(([, ids]) => ids.length === 0)) continue
      const choiceArg = { closedRoundCid: closed.contractId, ...Object.fromEntries(left) }
      await exerciseDsoRules(context, 'DsoRules_ClaimExpiredRewards', { choiceArg })
      return done
    }
    return nothingDue
  },
}

async function couponsOf({ dso }: AutomationContext, round: number): Promise<[expiry: string, ids: string[]][]> {
  const all: [string, string[]][] = []
  for (const { template, expiry } of couponKinds) {
    const coupons = (await dso.all(template)).filter((coupon) => roundOf(coupon) === round)
    all.push([expiry, coupons.map(({ contractId }) => contractId)])
  }
  return all
}
