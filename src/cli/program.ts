// What a command line does: finds the command, parses its options, and turns every expected failure into a few words and
// an exit code.
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
import { helpOn } from './help.ts'
import { NotReachedError } from './node-client.ts'

/** Throws only what nobody expects. */
export async function runProgram(words: readonly string[], surroundings: Surroundings): Promise<void> {
  try {
    await runCommand(words, surroundings)
  } catch (error) {
    if (!(error instanceof UsageError) && !(error instanceof StartError)) throw error
    surroundings.tell(`tallystick: ${error.message}`)
    surroundings.endWith(codeOf(error))
  }
}

function codeOf(error: UsageError | StartError): number {
  if (error instanceof UsageError) return 2
  return error instanceof NotReachedError ? 3 : 1
}

/** Throws what `runProgram` tells. */
export async function runCommand(words: readonly string[], surroundings: Surroundings): Promise<void> {
  const commands = await commandsFor(words)
  const [name, args] = splitCommand(words, commands)
  if (name === '--version' || name === '-V' || name === 'version') return surroundings.print(ownVersion)
  if (name === '' || name === '--help' || name === '-h' || name === 'help') {
    return surroundings.print(helpOn(args.filter((word) => !word.startsWith('-')).join(' '), commands))
  }
  if (membersOf(name, commands).length > 0 && args.some((word) => word === '--help' || word === '-h')) {
    return surroundings.print(helpOn(name, commands))
  }
  const command = findCommand(name, commands)
  const { flags, operands } = parseCommandLine(command, args)
  if (flags.help) return surroundings.print(helpOn(name, commands))
  await command.run(flags, surroundings, checkedOperands(command, operands))
}

/** A node starts without loading what only other commands need, and tests begin without loading a node. */
async function commandsFor([first]: readonly string[]): Promise<Commands> {
  if (first === 'start') return { start: (await import('./commands/start.ts')).startCommand }
  if (first === 'test') return { test: (await import('./commands/test.ts')).testCommand }
  const { commands } = await import('./commands/all.ts')
  return commands
}
