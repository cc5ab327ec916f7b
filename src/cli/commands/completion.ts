// tallystick completion: prints a script that completes commands and options in a shell.
import { type Command, UsageError } from '../command.ts'
import type { Commands } from '../command-line.ts'

const usage = 'tallystick completion bash|zsh'
const shells = ['bash', 'zsh'] as const

/** `commands` is a function, because the table has this command, too. */
export const completionCommand = (commands: () => Commands): Command => ({
  summary: 'print a completion script for a shell',
  usage,
  operands: ['bash|zsh'],
  operandWords: shells,
  options: {},
  notes: `For bash, add to ~/.bashrc:  source <(tallystick completion bash)
For zsh, add to ~/.zshrc, after compinit:  source <(tallystick completion zsh)`,
  async run(_flags, { print }, [shell]) {
    if (!shells.some((known) => known === shell))
      throw new UsageError(`there is no completion for ${shell}; usage: ${usage}`)
    const { bashCompletion, zshCompletion } = await import('../completion.ts')
    print(shell === 'bash' ? bashCompletion(commands()) : zshCompletion(commands()))
  },
})
