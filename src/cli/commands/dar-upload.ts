// tallystick dar upload: uploads a package with its dependencies to a node, and vets it.
import { readFileSync } from 'node:fs'
import { StartError } from '../../base/errors.ts'
import type { Command } from '../command.ts'
import { readDar } from '../dar-file.ts'
import { type NodeFlags, nodeAt, nodeOptions } from '../local-node.ts'
import type { NodeClient } from '../node-client.ts'
import { withProgress } from '../progress.ts'
import { postJson } from '../running-node.ts'

type Flags = NodeFlags & { readonly replace?: boolean }

export const darUploadCommand: Command = {
  summary: 'upload a DAR file to a node that is running',
  usage: 'tallystick dar upload FILE [--replace] [options]',
  operands: ['FILE'],
  options: {
    replace: { type: 'boolean', help: 'a rebuilt package takes the place of the one with its name and version' },
    ...nodeOptions,
  },
  notes:
    'With --replace, which only a development node knows, the old package is unvetted; its contracts stay readable.',
  async run({ replace = false, ...flags }: Flags, surroundings, [file]) {
    const { environment, print } = surroundings
    const { main } = await readDar(file!)
    const { node, url } = await nodeAt(flags, environment)
    const uploading = replace ? takeOver(node, read(file!)) : upload(node, read(file!))
    const replaced = await withProgress('uploading', surroundings, uploading)
    const { id, name, version } = main.package
    const instead = replaced.length === 0 ? '' : `, in place of ${replaced.join(', ')}`
    print(`uploaded ${name} ${version} (${id}) to ${url}${instead}`)
  },
}

async function upload(node: NodeClient, bytes: Uint8Array): Promise<readonly string[]> {
  try {
    await node.post('/v2/packages', bytes)
  } catch (error) {
    if (!(error instanceof StartError) || !error.message.includes('the same name and version')) throw error
    throw new StartError(`${error.message} On a development node, --replace lets the new one take over.`)
  }
  return []
}

/** The packages that the node had before. */
async function takeOver(node: NodeClient, bytes: Uint8Array): Promise<readonly string[]> {
  type Answer = { replaced: { packageId: string; packageName: string; packageVersion: string }[] }
  const { replaced } = await postJson<Answer>(node, '/dev/dars', bytes)
  return replaced.map(({ packageId, packageName, packageVersion }) => `${packageName} ${packageVersion} (${packageId})`)
}

function read(file: string): Uint8Array {
  try {
    return readFileSync(file)
  } catch (error) {
    throw new StartError(`cannot read the DAR: ${(error as Error).message}`)
  }
}
