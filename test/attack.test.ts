// A few rounds of the campaigns of `npm run attack`; a failure names the seed and the command that repeats it.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Campaign } from '../attack/campaign.ts'
import { campaigns } from '../attack/campaigns/all.ts'
import { failureText } from '../attack/report.ts'
import { runCampaign } from '../attack/run.ts'
import { testSeed } from './fixtures/seed.ts'

describe('an attack', { concurrency: 2 }, () => {
  for (const campaign of campaigns.filter(({ short }) => short > 0)) testOf(campaign)
})

function testOf(campaign: Campaign): void {
  test(`${campaign.name}: ${campaign.short} ${campaign.unit}`, async () => {
    const plan = { seed: testSeed, times: campaign.short, isShort: true, say: () => undefined }
    const { outcome } = await runCampaign(campaign, plan)
    assert.equal(outcome.failures.map((failure) => failureText(campaign, failure)).join('\n'), '')
    assert.ok(outcome.times >= campaign.short, `${outcome.times} were made`)
  })
}
