// tallystick token instrument: creates instruments of one's own by the token standard, and lists them.
import { type Command, type Surroundings, UsageError } from '../command.ts'
import { partyNamed } from '../named-parties.ts'
import { synchronizerNamed } from '../named-synchronizers.ts'
import { withProgress } from '../progress.ts'
import { hintOf, runningNode, type TableFlags, tableOptions, widthFor } from '../running-node.ts'
import { renderTable } from '../table.ts'
import { asking, participantAt, participantsHere } from '../token-ledger.ts'

type Flags = TableFlags & {
  readonly admin?: string
  readonly name?: string
  readonly symbol?: string
  readonly decimals?: string
  readonly synchronizer?: string
  readonly 'splice-dars'?: string
  readonly 'stand-in'?: boolean
}

const usage =
  'tallystick token instrument create ID --admin PARTY [options] | tallystick token instrument list [options]'

export const tokenInstrumentCommand: Command = {
  summary: 'create an instrument by the token standard, or list them',
  usage,
  operands: ['create|list'],
  optionalOperands: ['ID'],
  operandWords: ['create', 'list'],
  options: {
    admin: { type: 'string', value: 'PARTY', help: 'who mints and burns it; the party is made if it is new' },
    name: { type: 'string', value: 'NAME', help: 'as wallets show it (ID)' },
    symbol: { type: 'string', value: 'SYMBOL', help: 'as wallets show it (ID)' },
    decimals: { type: 'string', value: 'N', help: 'digits after the point that amounts may have, up to 10 (10)' },
    synchronizer: { type: 'string', value: 'ALIAS', help: 'where it is, if the participant has several' },
    'splice-dars': { type: 'string', value: 'DIR', help: 'folder with the DARs of Splice, for a node without them' },
    'stand-in': { type: 'boolean', help: "interfaces of our own in place of Splice's, which wallets do not know" },
    ...tableOptions,
  },
  notes: `The package of tokens is uploaded to every participant that runs here, over the interfaces of the token standard that it has.
tallystick token registry serves what wallets ask a registry; a LocalNet serves it on its port of scan.`,
  async run(flags: Flags, surroundings, [verb, id]) {
    if (verb === 'list' && id === undefined) return asking(() => list(flags, surroundings))
    if (verb !== 'create') throw new UsageError(`${verb} is not create or list; usage: ${usage}`)
    if (id === undefined) throw new UsageError(`ID is missing; usage: ${usage}`)
    await asking(() => create(id, flags, surroundings))
  },
}

async function create(id: string, flags: Flags, surroundings: Surroundings): Promise<void> {
  const { environment, print } = surroundings
  const { admin: written, name = id, symbol = id, decimals = '10' } = flags
  if (written === undefined) throw new UsageError(`--admin is missing; usage: ${usage}`)
  if (!/^(\d|10)$/.test(decimals)) throw new UsageError('--decimals: it is a whole number from 0 to 10')
  const { provideTokenPackage } = await import('../../splice/tokens/token-package.ts')
  const { createInstrument } = await import('../../splice/tokens/instruments.ts')
  const source = { folder: flags['splice-dars'], isStandIn: flags['stand-in'] ?? false }
  const upload = async () => {
    for (const participant of await participantsHere(flags, environment)) await provideTokenPackage(participant, source)
  }
  await withProgress('uploading the package of tokens', surroundings, upload())
  const participant = await participantAt(flags, environment)
  const admin = await adminNamed(written, flags, environment)
  const terms = { admin, id, name, symbol, decimals: Number(decimals) }
  const contractId = await createInstrument(
    participant,
    terms,
    await synchronizerNamed(flags.synchronizer, (path) => participant.call('GET', path)),
  )
  const made = { contractId, ...terms }
  print(flags.json ? JSON.stringify(made, null, 2) : `${admin} has the instrument ${id}`)
}

/** A party of the participant, made on all of its synchronizers if it is new. */
async function adminNamed(written: string, flags: Flags, environment: Surroundings['environment']): Promise<string> {
  if (written.includes('::')) return partyNamed(written, await runningNode(flags, environment))
  const { allocateParty } = await import('../../splice/founding/parties.ts')
  const participant = await participantAt(flags, environment)
  const { participantId } = await participant.call('GET', '/v2/parties/participant-id')
  return allocateParty(participant, participantId, written)
}

async function list(flags: Flags, surroundings: Surroundings): Promise<void> {
  const { environment, print, width } = widthFor(flags, surroundings)
  const { listInstruments } = await import('../../splice/tokens/instruments.ts')
  const { createTokenReads } = await import('../../splice/tokens/token-reads.ts')
  const participant = await participantAt(flags, environment)
  const instruments = await listInstruments(participant)
  const supplies = await createTokenReads([participant]).supplies()
  const rows = instruments.map((one) => ({ ...one, supply: supplies.of(one) }))
  if (flags.json) return print(JSON.stringify(rows, null, 2))
  const cells = rows.map(({ id, admin, supply, decimals, symbol, name }) => [
    id,
    hintOf(admin),
    supply,
    String(decimals),
    symbol,
    name,
  ])
  print(renderTable(['ID', 'ADMIN', 'SUPPLY', 'DECIMALS', 'SYMBOL', 'NAME'], cells, width))
}
