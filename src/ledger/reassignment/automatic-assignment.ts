// Assigns contracts in transit once the submitter's exclusive time is over, so that no contract stays between two
// synchronizers because a client stopped halfway. Mirrors Canton's AutomaticAssignment. Due reassignments are read from
// the store, so a restarted node resumes where it was. In a network, one of the participants that could do it does it.
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
import type { Network } from '../network/network.ts'
import type { Hosting } from '../topology/hosting.ts'
import type { PartyKeyRegister } from '../topology/party-keys.ts'
import { hostsOn } from './reassigning-participants.ts'
import type { OwnReassignments } from './reassignments.ts'

type Parts = {
  readonly store: Store
  readonly synchronizers: Synchronizers
  readonly hosting: Hosting
  readonly partyKeys: PartyKeyRegister
  readonly participantId: string
  /** Undefined for a participant alone. */
  readonly place?: { readonly network: Network } | undefined
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
  const { store, synchronizers, partyKeys, participantId, reassignments, time, clock, health, log, leadership } = parts
  /** Aborted when more reassignments may be due. */
  let disturbed = new AbortController()
  const disturb = () => disturbed.abort()
  /** Other participants. */
  const watched = new Set<string>()
  synchronizers.onChange(disturb)
  reassignments.onUnassigned(disturb)
  leadership.onLead(disturb)

  /** In the order in which they fall due; what cannot be assigned is skipped until `disturbed` is aborted. */
  async function run({ signal, works }: LoopTurn): Promise<void> {
    await parts.place?.network.whenComplete(signal)
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
      const submitter = await submitterFor(contracts[0]!.stakeholders, pending)
      if (submitter === undefined) return
      const { userId, commandId } = pending
      await reassignments.assign(pending, { submitter, userId, commandId, submissionId: '', workflowId: '' })
    } catch (error) {
      if (isStoreUnavailable(error)) throw error // The reassignment is fine: it will be retried.
      log.warn({ reassignmentId: pending.id, reason: String(error) }, 'contracts in transit were not assigned')
    }
  }

  /**
   * The first stakeholder that this participant may submit for; undefined if there is none, or if another participant
   * assigns: the one of the unassignment's submitter, or else of the first stakeholder.
   */
  async function submitterFor(
    stakeholders: readonly string[],
    { target, submitter }: ReassignmentRecord,
  ): Promise<string | undefined> {
    const able: { readonly party: string; readonly participant: string }[] = []
    for (const party of stakeholders.toSorted()) {
      if ((await partyKeys.of(party)).has(target)) continue // For external parties participants may only confirm.
      for (const { participant, permission } of await hostsOn(party, target, parts)) {
        if (permission === 'submission' && isConnected(participant, target)) able.push({ party, participant })
      }
    }
    const assigner = able.find(({ party }) => party === submitter) ?? able[0]
    if (assigner?.participant !== participantId) return undefined
    return able.find(({ participant }) => participant === participantId)?.party
  }

  function isConnected(participant: string, target: bigint): boolean {
    if (participant === participantId) return true // Only then it asks.
    const other = parts.place?.network.memberOf(participant)?.synchronizers
    if (other === undefined) return false
    if (!watched.has(participant)) other.onChange(disturb) // If it leaves, another one assigns.
    watched.add(participant)
    return other.list().some(({ number }) => number === target)
  }

  return { ...startLoop({ name: 'automatic-assignment', health, clock }, run), disturb }
}
