// A node of the test kit: the few functions that every test of an application needs, over HTTP.
import { readFile } from 'node:fs/promises'
import { randomUuid, systemRandom } from '../base/random.ts'
import type { Rights, TestNode } from './api.ts'
import { createClient, type Json } from './client.ts'
import { createLedgerAccess, listed, viewOf } from './ledger-access.ts'
import type { RunningNode } from './running-node.ts'

export function createTestNode(node: RunningNode): TestNode {
  const client = createClient(node)
  const ledger = createLedgerAccess(client)
  const { call } = client
  const { url, grpcUrl, participantId } = node

  /** The number of the last rejection before the present ledger. */
  let forgotten = 0

  /** Faults and the journal belong to the node, not to its ledger: one test must not meet those of another. */
  async function forget(): Promise<void> {
    await call('DELETE', '/dev/faults')
    const past: Json[] = await call('GET', `/dev/rejections?after=${forgotten}`)
    forgotten = past.at(-1)?.number ?? forgotten
  }

  return {
    url,
    grpcUrl,
    participantId,
    call,
    ...ledger,
    as: (parties) => viewOf(ledger, parties),
    async party(hint) {
      const id = `${hint}::${participantId.slice(participantId.indexOf('::') + 2)}`
      const known = await call('GET', `/v2/parties/${encodeURIComponent(id)}`)
      if (known.partyDetails.length > 0) return id
      return (await call('POST', '/v2/parties', { partyIdHint: hint })).partyDetails.party
    },
    async token(rights) {
      const { userId = `user-${randomUuid(systemRandom)}` } = rights
      await call('POST', '/v2/users', { user: { id: userId }, rights: rightsOf(rights) })
      return node.issueToken(userId)
    },
    async upload(dar, { replace = false } = {}) {
      const bytes = typeof dar === 'string' ? new Uint8Array(await readFile(dar)) : dar
      await call('POST', replace ? '/dev/dars' : '/v2/packages', bytes)
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
    orderFault: async (order) => (await call('POST', '/dev/faults', order)).fault.id,
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
