// Completion scripts for bash and zsh, made from the table of commands.
import { type Commands, membersOf } from './command-line.ts'
import { helpOption, type OptionTable } from './options.ts'

const files = new Set(['FILE', 'FILE|URL'])

export function bashCompletion(commands: Commands): string {
  const cases = Object.entries(commands).map(([name, { options }]) => {
    const words = Object.keys({ ...options, ...helpOption }).map((option) => `--${option}`)
    return `    ${quoted(name)}) options=${quoted(words.join(' '))} ;;`
  })
  return `# Completion of tallystick for bash: source <(tallystick completion bash)
_tallystick() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD - 1]} command=\${COMP_WORDS[1]} options= words=
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W ${quoted([...firstWords(commands), 'help'].join(' '))} -- "$current"))
    return
  fi
  case "$command \${COMP_WORDS[2]}" in
    ${groupMembers(commands).map(quoted).join('|')}) command="$command \${COMP_WORDS[2]}" ;;
  esac
  case "$command" in
${cases.join('\n')}
  esac
  case "$previous" in
    ${optionsWith('FILE', commands)}) COMPREPLY=($(compgen -f -- "$current")); return ;;
    ${optionsWith('DIR', commands)}) COMPREPLY=($(compgen -d -- "$current")); return ;;
  esac
  case "$current" in
    -*) COMPREPLY=($(compgen -W "$options" -- "$current")); return ;;
  esac
  if [ "$COMP_CWORD" -eq 2 ]; then
    case "$command" in
${groupsOf(commands)
  .map((group) => `      ${group}) words=${quoted(secondWords(group, commands).join(' '))} ;;`)
  .concat(wordCases(commands))
  .join('\n')}
    esac
  fi
  if [ -n "$words" ]; then COMPREPLY=($(compgen -W "$words" -- "$current"))
  else COMPREPLY=($(compgen -f -- "$current")); fi
}
complete -o filenames -F _tallystick tallystick`
}

export function zshCompletion(commands: Commands): string {
  const describe = (rows: string[]) => `local -a rows=(${rows.map(quoted).join(' ')}); _describe command rows`
  const row = (word: string, name: string) =>
    `${word}:${(commands[name]?.summary ?? `${name} …`).replaceAll(':', '\\:')}`
  const groups = groupsOf(commands).map((group) => {
    const rows = secondWords(group, commands).map((word) => row(word, `${group} ${word}`))
    return `      ${group}) ${describe(rows)} ;;`
  })
  const cases = Object.entries(commands).map(
    ([name, { options, operands = [], optionalOperands = [], operandWords }]) => {
      const specs = Object.entries({ ...options, ...helpOption } as OptionTable).map(optionSpec)
      const operand = [...operands, ...optionalOperands]
      const action = operandWords === undefined ? '_files' : `(${operandWords.join(' ')})`
      const rest =
        operandWords !== undefined || operand.some((word) => files.has(word)) ? [`*:${operand[0]}:${action}`] : []
      return `    ${quoted(name)}) _arguments ${[...specs, ...rest].map(quoted).join(' ')} ;;`
    },
  )
  return `#compdef tallystick
# Completion of tallystick for zsh: source <(tallystick completion zsh), after compinit
_tallystick() {
  if (( CURRENT == 2 )); then
    ${describe([...firstWords(commands).map((word) => row(word, word)), 'help:show the commands'])}
    return
  fi
  local command=$words[2]
  if (( CURRENT == 3 )) && [[ $words[3] != -* ]]; then
    case $command in
${groups.join('\n')}
    esac
  fi
  case "$command $words[3]" in
    ${groupMembers(commands).map(quoted).join('|')}) command="$command $words[3]"; shift words; (( CURRENT-- )) ;;
  esac
  shift words; (( CURRENT-- ))
  case $command in
${cases.join('\n')}
  esac
}
compdef _tallystick tallystick`
}

function optionSpec([name, { value, help, ...option }]: [string, OptionTable[string]]): string {
  const text = help.replaceAll(/[[\]:\\]/g, (sign) => `\\${sign}`)
  const repeated = 'multiple' in option && option.multiple ? '*' : ''
  if (value === undefined) return `${repeated}--${name}[${text}]`
  const action = value === 'DIR' ? '_files -/' : value === 'FILE' ? '_files' : ' '
  return `${repeated}--${name}[${text}]:${value.replaceAll(':', '\\:')}:${action}`
}

function firstWords(commands: Commands): string[] {
  return [...new Set(Object.keys(commands).map((name) => name.split(' ')[0]!))]
}

function groupsOf(commands: Commands): string[] {
  return firstWords(commands).filter((word) => membersOf(word, commands).length > 0)
}

function groupMembers(commands: Commands): string[] {
  return Object.keys(commands).filter((name) => name.includes(' '))
}

function secondWords(group: string, commands: Commands): string[] {
  return membersOf(group, commands).map((name) => name.split(' ')[1]!)
}

function wordCases(commands: Commands): string[] {
  return Object.entries(commands).flatMap(([name, { operandWords }]) =>
    operandWords === undefined ? [] : [`      ${quoted(name)}) words=${quoted(operandWords.join(' '))} ;;`],
  )
}

function optionsWith(value: string, commands: Commands): string {
  const names = Object.values(commands).flatMap(({ options }) =>
    Object.entries(options).flatMap(([name, option]) => (option.value === value ? [`--${name}`] : [])),
  )
  return [...new Set(names)].join('|')
}

/** As one word of a shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
