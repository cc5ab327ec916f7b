// Three participants on two synchronizers, on both sides: what `canton sandbox --multi-sync` starts, and a network of ours
// with the same names. Every participant has its own offsets; ids are the same everywhere.
import { setTimeout as pause } from 'node:timers/promises'
import { framed } from '../../src/grpc/wire-call.ts'
import { filtersFor } from '../../test/fixtures/ledger.ts'
import { type Both, type CallOptions, createBoth, isChange, type Json } from './both.ts'
import { Correspondence } from './correspondence.ts'
import type { Side } from './side.ts'
import type { Verdicts } from './verdicts.ts'
import { darFile } from './world.ts'

/** `sidebox` is connected to the second synchronizer only. */
export const participantNames = ['sandbox', 'pebblebox', 'sidebox'] as const

export type Participant = {
  readonly name: string
  /** Such as `sandbox::1220…`. */
  readonly id: string
  readonly both: Both
  /** A list without an end is whole when nothing has come for so long. */
  readonly idleMs: number
  get(note: string, path: string): Promise<Json>
  /** After a change the next request finds it on every participant. */
  post(note: string, path: string, body: unknown, options?: CallOptions): Promise<Json>
  /** Submits, and returns the transaction with all that happened. */
  submit(note: string, commands: readonly object[], actAs: readonly string[], fields?: object): Promise<Json>
  end(): Promise<number>
  /** Takes the participant off a synchronizer, or back, as an operator does. */
  disconnect(alias: string): Promise<void>
  reconnect(alias: string): Promise<void>
}

export type Network = {
  readonly sandbox: Participant
  readonly pebblebox: Participant
  readonly sidebox: Participant
  readonly all: readonly Participant[]
  readonly first: string
  readonly second: string
  /** Hosted on `sandbox`, as dave is. */
  readonly alice: string
  readonly dave: string
  /** On `pebblebox`. */
  readonly bob: string
  readonly erin: string
  /** On `sidebox`. */
  readonly carol: string
  newId(what?: string): string
  /** The fields of a submission, with a new command id. */
  commandsOf(commands: readonly object[], actAs: readonly string[], fields?: object): Json
}

type Sides = { readonly ours: Side; readonly canton: Side }

type Parts = {
  /** In the order of `participantNames`. */
  readonly sides: readonly Sides[]
  readonly verdicts: Verdicts
  /** How long a ledger that rests has not moved: delivery to other participants takes Canton a while. */
  readonly restMs: number
  /** Tells the names of this run from those of earlier ones on the same ledgers. */
  readonly run?: string
}

export const effects = '#effects-lf21:Effects:Target'

/** Canton may be slow to begin; a recording has what it sent. */
const [liveIdleMs, replayIdleMs] = [4000, 300]

const connectivity = '/com.digitalasset.canton.admin.participant.v30.SynchronizerConnectivityService'
const dars = ['test/lf/effects-lf21.dar', 'test/lf/keys-lf23.dar']

