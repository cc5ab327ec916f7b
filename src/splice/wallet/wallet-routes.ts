// Every route of the wallet.
import type { Route, ValidatorContext } from '../serving/route.ts'
import { allocationRequestRoutes } from './allocation-requests.ts'
import { allocationRoutes } from './allocations.ts'
import { allocationV2Routes } from './allocations-v2.ts'
import { appPaymentRoutes } from './app-payments.ts'
import { amuletsRoute, balanceRoute, userStatusRoute } from './balance.ts'
import { buyTrafficRoutes } from './buy-traffic.ts'
import { couponRoutes } from './coupons.ts'
import { featuredAppRoutes } from './featured-app-rights.ts'
import { preapprovalRoutes } from './preapprovals.ts'
import { subscriptionRoutes } from './subscriptions.ts'
import { tapRoute } from './tap.ts'
import { tokenTransferRoutes } from './token-transfers.ts'
import { transactionsRoute } from './transactions.ts'
import { transferOfferRoutes } from './transfer-offers.ts'

export const walletRoutes: readonly Route<ValidatorContext>[] = [
  userStatusRoute,
  balanceRoute,
  amuletsRoute,
  tapRoute,
  transactionsRoute,
  ...featuredAppRoutes,
  ...transferOfferRoutes,
  ...tokenTransferRoutes,
  ...allocationRoutes,
  ...allocationV2Routes,
  ...allocationRequestRoutes,
  ...preapprovalRoutes,
  ...buyTrafficRoutes,
  ...appPaymentRoutes,
  ...subscriptionRoutes,
  ...couponRoutes,
]
