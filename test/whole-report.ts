// Loaded into each test file. `--test-force-exit` ends a file with its last test, but Node does not wait until the
// report has been written, and its end was lost. This waits. Nothing else calls process.exit in a test file.
import { isMainThread } from 'node:worker_threads'

/** The report passes through a few streams, each of which may take a turn of the event loop. */
const quietTurns = 10

const exit = process.exit
if (isMainThread) {
  process.exit = (code) => {
    exitWhenQuiet(code)
    return undefined as never
  }
}

function exitWhenQuiet(code: Parameters<typeof exit>[0], written = -1, turns = 0): void {
  const { bytesWritten, writableLength } = process.stdout as typeof process.stdout & { bytesWritten: number }
  const isQuiet = bytesWritten === written && writableLength === 0
  if (isQuiet && turns >= quietTurns) exit(code)
  setImmediate(() => exitWhenQuiet(code, bytesWritten, isQuiet ? turns + 1 : 0))
}
