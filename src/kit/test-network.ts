// A network of the test kit: a node for each participant. What concerns the ledger as a whole concerns all of them.
import type { TestNetwork, TestNode } from './api.ts'
import type { RunningNode } from './running-node.ts'
import { createTestNode } from './test-node.ts'

export function createTestNetwork<Name extends string>(node: RunningNode): TestNetwork<Name> {
  const created = node.participants.map((place) => [place.name, createTestNode(node, place)] as const)
  const first = created[0]![1]

  async function replaced(replace: () => Promise<void>): Promise<void> {
    await replace()
    for (const [, participant] of created) await participant.forget()
  }

  const restore = (name: string) => replaced(() => first.restore(name))
  const reset = () => replaced(first.reset)
  const participants = created.map(([name, participant]) => [name, { ...participant, restore, reset }])
  const { snapshot, advanceTime, time, cancelFaults, call } = first
  return {
    participants: Object.fromEntries(participants) as Record<Name, TestNode>,
    snapshot,
    restore,
    reset,
    advanceTime,
    time,
    orderFault: async (order) => (await call('POST', '/dev/faults', order)).fault.id,
    cancelFaults,
    close: () => node.close(),
    [Symbol.asyncDispose]: () => node.close(),
  }
}
