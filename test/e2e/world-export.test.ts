// A ledger becomes a file, and the file a ledger: the same active contracts, with other ids.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { leaveNodeRecord } from '../../src/cli/node-record.ts'
import { call } from '../fixtures/command.ts'
import { createDice, pick } from '../fixtures/dice.ts'
import { effects, effectsDar, type Json, keys, keysDar, target } from '../fixtures/ledger.ts'
import { startTestNode } from '../fixtures/node.ts'
import { createOnboardingClient } from '../fixtures/onboarding.ts'
import { temporaryFolder } from '../fixtures/process.ts'
import { createSigner } from '../fixtures/signer.ts'

const dars = [effectsDar, keysDar]
const [iou, proposal] = ['#quickstart:Iou:Iou', '#quickstart:Iou:IouProposal']

/** A node, its command line, and an administrator who acts and reads as everybody. */
async function openLedger(settings: object) {
  const node = await startTestNode({ settings })
  const record = leaveNodeRecord(node.folder, { url: node.url, pid: process.pid, secret: node.node.localSecret })
  const environment = { TALLYSTICK_STORE_DATA: node.folder }
  const here = (...words: string[]) => call(words, { environment })
  let commands = 0
  return {
    node,
    here,
    async submit(actAs: readonly string[], command: object, more: object = {}): Promise<Json[]> {
      commands += 1
      const input = JSON.stringify({ actAs, commands: [command], commandId: `c${commands}`, ...more })
      const { output } = await call(['submit', '-', '--json'], { environment, input })
      return JSON.parse(output).transaction.events
    },
    async [Symbol.asyncDispose]() {
      record[Symbol.dispose]()
      await node[Symbol.asyncDispose]()
    },
  }
}
type Ledger = Awaited<ReturnType<typeof openLedger>>

/** Active contracts in the order of their creation: ids of active ones are their places, parties are hints. */
async function stateOf({ here }: Ledger): Promise<Json> {
  const lines = (await here('contracts', '--json')).output.split('\n').filter((line) => line !== '')
  const contracts = lines.map((line) => JSON.parse(line).contractEntry.JsActiveContract)
  contracts.sort(
    (a, b) => a.createdEvent.offset - b.createdEvent.offset || a.createdEvent.nodeId - b.createdEvent.nodeId,
  )
  const places = new Map(contracts.map(({ createdEvent }, index) => [createdEvent.contractId, `contract ${index}`]))
  const plain = (value: Json): Json => {
    const text = JSON.stringify(value).replaceAll(/::1220[0-9a-f]{64}/g, '')
    return JSON.parse(text.replaceAll(/00[0-9a-f]{136}/g, (id) => places.get(id) ?? id))
  }
  return contracts.map(({ createdEvent, synchronizerId }) => {
    const { templateId, createArgument, contractKey, signatories, observers } = createdEvent
    return plain({ templateId, createArgument, contractKey, signatories, observers, synchronizerId })
  })
}

const texts = ['', 'plain', '$alice', '$$', '$', 'x: y\n- z', '0012', 'null', '1e3', '# no comment']

/** A value of every type. */
function everything(party: string, ref: object, text: string): object {
  const fine = { precondition: 'Fine', signatories: 'Fine', observers: 'Fine', view: 'Fine' }
  return {
    ...{ party, unit: {}, bool: true, int: '-9223372036854775808', numeric: '0.0000000001', text },
    ...{ date: '2030-01-01', timestamp: '2030-01-01T00:00:00.000001Z', optional: '1', optional2: [['2']] },
    ...{
      list: ['1', '2'],
      textMap: { [text]: '1' },
      genMap: [
        ['1', text],
        ['2', party],
      ],
    },
    ...{ fault: 'Lies', ref, faults: fine, maybe: { label: text, signatories: [party] }, last: null },
  }
}

/** Contracts of every kind, with references to active and archived ones, some archived or replaced again. */
async function fill(ledger: Ledger, seed: number): Promise<void> {
  const dice = createDice(seed)
  const parties: string[] = []
  for (const hint of ['alice', 'bob', 'carol', '7eleven', 'dot com']) {
    parties.push((await ledger.here('party', 'add', hint)).output)
  }
  const some = () => parties.filter(() => dice(3) === 0)
  const known: { id: string; template: string; signatories: string[] }[] = []
  /** Also archived ones. */
  const targets: string[] = []
  const create = async (template: string, createArguments: object, signatories: string[]) => {
    const [event] = await ledger.submit(signatories, { CreateCommand: { templateId: template, createArguments } })
    known.push({ id: event.CreatedEvent.contractId, template, signatories })
    return event.CreatedEvent.contractId as string
  }
  for (let step = 0; step < 30; step += 1) {
    const [one, other] = [pick(dice, parties), pick(dice, parties)]
    const money = {
      issuer: one,
      owner: other,
      amount: `${dice(1000) + 1}.5`,
      currency: pick(dice, texts),
      observers: some(),
    }
    const steps = [
      () => create(iou, money, [...new Set([one, other])]),
      () => create(proposal, { iou: money }, [one]),
      async () => {
        const fields = { observers: some(), note: pick(dice, texts) }
        targets.push(await create(`${effects}:Effects:Target`, target([one, other], fields), [one, other]))
      },
      () => {
        const key = { maintainers: [one], name: `${step}`, maintainersFault: 'Fine', last: dice(2) === 0 ? null : '7' }
        const fields = { signatories: [one, other], observers: some(), key, keyFault: 'Fine', note: pick(dice, texts) }
        return create(`${keys}:Keys:Keyed`, fields, [one, other])
      },
      () => {
        const ref = targets.length === 0 ? { tag: 'Made', value: '0' } : { tag: 'Given', value: pick(dice, targets) }
        return create(`${effects}:Effects:Everything`, everything(one, ref, pick(dice, texts)), [one])
      },
      async () => {
        const index = known.findIndex(({ template }) => !template.endsWith(':Everything'))
        if (index < 0) return
        const [{ id, template, signatories }] = known.splice(index, 1) as [(typeof known)[number]]
        await ledger.submit(signatories, {
          ExerciseCommand: { templateId: template, contractId: id, choice: 'Archive', choiceArgument: {} },
        })
      },
    ]
    await pick(dice, steps)()
  }
}

