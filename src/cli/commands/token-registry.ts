// tallystick token registry: serves the registry of the instruments of a node, for wallets and apps, until a signal stops it.
import { createLog } from '../../base/log.ts'
import { type Command, UsageError } from '../command.ts'
import { hintOf, type RunningNodeFlags, runningNodeOptions } from '../running-node.ts'
import { asking, participantsHere } from '../token-ledger.ts'

type Flags = RunningNodeFlags & { readonly port?: string; readonly host?: string }

/** Beside that of scan in a LocalNet. */
const portDefault = '5013'

export const tokenRegistryCommand: Command = {
  summary: "serve a registry of a node's instruments, as the token standard wants it",
  usage: 'tallystick token registry [options]',
  options: {
    port: { type: 'string', value: 'PORT', help: `where it listens (${portDefault})` },
    host: { type: 'string', value: 'HOST', help: 'address to listen on (127.0.0.1)' },
    ...runningNodeOptions,
  },
  notes: `Each admin has an address of its own: http://127.0.0.1:${portDefault}/tokens/ADMIN. It reads as any party, and asks nobody for a token.`,
  async run(flags: Flags, { environment, print, untilStopped }) {
    const port = Number(flags.port ?? portDefault)
    if (!Number.isInteger(port) || port < 0 || port > 65_535) throw new UsageError('--port: it is a port')
    const host = flags.host ?? '127.0.0.1'
    const { openTokenRegistry } = await import('../../splice/tokens/registry-server.ts')
    const { listInstruments } = await import('../../splice/tokens/instruments.ts')
    const participants = await participantsHere(flags, environment)
    const instruments = await asking(() => Promise.all(participants.map(listInstruments)))
    const stopped = untilStopped()
    await using registry = await openTokenRegistry({ participants, host, port, log: createLog('warn', 'auto') })
    const admins = new Set(instruments.flat().map(({ admin }) => hintOf(admin)))
    const addresses = [...admins].map((admin) => `${registry.url}/tokens/${admin}`)
    print(addresses.length === 0 ? `${registry.url}/tokens/ADMIN` : addresses.join('\n'))
    await stopped
  },
}
