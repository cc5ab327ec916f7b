// tallystick dar upload: uploads a package with its dependencies to a node, and vets it.
import { readFileSync } from 'node:fs'
import { StartError } from '../../base/errors.ts'
import type { Command } from '../command.ts'
import { readDar } from '../dar-file.ts'
import { type NodeFlags, nodeAt, nodeOptions } from '../local-node.ts'

export const darUploadCommand: Command = {
  summary: 'upload a DAR file to a node that is running',
  usage: 'tallystick dar upload FILE [options]',
  operands: ['FILE'],
  options: nodeOptions,
  async run(flags: NodeFlags, { environment, print }, [file]) {
    const { main } = await readDar(file!)
    const { node, url } = await nodeAt(flags, environment)
    await node.post('/v2/packages', read(file!))
    const { id, name, version } = main.package
    print(`uploaded ${name} ${version} (${id}) to ${url}`)
  },
}

function read(file: string): Uint8Array {
  try {
    return readFileSync(file)
  } catch (error) {
    throw new StartError(`cannot read the DAR: ${(error as Error).message}`)
  }
}
