// tallystick codegen: types for the templates of a package, as TypeScript modules and as an OpenAPI document. The package
// comes from a DAR file or from a node, ours or Canton's.
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { StartError } from '../../base/errors.ts'
import type { PackageSet } from '../../codegen/package-set.ts'
import { type Command, UsageError } from '../command.ts'
import { readDar } from '../dar-file.ts'
import { createNodeClient } from '../node-client.ts'
import { tokenFor } from '../node-variables.ts'

type Flags = { readonly out?: string; readonly package?: string; readonly token?: string }

const usage = 'tallystick codegen (FILE | URL --package NAME [--token TOKEN]) --out DIR'

export const codegenCommand: Command = {
  summary: 'write TypeScript types and an OpenAPI document for the templates of a package',
  usage,
  operands: ['FILE|URL'],
  options: {
    out: { type: 'string', value: 'DIR', help: 'output folder; created if it does not exist' },
    package: { type: 'string', value: 'NAME', help: 'with URL: the package, in its highest version' },
    token: { type: 'string', value: 'TOKEN', help: "with URL: any user's token; else TALLYSTICK_TOKEN" },
  },
  async run(flags: Flags, { environment, print }, [source]) {
    const { out } = flags
    if (out === undefined) throw new UsageError(`--out is missing; usage: ${usage}`)
    const packages = /^https?:/.test(source!)
      ? await packagesOfNode(source!, flags.package, flags.token ?? tokenFor(source, environment))
      : await packagesOfDar(source!, flags)
    // Imported here, so that it does not slow the start of a node.
    const { generateTypeScript } = await import('../../codegen/typescript.ts')
    const { apiDocument } = await import('../../node/maintenance.ts')
    const files = generateTypeScript(packages)
    files.set('openapi.json', `${JSON.stringify(await apiDocument(packages), null, 2)}\n`)
    write(out, files)
    print(`wrote ${files.size} files to ${out}`)
  },
}

async function packagesOfDar(file: string, flags: Flags): Promise<PackageSet> {
  if (flags.package !== undefined || flags.token !== undefined) {
    throw new UsageError('--package and --token are only for a URL')
  }
  const { main, packages } = await readDar(file)
  const known = new Map(packages.map((one) => [one.package.id, one.package]))
  return { main: main.package, get: (packageId) => known.get(packageId) }
}

async function packagesOfNode(url: string, name: string | undefined, token: string | undefined): Promise<PackageSet> {
  if (!URL.canParse(url)) throw new UsageError(`${url} is not a URL`)
  if (name === undefined) throw new UsageError(`--package is missing; usage: ${usage}`)
  const { readPackages } = await import('../packages-of-node.ts')
  return readPackages(name, createNodeClient(url, token))
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
