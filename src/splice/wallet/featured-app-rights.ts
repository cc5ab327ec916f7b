// POST /api/validator/v0/wallet/self-grant-feature-app-right and cancel-featured-app-rights: whether a user's app is featured.
import { disclosedFrom } from '../ledger/participant.ts'
import { templates } from '../ledger/templates.ts'
import type { Route, ValidatorContext } from '../serving/route.ts'
import { exerciseWallet } from './wallet-choices.ts'
import { walletRoute } from './wallet-route.ts'

export const featuredAppRoutes: readonly Route<ValidatorContext>[] = [
  walletRoute('POST v0/wallet/self-grant-feature-app-right', 'selfGrantFeatureAppRight', async (context) => {
    const rules = (await context.dso.only(templates.amuletRules))!
    const argument = { amuletRulesCid: rules.contractId }
    const disclosed = [disclosedFrom(rules)]
    const result = await exerciseWallet(context, 'WalletAppInstall_FeaturedAppRights_SelfGrant', argument, {
      disclosed,
    })
    return { contract_id: result.featuredAppRight }
  }),
  walletRoute('DELETE v0/wallet/cancel-featured-app-rights', 'cancelFeaturedAppRights', async (context) => {
    const rights = await context.validator.participant.contracts(templates.featuredAppRight, [context.party])
    for (const { contractId: cid, payload } of rights) {
      if (payload.provider === context.party)
        await exerciseWallet(context, 'WalletAppInstall_FeaturedAppRights_Cancel', { cid })
    }
  }),
  {
    method: 'GET',
    path: '/api/validator/v0/feature-support',
    access: 'user',
    answer: async () => ({ token_standard: true, transfer_preapproval_description: true }),
  },
]
