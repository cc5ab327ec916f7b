// Parses a command line into command, options and operands. Every mistake is reported in one line, with a suggestion if
// it looks like a typo.
import { parseArgs } from 'node:util'
import { nearest } from '../base/nearest.ts'
import { type Command, type RefusedOptions, UsageError } from './command.ts'
import { helpOption } from './options.ts'

export type Commands = Readonly<Record<string, Command>>

export type CommandLine = {
  readonly flags: Readonly<Record<string, unknown>> & { readonly help?: boolean }
  readonly operands: readonly string[]
}

/** The name of the command, one or two words, and the rest of the line. */
export function splitCommand(words: readonly string[], commands: Commands): [name: string, rest: readonly string[]] {
  const [first = '', second] = words
  const isGroup = membersOf(first, commands).length > 0
  if (!isGroup || second === undefined || second.startsWith('-')) return [first, words.slice(1)]
  // `snapshot` is a command besides `snapshot list`, and takes an operand.
  if (Object.hasOwn(commands, first) && !Object.hasOwn(commands, `${first} ${second}`)) return [first, words.slice(1)]
  return [`${first} ${second}`, words.slice(2)]
}

/** Commands whose names begin with this word: `dar inspect` and `dar upload` for `dar`. */
export function membersOf(word: string, commands: Commands): string[] {
  return Object.keys(commands).filter((name) => name.startsWith(`${word} `))
}

export function findCommand(name: string, commands: Commands): Command {
  if (Object.hasOwn(commands, name)) return commands[name]!
  const members = membersOf(name, commands)
  if (members.length > 0)
    throw new UsageError(`${name} is not complete: try tallystick ${members.join(' or tallystick ')}`)
  const meant = nearest(name, Object.keys(commands))
  const suggestion = meant === undefined ? 'try tallystick help' : `did you mean tallystick ${meant}?`
  throw new UsageError(`there is no command ${name}; ${suggestion}`)
}

export function parseCommandLine(command: Command, args: readonly string[]): CommandLine {
  const { options, refused = {}, operands = [], optionalOperands = [], furtherOperands, afterDashes, usage } = command
  const known = { ...refused, ...options, ...helpOption }
  const end = afterDashes !== undefined && args.includes('--') ? args.indexOf('--') : args.length
  try {
    const allowPositionals = operands.length + optionalOperands.length > 0 || furtherOperands !== undefined
    const parsed = parseArgs({ args: args.slice(0, end), options: known, strict: true, allowPositionals })
    refuse(parsed.values, refused)
    return { flags: parsed.values, operands: [...parsed.positionals, ...args.slice(end + 1)] }
  } catch (error) {
    if (error instanceof UsageError) throw error
    const [reason = ''] = (error as Error).message.split(/\.\s/)
    const option = /^Unknown option '--?([^'=]+)/.exec(reason)?.[1]
    const meant = option === undefined ? undefined : nearest(option, Object.keys(known))
    const suggestion = meant === undefined ? '' : `; did you mean --${meant}?`
    throw new UsageError(`${reason}${suggestion}; usage: ${usage}, or --help`)
  }
}

function refuse(flags: CommandLine['flags'], refused: RefusedOptions): void {
  for (const [name, { short, instead }] of Object.entries(refused)) {
    if (flags[name] !== undefined)
      throw new UsageError(`${short ? `-${short}` : `--${name}`} is not served: ${instead}`)
  }
}

export function checkedOperands(command: Command, words: readonly string[]): readonly string[] {
  const { operands = [], optionalOperands = [], furtherOperands, afterDashes, usage } = command
  if (afterDashes !== undefined && words.length > 0) return words
  if (afterDashes !== undefined) throw new UsageError(`${afterDashes} is missing; usage: ${usage}`)
  if (words.length < operands.length) throw new UsageError(`${operands[words.length]} is missing; usage: ${usage}`)
  if (furtherOperands !== undefined) return words
  const max = operands.length + optionalOperands.length
  if (words.length > max) throw new UsageError(`${words[max]} is too much; usage: ${usage}`)
  return words
}
