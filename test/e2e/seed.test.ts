// A seed makes identities reproducible: the same seed and the same commands give the same ledger, byte by byte.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { archiveIou, iouType, startTestLedger } from '../fixtures/ledger.ts'
import { startTestNode, type TestNode } from '../fixtures/node.ts'
import { fc } from '../fixtures/seed.ts'

const start = '2030-01-01T00:00:00Z'
const settings = (seed: string) => ({ seed, time: { kind: 'static' as const, start } })

async function contentOf(node: TestNode): Promise<Buffer> {
  await node.call('POST', '/dev/snapshots', { body: { name: 'compared' } })
  const headers = { authorization: `Bearer ${node.adminToken}` }
  const answer = await fetch(`${node.url}/dev/snapshots/compared/content`, { headers })
  return Buffer.from(await answer.arrayBuffer())
}

/** Without anything that happens at the same time. */
async function startOneByOne(seed: string) {
  const node = await startTestNode({ settings: { ...settings(seed), auth: { mode: 'off', userId: 'app' } } })
  const parties: string[] = []
  for (const partyIdHint of ['bank', 'alice']) {
    parties.push((await node.call('POST', '/v2/parties', { body: { partyIdHint } })).json.partyDetails.party)
  }
  const [issuer, owner] = parties
  const createArguments = { issuer, owner, amount: '1', currency: 'EUR', observers: [] }
  let last = 0
  return {
    node,
    issue: { CreateCommand: { templateId: iouType, createArguments } },
    async submit(command: object): Promise<string> {
      const commands = { commandId: `command-${++last}`, actAs: parties, commands: [command] }
      const { json } = await node.call('POST', '/v2/commands/submit-and-wait-for-transaction', { body: { commands } })
      return json.transaction.events[0].CreatedEvent?.contractId
    },
    [Symbol.asyncDispose]: () => node[Symbol.asyncDispose](),
  }
}

test('the same seed and commands give the same ledger', async () => {
  const steps = fc.array(fc.constantFrom('issue', 'archive', 'read', 'advance'), { minLength: 1, maxLength: 8 })
  await fc.assert(
    fc.asyncProperty(steps, fc.string(), async (program, seed) => {
      const contents: Buffer[] = []
      for (let round = 0; round < 2; round += 1) {
        await using ledger = await startOneByOne(seed)
        const active: string[] = []
        for (const step of program) {
          if (step === 'issue') active.push(await ledger.submit(ledger.issue))
          else if (step === 'archive' && active.length > 0) await ledger.submit(archiveIou(active.pop()!))
          else if (step === 'advance') await ledger.node.call('POST', '/dev/time', { body: { advance: '1h' } })
          else await ledger.node.call('GET', '/v2/state/ledger-end')
        }
        contents.push(await contentOf(ledger.node))
      }
      assert.ok(contents[0]!.equals(contents[1]!))
    }),
    { numRuns: 5 },
  )
})

test('another seed gives another ledger', async () => {
  const ids = []
  for (const seed of ['one', 'one', 'two']) {
    await using node = await startTestNode({ settings: { seed } })
    ids.push(node.node.participantId)
  }
  assert.equal(ids[0], ids[1])
  assert.notEqual(ids[0], ids[2])
})

test('ids do not depend on what was read before', async () => {
  const ids = []
  for (const reads of [0, 3]) {
    await using ledger = await startTestLedger({ settings: settings('same') })
    for (let count = 0; count < reads; count += 1) await ledger.node.call('GET', '/v2/parties/nobody')
    ids.push((await ledger.submit([ledger.createIou()])).contractId)
  }
  assert.equal(ids[0], ids[1])
})

test('a seed is for development nodes', async () => {
  const starting = startTestNode({ settings: { seed: 'x', development: false, auth: { mode: 'off' } } })
  await assert.rejects(starting, /a seed is for development nodes/)
})
