// The node of the simulation: static time, three different synchronizers, parties hosted on most of them, and users
// with all rights for them.
import assert from 'node:assert/strict'
import { type StoreKind, startTestNode, type TestNode } from '../fixtures/node.ts'
import type { Chance } from './chance.ts'
import { type User, users } from './records.ts'
import type { Synchronizer } from './synchronizers.ts'

export const startTime = '2030-01-01T00:00:00Z'

const hints = ['bank', 'alice', 'bob', 'carol', 'dave'] as const
const aliases = ['north', 'south', 'west'] as const
/** How many of a hundred parties a synchronizer hosts. */
const hostedPercent = 93

export async function startSimulatedNode(store: StoreKind, chance: Chance) {
  const settings = aliases.map((alias) => ({
    alias,
    priority: chance.pick([0, 0, 0, 1, 5]),
    assignmentExclusivityMs: chance.pick([60_000, 60_000, 1_000, 3_600_000, 0]),
  }))
  const node = await startTestNode({
    store,
    settings: {
      time: { kind: 'static', start: startTime },
      limits: { listElementsMax: 100_000 },
      synchronizers: settings,
    },
  })
  const { json } = await node.call('GET', '/v2/state/connected-synchronizers')
  const connected = json.connectedSynchronizers as { synchronizerId: string; synchronizerAlias: string }[]
  const synchronizers = settings.map(({ alias, priority, assignmentExclusivityMs }): Synchronizer => {
    const { synchronizerId: id } = connected.find((one) => one.synchronizerAlias === alias)!
    return { id, alias, priority, exclusivityMs: assignmentExclusivityMs }
  })
  const hosts = await allocateParties(node, synchronizers, chance)
  const parties = [...hosts.keys()]
  const tokens = await createUsers(node, parties)
  return { node, synchronizers, hosts, parties, tokens, packageId: await quickstartPackage(node) }
}

/** Each with the synchronizers that host it: at least one. */
async function allocateParties(node: TestNode, synchronizers: readonly Synchronizer[], chance: Chance) {
  const hosts = new Map<string, Set<string>>()
  for (const hint of hints) {
    const some = chance.some(synchronizers, hostedPercent)
    const chosen = some.length > 0 ? some : [chance.pick(synchronizers)]
    for (const { id } of chosen) {
      const party = await host(node, hint, id)
      hosts.set(party, (hosts.get(party) ?? new Set()).add(id))
    }
  }
  return hosts
}

/** Returns the party. */
export async function host(node: TestNode, partyIdHint: string, synchronizerId: string): Promise<string> {
  const answer = await node.call('POST', '/v2/parties', { body: { partyIdHint, synchronizerId } })
  assert.equal(answer.status, 200, answer.text)
  return answer.json.partyDetails.party
}

async function createUsers(node: TestNode, parties: readonly string[]): Promise<Record<User, string>> {
  const rights = [
    ...parties.map((party) => ({ kind: { CanActAs: { value: { party } } } })),
    { kind: { CanReadAsAnyParty: { value: {} } } },
  ]
  const tokens = { clerk: '', trader: '' }
  for (const id of users) {
    const answer = await node.call('POST', '/v2/users', { body: { user: { id }, rights } })
    assert.equal(answer.status, 200, answer.text)
    tokens[id] = await node.token(id)
  }
  return tokens
}

async function quickstartPackage(node: TestNode): Promise<string> {
  const { json } = await node.call('POST', '/v2/package-vetting/list', { body: {} })
  const packages = (json.vettedPackages as { packages: { packageName: string; packageId: string }[] }[]).flatMap(
    (one) => one.packages,
  )
  return packages.find((one) => one.packageName === 'quickstart')!.packageId
}
