// Every JSON operation of the node.
import type { Route } from '../route.ts'
import { identityProviderRoutes } from './identity-providers.ts'
import { packageRoutes } from './packages.ts'
import { partyRoutes } from './parties.ts'
import { synchronizerRoutes } from './synchronizers.ts'
import { userRoutes } from './users.ts'
import { versionRoutes } from './version.ts'
import { vettingRoutes } from './vetting.ts'

export function allRoutes(ownVersion: string): Route[] {
  return [
    ...versionRoutes(ownVersion),
    ...userRoutes,
    ...partyRoutes,
    ...identityProviderRoutes,
    ...packageRoutes,
    ...vettingRoutes,
    ...synchronizerRoutes,
  ]
}
