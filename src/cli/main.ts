// The command line: finds the command, parses its options, and turns every expected failure into a few words.
import { constants } from 'node:os'
import { text } from 'node:stream/consumers'
import { finished } from 'node:stream/promises'
import { isatty } from 'node:tty'
import { ifStillRunningAfter, wallClock } from '../base/clock.ts'
import { StartError } from '../base/errors.ts'
import { ownVersion } from '../base/version.ts'
import { type Surroundings, UsageError } from './command.ts'
import {
  type Commands,
  checkedOperands,
  findCommand,
  membersOf,
  parseCommandLine,
  splitCommand,
} from './command-line.ts'
import { startCommand } from './commands/start.ts'
import { helpOn } from './help.ts'
import { NotReachedError } from './node-client.ts'
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

process.exitCode = await run(process.argv.slice(2)).catch((error: unknown) => {
  if (error instanceof UsageError) {
    process.stderr.write(`tallystick: ${error.message}\n`)
    return 2
  }
  if (error instanceof StartError) {
    process.stderr.write(`tallystick: ${error.message}\n`)
    return error instanceof NotReachedError ? 3 : 1
  }
  throw error
})

// Work that was given up, such as a connection without an answer, must not keep the process alive.
ifStillRunningAfter(lingerMs, () => process.exit())

async function run(words: readonly string[]): Promise<number> {
  const commands = await commandsFor(words)
  const [name, args] = splitCommand(words, commands)
  if (name === '--version' || name === '-V' || name === 'version') {
    surroundings.print(ownVersion)
    return 0
  }
  if (name === '' || name === '--help' || name === '-h' || name === 'help') {
    surroundings.print(helpOn(args.filter((word) => !word.startsWith('-')).join(' '), commands))
    return 0
  }
  if (membersOf(name, commands).length > 0 && args.some((word) => word === '--help' || word === '-h')) {
    surroundings.print(helpOn(name, commands))
    return 0
  }
  const command = findCommand(name, commands)
  const { flags, operands } = parseCommandLine(command, args)
  if (flags.help) {
    surroundings.print(helpOn(name, commands))
    return 0
  }
  await command.run(flags, surroundings, checkedOperands(command, operands))
  return exitCode
}

/** A node starts without loading what only other commands need. */
async function commandsFor([first]: readonly string[]): Promise<Commands> {
  if (first === 'start') return { start: startCommand }
  const { commands } = await import('./commands/all.ts')
  return commands
}
