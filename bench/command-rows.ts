// The cost of one command as rows of the benchmark; command-cost.ts divides it into stages and tables.
import { fileURLToPath } from 'node:url'
import { bytesPerCommand } from './command-bytes.ts'
import { spentOn } from './command-load.ts'
import { temporaryFolder } from './processes.ts'

const own = fileURLToPath(new URL('..', import.meta.url))
const load = { commands: 20_000, waits: false, events: 3 } as const
const aims = { cpuUs: 300, bytes: 6_000 }

const sumOf = (sizes: ReadonlyMap<string, number>) => [...sizes.values()].reduce((sum, size) => sum + size, 0)

/** All threads of the node. */
export async function cpuOfCommand() {
  using folder = temporaryFolder()
  const ours = sumOf((await spentOn(own, folder.path, load, [])).threads)
  return { ours: Math.round(ours), theirs: aims.cpuUs, unit: 'µs', ratio: ours / aims.cpuUs }
}

export async function bytesOfCommand() {
  using folder = temporaryFolder()
  await spentOn(own, folder.path, load, [])
  const ours = sumOf(bytesPerCommand(folder.path, 2 * load.commands))
  return { ours: Math.round(ours), theirs: aims.bytes, unit: 'bytes', ratio: ours / aims.bytes }
}
