// Every route of the wallet.
import type { Route, ValidatorContext } from '../serving/route.ts'
import { allocationRoutes } from './allocations.ts'
import { amuletsRoute, balanceRoute, userStatusRoute } from './balance.ts'
import { featuredAppRoutes } from './featured-app-rights.ts'
import { preapprovalRoutes } from './preapprovals.ts'
import { tapRoute } from './tap.ts'
import { tokenTransferRoutes } from './token-transfers.ts'
import { transferOfferRoutes } from './transfer-offers.ts'

export const walletRoutes: readonly Route<ValidatorContext>[] = [
  userStatusRoute,
  balanceRoute,
  amuletsRoute,
  tapRoute,
  ...featuredAppRoutes,
  ...transferOfferRoutes,
  ...tokenTransferRoutes,
  ...allocationRoutes,
  ...preapprovalRoutes,
]
