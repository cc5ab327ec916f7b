// The command line: finds the command, parses its options, and turns every expected failure into one line.
import { parseArgs } from 'node:util'
import { StartError } from '../base/errors.ts'
import { ownVersion } from '../base/version.ts'
import type { Command, Surroundings } from './command.ts'
import { configCommand } from './commands/config.ts'
import { startCommand } from './commands/start.ts'
import { tokenCommand } from './commands/token.ts'
import { describeOptions, helpOption } from './options.ts'
import { UsageError } from './usage.ts'

const commands: Readonly<Record<string, Command>> = {
  start: startCommand,
  token: tokenCommand,
  config: configCommand,
}

const surroundings: Surroundings = {
  environment: process.env,
  print: (text) => process.stdout.write(`${text}\n`),
  untilStopped: () =>
    new Promise((resolve) => {
      for (const signal of ['SIGINT', 'SIGTERM'] as const) {
        process.once(signal, () => {
          process.once(signal, () => process.exit(1)) // Asked twice: whoever asks does not want to wait.
          resolve()
        })
      }
    }),
}

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

async function run([name = '--help', ...args]: string[]): Promise<number> {
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
  const { help, ...flags } = parseFlags(command, args)
  if (help) surroundings.print(`${command.usage}\n\n${describeOptions({ ...command.options, ...helpOption })}`)
  else await command.run(flags, surroundings)
  return 0
}

function parseFlags({ options, usage }: Command, args: string[]): Record<string, unknown> {
  try {
    return parseArgs({ args, options: { ...options, ...helpOption }, strict: true }).values
  } catch (error) {
    const [reason] = (error as Error).message.split('. ')
    throw new UsageError(`${reason}; usage: ${usage}, or --help`)
  }
}

function overview(): string {
  const rows = Object.entries(commands).map(([name, { summary }]) => `  ${name.padEnd(10)} ${summary}`)
  return `tallystick ${ownVersion}: a ledger participant node for Canton and Daml

${rows.join('\n')}

  tallystick COMMAND --help shows the options of a command.`
}
