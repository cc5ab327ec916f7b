// Every JSON operation of the node.
import type { Route } from '../route.ts'
import { administrationRoutes } from './administration.ts'
import { commandRoutes } from './commands.ts'
import { contractRoutes } from './contracts.ts'
import { darRoutes, developmentRoutes, signInRoutes, tokenRoutes } from './development.ts'
import { externalPartyRoutes } from './external-parties.ts'
import { faultRoutes } from './faults.ts'
import { findingRoutes } from './finding.ts'
import { forkRoutes } from './fork.ts'
import { identityProviderRoutes } from './identity-providers.ts'
import { interactiveSubmissionRoutes } from './interactive-submission.ts'
import { networkRoutes } from './network.ts'
import { packageRoutes } from './packages.ts'
import { partyRoutes } from './parties.ts'
import { reassignmentRoutes } from './reassignments.ts'
import { scriptRoutes } from './scripts.ts'
import { stateRoutes } from './state.ts'
import { synchronizerRoutes } from './synchronizers.ts'
import { updateRoutes } from './updates.ts'
import { userRoutes } from './users.ts'
import { versionRoutes } from './version.ts'
import { vettingRoutes } from './vetting.ts'

const toolRoutes: readonly Route[] = [
  ...developmentRoutes,
  ...faultRoutes,
  ...networkRoutes,
  ...forkRoutes,
  ...scriptRoutes,
  ...tokenRoutes,
  ...darRoutes,
  ...signInRoutes,
]

/** Those of the ledger, with `isDevelopment` the tools of a development node, and those that the explorer needs. */
export function allRoutes(ownVersion: string, isDevelopment = false, hasExplorer = isDevelopment): Route[] {
  return [
    ...versionRoutes(ownVersion),
    ...commandRoutes,
    ...interactiveSubmissionRoutes,
    ...reassignmentRoutes,
    ...updateRoutes,
    ...stateRoutes,
    ...contractRoutes,
    ...userRoutes,
    ...partyRoutes,
    ...externalPartyRoutes,
    ...identityProviderRoutes,
    ...packageRoutes,
    ...vettingRoutes,
    ...synchronizerRoutes,
    ...administrationRoutes,
    ...(hasExplorer ? findingRoutes : []),
    ...(isDevelopment ? toolRoutes : []),
  ]
}
