// tallystick dar upload: uploads a package with its dependencies to a node, and vets it.
import { readFileSync } from 'node:fs'
import { StartError } from '../../base/errors.ts'
import type { Command } from '../command.ts'
import { readDar } from '../dar-file.ts'
import { type NodeFlags, nodeAt, nodeOptions } from '../local-node.ts'
import { synchronizerNamed } from '../named-synchronizers.ts'
import type { NodeClient } from '../node-client.ts'
import { withProgress } from '../progress.ts'
import { getJson, postJson } from '../running-node.ts'

type BuiltPackage = { readonly packageId: string; readonly packageName: string; readonly packageVersion: string }
type TakeOver = { readonly replaced: readonly BuiltPackage[]; readonly outdated: readonly BuiltPackage[] }

type Flags = NodeFlags & { readonly replace?: boolean; readonly synchronizer?: string }

export const darUploadCommand: Command = {
  summary: 'upload a DAR file to a node that is running',
  usage: 'tallystick dar upload FILE [--replace] [options]',
  operands: ['FILE'],
  options: {
    replace: { type: 'boolean', help: 'a rebuilt package takes the place of the one with its name and version' },
    synchronizer: { type: 'string', value: 'ALIAS', help: 'where it is vetted, if the node has several' },
    ...nodeOptions,
  },
  notes:
    'With --replace, which only a development node knows, the old package is unvetted; its contracts stay readable.',
  async run({ replace = false, synchronizer, ...flags }: Flags, surroundings, [file]) {
    const { environment, print } = surroundings
    const { main } = await readDar(file!)
    const { node, url } = await nodeAt(flags, environment)
    const synchronizerId = await synchronizerNamed(synchronizer, (path) => getJson(node, path))
    const query = synchronizerId === undefined ? '' : `?${new URLSearchParams({ synchronizerId })}`
    const { id, name, version } = main.package
    const uploaded = `uploaded ${name} ${version} (${id}) to ${url}`
    if (!replace) {
      await withProgress('uploading', surroundings, upload(node, query, read(file!)))
      return print(uploaded)
    }
    const { replaced, outdated } = await withProgress(
      'uploading',
      surroundings,
      postJson<TakeOver>(node, `/dev/dars${query}`, read(file!)),
    )
    print(replaced.length === 0 ? uploaded : `${uploaded}, in place of ${shown(replaced)}`)
    if (outdated.length > 0) print(`build again what depends on the old one: ${shown(outdated)}`)
  },
}

async function upload(node: NodeClient, query: string, bytes: Uint8Array): Promise<void> {
  try {
    await node.post(`/v2/packages${query}`, bytes)
  } catch (error) {
    if (!(error instanceof StartError) || !error.message.includes('the same name and version')) throw error
    throw new StartError(`${error.message} On a development node, --replace lets the new one take over.`)
  }
}

function shown(packages: readonly BuiltPackage[]): string {
  return packages
    .map(({ packageId, packageName, packageVersion }) => `${packageName} ${packageVersion} (${packageId})`)
    .join(', ')
}

function read(file: string): Uint8Array {
  try {
    return readFileSync(file)
  } catch (error) {
    throw new StartError(`cannot read the DAR: ${(error as Error).message}`)
  }
}
