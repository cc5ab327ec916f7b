// Founding: each participant gets the package that Canton's participants have built in. Clients greet with it, to see that a
// participant or a new party works. The archive is ours, of the same name and shape: Canton's own is not ours to ship.
import { existsSync, readFileSync } from 'node:fs'
import { upload } from './packages.ts'
import type { Validator } from './parties.ts'

const packageName = 'canton-builtin-admin-workflow-ping'

/** In the source tree, and in the bundle. */
const places = [`../../../packages/ping/${packageName}.dar`, `./${packageName}.dar`]

/** As in Canton, on every synchronizer of the participant. */
export async function providePing({ participant, participantId }: Validator): Promise<void> {
  const { connectedSynchronizers } = await participant.call('GET', '/v2/state/connected-synchronizers')
  const { vettedPackages } = await participant.call('POST', '/v2/package-vetting/list', {
    packageMetadataFilter: { packageIds: [], packageNamePrefixes: [packageName] },
    topologyStateFilter: { participantIds: [participantId], synchronizerIds: [] },
    pageToken: '',
    pageSize: 0,
  })
  const done = new Set(vettedPackages.map(idOf))
  for (const synchronizerId of connectedSynchronizers.map(idOf)) {
    if (!done.has(synchronizerId)) await upload(participant, readDar(), synchronizerId)
  }
}

const idOf = ({ synchronizerId }: { readonly synchronizerId: string }): string => synchronizerId

function readDar(): Uint8Array {
  return readFileSync(places.map((place) => new URL(place, import.meta.url)).find((place) => existsSync(place))!)
}
