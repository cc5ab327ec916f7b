// tallystick dar list: the packages of a running node, and where they are vetted.
import type { Command } from '../command.ts'
import { isLibrary, listPackages } from '../packages-of-node.ts'
import { hintOf, runningNode, type TableFlags, tableOptions } from '../running-node.ts'
import { renderTable } from '../table.ts'

type Flags = TableFlags & { readonly all?: boolean }

export const darListCommand: Command = {
  summary: 'list the packages of a node that is running',
  usage: 'tallystick dar list [--all] [options]',
  options: {
    all: {
      type: 'boolean',
      help: 'also those of Daml itself, such as its standard library, and those that are not vetted',
    },
    ...tableOptions,
  },
  notes: 'With --json, the list has all packages, those of Daml itself last.',
  async run({ all = false, full, ...flags }: Flags, { environment, print, width }) {
    const packages = await listPackages(await runningNode(flags, environment))
    const own = packages.filter((listed) => !isLibrary(listed))
    const libraries = packages.filter(isLibrary)
    if (flags.json) return print(JSON.stringify([...own, ...libraries], null, 2))
    const shown = all ? [...own, ...libraries] : own
    const rows = shown.map(({ packageId, packageName, packageVersion, synchronizers }) => {
      return [packageName, packageVersion, synchronizers.map(hintOf).join(', ') || '(not vetted)', packageId]
    })
    print(renderTable(['NAME', 'VERSION', 'VETTED ON', 'PACKAGE'], rows, full ? undefined : width))
    if (!all && libraries.length > 0) print(`and ${libraries.length} of Daml itself or not vetted; --all shows them`)
  },
}
