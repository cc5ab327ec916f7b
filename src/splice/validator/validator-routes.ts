// GET /api/validator: the validator's own user, beside its health and its proxy of scan.

import { templates } from '../ledger/templates.ts'
import { operatorUser } from '../profile/participants.ts'
import type { Route, ValidatorContext } from '../serving/route.ts'
import { statusRoutes } from '../serving/status-routes.ts'
import { externalProposalRoutes } from './external-party-proposals.ts'
import { externalTopologyRoutes } from './external-party-topology.ts'
import { externalTransferRoutes } from './external-party-transfers.ts'
import { participantRoutes } from './participant-admin.ts'
import { preapprovalRoutes } from './preapprovals.ts'
import { scanProxyRoutes } from './scan-proxy.ts'
import { userRoutes } from './users.ts'

export const validatorRoutes: readonly Route<ValidatorContext>[] = [
  ...statusRoutes('validator'),
  ...scanProxyRoutes,
  ...userRoutes,
  ...preapprovalRoutes,
  ...participantRoutes,
  ...externalTopologyRoutes,
  ...externalProposalRoutes,
  ...externalTransferRoutes,
  {
    method: 'GET',
    path: '/api/validator/v0/validator-user',
    access: 'anyone',
    async answer({ validator, dso, network }) {
      const { party } = validator
      const rights = network.release === undefined ? [] : await dso.all(templates.featuredAppRight)
      const featured = rights.some(({ payload }) => payload.provider === party)
      return { party_id: party, user_name: operatorUser, featured }
    },
  },
]
