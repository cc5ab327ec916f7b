// tallystick dar check: whether a node would take a DAR beside other versions of its packages, and why not.
import { readFileSync } from 'node:fs'
import { StartError } from '../../base/errors.ts'
import type { Command } from '../command.ts'
import { checkAside } from '../dar-account.ts'
import type { CheckedFile } from '../dar-check-thread.ts'
import { withProgress } from '../progress.ts'

type Flags = { readonly against?: readonly string[]; readonly json?: boolean }

export const darCheckCommand: Command = {
  summary: 'check that a node would take a DAR, beside other versions of its packages',
  usage: 'tallystick dar check FILE [--against FILE]… [--json]',
  operands: ['FILE'],
  options: {
    against: {
      type: 'string',
      multiple: true,
      value: 'FILE',
      help: 'a DAR with another version; may be repeated',
    },
    json: { type: 'boolean', help: 'print JSON instead of text' },
  },
  notes:
    'Checks types, dependencies and upgrades, as an upload does, and shows all that is wrong.\n' +
    'Ends with 1 if an upload would be refused.',
  async run({ against = [], json }: Flags, surroundings, [file]) {
    const { print, endWith } = surroundings
    // Loaded here, so that starting a node does not wait for it.
    const { isAcceptable, renderAccount } = await import('../../lf/upgrading/render-account.ts')
    const account = await withProgress('checking', surroundings, checkAside([file!, ...against].map(readFile)))
    print(json ? JSON.stringify(account, null, 2) : renderAccount(account))
    endWith(isAcceptable(account) ? 0 : 1)
  },
}

function readFile(file: string): CheckedFile {
  try {
    return { file, bytes: new Uint8Array(readFileSync(file)) }
  } catch (error) {
    throw new StartError(`cannot read the DAR: ${(error as Error).message}`)
  }
}
