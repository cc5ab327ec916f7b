// The participants that `tallystick world export` reads: all of a network, or the one that it was told. Each with a client
// of its own, and what of the file is about it.
import { StartError } from '../base/errors.ts'
import { type NodeFlags, nodeAt } from './local-node.ts'
import type { NodeClient } from './node-client.ts'

export type ExportedParticipant = {
  readonly name: string
  readonly node: NodeClient
  /** Aliases of the synchronizers that it is connected to. */
  readonly synchronizers: readonly string[]
}

type Listed = {
  readonly participant: string
  readonly url: string
  readonly synchronizers: readonly { readonly synchronizerAlias: string; readonly isConnected: boolean }[]
}

type Environment = Readonly<Record<string, string | undefined>>

/** Of a network without --participant all; undefined if there is one participant to export. */
export async function participantsToExport(
  node: NodeClient,
  flags: NodeFlags,
  environment: Environment,
): Promise<readonly ExportedParticipant[] | undefined> {
  if (flags.participant !== undefined) return undefined
  const answer = await node.probe('/dev/network')
  if (!answer?.ok) return undefined
  const { participants } = (await answer.json()) as { participants: readonly Listed[] }
  if (participants.length < 2) return undefined
  return Promise.all(
    participants.map(async ({ participant: name, url, synchronizers }) => {
      if (url === '') throw new StartError(`the participant ${name} is served by another process; export it there`)
      const connected = synchronizers.filter(({ isConnected }) => isConnected)
      return {
        name,
        node: (await nodeAt({ ...flags, url }, environment)).node,
        synchronizers: connected.map(({ synchronizerAlias }) => synchronizerAlias),
      }
    }),
  )
}

type Dar = { readonly name: string; readonly bytes: Uint8Array }

export type ExportedDars = {
  /** The files to write. */
  readonly files: readonly Dar[]
  /** The names of those that all participants have. */
  readonly common: readonly string[]
  /** The names of the others, for each participant. */
  readonly own: readonly (readonly string[])[]
}

/** Files of one name and different content get the participant's name before theirs. */
export function darsToWrite(
  participants: readonly { readonly name: string; readonly dars: readonly Dar[] }[],
): ExportedDars {
  const files = new Map<string, Uint8Array>()
  const names = participants.map(({ name: participant, dars }) =>
    dars.map(({ name, bytes }) => {
      const other = files.get(name)
      const file = other === undefined || Buffer.compare(other, bytes) === 0 ? name : `${participant}-${name}`
      files.set(file, bytes)
      return file
    }),
  )
  const common = names[0]!.filter((name) => names.every((own) => own.includes(name)))
  return {
    files: [...files].map(([name, bytes]) => ({ name, bytes })),
    common,
    own: names.map((own) => own.filter((name) => !common.includes(name))),
  }
}
