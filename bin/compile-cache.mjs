// Keeps the code that V8 compiles, so that later starts are quick.
import module from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')

/**
 * Commands that run scripts mostly end before V8's optimizing compilers pay back what they take: the last one took more of
 * the processor than the scripts. Code that goes on for seconds still gets them (the defaults are 400 and 3,000). Collecting
 * garbage took a fifth of such a run while the room for new objects grew, so that begins large (in megabytes).
 * V8 takes only code that was compiled with the same flags; Node keeps it apart for each set of them.
 */
const shortRuns = {
  commands: ['test', 'script'],
  flags:
    '--invocation-count-for-maglev=1500 --invocation-count-for-turbofan=60000 ' +
    '--min-semi-space-size=32 --semi-space-growth-factor=32',
}

/** In the package's folder, or in the user's if another account installed the package. */
export async function keepCompiledCode() {
  if (shortRuns.commands.includes(process.argv[2])) setFlagsFromString(shortRuns.flags)
  const { status } = module.enableCompileCache(join(root, 'node_modules', '.cache', 'tallystick'))
  if (status !== module.constants.compileCacheStatus.FAILED) return
  const { cacheFolder } = await import('./runtime.mjs')
  module.enableCompileCache(join(cacheFolder(), 'code'))
}
