// The version and its features on the wire. Mirrors Canton's GetLedgerApiVersionResponse.
import { type TProperties, Type } from 'typebox'
import { duration, flag, int32, message, text } from './schema.ts'

const described = <P extends TProperties>(title: string, description: string, properties: P) =>
  message(title, properties, { description, requires: 'all' })

const supported = { supported: flag('Whether it is there') }

// Small enough for a number, which JSON.stringify can write.
const delay = Type.Unsafe<{ seconds: number; nanos: number; unknownFields: { fields: object } }>(duration)

const features = described('FeaturesDescriptor', 'What this node can do', {
  experimental: message(
    'ExperimentalFeatures',
    {
      staticTime: described('ExperimentalStaticTime', 'A clock that is set over the API', supported),
      commandInspectionService: described(
        'ExperimentalCommandInspectionService',
        'Looking into running commands',
        supported,
      ),
    },
    { description: 'What may change or go', requires: [] },
  ),
  userManagement: described('UserManagementFeature', 'Administration of users', {
    ...supported,
    maxRightsPerUser: int32('Rights one user may have'),
    maxUsersPageSize: int32('Users on a page'),
  }),
  partyManagement: described('PartyManagementFeature', 'Administration of parties', {
    maxPartiesPageSize: int32('Parties on a page'),
  }),
  offsetCheckpoint: described('OffsetCheckpointFeature', 'How often streams say how far they are', {
    maxOffsetCheckpointEmissionDelay: delay,
  }),
  packageFeature: described('PackageFeature', 'Listing of packages', {
    maxVettedPackagesPageSize: int32('Packages on a page'),
  }),
})

export const versionResponse = message(
  'GetLedgerApiVersionResponse',
  {
    version: text('The Canton release whose API this node speaks'),
    features,
  },
  { requires: 'all' },
)
