// Keeps the code that V8 compiles, so that later starts are quick.
import module from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')

/** In the package's folder, or in the user's if another account installed the package. */
export async function keepCompiledCode() {
  const { status } = module.enableCompileCache(join(root, 'node_modules', '.cache', 'tallystick'))
  if (status !== module.constants.compileCacheStatus.FAILED) return
  const { cacheFolder } = await import('./runtime.mjs')
  module.enableCompileCache(join(cacheFolder(), 'code'))
}
