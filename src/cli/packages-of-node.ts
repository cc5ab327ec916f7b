// Reads a package and its dependencies from a node.
import { StartError } from '../base/errors.ts'
import { collectPackages, type PackageSet } from '../codegen/package-set.ts'
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
