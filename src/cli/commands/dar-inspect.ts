// tallystick dar inspect: shows the content of a DAR file, without a node.
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
    // Imported here, so that it does not slow the start of a node.
    const { inspectDar } = await import('../../lf/dar/inspect.ts')
    const { renderDar } = await import('../../lf/dar/render-dar.ts')
    const description = inspectDar(await readDar(file!))
    print(json ? JSON.stringify(description, null, 2) : renderDar(description))
  },
}
