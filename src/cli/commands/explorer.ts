// tallystick explorer: prints a link that opens the explorer of a running development node, signed in.
import type { Command } from '../command.ts'
import { postJson, type RunningNodeFlags, runningNode, runningNodeOptions } from '../running-node.ts'

export const explorerCommand: Command = {
  summary: 'print a link that opens the explorer, signed in',
  usage: 'tallystick explorer [options]',
  options: runningNodeOptions,
  notes: 'The link works for an hour, on a development node. Other nodes ask for a token at /explorer.',
  async run(flags: RunningNodeFlags, { environment, print }) {
    const node = await runningNode(flags, environment)
    const { key, expiresAt } = await postJson<{ key: string; expiresAt: string }>(node, '/dev/sign-in-keys', {})
    const link = `${node.url}/explorer#key=${key}`
    print(flags.json ? JSON.stringify({ link, expiresAt }, null, 2) : link)
  },
}
