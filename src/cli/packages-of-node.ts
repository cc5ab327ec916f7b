// Reads packages and their dependencies from a node.
import { StartError } from '../base/errors.ts'
import { collectPackages, type PackageSet } from '../codegen/package-set.ts'
import type { PackageFile } from '../lf/dar/dar-writing.ts'
import type { Package } from '../lf/syntax/ast.ts'
import { comparePackageVersions } from '../lf/syntax/names.ts'
import type { NodeClient } from './node-client.ts'

type Listed = { readonly packageId: string; readonly packageName: string; readonly packageVersion: string }
type Page = { readonly vettedPackages: readonly { readonly packages: readonly Listed[] }[]; nextPageToken: string }

/** Takes the highest vetted version. */
export async function readPackages(name: string, node: NodeClient): Promise<PackageSet> {
  const [newest] = (await versionsOf(name, node)).sort((a, b) =>
    comparePackageVersions(b.packageVersion, a.packageVersion),
  )
  if (newest === undefined) throw new StartError(`the node has no package ${name}`)
  const load = (packageId: string) => readPackage(packageId, node)
  return collectPackages(await load(newest.packageId), load)
}

async function versionsOf(name: string, node: NodeClient): Promise<Listed[]> {
  const found: Listed[] = []
  let pageToken = ''
  do {
    const packageMetadataFilter = { packageIds: [], packageNamePrefixes: [name] }
    const response = await node.post('/v2/package-vetting/list', { packageMetadataFilter, pageToken, pageSize: 0 })
    const page = (await response.json()) as Page
    for (const { packages } of page.vettedPackages) found.push(...packages.filter((one) => one.packageName === name))
    pageToken = page.nextPageToken
  } while (pageToken !== '')
  return found
}

async function readPackage(packageId: string, node: NodeClient): Promise<Package> {
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
  const { stablePackages } = await import('../lf/archive/stable-packages.ts')
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
