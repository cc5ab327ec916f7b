// Static time: how it is read and moved, ledger times ahead of it, deduplication as it passes, and transactions that are
// executed late. For two nodes whose time stands still: `--only time`.
import { instantFromText, instantToText } from '../../../src/lf/codec/time-text.ts'
import { doing, target as targetArguments } from '../../../test/fixtures/ledger.ts'
import { createSigner, type Signer } from '../../../test/fixtures/signer.ts'
import type { Json } from '../both.ts'
import { exercise, right, target, type World } from '../world.ts'
import { onboard } from './interactive.ts'

const [getTime, setTime] = ['testing.TimeService/GetTime', 'testing.TimeService/SetTime']
const [minute, hour] = [60, 3600]
const secondMicros = 1_000_000

/** `later` is the time in so many seconds, as text. */
type Clock = { later(seconds: number): Promise<string>; move(seconds: number): Promise<void> }

export async function timeSession(world: World): Promise<void> {
  const clock = clockOf(world)
  await movements(world, clock)
  await ledgerTimes(world, clock)
  await deduplication(world, clock)
  await lateExecutions(world, clock)
  await world.both.grpc(getTime, {}, { note: 'at the end' })
}

function clockOf({ both }: World): Clock {
  const now = async () => (await both.grpc(getTime, {})).json.currentTime as string
  const later = async (seconds: number) => instantToText(Number(instantFromText(await now())) + seconds * secondMicros)
  return {
    later,
    async move(seconds) {
      await both.grpc(setTime, { currentTime: await now(), newTime: await later(seconds) }, { note: `by ${seconds} s` })
    },
  }
}

async function movements({ both }: World, { later, move }: Clock): Promise<void> {
  const rows: [note: string, body: object][] = [
    ['nothing', {}],
    ['no new time', { currentTime: await later(0) }],
    ['no current time', { newTime: await later(minute) }],
    ['the same time', { currentTime: await later(0), newTime: await later(0) }],
    ['backwards', { currentTime: await later(0), newTime: await later(-minute) }],
    ['from another time', { currentTime: await later(1), newTime: await later(minute) }],
  ]
  for (const [note, body] of rows) await both.grpc(setTime, body, { note })
  await move(minute)
}

/** Canton's bound is a minute by default. */
async function ledgerTimes({ createIou, submit }: World, { later, move }: Clock): Promise<void> {
  for (const seconds of [0, 1, 30, 59, 60, 61, hour]) {
    const note = `${seconds} s ahead`
    await submit([createIou()], { minLedgerTimeRel: { seconds, nanos: 0 } }, { note })
    await submit([createIou()], { minLedgerTimeAbs: await later(seconds) }, { note: `${note}, absolute` })
  }
  await move(2 * minute)
  await submit([createIou()], {}, { note: 'after time has moved' })
}

async function deduplication({ createIou, submit, newId }: World, { move }: Clock): Promise<void> {
  const commandId = newId('once')
  const deduplicationPeriod = { DeduplicationDuration: { value: { seconds: minute, nanos: 0 } } }
  const again = (note: string) => submit([createIou()], { commandId, deduplicationPeriod }, { note })
  await again('first')
  await again('at once')
  await move(30)
  await again('within the period')
  await move(2 * minute)
  await again('after the period')
}

async function lateExecutions(world: World, { later, move }: Clock): Promise<void> {
  const { both, newId } = world
  const signer = createSigner()
  const party = await onboard(world, signer, newId('patient'))
  if (party === undefined) return
  const rights = [right('CanExecuteAs', party), right('CanReadAs', party)]
  await both.post('/v2/users/app/rights', { userId: 'app', rights })
  const create = { CreateCommand: { templateId: target, createArguments: targetArguments([party]) } }
  const made = await execute(world, signer, party, [create], { note: 'at once' })
  const contractId = made?.events?.[0]?.CreatedEvent?.contractId ?? '00'
  const keep = (...program: object[]) => [exercise(target, contractId, 'Keep', doing([party], ...program))]
  const asking = keep({ tag: 'GetTime', value: {} })
  const v3 = { hashingSchemeVersion: 'HASHING_SCHEME_VERSION_V3' }
  const rows: [note: string, commands: object[], waitSeconds: number, fields?: object][] = [
    ['after 23 hours', keep(), 23 * hour],
    ['after 25 hours', keep(), 25 * hour],
    ['that asked for the time, after 50 s', asking, 50],
    ['that asked for the time, after 70 s', asking, 70],
    ['before its latest record time', keep(), minute, { ...v3, maxRecordTime: await later(100 * hour) }],
    ['after its latest record time', keep(), minute, { ...v3, maxRecordTime: await later(0) }],
  ]
  for (const [note, commands, waitSeconds, fields = {}] of rows) {
    await execute(world, signer, party, commands, { note, fields, meanwhile: () => move(waitSeconds) })
  }
  const { offset } = await both.get('/v2/state/ledger-end')
  const request = { userId: 'app', parties: [party], beginExclusive: Math.max(0, offset - 20) }
  const path = '/v2/commands/completions?stream_idle_timeout_ms=4000'
  await both.post(path, request, { as: 'app', note: 'of the executions' })
}

type Execution = { readonly note: string; readonly fields?: object; readonly meanwhile?: () => Promise<void> }

async function execute(
  { both, synchronizers, newId }: World,
  signer: Signer,
  party: string,
  commands: readonly object[],
  { note, fields = {}, meanwhile }: Execution,
) {
  const request = {
    ...{ userId: 'app', commandId: newId('signed'), actAs: [party], synchronizerId: synchronizers[0], commands },
    ...{ packageIdSelectionPreference: [], verboseHashing: false, ...fields },
  }
  const prepared = await both.call('POST', '/v2/interactive-submission/prepare', { as: 'app', body: request, note })
  await meanwhile?.()
  const submissionId = newId('submission')
  const bodyOf = (side: 'ours' | 'canton') => {
    const { preparedTransaction, preparedTransactionHash, hashingSchemeVersion } = prepared[side].json as Json
    const who = side === 'ours' ? party : both.ids.toCanton(party)
    const signature = signer.sign(Buffer.from(preparedTransactionHash ?? '', 'base64'))
    return {
      ...{ preparedTransaction, hashingSchemeVersion, userId: 'app', submissionId },
      ...{
        deduplicationPeriod: { Empty: {} },
        partySignatures: { signatures: [{ party: who, signatures: [signature] }] },
      },
    }
  }
  const path = '/v2/interactive-submission/executeAndWaitForTransaction'
  return (await both.call('POST', path, { as: 'app', note, bodyOf })).json.transaction
}
