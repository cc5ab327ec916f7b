// Loaded into each test file while the bundle is fresh: threads of a node in the test's own process start from the
// bundle, as users' do. Confined threads cannot use the compile cache, so from the sources each would strip the types
// of all its modules and compile them, which took six times as long and a tenth of the CPU time of all tests.
import { existsSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { basename } from 'node:path'
import { pathToFileURL } from 'node:url'
import threads, { type WorkerOptions } from 'node:worker_threads'

const sources = new URL('../src/', import.meta.url)
const bundle = new URL('../dist/', import.meta.url)

const { Worker } = threads
threads.Worker = class extends Worker {
  constructor(file: string | URL, options?: WorkerOptions) {
    super(bundled(file), options)
  }
}
syncBuiltinESMExports()

/** Other files, such as those of tests, stay as they are. */
function bundled(file: string | URL): string | URL {
  const url = file instanceof URL ? file : pathToFileURL(file)
  if (!url.href.startsWith(sources.href)) return file
  const built = new URL(basename(url.pathname).replace(/\.ts$/, '.mjs'), bundle)
  return existsSync(built) ? built : file
}
