// Keeps the code that V8 compiles, so that later starts are quick.
import module from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')

/**
 * Tests run with these flags (src/cli/script-ledger.ts). V8 takes only code that was compiled with the same flags, and Node
 * keeps it apart for each set of them.
 */
const flagsOfTests = '--invocation-count-for-maglev=1500 --invocation-count-for-turbofan=60000'

/** In the package's folder, or in the user's if another account installed the package. */
export async function keepCompiledCode() {
  if (process.argv[2] === 'test') setFlagsFromString(flagsOfTests)
  const { status } = module.enableCompileCache(join(root, 'node_modules', '.cache', 'tallystick'))
  if (status !== module.constants.compileCacheStatus.FAILED) return
  const { cacheFolder } = await import('./runtime.mjs')
  module.enableCompileCache(join(cacheFolder(), 'code'))
}
