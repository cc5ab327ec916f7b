// The command line: finds the command, parses its options, and turns every expected failure into one line.
import { constants } from 'node:os'
import { ifStillRunningAfter, wallClock } from '../base/clock.ts'
import { StartError } from '../base/errors.ts'
import { ownVersion } from '../base/version.ts'
import type { Surroundings } from './command.ts'
import {
  type Commands,
  checkedOperands,
  findCommand,
  membersOf,
  parseCommandLine,
  splitCommand,
} from './command-line.ts'
import { checkCommand } from './commands/check.ts'
import { codegenCommand } from './commands/codegen.ts'
import { configCommand } from './commands/config.ts'
import { darCheckCommand } from './commands/dar-check.ts'
import { darInspectCommand } from './commands/dar-inspect.ts'
import { darUploadCommand } from './commands/dar-upload.ts'
import { keyMoveCommand } from './commands/key-move.ts'
import { pruneCommand } from './commands/prune.ts'
import { startCommand } from './commands/start.ts'
import { statusCommand } from './commands/status.ts'
import { tokenCommand } from './commands/token.ts'
import { helpOn } from './help.ts'
import { untilAskedToStop } from './stop-signals.ts'
import { UsageError } from './usage.ts'

const lingerMs = 1_000

const commands: Commands = {
  start: startCommand,
  status: statusCommand,
  token: tokenCommand,
  prune: pruneCommand,
  check: checkCommand,
  config: configCommand,
  'key move': keyMoveCommand,
  'dar inspect': darInspectCommand,
  'dar check': darCheckCommand,
  'dar upload': darUploadCommand,
  codegen: codegenCommand,
}

let exitCode = 0

const surroundings: Surroundings = {
  environment: process.env,
  print: (text) => process.stdout.write(`${text}\n`),
  untilStopped: () =>
    untilAskedToStop({
      process,
      clock: wallClock,
      forceStop: (signal) => process.exit(128 + constants.signals[signal]),
    }),
  endWith(code) {
    exitCode = code
  },
  exit: (code) => process.exit(code),
}

// Whoever read the output is gone, such as `head` or a closed terminal. A node goes on without; a write that fails shall
// not end it in the middle of its work.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)

process.exitCode = await run(process.argv.slice(2)).catch((error: unknown) => {
  if (error instanceof UsageError) {
    process.stderr.write(`tallystick: ${error.message}\n`)
    return 2
  }
  if (error instanceof StartError) {
    process.stderr.write(`tallystick: ${error.message}\n`)
    return 1
  }
  throw error
})

// What was given up at its limit, such as a connection that nothing answers on, does not keep the process.
ifStillRunningAfter(lingerMs, () => process.exit())

async function run(words: readonly string[]): Promise<number> {
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
