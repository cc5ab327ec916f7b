// Loads several test files into one process (groups.ts), one after the other, so that the order of their tests depends on
// the seed alone. No test starts before all files are loaded: a run ends with the last test that it knows.
import { before } from 'node:test'
import { pathToFileURL } from 'node:url'

export function loadFiles(files: readonly string[]): void {
  const loaded = loadEach(files)
  before(() => loaded)
}

async function loadEach(files: readonly string[]): Promise<void> {
  for (const file of files) await import(pathToFileURL(file).href)
}
