// /v2/version: the Canton version whose API this is, as clients check it, and our own beside it.
import { Type } from 'typebox'
import { type Route, route } from '../route.ts'
import { flag, int32, message, text } from '../wire/schema.ts'

/** The release whose behaviour COMPAT.md tracks. */
export const trackedCantonVersion = '3.5.10'

const supported = (title: string, description: string) =>
  message(title, { supported: flag('Whether it is there') }, { description })

export function versionRoutes(ownVersion: string): Route[] {
  return [
    route({
      method: 'GET',
      path: '/v2/version',
      tag: 'Node',
      summary: 'Get the version of the API and what it can do',
      response: message('GetLedgerApiVersionResponse', {
        version: text('The Canton release whose API this node speaks'),
        features: message(
          'FeaturesDescriptor',
          {
            experimental: message(
              'ExperimentalFeatures',
              {
                staticTime: supported('ExperimentalStaticTime', 'A clock that is set over the API'),
                commandInspectionService: supported(
                  'ExperimentalCommandInspectionService',
                  'Looking into running commands',
                ),
              },
              { description: 'What may change or go' },
            ),
            userManagement: message(
              'UserManagementFeature',
              {
                supported: flag('Whether users can be administered'),
                maxRightsPerUser: int32('Rights one user may have'),
                maxUsersPageSize: int32('Users on a page'),
              },
              { description: 'Administration of users' },
            ),
            partyManagement: message(
              'PartyManagementFeature',
              { maxPartiesPageSize: int32('Parties on a page') },
              { description: 'Administration of parties' },
            ),
            offsetCheckpoint: message(
              'OffsetCheckpointFeature',
              {
                maxOffsetCheckpointEmissionDelay: message(
                  'Duration',
                  {
                    seconds: Type.Integer({ format: 'int64', description: 'Whole seconds' }),
                    nanos: int32('Billionths of a second'),
                    unknownFields: message(
                      'UnknownFieldSet',
                      { fields: Type.Object({}, { description: 'Always empty' }) },
                      { description: 'Left over from protobuf' },
                    ),
                  },
                  { description: 'A span of time' },
                ),
              },
              { description: 'How often streams say how far they are' },
            ),
            packageFeature: message(
              'PackageFeature',
              { maxVettedPackagesPageSize: int32('Packages on a page') },
              { description: 'Listing of packages' },
            ),
          },
          { description: 'What this node can do' },
        ),
        tallystick: message(
          'TallystickVersion',
          { version: text('The version of this node') },
          { description: 'About Tallystick itself' },
        ),
      }),
      async call({ limits }) {
        const delayMs = limits.offsetCheckpointMs + limits.idleCheckpointMs
        return {
          version: trackedCantonVersion,
          features: {
            experimental: { staticTime: { supported: false }, commandInspectionService: { supported: false } },
            userManagement: {
              supported: true,
              maxRightsPerUser: limits.userRightsMax,
              maxUsersPageSize: limits.usersPageMax,
            },
            partyManagement: { maxPartiesPageSize: limits.partiesPageMax },
            offsetCheckpoint: {
              maxOffsetCheckpointEmissionDelay: {
                seconds: Math.floor(delayMs / 1000),
                nanos: (delayMs % 1000) * 1_000_000,
                unknownFields: { fields: {} },
              },
            },
            packageFeature: { maxVettedPackagesPageSize: limits.vettedPackagesPageMax },
          },
          tallystick: { version: ownVersion },
        }
      },
    }),
  ]
}
