// tallystick dar inspect: what is in a DAR file, without a node.
import { readFileSync } from 'node:fs'
import { StartError } from '../../base/errors.ts'
import type { Dar } from '../../lf/dar.ts'
import type { Command } from '../command.ts'

export const darInspectCommand: Command = {
  summary: 'show the packages, templates, choices and interfaces of a DAR file',
  usage: 'tallystick dar inspect FILE [--json]',
  operands: ['FILE'],
  options: {
    json: { type: 'boolean', help: 'print JSON instead of text' },
  },
  async run({ json }: { json?: boolean }, { print }, [file]) {
    // Loaded here, so that starting a node does not wait for it.
    const { inspectDar } = await import('../../lf/inspect.ts')
    const { renderDar } = await import('../../lf/render-dar.ts')
    const description = inspectDar(await readDar(file!))
    print(json ? JSON.stringify(description, null, 2) : renderDar(description))
  },
}

/** Whatever is wrong with the file is one line. */
async function readDar(file: string): Promise<Dar> {
  const { decodeDar } = await import('../../lf/dar.ts')
  const { ArchiveError } = await import('../../lf/archive-error.ts')
  try {
    return decodeDar(readFileSync(file))
  } catch (error) {
    if (error instanceof ArchiveError) throw new StartError(`${file} is not a DAR that runs here: ${error.message}`)
    if ((error as { syscall?: string }).syscall === undefined) throw error
    throw new StartError(`cannot read the DAR: ${(error as Error).message}`)
  }
}
