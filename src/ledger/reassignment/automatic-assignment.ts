// Assigns contracts in transit once the submitter's exclusive time is over, so that no contract stays between two
// synchronizers because a client stopped halfway. Mirrors Canton's AutomaticAssignment. Due reassignments are read from
// the store, so a restarted node resumes where it was.
import { once } from 'node:events'
import type { Clock } from '../../base/clock.ts'
import { isStoreUnavailable } from '../../base/errors.ts'
import type { Health } from '../../base/health.ts'
import type { Log } from '../../base/log.ts'
import type { ReassignmentRecord, Turn } from '../../store/core/ledger-records.ts'
import type { Store } from '../../store/core/store.ts'
import type { Leadership } from '../model/background-loop.ts'
import { type LoopTurn, startLoop } from '../model/background-loop.ts'
import type { LedgerTime } from '../model/ledger-time.ts'
import type { Synchronizers } from '../model/synchronizers.ts'
import type { Hosting } from '../topology/hosting.ts'
import type { PartyKeyRegister } from '../topology/party-keys.ts'
import type { OwnReassignments } from './reassignments.ts'

type Parts = {
  readonly store: Store
  readonly synchronizers: Synchronizers
  readonly hosting: Hosting
  readonly partyKeys: PartyKeyRegister
  readonly reassignments: OwnReassignments
  readonly time: LedgerTime
  readonly clock: Clock
  readonly health: Health
  readonly log: Log
  readonly leadership: Leadership
}

const first: Turn = { exclusiveUntil: -1n, unassignedOffset: 0n }

/** `disturb` says that more reassignments may be due. */
export function startAutomaticAssignment(parts: Parts): AsyncDisposable & { disturb(): void } {
  const { store, synchronizers, hosting, partyKeys, reassignments, time, clock, health, log, leadership } = parts
  /** Aborted when more reassignments may be due. */
  let disturbed = new AbortController()
  const disturb = () => disturbed.abort()
  synchronizers.onChange(disturb)
  reassignments.onUnassigned(disturb)
  leadership.onLead(disturb)

  /** In the order in which they fall due; what cannot be assigned is skipped until `disturbed` is aborted. */
  async function run({ signal, works }: LoopTurn): Promise<void> {
    let after = first
    while (!signal.aborted) {
      if (disturbed.signal.aborted) {
        disturbed = new AbortController()
        after = first
      }
      if (!leadership.leads()) {
        works()
        await wait(undefined, signal)
        continue
      }
      const pending = await store.reassignments.nextInTransit(after, assignableTargets())
      works()
      if (pending === undefined || time.now() < pending.exclusiveUntil) await wait(pending?.exclusiveUntil, signal)
      else {
        await attempt(pending)
        after = pending
      }
    }
  }

  /** Without an exclusive time, nothing falls due. */
  function assignableTargets(): bigint[] {
    const targets = synchronizers.list().filter(({ assignmentExclusivityMs }) => assignmentExclusivityMs > 0)
    return targets.map(({ number }) => number)
  }

  async function wait(until: bigint | undefined, stopped: AbortSignal): Promise<void> {
    const signal = AbortSignal.any([stopped, disturbed.signal])
    if (signal.aborted) return
    if (until === undefined) await once(signal, 'abort')
    else await time.at(until, signal).catch(() => undefined)
  }

  async function attempt(pending: ReassignmentRecord): Promise<void> {
    try {
      const contracts = await reassignments.contractsOf(pending)
      const submitter = await firstSubmitter(contracts[0]!.stakeholders, pending.target)
      if (submitter === undefined) return
      const { userId, commandId } = pending
      await reassignments.assign(pending, { submitter, userId, commandId, submissionId: '', workflowId: '' })
    } catch (error) {
      if (isStoreUnavailable(error)) throw error // The reassignment is fine: it will be retried.
      log.warn({ reassignmentId: pending.id, reason: String(error) }, 'contracts in transit were not assigned')
    }
  }

  /** For external parties the node may only confirm. */
  async function firstSubmitter(parties: readonly string[], synchronizer: bigint): Promise<string | undefined> {
    for (const party of parties.toSorted()) {
      const isHosted = (await hosting.of(party)).includes(synchronizer)
      if (isHosted && !(await partyKeys.of(party)).has(synchronizer)) return party
    }
    return undefined
  }

  return { ...startLoop({ name: 'automatic-assignment', health, clock }, run), disturb }
}
