// The process of a command line: its streams, signals and exit code.
import { constants } from 'node:os'
import { text } from 'node:stream/consumers'
import { finished } from 'node:stream/promises'
import { isatty } from 'node:tty'
import { ifStillRunningAfter, wallClock } from '../base/clock.ts'
import type { Surroundings } from './command.ts'
import { runProgram } from './program.ts'
import { createStatusLine } from './status-line.ts'
import { onStopSignals, untilAskedToStop } from './stop-signals.ts'

const lingerMs = 1_000

let exitCode = 0

const { promise: outputClosed, resolve: closeOutput } = Promise.withResolvers<void>()

const status = createStatusLine(process.stderr, Boolean(process.env.CI))

const surroundings: Surroundings = {
  environment: process.env,
  print: (text) => process.stdout.write(`${text}\n`),
  tell: (text) => process.stderr.write(`${text}\n`),
  showProgress: (text) => process.stderr.isTTY && process.stderr.write(`${text}\n`),
  showStatus: status.show,
  width: process.stdout.isTTY ? process.stdout.columns : undefined,
  readInput: () => text(process.stdin),
  untilInputCloses: async () => void (await finished(process.stdin.resume()).catch(() => undefined)),
  outputClosed,
  untilStopped: () =>
    untilAskedToStop({
      process,
      clock: wallClock,
      forceStop: (signal) => process.exit(128 + constants.signals[signal]),
    }),
  onStopSignals: (listener) => onStopSignals(process, wallClock, listener),
  hasTerminal: isatty(0),
  endWith(code) {
    exitCode = code
  },
  exit: (code) => process.exit(code),
}

// The reader of the output may be gone, such as `head` or a closed terminal. A failed write must not end a node in the
// middle of its work.
process.stdout.on('error', () => closeOutput())
process.stderr.on('error', () => undefined)

await runProgram(process.argv.slice(2), surroundings)
process.exitCode = exitCode

// Work that was given up, such as a connection without an answer, must not keep the process alive.
ifStillRunningAfter(lingerMs, () => process.exit())