export async function createNetwork({ sides, verdicts, restMs, run = '' }: Parts): Promise<Network> {
  const ids = new Correspondence()
  const boths = participantNames.map((participant, index) => {
    return createBoth({ ...sides[index]!, verdicts, tokenOf: undefined, network: { participant, ids, restMs } })
  })
  const rest = async () => void (await Promise.all(boths.map((both) => both.rest())))
  let last = 0
  const newId = (what = 'command') => `${what}${run}-${++last}`
  const commandsOf = (commands: readonly object[], actAs: readonly string[], fields: object = {}) => {
    return { commands, commandId: newId(), userId: 'participant_admin', actAs, ...fields }
  }

  async function participantOf(both: Both, name: string): Promise<Participant> {
    const { participantId } = await both.get('/v2/parties/participant-id')
    const change = async (method: string, alias: string) => {
      await both.grpc(`${connectivity}/${method}`, framed(textField(alias)))
      await rest()
    }
    const participant: Participant = {
      name,
      id: participantId,
      both,
      idleMs: restMs === 0 ? replayIdleMs : liveIdleMs,
      get: (note, path) => both.get(path, { note }),
      async post(note, path, body, options) {
        const { json } = await both.call('POST', path, { ...options, body, note })
        // What waits for an absent participant waits for half a minute: that has to be enough for the requests that follow.
        if (options?.isPending) await pause(restMs / 2)
        else if (isChange('POST', path)) await rest()
        return json
      },
      async submit(note, commands, actAs, fields) {
        const body = { commands: commandsOf(commands, actAs, fields), transactionFormat: everything }
        return (await participant.post(note, '/v2/commands/submit-and-wait-for-transaction', body))?.transaction
      },
      end: async () => (await both.get('/v2/state/ledger-end')).offset,
      disconnect: (alias) => change('DisconnectSynchronizer', alias),
      reconnect: (alias) => change('ReconnectSynchronizer', alias),
    }
    return participant
  }

  const [sandbox, pebblebox, sidebox] = [
    await participantOf(boths[0]!, 'sandbox'),
    await participantOf(boths[1]!, 'pebblebox'),
    await participantOf(boths[2]!, 'sidebox'),
  ]
  const { connectedSynchronizers } = await sandbox.get('two synchronizers', '/v2/state/connected-synchronizers')
  const synchronizerOf = (alias: string): string =>
    connectedSynchronizers.find((one: Json) => one.synchronizerAlias === alias)?.synchronizerId ?? alias
  const [first, second] = [synchronizerOf('synchronizer-1'), synchronizerOf('synchronizer-2')]
  const hosting: readonly [Participant, readonly string[]][] = [
    [sandbox, [first, second]],
    [pebblebox, [first, second]],
    [sidebox, [second]],
  ]
  for (const [{ post }, synchronizers] of hosting) {
    for (const dar of dars) {
      for (const id of synchronizers) await post(`upload ${dar}`, `/v2/dars?synchronizerId=${id}`, darFile(dar))
    }
  }
  for (const packageId of (await sandbox.get('packages', '/v2/packages')).packageIds) ids.fix(packageId)
  const allocate = async (index: number, hint: string): Promise<string> => {
    const [{ post }, synchronizers] = hosting[index]!
    let party = ''
    for (const synchronizerId of synchronizers) {
      const body = { partyIdHint: `${hint}${run}`, synchronizerId, identityProviderId: '' }
      party = (await post(`allocate ${hint}`, '/v2/parties', body))?.partyDetails?.party ?? hint
    }
    return party
  }
  return {
    ...{ sandbox, pebblebox, sidebox, all: [sandbox, pebblebox, sidebox], first, second, newId, commandsOf },
    alice: await allocate(0, 'alice'),
    dave: await allocate(0, 'dave'),
    bob: await allocate(1, 'bob'),
    erin: await allocate(1, 'erin'),
    carol: await allocate(2, 'carol'),
  }
}

/** A protobuf message whose first field is this text. */
function textField(text: string): Uint8Array {
  const bytes = Buffer.from(text)
  return Buffer.concat([Buffer.from([0x0a, bytes.length]), bytes])
}

const wildcard = { identifierFilter: { WildcardFilter: { value: { includeCreatedEventBlob: false } } } }

/** All events for these parties, or for any party. */
export function eventFormat(parties?: readonly string[]): object {
  const filters = parties === undefined ? { filtersForAnyParty: { cumulative: [wildcard] } } : filtersFor(parties)
  return { ...filters, verbose: false }
}

export const shapes = ['LEDGER_EFFECTS', 'ACS_DELTA'] as const

export function updateFormat(parties: readonly string[] | undefined, shape: (typeof shapes)[number]): object {
  return {
    includeTransactions: { eventFormat: eventFormat(parties), transactionShape: `TRANSACTION_SHAPE_${shape}` },
  }
}

const everything = { eventFormat: eventFormat(), transactionShape: 'TRANSACTION_SHAPE_LEDGER_EFFECTS' }

/** The contract that a transaction creates first. */
export function createdIn(transaction: Json): string {
  const event = transaction?.events?.find((one: object) => 'CreatedEvent' in one)
  return event?.CreatedEvent.contractId ?? `00${'ab'.repeat(36)}`
}
