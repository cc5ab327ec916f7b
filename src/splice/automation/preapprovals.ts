// Preapprovals of transfers: a validator accepts those that parties propose to it, and renews them before they end. Splice's
// AcceptTransferPreapprovalProposalTrigger and RenewTransferPreapprovalTrigger.
import type { Validator } from '../founding/parties.ts'
import { templates } from '../ledger/templates.ts'
import { operate, walletOf } from '../treasury/amulet-operations.ts'
import { type Automation, type AutomationContext, done, dueAt, earliest, nothingDue, type Step } from './automation.ts'

const dayMs = 86_400_000
const lifetimeMs = 90 * dayMs
/** How long before its end a preapproval is renewed. */
const renewalMs = 30 * dayMs

const isoTime = (ms: number) => new Date(ms).toISOString()

export const acceptPreapprovals: Automation = {
  name: 'accept proposals of transfer preapprovals',
  async step(context) {
    for (const validator of context.network.validators) if (await acceptOne(context, validator)) return done
    return nothingDue
  },
}

/** Whether there was a proposal to accept. */
export async function acceptOne(context: AutomationContext, validator: Validator): Promise<boolean> {
  const proposals = await validator.participant.contracts(templates.transferPreapprovalProposal, [validator.party])
  const own = proposals.filter(({ payload }) => payload.provider === validator.party)
  if (own.length === 0) return false
  const approved = new Set(
    (await context.dso.all(templates.transferPreapproval)).map(({ payload }) => payload.receiver),
  )
  const next = own.find(({ payload }) => !approved.has(payload.receiver))
  if (next === undefined) return false
  await operateAsValidator(context, validator, {
    tag: 'CO_AcceptTransferPreapprovalProposal',
    value: { preapprovalProposalCid: next.contractId, expiresAt: isoTime(context.nowMs + lifetimeMs) },
  })
  return true
}

export const renewPreapprovals: Automation = {
  name: 'renew transfer preapprovals',
  async step(context) {
    const { validators } = context.network
    const waiting: Step[] = []
    for (const { contractId, payload } of await context.dso.all(templates.transferPreapproval)) {
      const validator = validators.find(({ party }) => party === payload.provider)
      const endMs = Date.parse(payload.expiresAt)
      if (validator === undefined || endMs <= context.nowMs) continue
      if (context.nowMs < endMs - renewalMs) waiting.push(dueAt(endMs - renewalMs))
      else {
        const newExpiresAt = isoTime(endMs + lifetimeMs)
        const value = { previousApprovalCid: contractId, newExpiresAt }
        await operateAsValidator(context, validator, { tag: 'CO_RenewTransferPreapproval', value })
        return done
      }
    }
    return earliest(waiting)
  },
}

/** From the validator's own wallet. */
async function operateAsValidator(
  { network, dso, nowMs }: AutomationContext,
  validator: Validator,
  operation: { readonly tag: string; readonly value: object },
): Promise<void> {
  const wallet = await walletOf(validator, validator.profile.walletUser)
  await operate({ network, dso, validator, nowMs }, wallet!, operation)
}
