// Vetting on the wire. Mirrors Canton's JsPackageService.
import { type Static, Type } from 'typebox'
import type { NamedPackage, VettedPackages } from '../../ledger/packages/vetting.ts'
import type { ListRequest, UpdateRequest, VettingOperation } from '../../ledger/packages/vetting-request.ts'
import { instantToText } from '../../lf/codec/time-text.ts'
import {
  boxed,
  choiceOf,
  emptyVariant,
  flag,
  int32,
  list,
  message,
  nullable,
  oneOf,
  optional,
  text,
  timestamp,
} from './schema.ts'

const vettedPackage = message(
  'VettedPackage',
  {
    packageId: Type.String({ description: 'The package' }),
    validFromInclusive: nullable(Type.String({ description: 'Start of the vetting period; null for no bound' })),
    validUntilExclusive: nullable(Type.String({ description: 'End of the vetting period; null for no bound' })),
    packageName: Type.String({ description: 'Its name; empty if it was not uploaded here' }),
    packageVersion: Type.String({ description: 'Its version; empty if it was not uploaded here' }),
  },
  { description: 'A vetted package and its period', requires: ['packageId'] },
)

const vettedPackages = message(
  'VettedPackages',
  {
    packages: list(vettedPackage, 'The packages, by name, version and id'),
    participantId: Type.String({ description: 'The participant that has vetted them' }),
    synchronizerId: Type.String({ description: 'The synchronizer that they are vetted on' }),
    topologySerial: Type.Integer({ format: 'int32', description: 'The serial number of the vetting state' }),
  },
  { description: 'The packages that a participant has vetted on a synchronizer', requires: 'all' },
)

export const listRequest = message('ListVettedPackagesRequest', {
  packageMetadataFilter: optional(
    message(
      'PackageMetadataFilter',
      {
        packageIds: list(Type.String(), 'Packages with one of these ids'),
        packageNamePrefixes: list(Type.String(), 'Packages whose name starts with one of these'),
      },
      { description: 'The packages to list: those that match one of the lists; all if both are empty' },
    ),
  ),
  topologyStateFilter: optional(
    message(
      'TopologyStateFilter',
      {
        participantIds: list(Type.String(), 'Only the vetting of these participants; all if empty'),
        synchronizerIds: list(Type.String(), 'Only the vetting on these synchronizers; all if empty'),
      },
      { description: 'The participants and synchronizers to list' },
    ),
  ),
  pageToken: text('The nextPageToken of the previous page; empty for the first page'),
  pageSize: int32("Entries per page; 0 for the node's maximum"),
})

export const listResponse = message('ListVettedPackagesResponse', {
  vettedPackages: list(vettedPackages, 'One page, by synchronizer and participant'),
  nextPageToken: text('The token of the next page; empty if this page is'),
})

const references = (description: string) =>
  list(
    message(
      'VettedPackagesRef',
      {
        packageId: text('The package with this id'),
        packageName: text('Packages of this name'),
        packageVersion: text('The version, together with the name'),
      },
      { description: 'A package: by its id, its name, its name and version, or all three' },
    ),
    description,
  )

const operation = oneOf(
  'Operation',
  [
    emptyVariant('Empty5'),
    boxed(
      'Unvet',
      message(
        'Unvet1',
        { packages: references('The packages; a reference may match several or none') },
        { description: 'Unvet packages', requires: 'all' },
      ),
    ),
    boxed(
      'Vet',
      message(
        'Vet1',
        {
          packages: references('The packages; each reference must match exactly one'),
          newValidFromInclusive: optional(timestamp('Start of the vetting period; absent for no bound')),
          newValidUntilExclusive: optional(timestamp('End of the vetting period; absent for no bound')),
        },
        { description: 'Vet packages, or change their periods', requires: ['packages'] },
      ),
    ),
  ],
  { description: 'The operation' },
)

const allowIncompatibleUpgrades = 'UPDATE_VETTED_PACKAGES_FORCE_FLAG_ALLOW_VET_INCOMPATIBLE_UPGRADES'
const allowUnvettedDependencies = 'UPDATE_VETTED_PACKAGES_FORCE_FLAG_ALLOW_UNVETTED_DEPENDENCIES'

