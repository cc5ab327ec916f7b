// Reads packages and their dependencies from a node.
import { StartError } from '../base/errors.ts'
import { collectPackages, type PackageSet } from '../codegen/package-set.ts'
import { stablePackages } from '../lf/archive/stable-packages.ts'
import type { PackageFile } from '../lf/dar/dar-writing.ts'
import type { Package } from '../lf/syntax/ast.ts'
import { comparePackageVersions } from '../lf/syntax/names.ts'
import type { NodeClient } from './node-client.ts'

type Vetted = { readonly packageId: string; readonly packageName: string; readonly packageVersion: string }
type Page = {
  readonly vettedPackages: readonly { readonly packages: readonly Vetted[]; readonly synchronizerId: string }[]
  readonly nextPageToken: string
}

/** Without a name if it is vetted nowhere. */
export type ListedPackage = Vetted & { readonly synchronizers: readonly string[] }

/** Whether it belongs to Daml itself: every project has it, and nobody uploads it for its own sake. */
export function isLibrary({ packageId, packageName }: Vetted): boolean {
  return packageName === '' || stablePackages.has(packageId) || /^(daml3?-(prim|stdlib|script)|ghc-)/.test(packageName)
}

/** By name and version, as the node lists them; those that are vetted nowhere come last. */
export async function listPackages(node: NodeClient): Promise<ListedPackage[]> {
  const found = await vettedPackages([], node)
  const { packageIds } = (await (await node.get('/v2/packages')).json()) as { packageIds: string[] }
  const others = packageIds.filter((packageId) => !found.has(packageId)).sort()
  return [
    ...found.values(),
    ...others.map((packageId) => ({ packageId, packageName: '', packageVersion: '', synchronizers: [] })),
  ]
}

/** The newest version of each, without libraries: those have no templates. */
export function newestOf(packages: readonly ListedPackage[]): ListedPackage[] {
  const newest = new Map<string, ListedPackage>()
  for (const one of packages.filter((listed) => !isLibrary(listed))) {
    const other = newest.get(one.packageName)
    if (other === undefined || comparePackageVersions(one.packageVersion, other.packageVersion) > 0) {
      newest.set(one.packageName, one)
    }
  }
  return [...newest.values()]
}

async function vettedPackages(names: readonly string[], node: NodeClient): Promise<Map<string, ListedPackage>> {
  const found = new Map<string, ListedPackage>()
  let pageToken = ''
  do {
    const filter = names.length === 0 ? {} : { packageMetadataFilter: { packageIds: [], packageNamePrefixes: names } }
    const response = await node.post('/v2/package-vetting/list', { ...filter, pageToken, pageSize: 0 })
    const page = (await response.json()) as Page
    for (const { packages, synchronizerId } of page.vettedPackages) {
      for (const { packageId, packageName, packageVersion } of packages) {
        const synchronizers = [...(found.get(packageId)?.synchronizers ?? []), synchronizerId]
        found.set(packageId, { packageId, packageName, packageVersion, synchronizers })
      }
    }
    pageToken = page.nextPageToken
  } while (pageToken !== '')
  return found
}

/** Takes the highest vetted version. */
export async function readPackages(name: string, node: NodeClient): Promise<PackageSet> {
  const [newest] = [...(await vettedPackages([name], node)).values()]
    .filter(({ packageName }) => packageName === name)
    .sort((a, b) => comparePackageVersions(b.packageVersion, a.packageVersion))
  if (newest === undefined) throw new StartError(`the node has no package ${name}`)
  return readPackageSet(await readPackage(newest.packageId, node), node)
}

/** With the packages whose types it uses. */
export function readPackageSet(main: Package, node: NodeClient): Promise<PackageSet> {
  return collectPackages(main, (packageId) => readPackage(packageId, node))
}

export async function readPackage(packageId: string, node: NodeClient): Promise<Package> {
  const { decodePayload } = await import('../lf/archive/archive.ts')
  const { ArchiveError } = await import('../lf/archive/archive-error.ts')
  const response = await node.get(`/v2/packages/${encodeURIComponent(packageId)}`)
  try {
    return decodePayload(new Uint8Array(await response.arrayBuffer()), packageId).package
  } catch (error) {
    if (error instanceof ArchiveError) throw new StartError(`package ${packageId} cannot be read: ${error.message}`)
    throw error
  }
}

export type DarFile = { readonly name: string; readonly bytes: Uint8Array }

/** A DAR for each package that no other one depends on. */
export async function darsOfNode(node: NodeClient): Promise<DarFile[]> {
  const { decodePayload } = await import('../lf/archive/archive.ts')
  const { writeDar } = await import('../lf/dar/dar-writing.ts')
  const { packageIds } = (await (await node.get('/v2/packages')).json()) as { packageIds: string[] }
  const known = new Map<string, PackageFile & { readonly dependencies: readonly string[] }>()
  for (const id of packageIds) {
    const payload = new Uint8Array(await (await node.get(`/v2/packages/${id}`)).arrayBuffer())
    const { package: read, checkBodies } = decodePayload(payload, id)
    const dependencies = [...new Set([...(read.imports ?? []), ...checkBodies()])].filter((other) => other !== id)
    known.set(id, { id, name: read.name, version: read.version, payload, dependencies })
  }
  const used = new Set([...known.values()].flatMap(({ dependencies }) => dependencies))
  const mains = [...known.values()].filter(({ id }) => !used.has(id) && !stablePackages.has(id))
  return mains.map((main) => {
    const ids = new Set([main.id])
    for (const id of ids) for (const other of known.get(id)?.dependencies ?? []) ids.add(other)
    const packages = [...ids].flatMap((id) => known.get(id) ?? [])
    return { name: `${main.name}-${main.version}.dar`, bytes: writeDar(packages) }
  })
}
