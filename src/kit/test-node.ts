// A node of the test kit: the few functions that every test of an application needs, over HTTP.
import { readFile } from 'node:fs/promises'
import { randomUuid, systemRandom } from '../base/random.ts'
import type { Refusal, Rights, TestNode } from './api.ts'
import { createClient, type Json } from './client.ts'
import { createLedgerAccess, listed, viewOf } from './ledger-access.ts'
import type { RunningNode } from './running-node.ts'

/** How a participant says that a request has to name one of several synchronizers. */
const ambiguous: ReadonlySet<string> = new Set([
  'PARTY_ALLOCATION_CANNOT_DETERMINE_SYNCHRONIZER',
  'PACKAGE_SERVICE_CANNOT_AUTODETECT_SYNCHRONIZER',
])

/** Of one participant. `forget` is for when another one has replaced the ledger. */
export function createTestNode(
  node: RunningNode,
  place = node.participants[0]!,
): TestNode & { forget(): Promise<void> } {
  const { url, grpcUrl, participantId } = place
  const client = createClient(node, url)
  const ledger = createLedgerAccess(client)
  const { call } = client

  /** The number of the last rejection before the present ledger. */
  let forgotten = 0

  /** Faults and the journal belong to the node, not to its ledger: one test must not meet those of another. */
  async function forget(): Promise<void> {
    await call('DELETE', '/dev/faults')
    const past: Json[] = await call('GET', `/dev/rejections?after=${forgotten}`)
    forgotten = past.at(-1)?.number ?? forgotten
  }

  /** Without naming a synchronizer, or on all of them if the participant wants one to be named. */
  async function everywhere(unnamed: () => Promise<Json>, named: (id: string) => Promise<Json>): Promise<void> {
    try {
      await unnamed()
    } catch (error) {
      if (!ambiguous.has((error as Refusal).code)) throw error
      const { connectedSynchronizers } = await call('GET', '/v2/state/connected-synchronizers')
      for (const { synchronizerId } of connectedSynchronizers) await named(synchronizerId)
    }
  }

  return {
    url,
    grpcUrl,
    participantId,
    call,
    forget,
    ...ledger,
    as: (parties) => viewOf(ledger, parties),
    async party(hint) {
      const id = `${hint}::${participantId.slice(participantId.indexOf('::') + 2)}`
      const known = await call('GET', `/v2/parties/${encodeURIComponent(id)}`)
      if (known.partyDetails.length > 0) return id
      await everywhere(
        () => call('POST', '/v2/parties', { partyIdHint: hint }),
        (synchronizerId) => call('POST', '/v2/parties', { partyIdHint: hint, synchronizerId }),
      )
      return id
    },
    async token(rights) {
      const { userId = `user-${randomUuid(systemRandom)}` } = rights
      await call('POST', '/v2/users', { user: { id: userId }, rights: rightsOf(rights) })
      return node.issueToken(userId, participantId)
    },
    async upload(dar, { replace = false } = {}) {
      const bytes = typeof dar === 'string' ? new Uint8Array(await readFile(dar)) : dar
      if (replace) await call('POST', '/dev/dars', bytes)
      else {
        await everywhere(
          () => call('POST', '/v2/packages', bytes),
          (synchronizerId) => call('POST', `/v2/packages?synchronizerId=${encodeURIComponent(synchronizerId)}`, bytes),
        )
      }
    },
    async runScript(name, { input, package: of } = {}) {
      const order = {
        name,
        ...(of !== undefined && { package: of }),
        ...(input !== undefined && { input: JSON.stringify(input) }),
      }
      const run = await call('POST', '/dev/scripts', order)
      if (!run.succeeded) throw new Error(failedScript(name, run))
      return run.result
    },
    async snapshot(name = '') {
      return (await call('POST', '/dev/snapshots', { name })).snapshot.name
    },
    snapshots: async () => (await call('GET', '/dev/snapshots')).snapshots,
    async restore(name) {
      await call('POST', `/dev/snapshots/${encodeURIComponent(name)}/restore`)
      await forget()
    },
    async deleteSnapshot(name) {
      await call('DELETE', `/dev/snapshots/${encodeURIComponent(name)}`)
    },
    async reset() {
      await call('POST', '/dev/reset')
      await forget()
    },
    advanceTime: async (advance) => (await call('POST', '/dev/time', { advance })).currentTime,
    time: async () => (await call('GET', '/v2/time')).currentTime,
    async orderFault(order) {
      // Faults are of the whole network; in a test, one of a participant strikes there.
      const match = node.participants.length > 1 ? { participant: place.name, ...order.match } : order.match
      return (await call('POST', '/dev/faults', { ...order, ...(match && { match }) })).fault.id
    },
    cancelFaults: (id) => call('DELETE', id === undefined ? '/dev/faults' : `/dev/faults/${id}`),
    rejections: () => call('GET', `/dev/rejections?after=${forgotten}`),
    close: () => node.close(),
    [Symbol.asyncDispose]: () => node.close(),
  }
}

function rightsOf({ actAs, readAs, admin = false }: Rights): object[] {
  const kinds = [
    ...listed(actAs).map((party) => ({ CanActAs: { value: { party } } })),
    ...listed(readAs).map((party) => ({ CanReadAs: { value: { party } } })),
    ...(admin ? [{ ParticipantAdmin: { value: {} } }] : []),
  ]
  return kinds.map((kind) => ({ kind }))
}

function failedScript(name: string, { failure, traces, transactions }: Json): string {
  const done = transactions.flatMap(({ tree }: Json) => tree.split('\n'))
  const lines = [
    ...failure,
    ...traces.map((text: string) => `» ${text}`),
    ...(done.length === 0 ? [] : ['what it had done:', ...done]),
  ]
  return [`the script ${name} failed:`, ...lines.map((line) => `  ${line}`)].join('\n')
}
