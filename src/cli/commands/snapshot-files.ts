// tallystick snapshot export and import: write a snapshot to a file, and add one from a file.

import { type FileHandle, open, rm } from 'node:fs/promises'
import { basename, extname } from 'node:path'
import { StartError } from '../../base/errors.ts'
import { writePrivateStream } from '../../base/private-files.ts'
import type { Command } from '../command.ts'
import { type NodeFlags, nodeOptions } from '../local-node.ts'
import { megabytes, withProgress } from '../progress.ts'
import { runningNode } from '../running-node.ts'

export const snapshotExportCommand: Command = {
  summary: 'write a snapshot to a file',
  usage: 'tallystick snapshot export NAME FILE [options]',
  operands: ['NAME', 'FILE'],
  options: nodeOptions,
  notes: 'The file contains the keys of the participant. An existing file is not overwritten.',
  async run(flags: NodeFlags, surroundings, [name, file]) {
    const { environment, print } = surroundings
    const node = await runningNode(flags, environment)
    let done = 0
    let all: number | undefined
    const write = async () => {
      const { headers, body } = await node.get(`/dev/snapshots/${encodeURIComponent(name!)}/content`)
      all = Number(headers.get('content-length'))
      await writeWhole(file!, body!, all, (bytes) => {
        done += bytes
      })
    }
    await withProgress(() => `reading the snapshot, ${megabytes(done, all)}`, surroundings, write())
    print(`wrote ${name} to ${file} (${done} bytes)`)
  },
}

/** What arrived of a file that is not complete is removed. */
async function writeWhole(
  file: string,
  chunks: AsyncIterable<Uint8Array>,
  bytes: number,
  onBytes: (bytes: number) => void,
): Promise<void> {
  let arrived = 0
  async function* counted() {
    for await (const chunk of chunks) {
      arrived += chunk.length
      onBytes(chunk.length)
      yield chunk
    }
    if (arrived < bytes) throw new Error('the node has closed the connection')
  }
  try {
    await writePrivateStream(file, counted())
  } catch (error) {
    const { code, message } = error as Error & { code?: string }
    if (code === 'EEXIST') throw new StartError(`cannot write ${file}: ${message}`)
    await rm(file, { force: true })
    throw new StartError(`cannot write ${file}: ${message} after ${arrived} of ${bytes} bytes`)
  }
}

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
