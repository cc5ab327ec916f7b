// Synchronizers as commands name them: by alias or id.
import { UsageError } from './command.ts'

type Synchronizer = { readonly synchronizerAlias: string; readonly synchronizerId: string }
type Connected = { readonly connectedSynchronizers: readonly Synchronizer[] }

/** Its id; undefined if none is named. `read` asks the participant for what is at a path. */
export async function synchronizerNamed(
  written: string | undefined,
  read: (path: string) => Promise<Connected>,
): Promise<string | undefined> {
  if (written === undefined) return undefined
  const { connectedSynchronizers } = await read('/v2/state/connected-synchronizers')
  const found = connectedSynchronizers.find(
    ({ synchronizerAlias, synchronizerId }) => written === synchronizerAlias || written === synchronizerId,
  )
  if (found === undefined) throw new UsageError(`--synchronizer: the participant is not connected to ${written}`)
  return found.synchronizerId
}