for (const [seed, name] of [
  [1, 'world.yaml'],
  [2, 'world.json'],
  [3, 'world.yml'],
  [4, 'world.json'],
] as const) {
  test(`a random ledger (seed ${seed}), exported to ${name}, is the same on a new node`, async () => {
    using folder = temporaryFolder()
    await using ledger = await openLedger({ dars })
    await fill(ledger, seed)
    const file = join(folder.path, name)
    const state = await stateOf(ledger)
    assert.match(
      (await ledger.here('world', 'export', file)).output,
      new RegExp(`^wrote \\S+ \\(parties: 5, users: 1, packages: 3, contracts: ${state.length}\\)$`),
    )
    await using other = await openLedger({ world: file })
    assert.deepEqual(await stateOf(other), state)
    // Exported again, it is the same file, but for the ids of contracts that are not in it.
    const again = join(folder.path, `again-${name}`)
    await other.here('world', 'export', again)
    assert.equal(readFileSync(again, 'utf8'), readFileSync(file, 'utf8'))
    assert.deepEqual(
      readdirSync(folder.path).filter((found) => found.endsWith('.part')),
      [],
    )
  })
}

async function partiesOf(ledger: Ledger, ...hints: string[]): Promise<string[]> {
  const ids: string[] = []
  for (const hint of hints) ids.push((await ledger.here('party', 'add', hint)).output)
  return ids
}

const createIou = (issuer: string, owner: string, observers: readonly string[] = []) => ({
  CreateCommand: { templateId: iou, createArguments: { issuer, owner, amount: '1', currency: 'EUR', observers } },
})

test('contracts with the same signatories are created together, and each where it is', async () => {
  using folder = temporaryFolder()
  await using ledger = await openLedger({})
  const [alice, bank] = (await partiesOf(ledger, 'alice', 'bank')) as [string, string]
  const { connectedSynchronizers } = (await ledger.node.call('GET', '/v2/state/connected-synchronizers')).json
  const [, side] = connectedSynchronizers
  for (let count = 0; count < 3; count += 1) await ledger.submit([alice, bank], createIou(bank, alice))
  await ledger.submit([alice, bank], createIou(bank, alice), { synchronizerId: side.synchronizerId })
  const file = join(folder.path, 'world.json')
  await ledger.here('world', 'export', file)
  const { submissions } = JSON.parse(readFileSync(file, 'utf8'))
  assert.deepEqual(
    submissions.map(({ commands, synchronizer }: Json) => [commands.length, synchronizer]),
    [
      [3, undefined],
      [1, side.synchronizerAlias],
    ],
  )
  assert.deepEqual(submissions[0].commands[0], {
    CreateCommand: {
      templateId: iou,
      createArguments: { issuer: '$bank', owner: '$alice', amount: '1.0000000000', currency: 'EUR', observers: [] },
    },
  })
  await using other = await openLedger({ world: file })
  assert.deepEqual(await stateOf(other), await stateOf(ledger))
})

test('what a new node could not create is left out, and named', async () => {
  using folder = temporaryFolder()
  await using ledger = await openLedger({})
  const [alice, bank] = (await partiesOf(ledger, 'alice', 'bank')) as [string, string]
  const client = await createOnboardingClient(ledger.node)
  const { partyId: outside } = (await client.onboard(createSigner(), 'outside')).json
  const [event] = await ledger.submit([alice, bank], createIou(bank, alice, [outside]))
  await ledger.submit([alice, bank], createIou(bank, alice))
  const file = join(folder.path, 'world.yaml')
  const { output, told } = await ledger.here('world', 'export', file)
  assert.match(output, /contracts: 1\)$/)
  assert.equal(
    told,
    `left out: ${iou} ${event.CreatedEvent.contractId}: its observer ${outside} is not a party of the file`,
  )
  const without = await ledger.here('world', 'export', file, '--without-contracts')
  assert.match(without.output, /\(parties: 2, users: 1, packages: 1\)$/)
  assert.doesNotMatch(readFileSync(file, 'utf8'), /submissions/)
})
