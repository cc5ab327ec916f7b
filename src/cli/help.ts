// What `tallystick help` prints: all commands, the commands of a group, or one command.
import { ownVersion } from '../base/version.ts'
import { type Commands, findCommand, membersOf } from './command-line.ts'
import { describeOptions, helpOption } from './options.ts'

const moreHelp = 'tallystick help COMMAND shows the options of a command.'

export function helpOn(name: string, commands: Commands): string {
  if (name === '') return overview(commands)
  const members = membersOf(name, commands)
  const rest = members.length === 0 ? [] : [rowsOf(members, commands), moreHelp]
  if (!Object.hasOwn(commands, name) && members.length > 0) return [`tallystick ${name}`, ...rest].join('\n\n')
  const { summary, usage, options, notes } = findCommand(name, commands)
  const parts = [
    `Usage: ${usage}`,
    `${summary[0]!.toUpperCase()}${summary.slice(1)}.`,
    describeOptions({ ...options, ...helpOption }),
    ...(notes === undefined ? [] : [notes]),
    ...rest,
  ]
  return parts.join('\n\n')
}

function overview(commands: Commands): string {
  return `tallystick ${ownVersion}: a ledger participant node for Canton and Daml

Usage: tallystick COMMAND [options]

${rowsOf(Object.keys(commands), commands)}

${moreHelp}
tallystick --version prints the version. Exit codes: 0, 1 if the command failed or the node refused, 2 if the command line is
wrong, 3 if no node answers.

tallystick config shows every setting with its meaning. A setting comes from a JSON file (--config FILE), from the
environment (http.port is TALLYSTICK_HTTP_PORT) or from a flag; later ones win.`
}

function rowsOf(names: readonly string[], commands: Commands): string {
  return names.map((name) => `  ${name.padEnd(15)} ${commands[name]!.summary}`).join('\n')
}
