// tallystick dar check: whether a node would take a DAR beside other versions of its packages, and why not.
import { StartError } from '../../base/errors.ts'
import type { Dar } from '../../lf/dar/dar.ts'
import type { Command } from '../command.ts'
import { readDar } from '../dar-file.ts'

type Flags = { readonly against?: readonly string[]; readonly json?: boolean }

export const darCheckCommand: Command = {
  summary: 'check that a DAR upgrades other versions of its packages',
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
  notes: 'Ends with 1 if something breaks an upgrade, and shows all that does.',
  async run({ against = [], json }: Flags, { print, endWith }, [file]) {
    // Loaded here, so that starting a node does not wait for it.
    const { accountOf } = await import('../../lf/upgrading/account.ts')
    const { isAcceptable, renderAccount } = await import('../../lf/upgrading/render-account.ts')
    const dar = await readDar(file!)
    const others: Dar[] = []
    for (const other of against) others.push(await readOther(other, dar))
    const account = accountOf(dar, others)
    print(json ? JSON.stringify(account, null, 2) : renderAccount(account))
    endWith(isAcceptable(account) ? 0 : 1)
  },
}

/** A file without any version of the package was named by mistake. */
async function readOther(file: string, { main }: Dar): Promise<Dar> {
  const dar = await readDar(file)
  const { name } = main.package
  if (dar.packages.some((entry) => entry.package.name === name)) return dar
  throw new StartError(`${file} has no package named ${name}: its main package is ${dar.main.package.name}`)
}
