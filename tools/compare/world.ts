// What every session starts from: packages, parties, a user that may act as them, and words for commands.
import { readFileSync } from 'node:fs'
import { exercise, filtersFor, right, transactionFormat, updateFormat } from '../../test/fixtures/ledger.ts'
import type { Both, CallOptions, Json } from './both.ts'

export type World = {
  readonly both: Both
  readonly bank: string
  readonly alice: string
  readonly bob: string
  readonly carol: string
  readonly synchronizers: readonly string[]
  readonly participant: string
  readonly packageIds: readonly string[]
  /** Tells the names of this run from others. */
  readonly run: string
  newId(what?: string): string
  createIou(fields?: object): object
  /** The fields of a submission; as `app`. */
  commandsOf(commands: readonly object[], fields?: object): Json
  /** Submits and answers the transaction, with everything in it. */
  submit(commands: readonly object[], fields?: object, options?: CallOptions): Promise<Json>
  /** The contract that a submission creates first. */
  create(command: object, fields?: object): Promise<string>
  readonly everything: object
}

export const iou = '#quickstart:Iou:Iou'
export const target = '#effects-lf21:Effects:Target'
const dars = [
  'packages/quickstart/quickstart.dar',
  'test/lf/effects-lf21.dar',
  'test/lf/keys-lf23.dar',
  'test/lf/builtins-lf21.dar',
]

export const darFile = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url))

/** `run` tells the names of this run from those of earlier ones on the same ledgers. */
export async function createWorld(both: Both, run = ''): Promise<World> {
  const call = async (method: string, path: string, body?: unknown): Promise<Json> => {
    return (await both.call(method, path, { body })).json
  }
  const { connectedSynchronizers } = await call('GET', '/v2/state/connected-synchronizers')
  const synchronizers = connectedSynchronizers.map((one: Json) => one.synchronizerId) as string[]
  // With several, Canton wants to know which one is meant.
  const isNamed = synchronizers.length > 1
  const { participantId } = await call('GET', '/v2/parties/participant-id')
  for (const dar of dars) {
    if (!isNamed) await call('POST', '/v2/dars', darFile(dar))
    else for (const id of synchronizers) await call('POST', `/v2/dars?synchronizerId=${id}`, darFile(dar))
  }
  const { packageIds } = await call('GET', '/v2/packages')
  for (const id of packageIds) both.ids.fix(id)
  const parties: string[] = []
  for (const partyIdHint of ['bank', 'alice', 'bob', 'carol']) {
    const allocation = { partyIdHint: `${partyIdHint}${run}`, ...(isNamed && { synchronizerId: synchronizers[0] }) }
    parties.push((await call('POST', '/v2/parties', allocation)).partyDetails.party)
    for (const synchronizerId of synchronizers.slice(1)) {
      await call('POST', '/v2/parties', { ...allocation, synchronizerId })
    }
  }
  const [bank, alice, bob, carol] = parties as [string, string, string, string]
  const rights = [...parties.map((party) => right('CanActAs', party)), right('CanReadAsAnyParty')]
  await call('POST', '/v2/users', { user: { id: 'app' }, rights })
  if (run !== '') await call('POST', '/v2/users/app/rights', { userId: 'app', rights })
  let last = 0
  const newId = (what = 'command') => `${what}${run}-${++last}`
  const everything = transactionFormat({ ...filtersFor(parties), verbose: true }, 'LEDGER_EFFECTS')

  const world: World = {
    both,
    bank,
    alice,
    bob,
    carol,
    synchronizers,
    participant: participantId,
    packageIds,
    newId,
    everything,
    run,
    createIou: (fields = {}) => ({
      CreateCommand: {
        templateId: iou,
        createArguments: { issuer: bank, owner: alice, amount: '100', currency: 'EUR', observers: [], ...fields },
      },
    }),
    commandsOf: (commands, fields = {}) => {
      const synchronizer = isNamed && { synchronizerId: synchronizers[0] }
      return { commands, commandId: newId(), userId: 'app', actAs: [bank, alice], ...synchronizer, ...fields }
    },
    async submit(commands, fields, options) {
      const body = { commands: world.commandsOf(commands, fields), transactionFormat: everything }
      const path = '/v2/commands/submit-and-wait-for-transaction'
      return (await both.call('POST', path, { as: 'app', body, ...options })).json?.transaction
    },
    async create(command, fields) {
      const transaction = await world.submit([command], fields)
      const created = transaction?.events?.find((event: object) => 'CreatedEvent' in event)
      return created?.CreatedEvent.contractId ?? '00'
    },
  }
  return world
}

/** Reads the first updates: which offset of ours is which of Canton's. */
export async function pairFirstOffsets({ both, bank, alice, bob, carol }: World): Promise<void> {
  const { offset: endInclusive } = await both.get('/v2/state/ledger-end')
  const includeTopologyEvents = { includeParticipantAuthorizationEvents: { parties: [bank, alice, bob, carol] } }
  await both.post('/v2/updates', { beginExclusive: 0, endInclusive, updateFormat: { includeTopologyEvents } })
}

export { exercise, filtersFor, right, transactionFormat, updateFormat }
