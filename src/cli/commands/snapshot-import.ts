// tallystick snapshot import: adds a snapshot from a file to a development node.
import { readFileSync } from 'node:fs'
import { basename, extname } from 'node:path'
import { StartError } from '../../base/errors.ts'
import type { Command } from '../command.ts'
import { type NodeFlags, nodeOptions } from '../local-node.ts'
import { withProgress } from '../progress.ts'
import { runningNode } from '../running-node.ts'

export const snapshotImportCommand: Command = {
  summary: 'add a snapshot from a file',
  usage: 'tallystick snapshot import FILE [NAME] [options]',
  operands: ['FILE'],
  optionalOperands: ['NAME'],
  options: nodeOptions,
  notes: 'Without NAME it is called like the file, without its ending.',
  async run(flags: NodeFlags, surroundings, [file, name = basename(file!, extname(file!)).toLowerCase()]) {
    const { environment, print } = surroundings
    const bytes = read(file!)
    const node = await runningNode(flags, environment)
    const sending = node.post(`/dev/snapshots/${encodeURIComponent(name)}/content`, bytes)
    await withProgress('sending the snapshot', surroundings, sending)
    print(`added ${name}; tallystick restore ${name} makes it the ledger`)
  },
}

function read(file: string): Uint8Array {
  try {
    return readFileSync(file)
  } catch (error) {
    throw new StartError(`cannot read the snapshot: ${(error as Error).message}`)
  }
}
