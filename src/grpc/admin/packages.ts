// Packages and DARs of the participant. Mirrors Canton's GrpcPackageService. A DAR is known by its main package; the file
// itself is not kept, nor is its description.
import { LedgerError } from '../../base/errors.ts'
import { shortHash } from '../../base/names.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import { malformed } from '../../ledger/packages/vetting-request.ts'
import { timestampToText } from '../../lf/codec/time-text.ts'
import type { AdminMethod } from './method.ts'

const service = 'admin.participant.v30.PackageService'

type PackageRecord = Awaited<ReturnType<Ledger['packages']['known']>>[number]

export const packageMethods: readonly AdminMethod[] = [
  {
    method: `${service}/ListPackages`,
    async call({ packages }, request) {
      return { packageDescriptions: limited(await packages.known(), request).map(descriptionOf) }
    },
  },
  {
    method: `${service}/ListDars`,
    call: async ({ packages }, request) => ({ dars: limited(await packages.uploaded(), request).map(darOf) }),
  },
  {
    method: `${service}/GetDarContents`,
    async call(ledger, { mainPackageId }) {
      const contents = await darContents(ledger, mainPackageId, 'getDar')
      return { description: darOf(contents[0]!), packages: contents.map(descriptionOf) }
    },
  },
  {
    method: `${service}/GetPackageContents`,
    async call({ packages }, { packageId }) {
      if (packageId === '') throw malformed('StringConversionError(Daml-LF Package ID is empty,Some(packageId))')
      const record = (await packages.known()).find(({ id }) => id === packageId)
      const decoded = record && (await packages.package(packageId))
      if (decoded === undefined) {
        throw new LedgerError('PACKAGE_CONTENT_NOT_FOUND', `The package ${shortHash(packageId)} is not known`)
      }
      return {
        description: descriptionOf(record!),
        modules: [...decoded.modules.keys()].sort().map((name) => ({ name })),
        isUtilityPackage: !record!.isUpgradable,
        languageVersion: record!.languageVersion,
      }
    },
  },
  {
    method: `${service}/GetPackageReferences`,
    async call({ packages }, { packageId }) {
      const dars: object[] = []
      for (const main of await packages.uploaded()) {
        const contents = (await packages.withDependencies(main.id)) ?? []
        if (contents.some(({ id }) => id === packageId)) dars.push(darOf(main))
      }
      return { dars }
    },
  },
  {
    method: `${service}/ValidateDar`,
    async call({ packages }, { data, synchronizerId = '' }) {
      return { mainPackageId: (await packages.validate({ bytes: data, synchronizerId })).id }
    },
  },
  {
    method: `${service}/UploadDar`,
    async call({ packages }, { dars, vetAllPackages, synchronizerId = '' }) {
      const darIds: string[] = []
      for (const { bytes, expectedMainPackageId: expectedMainId } of dars) {
        const main = await packages.upload({ bytes, vetAllPackages, synchronizerId, expectedMainId })
        darIds.push(main.id)
      }
      return { darIds }
    },
  },
  {
    method: `${service}/VetDar`,
    call: (ledger, request) =>
      vetting(ledger, request, 'DAR archive vetting', { kind: 'vet', validFrom: undefined, validUntil: undefined }),
  },
  {
    method: `${service}/UnvetDar`,
    call: (ledger, request) => vetting(ledger, request, 'DAR archive unvetting', { kind: 'unvet' }),
  },
]

/** As in Canton, the limit counts before the filter. */
function limited(records: readonly PackageRecord[], { limit, filterName }: { limit: number; filterName: string }) {
  return (limit === 0 ? records : records.slice(0, Math.max(0, limit))).filter(({ name }) =>
    name.startsWith(filterName),
  )
}

function descriptionOf({ id, name, version, uploadedAtMs, size }: PackageRecord): object {
  return { packageId: id, name, version, uploadedAt: timestampToText(BigInt(uploadedAtMs) * 1000n), size }
}

function darOf({ id, name, version }: PackageRecord): object {
  return { main: id, name, version, description: '' }
}

async function darContents({ packages }: Ledger, mainPackageId: string, operation: string): Promise<PackageRecord[]> {
  const isMain = (await packages.uploaded()).some(({ id }) => id === mainPackageId)
  const contents = isMain ? await packages.withDependencies(mainPackageId) : undefined
  if (contents !== undefined) return contents
  const text = `${operation} operation failed due to non-existent DAR archive with main package-id ${mainPackageId}`
  throw new LedgerError('DAR_NOT_FOUND', text)
}

type Operation =
  | { readonly kind: 'vet'; readonly validFrom: undefined; readonly validUntil: undefined }
  | { readonly kind: 'unvet' }

/** Vets the DAR with all that it needs; unvets its main package alone, because other DARs may need the rest. */
async function vetting(
  ledger: Ledger,
  { mainPackageId, synchronizerId = '' }: { mainPackageId: string; synchronizerId?: string },
  operationName: string,
  operation: Operation,
): Promise<object> {
  const contents = await darContents(ledger, mainPackageId, operationName)
  const ids = operation.kind === 'vet' ? contents.map(({ id }) => id) : [mainPackageId]
  const packages = ids.map((packageId) => ({ packageId, packageName: '', packageVersion: '' }))
  await ledger.vetting.update({
    changes: [{ ...operation, packages }],
    dryRun: false,
    synchronizerId,
    expectedSerial: undefined,
    allowsIncompatibleUpgrades: false,
    allowsUnvettedDependencies: false,
  })
  return {}
}
