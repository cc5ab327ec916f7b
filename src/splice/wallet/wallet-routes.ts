// Every route of the wallet.
import type { Route, ValidatorContext } from '../serving/route.ts'
import { amuletsRoute, balanceRoute, userStatusRoute } from './balance.ts'
import { tapRoute } from './tap.ts'

export const walletRoutes: readonly Route<ValidatorContext>[] = [userStatusRoute, balanceRoute, amuletsRoute, tapRoute]
