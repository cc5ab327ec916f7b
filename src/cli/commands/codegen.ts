// tallystick codegen: types for the templates of a DAR, as TypeScript modules and as an OpenAPI document.
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { StartError } from '../../base/errors.ts'
import type { Command } from '../command.ts'
import { readDar } from '../dar-file.ts'
import { UsageError } from '../usage.ts'

export const codegenCommand: Command = {
  summary: 'write TypeScript types and an OpenAPI document for the templates of a DAR file',
  usage: 'tallystick codegen FILE --out DIR',
  operands: ['FILE'],
  options: {
    out: { type: 'string', value: 'DIR', help: 'where to write; made if it is not there' },
  },
  async run({ out }: { out?: string }, { print }, [file]) {
    if (out === undefined) throw new UsageError('--out is missing; usage: tallystick codegen FILE --out DIR')
    // Loaded here, so that starting a node does not wait for it.
    const { generateTypeScript } = await import('../../codegen/typescript.ts')
    const { apiDocument } = await import('../../node.ts')
    const dar = await readDar(file!)
    const known = new Map(dar.packages.map((one) => [one.package.id, one.package]))
    const packages = { main: dar.main.package, get: (packageId: string) => known.get(packageId) }
    const files = generateTypeScript(packages)
    files.set('openapi.json', `${JSON.stringify(await apiDocument(packages), null, 2)}\n`)
    write(out, files)
    print(`wrote ${files.size} files to ${out}`)
  },
}

function write(folder: string, files: ReadonlyMap<string, string>): void {
  try {
    for (const [path, text] of files) {
      const target = join(folder, ...path.split('/'))
      mkdirSync(dirname(target), { recursive: true })
      writeFileSync(target, text)
    }
  } catch (error) {
    if ((error as { syscall?: string }).syscall === undefined) throw error
    throw new StartError(`cannot write: ${(error as Error).message}`)
  }
}
