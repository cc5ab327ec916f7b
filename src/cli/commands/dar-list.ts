// tallystick dar list: the packages of a running node, and where they are vetted.
import type { Command } from '../command.ts'
import type { NodeClient } from '../node-client.ts'
import { getJson, hintOf, postJson, type RunningNodeFlags, runningNode, runningNodeOptions } from '../running-node.ts'
import { renderTable } from '../table.ts'

type Vetted = { readonly packageId: string; readonly packageName: string; readonly packageVersion: string }
type Page = {
  readonly vettedPackages: readonly { readonly packages: readonly Vetted[]; readonly synchronizerId: string }[]
  readonly nextPageToken: string
}
type Listed = Vetted & { readonly synchronizers: readonly string[] }

export const darListCommand: Command = {
  summary: 'list the packages of a node that is running',
  usage: 'tallystick dar list [options]',
  options: runningNodeOptions,
  async run(flags: RunningNodeFlags, { environment, print, width }) {
    const packages = await listPackages(await runningNode(flags, environment))
    if (flags.json) return print(JSON.stringify(packages, null, 2))
    const rows = packages.map(({ packageId, packageName, packageVersion, synchronizers }) => {
      return [packageName, packageVersion, synchronizers.map(hintOf).join(', ') || '(not vetted)', packageId]
    })
    print(renderTable(['NAME', 'VERSION', 'VETTED ON', 'PACKAGE'], rows, width))
  },
}

/** By name and version; those that are vetted nowhere come last, without a name. */
async function listPackages(node: NodeClient): Promise<Listed[]> {
  const found = new Map<string, Listed>()
  let pageToken = ''
  do {
    const page = await postJson<Page>(node, '/v2/package-vetting/list', { pageToken, pageSize: 0 })
    for (const { packages, synchronizerId } of page.vettedPackages) {
      for (const { packageId, packageName, packageVersion } of packages) {
        const synchronizers = [...(found.get(packageId)?.synchronizers ?? []), synchronizerId]
        found.set(packageId, { packageId, packageName, packageVersion, synchronizers })
      }
    }
    pageToken = page.nextPageToken
  } while (pageToken !== '')
  const { packageIds } = await getJson<{ packageIds: string[] }>(node, '/v2/packages')
  const others = packageIds.filter((packageId) => !found.has(packageId)).sort()
  return [
    ...found.values(),
    ...others.map((packageId) => ({ packageId, packageName: '', packageVersion: '', synchronizers: [] })),
  ]
}
