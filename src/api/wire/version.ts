// The version and its features on the wire. Mirrors Canton's GetLedgerApiVersionResponse.
import { type TProperties, Type } from 'typebox'
import { duration, flag, int32, message, text } from './schema.ts'

const described = <P extends TProperties>(title: string, description: string, properties: P) =>
  message(title, properties, { description, requires: 'all' })

const supported = { supported: flag('Whether it is supported') }

// Small enough for a number, which JSON.stringify can write.
const delay = Type.Unsafe<{ seconds: number; nanos: number; unknownFields: { fields: object } }>(duration)

const features = described('FeaturesDescriptor', 'The features of this node', {
  experimental: message(
    'ExperimentalFeatures',
    {
      staticTime: described('ExperimentalStaticTime', 'Static time, set over the API', supported),
      commandInspectionService: described(
        'ExperimentalCommandInspectionService',
        'Inspection of running commands',
        supported,
      ),
    },
    { description: 'Experimental features', requires: [] },
  ),
  userManagement: described('UserManagementFeature', 'User management', {
    ...supported,
    maxRightsPerUser: int32('Maximum number of rights per user'),
    maxUsersPageSize: int32('Maximum number of users per page'),
  }),
  partyManagement: described('PartyManagementFeature', 'Party management', {
    maxPartiesPageSize: int32('Maximum number of parties per page'),
  }),
  offsetCheckpoint: described('OffsetCheckpointFeature', 'Offset checkpoints of streams', {
    maxOffsetCheckpointEmissionDelay: delay,
  }),
  packageFeature: described('PackageFeature', 'Package listing', {
    maxVettedPackagesPageSize: int32('Maximum number of packages per page'),
  }),
})

export const versionResponse = message(
  'GetLedgerApiVersionResponse',
  {
    version: text('The Canton release whose API this node implements'),
    features,
  },
  { requires: 'all' },
)
