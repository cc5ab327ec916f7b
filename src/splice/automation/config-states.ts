// The configuration for external parties: replaces the older of its two contracts when its time is over. Splice's
// UpdateExternalPartyConfigStateTrigger.
import { roundOf } from '../ledger/dso-reads.ts'
import { templates } from '../ledger/templates.ts'
import { type Automation, done, dueAt, nothingDue } from './automation.ts'
import { exerciseDsoRules } from './dso-choices.ts'

export const updateConfigStates: Automation = {
  name: 'renew the configuration for external parties',
  async step(context) {
    const archiveMs = (text: string) => Date.parse(text)
    const [older, newer] = (await context.dso.all(templates.externalPartyConfigState)).toSorted(
      (one, other) => archiveMs(one.payload.targetArchiveAfter) - archiveMs(other.payload.targetArchiveAfter),
    )
    if (newer === undefined) return nothingDue
    const dueMs = archiveMs(older!.payload.targetArchiveAfter)
    if (context.nowMs <= dueMs) return dueAt(dueMs + 1)
    const rounds = (await context.dso.all(templates.openMiningRound)).toSorted(
      (one, other) => roundOf(one) - roundOf(other),
    )
    const [round0, round1, round2] = rounds.map(({ contractId }) => contractId)
    await exerciseDsoRules(context, 'DsoRules_UpdateExternalPartyConfigStates', {
      externalPartyConfigStateCid0: older!.contractId,
      externalPartyConfigStateCid1: newer.contractId,
      openMiningRoundTriple: { round0Cid: round0, round1Cid: round1, round2Cid: round2 },
    })
    return done
  },
}
