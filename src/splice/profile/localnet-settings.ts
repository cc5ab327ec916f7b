// The settings of a node that takes the place of LocalNet's participants.
import { operatorUser, participantProfiles, portsOf } from './participants.ts'
import { audience, publicSecret } from './tokens.ts'

export type ProfileOptions = {
  /** Added to every port. */
  readonly portOffset: number
  /** Whether there is a second synchronizer, of app-user and app-provider. */
  readonly hasAppSynchronizer: boolean
}

export const globalAlias = 'global'
export const appAlias = 'app-synchronizer'

/** Defaults below the configuration file, the environment and the flags. */
export function localnetSettings({ portOffset, hasAppSynchronizer }: ProfileOptions): object {
  const participants = participantProfiles.map((profile) => {
    const { json, grpc, admin } = portsOf(profile, portOffset)
    const { name, idName } = profile
    const isOfApp = hasAppSynchronizer && name !== 'sv'
    const synchronizers = isOfApp ? [globalAlias, appAlias] : [globalAlias]
    return { name, idName, port: json, grpcPort: grpc, adminPort: admin, synchronizers }
  })
  const [first] = participants
  return {
    http: { port: first!.port, corsOrigins: ['*'] },
    grpc: { port: first!.grpcPort },
    admin: { port: first!.adminPort },
    auth: {
      keys: [{ type: 'hs256', secret: publicSecret, targetAudience: audience, tokenLifetimeMaxMs: 'unlimited' }],
      administrators: [operatorUser],
    },
    development: true,
    compatibility: 'canton-3.5',
    log: { level: 'warn' },
    synchronizers: [
      { alias: globalAlias, idName: 'global-domain', priority: 1 },
      ...(hasAppSynchronizer ? [{ alias: appAlias }] : []),
    ],
    network: { participants },
  }
}
