// Mining rounds: opens the next one when the newest is open, starts issuing for the one that was closed, then closes and archives
// it. Splice's AdvanceOpenMiningRoundTrigger, SummarizingMiningRoundTrigger, ExpireIssuingMiningRoundTrigger and
// ArchiveClosedMiningRoundsTrigger, without the confirmations of other super validators.
import { sumOf } from '../ledger/decimals.ts'
import { roundOf } from '../ledger/dso-reads.ts'
import type { Contract } from '../ledger/participant.ts'
import { templates } from '../ledger/templates.ts'
import { type Automation, type AutomationContext, done, dueAt, earliest, nothingDue, type Step } from './automation.ts'
import { exerciseCommand, exerciseDsoRules, exerciseRules } from './dso-choices.ts'
import { couponKinds } from './rewards.ts'

const byRound = (one: Contract, other: Contract) => roundOf(one) - roundOf(other)
const timeOf = (text: string) => Date.parse(text)
const durationMs = ({ microseconds }: { microseconds: string }) => Number(microseconds) / 1000

export const advanceRounds: Automation = {
  name: 'open the next mining round',
  async step(context) {
    const rounds = (await context.dso.all(templates.openMiningRound)).toSorted(byRound)
    const [oldest, middle, latest] = rounds
    if (latest === undefined) return nothingDue
    const dueMs = Math.max(
      timeOf(oldest!.payload.targetClosesAt),
      timeOf(middle!.payload.opensAt) + durationMs(middle!.payload.tickDuration),
      timeOf(latest.payload.opensAt),
    )
    if (context.nowMs < dueMs) {
      if (rounds.some((round) => isActive(round, context.nowMs))) return dueAt(dueMs)
      await openNow(context, latest)
      return done
    }
    const votes = await context.dso.all(templates.amuletPriceVote)
    await exerciseDsoRules(context, 'DsoRules_AdvanceOpenMiningRounds', {
      roundToArchiveCid: oldest!.contractId,
      middleRoundCid: middle!.contractId,
      latestRoundCid: latest.contractId,
      amuletPriceVoteCids: votes.map(({ contractId }) => contractId),
    })
    return done
  },
}

function isActive({ payload }: Contract, nowMs: number): boolean {
  return timeOf(payload.opensAt) <= nowMs && nowMs < timeOf(payload.targetClosesAt)
}

/**
 * After the process was stopped, or the clock has leapt, the times of all open rounds may be over, and the next round opens a tick
 * later. Splice's own choices would go on with the old rounds; but clients look for one whose time it is. So the next one opens now.
 */
async function openNow({ network, nowMs }: AutomationContext, { contractId, payload }: Contract): Promise<void> {
  const closesMs = nowMs + 2 * durationMs(payload.tickDuration)
  const times = { opensAt: new Date(nowMs).toISOString(), targetClosesAt: new Date(closesMs).toISOString() }
  await network.sv.participant.submit({
    actAs: [network.dso],
    commands: [
      exerciseCommand(templates.openMiningRound, contractId, 'Archive', {}),
      { CreateCommand: { templateId: templates.openMiningRound, createArguments: { ...payload, ...times } } },
    ],
  })
}

/** What the reward coupons of a round add up to decides what each of them is worth. */
export const startIssuing: Automation = {
  name: 'issue for a mining round that was closed',
  async step(context) {
    const [round] = (await context.dso.all(templates.summarizingMiningRound)).toSorted(byRound)
    if (round === undefined) return nothingDue
    await exerciseRules(context, 'AmuletRules_MiningRound_StartIssuing', {
      miningRoundCid: round.contractId,
      summary: await summaryOf(context, roundOf(round)),
    })
    return done
  },
}

async function summaryOf({ dso }: AutomationContext, round: number): Promise<object> {
  const couponsOf = async (template: string) => (await dso.all(template)).filter((coupon) => roundOf(coupon) === round)
  const apps = await couponsOf(templates.appRewardCoupon)
  const svs = await couponsOf(templates.svRewardCoupon)
  const activities = await couponsOf(templates.validatorLivenessActivityRecord)
  const total = (coupons: readonly Contract[]) => sumOf(coupons.map(({ payload }) => payload.amount))
  return {
    totalValidatorRewardCoupons: total(await couponsOf(templates.validatorRewardCoupon)),
    totalFeaturedAppRewardCoupons: total(apps.filter(({ payload }) => payload.featured)),
    totalUnfeaturedAppRewardCoupons: total(apps.filter(({ payload }) => !payload.featured)),
    totalSvRewardWeight: String(svs.reduce((sum, { payload }) => sum + Number(payload.weight), 0)),
    optTotalValidatorFaucetCoupons: String(activities.length),
  }
}

export const closeIssuing: Automation = {
  name: 'close a mining round whose rewards were issued',
  async step(context) {
    const rounds = await context.dso.all(templates.issuingMiningRound)
    const due = rounds.find(({ payload }) => timeOf(payload.targetClosesAt) <= context.nowMs)
    if (due === undefined) return earliest(rounds.map(({ payload }): Step => dueAt(timeOf(payload.targetClosesAt))))
    await exerciseDsoRules(context, 'DsoRules_MiningRound_Close', { issuingRoundCid: due.contractId })
    return done
  },
}

/** A closed round stays while coupons of it are left. */
export const archiveClosed: Automation = {
  name: 'archive a closed mining round',
  async step(context) {
    const rounds = await context.dso.all(templates.closedMiningRound)
    if (rounds.length === 0) return nothingDue
    const used = new Set<number>()
    for (const { template } of couponKinds)
      for (const coupon of await context.dso.all(template)) used.add(roundOf(coupon))
    const unused = rounds.find((round) => !used.has(roundOf(round)))
    if (unused === undefined) return nothingDue
    await exerciseRules(context, 'AmuletRules_MiningRound_Archive', { closedRoundCid: unused.contractId })
    return done
  },
}
