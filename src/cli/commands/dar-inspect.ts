// tallystick dar inspect: what is in a DAR file, without a node.
import type { Command } from '../command.ts'
import { readDar } from '../dar-file.ts'

export const darInspectCommand: Command = {
  summary: 'show the packages, templates, choices and interfaces of a DAR file',
  usage: 'tallystick dar inspect FILE [--json]',
  operands: ['FILE'],
  options: {
    json: { type: 'boolean', help: 'print JSON instead of text' },
  },
  async run({ json }: { json?: boolean }, { print }, [file]) {
    // Loaded here, so that starting a node does not wait for it.
    const { inspectDar } = await import('../../lf/dar/inspect.ts')
    const { renderDar } = await import('../../lf/dar/render-dar.ts')
    const description = inspectDar(await readDar(file!))
    print(json ? JSON.stringify(description, null, 2) : renderDar(description))
  },
}
