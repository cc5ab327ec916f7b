// Every automation, in the order in which they look at the ledger.
import type { Automation } from './automation.ts'
import { completeBuyTrafficRequests } from './buy-traffic.ts'
import { updateConfigStates } from './config-states.ts'
import { expireRequests } from './expired-requests.ts'
import { acceptPreapprovals, renewPreapprovals } from './preapprovals.ts'
import { collectRewards, expireCoupons, recordLiveness } from './rewards.ts'
import { advanceRounds, archiveClosed, closeIssuing, startIssuing } from './rounds.ts'
import { paySubscriptions } from './subscriptions.ts'
import { countTransferCommands, sendTransferCommands } from './transfer-commands.ts'
import { completeTransferOffers } from './transfer-offers.ts'

export const automations: readonly Automation[] = [
  advanceRounds,
  startIssuing,
  closeIssuing,
  recordLiveness,
  collectRewards,
  expireCoupons,
  archiveClosed,
  updateConfigStates,
  acceptPreapprovals,
  renewPreapprovals,
  completeTransferOffers,
  completeBuyTrafficRequests,
  countTransferCommands,
  sendTransferCommands,
  paySubscriptions,
  expireRequests,
]
