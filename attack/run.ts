// Runs and times one campaign; an error that escapes counts as a failure.
import { type Campaign, failureOf, type Outcome, type Plan } from './campaign.ts'
import type { Finished } from './report.ts'

export async function runCampaign(campaign: Campaign, plan: Plan): Promise<Finished> {
  const startedMs = performance.now()
  const outcome = await outcomeOf(campaign, plan)
  return { campaign, outcome, seconds: (performance.now() - startedMs) / 1000 }
}

async function outcomeOf(campaign: Campaign, plan: Plan): Promise<Outcome> {
  try {
    return await campaign.run(plan)
  } catch (error) {
    return { times: 0, failures: [failureOf('broken', plan.seed, error, plan.times)] }
  }
}