export const updateRequest = message(
  'UpdateVettedPackagesRequest',
  {
    changes: list(message('VettedPackagesChange', { operation }), 'The changes; the last one for a package counts'),
    dryRun: flag('Only return what the result would be'),
    synchronizerId: text('The synchronizer on which to vet; may be empty if there is only one'),
    expectedTopologySerial: optional(
      message(
        'PriorTopologySerial',
        {
          serial: oneOf(
            'Serial',
            [
              emptyVariant('Empty6'),
              Type.Object({ NoPrior: message('NoPrior', {}, { description: 'There must be no earlier state' }) }),
              boxed('Prior', Type.Integer({ format: 'int32', description: 'The serial of the last change' })),
            ],
            { description: 'The expected serial' },
          ),
        },
        { description: 'Refuses the update after a concurrent change' },
      ),
    ),
    updateVettedPackagesForceFlags: list(
      choiceOf(
        ['UPDATE_VETTED_PACKAGES_FORCE_FLAG_UNSPECIFIED', allowIncompatibleUpgrades, allowUnvettedDependencies],
        'A check to skip',
      ),
      'Checks to skip',
    ),
  },
  { requires: ['changes'] },
)

export const updateResponse = message(
  'UpdateVettedPackagesResponse',
  {
    pastVettedPackages: nullable(vettedPackages),
    newVettedPackages: nullable(vettedPackages),
  },
  { requires: ['newVettedPackages'] },
)

export function listRequestFromJson(json: Static<typeof listRequest>): ListRequest {
  const { packageMetadataFilter, topologyStateFilter, pageToken, pageSize } = json
  return {
    packageIds: packageMetadataFilter?.packageIds ?? [],
    packageNamePrefixes: packageMetadataFilter?.packageNamePrefixes ?? [],
    participantIds: topologyStateFilter?.participantIds ?? [],
    synchronizerIds: topologyStateFilter?.synchronizerIds ?? [],
    pageToken,
    pageSize,
  }
}

export function updateRequestFromJson(json: Static<typeof updateRequest>): UpdateRequest {
  const { changes, dryRun, synchronizerId, expectedTopologySerial, updateVettedPackagesForceFlags } = json
  return {
    changes: changes.map((change) => operationFromJson(change.operation)),
    dryRun,
    synchronizerId,
    expectedSerial: expectedTopologySerial && serialFromJson(expectedTopologySerial.serial),
    allowsIncompatibleUpgrades: updateVettedPackagesForceFlags.includes(allowIncompatibleUpgrades),
    allowsUnvettedDependencies: updateVettedPackagesForceFlags.includes(allowUnvettedDependencies),
  }
}

function operationFromJson(json: Static<typeof operation>): VettingOperation | undefined {
  if ('Unvet' in json) return { kind: 'unvet', packages: json.Unvet.value.packages }
  if (!('Vet' in json)) return undefined
  const { packages, newValidFromInclusive, newValidUntilExclusive } = json.Vet.value
  return { kind: 'vet', packages, validFrom: newValidFromInclusive, validUntil: newValidUntilExclusive }
}

type Serial = Static<NonNullable<(typeof updateRequest)['properties']['expectedTopologySerial']>>['serial']

function serialFromJson(json: Serial): UpdateRequest['expectedSerial'] {
  if ('Prior' in json) return json.Prior.value
  return 'NoPrior' in json ? 'none' : undefined
}

export function vettedPackagesToJson(entry: VettedPackages): Static<typeof vettedPackages> {
  const { packages, participantId, synchronizerId, serial } = entry
  return { packages: packages.map(vettedPackageToJson), participantId, synchronizerId, topologySerial: serial }
}

function vettedPackageToJson({ packageId, validFrom, validUntil, name, version }: NamedPackage) {
  return {
    packageId,
    validFromInclusive: validFrom === undefined ? null : instantToText(validFrom),
    validUntilExclusive: validUntil === undefined ? null : instantToText(validUntil),
    packageName: name,
    packageVersion: version,
  }
}
