// tallystick snapshot export: writes a snapshot to a file, for a colleague or a test run.
import { StartError } from '../../base/errors.ts'
import { writePrivateFile } from '../../base/private-files.ts'
import type { Command } from '../command.ts'
import { type NodeFlags, nodeOptions } from '../local-node.ts'
import { withProgress } from '../progress.ts'
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
    const reading = node.get(`/dev/snapshots/${encodeURIComponent(name!)}/content`).then((answer) => answer.bytes())
    const bytes = await withProgress('reading the snapshot', surroundings, reading)
    try {
      writePrivateFile(file!, bytes)
    } catch (error) {
      throw new StartError(`cannot write ${file}: ${(error as Error).message}`)
    }
    print(`wrote ${name} to ${file} (${bytes.length} bytes)`)
  },
}
