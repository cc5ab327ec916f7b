// tallystick snapshot import: adds a snapshot from a file to a development node.
import { type FileHandle, open } from 'node:fs/promises'
import { basename, extname } from 'node:path'
import { StartError } from '../../base/errors.ts'
import type { Command } from '../command.ts'
import { type NodeFlags, nodeOptions } from '../local-node.ts'
import { megabytes, withProgress } from '../progress.ts'
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
    await using opened = await openFile(file!)
    const { size } = await opened.stat()
    const node = await runningNode(flags, environment)
    let sent = 0
    async function* chunks() {
      for await (const chunk of opened.createReadStream({ autoClose: false })) {
        sent += chunk.length
        yield chunk
      }
    }
    const sending = node.upload(`/dev/snapshots/${encodeURIComponent(name)}/content`, chunks())
    const progress = () =>
      sent < size ? `sending the snapshot, ${megabytes(sent, size)}` : 'the node checks the snapshot'
    await withProgress(progress, surroundings, sending)
    print(`added ${name}; tallystick restore ${name} makes it the ledger`)
  },
}

async function openFile(file: string): Promise<FileHandle> {
  try {
    return await open(file)
  } catch (error) {
    throw new StartError(`cannot read the snapshot: ${(error as Error).message}`)
  }
}
