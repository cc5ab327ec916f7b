// The packages of the node, where they are vetted, and uploads.
import { get, post } from './client.ts'

export type PackageRow = {
  readonly packageId: string
  /** Empty for a package that is vetted nowhere: the API names only those that are. */
  readonly name: string
  readonly version: string
  /** Ids of synchronizers. */
  readonly vettedOn: readonly string[]
}

type Vetted = { readonly packageId: string; readonly packageName: string; readonly packageVersion: string }
type VettedOn = { readonly packages: readonly Vetted[]; readonly synchronizerId: string }
type VettingPage = { readonly vettedPackages?: readonly VettedOn[]; readonly nextPageToken?: string }

/** By name and version, then those that are vetted nowhere. */
export async function readPackages(signal?: AbortSignal): Promise<readonly PackageRow[]> {
  const found = new Map<string, PackageRow>()
  for await (const { packages, synchronizerId } of vettedPackages(signal)) {
    for (const { packageId, packageName: name, packageVersion: version } of packages) {
      const vettedOn = [...(found.get(packageId)?.vettedOn ?? []), synchronizerId]
      found.set(packageId, { packageId, name, version, vettedOn })
    }
  }
  const { packageIds } = await get<{ packageIds: string[] }>('/v2/packages', { signal })
  const others = packageIds.filter((id) => !found.has(id)).sort()
  return [...found.values(), ...others.map((packageId) => ({ packageId, name: '', version: '', vettedOn: [] }))]
}

/** Of those that are vetted somewhere. */
export async function readPackageNames(signal?: AbortSignal): Promise<ReadonlySet<string>> {
  const names = new Set<string>()
  for await (const { packages } of vettedPackages(signal)) {
    for (const { packageName } of packages) names.add(packageName)
  }
  return names
}

async function* vettedPackages(signal?: AbortSignal): AsyncIterable<VettedOn> {
  let pageToken = ''
  do {
    const page = await post<VettingPage>('/v2/package-vetting/list', { pageToken }, { signal })
    yield* page.vettedPackages ?? []
    pageToken = page.nextPageToken ?? ''
  } while (pageToken !== '')
}

export async function uploadDar(content: Blob): Promise<void> {
  await post('/v2/packages', content)
}

export async function setVetted(packageId: string, synchronizerId: string, isVetted: boolean): Promise<void> {
  const packages = [{ packageId }]
  const operation = isVetted ? { Vet: { value: { packages } } } : { Unvet: { value: { packages } } }
  await post('/v2/package-vetting', { changes: [{ operation }], synchronizerId })
}
