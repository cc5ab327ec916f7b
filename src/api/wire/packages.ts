// Packages on the wire. Mirrors Canton's JsPackageService.
import { type Static, Type } from 'typebox'
import { list, message, text } from './schema.ts'

export const validateQuery = Type.Object({
  synchronizerId: text('The synchronizer on which to vet the packages; may be empty if there is only one'),
})

export const uploadQuery = Type.Object({
  vetAllPackages: Type.Boolean({
    default: true,
    description: 'Whether to vet the packages at once; true if absent',
  }),
  ...validateQuery.properties,
})

export const uploadResponse = message('UploadDarFileResponse', {})

export const listPackagesResponse = message(
  'ListPackagesResponse',
  {
    packageIds: list(Type.String(), 'The ids of all packages, in order'),
  },
  { requires: 'all' },
)

export const packageStatusResponse = message('GetPackageStatusResponse', {
  packageStatus: Type.String({
    enum: ['PACKAGE_STATUS_UNSPECIFIED', 'PACKAGE_STATUS_REGISTERED'],
    description: 'Whether the package is known; unspecified means that it is not',
  }),
})

export function packageStatusToJson(isRegistered: boolean): Static<typeof packageStatusResponse> {
  return { packageStatus: isRegistered ? 'PACKAGE_STATUS_REGISTERED' : 'PACKAGE_STATUS_UNSPECIFIED' }
}
