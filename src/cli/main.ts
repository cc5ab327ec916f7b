// The command line: finds the command, parses its options, and turns every expected failure into one line.
import { constants } from 'node:os'
import { parseArgs } from 'node:util'
import { ifStillRunningAfter, wallClock } from '../base/clock.ts'
import { StartError } from '../base/errors.ts'
import { ownVersion } from '../base/version.ts'
import type { Command, Surroundings } from './command.ts'
import { checkCommand } from './commands/check.ts'
import { codegenCommand } from './commands/codegen.ts'
import { configCommand } from './commands/config.ts'
import { darInspectCommand } from './commands/dar-inspect.ts'
import { keyMoveCommand } from './commands/key-move.ts'
import { pruneCommand } from './commands/prune.ts'
import { startCommand } from './commands/start.ts'
import { tokenCommand } from './commands/token.ts'
import { describeOptions, helpOption } from './options.ts'
import { untilAskedToStop } from './stop-signals.ts'
import { UsageError } from './usage.ts'

const lingerMs = 1_000

const commands: Readonly<Record<string, Command>> = {
  start: startCommand,
  token: tokenCommand,
  prune: pruneCommand,
  check: checkCommand,
  config: configCommand,
  'key move': keyMoveCommand,
  'dar inspect': darInspectCommand,
  codegen: codegenCommand,
}

const surroundings: Surroundings = {
  environment: process.env,
  print: (text) => process.stdout.write(`${text}\n`),
  untilStopped: () =>
    untilAskedToStop({
      process,
      clock: wallClock,
      forceStop: (signal) => process.exit(128 + constants.signals[signal]),
    }),
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

async function run([first = '--help', ...rest]: string[]): Promise<number> {
  const isTwoWords = Object.keys(commands).some((name) => name.startsWith(`${first} `))
  const [name, args] = isTwoWords ? [`${first} ${rest[0] ?? ''}`.trim(), rest.slice(1)] : [first, rest]
  if (['--help', '-h', 'help'].includes(name)) {
    surroundings.print(overview())
    return 0
  }
  if (name === '--version') {
    surroundings.print(ownVersion)
    return 0
  }
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (command === undefined) throw new UsageError(`there is no command ${name}; try tallystick --help`)
  const { flags, operands } = parseFlags(command, args)
  if (flags.help) surroundings.print(`${command.usage}\n\n${describeOptions({ ...command.options, ...helpOption })}`)
  else await command.run(flags, surroundings, checkedOperands(command, operands))
  return 0
}

type CommandLine = { readonly flags: Readonly<Record<string, unknown>>; readonly operands: readonly string[] }

function parseFlags({ options, operands = [], usage }: Command, args: string[]): CommandLine {
  try {
    const allowPositionals = operands.length > 0
    const parsed = parseArgs({ args, options: { ...options, ...helpOption }, strict: true, allowPositionals })
    return { flags: parsed.values, operands: parsed.positionals }
  } catch (error) {
    const [reason] = (error as Error).message.split(/\.\s/)
    throw new UsageError(`${reason}; usage: ${usage}, or --help`)
  }
}

function checkedOperands({ operands = [], usage }: Command, given: readonly string[]): readonly string[] {
  if (given.length < operands.length) throw new UsageError(`${operands[given.length]} is missing; usage: ${usage}`)
  if (given.length > operands.length) throw new UsageError(`${given[operands.length]} is too much; usage: ${usage}`)
  return given
}

function overview(): string {
  const rows = Object.entries(commands).map(([name, { summary }]) => `  ${name.padEnd(13)} ${summary}`)
  return `tallystick ${ownVersion}: a ledger participant node for Canton and Daml

${rows.join('\n')}

  tallystick COMMAND --help shows the options of a command.`
}
