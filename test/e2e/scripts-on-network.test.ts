// Scripts over several participants: parties on each, submissions where they are, and parties that several host.
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { TestNetwork } from '../../src/kit/api.ts'
import { startInProcess } from '../../src/kit/in-process.ts'
import type { RunningNode } from '../../src/kit/running-node.ts'
import { createTestNetwork } from '../../src/kit/test-network.ts'
import { call } from '../fixtures/command.ts'
import { temporaryFolder } from '../fixtures/process.ts'
import { type ScriptSyntax, withScripts } from '../support/lf/script-package.ts'

const names = ['customer', 'bank'] as const
const coinType = '#scripts-lf23:Scripts:Coin'

/** A party on both participants, a coin of it, and a coin that crosses from one participant to the other. */
function scriptsOverNetwork({ party, coin, variable, bind, script, allocateOn, create, give }: ScriptSyntax) {
  const [ann, issuer, owner, made] = ['ann', 'issuer', 'owner', 'made'].map(variable) as [never, never, never, never]
  const crossing = bind(create(issuer, owner), ['made', coin], coin, give(owner, made, owner))
  const withOwner = bind(allocateOn('owner', ['customer']), ['owner', party], coin, crossing)
  return [
    script('onBoth', party, allocateOn('both', names)),
    script('coinOfBoth', coin, bind(allocateOn('ann', names), ['ann', party], coin, create(ann, ann))),
    script('coinAcross', coin, bind(allocateOn('issuer', ['bank']), ['issuer', party], coin, withOwner)),
  ]
}

describe('scripts over several participants', () => {
  const folder = temporaryFolder()
  const at = (name: string) => join(folder.path, name)
  let node: RunningNode
  let network: TestNetwork<(typeof names)[number]>
  before(async () => {
    writeFileSync(at('scripts.dar'), withScripts(scriptsOverNetwork))
    const participants = names.map((name) => ({ name }))
    node = await startInProcess({ dars: [at('scripts.dar')], network: { participants, synchronizers: ['global'] } })
    network = createTestNetwork(node)
    const [customer, bank] = node.participants.map(({ url }) => ({ url, access_token: node.token }))
    const config = { default_participant: customer, participants: { customer, bank }, party_participants: {} }
    writeFileSync(at('participants.json'), JSON.stringify(config))
  })
  after(async () => {
    await network.close()
    folder[Symbol.dispose]()
  })

  async function resultOf(name: string): Promise<string> {
    const files = ['--participant-config', at('participants.json'), '--output-file', at('result.json')]
    const words = ['script', '--dar', at('scripts.dar'), '--user-id', 'scripts', '--script-name', `Scripts:${name}`]
    const { output } = await call([...words, ...files])
    assert.equal(output, `Scripts:${name} SUCCESS`)
    return JSON.parse(readFileSync(at('result.json'), 'utf8'))
  }

  test('a party is allocated on several, and each hosts it', async () => {
    const { customer, bank } = network.participants
    const party = await resultOf('onBoth')
    assert.match(party, /^both::1220/)
    for (const participant of [customer, bank]) {
      const { partyDetails } = await participant.call('GET', `/v2/parties/${encodeURIComponent(party)}`)
      assert.equal(partyDetails[0].isLocal, true)
    }
  })

  test('what such a party does is on both, and both may submit for it', async () => {
    const { customer, bank } = network.participants
    const contractId = await resultOf('coinOfBoth')
    const there = await bank.contract(coinType, (_, contract) => contract.contractId === contractId)
    const ann = there.payload.owner
    const given = await bank.as(ann).exercise(coinType, contractId, 'Give', { receiver: ann })
    await customer.contract(coinType, (_, contract) => contract.contractId === given)
  })

  test('parties are where they were allocated, and submissions go there', async () => {
    const { customer, bank } = network.participants
    await network.reset()
    const contractId = await resultOf('coinAcross')
    for (const participant of [customer, bank]) {
      await participant.contract(coinType, (_, contract) => contract.contractId === contractId)
    }
    const { partyDetails } = await customer.call('GET', '/v2/parties?filter-party=issuer')
    assert.deepEqual(
      partyDetails
        .filter(({ party }: { party: string }) => party.startsWith('issuer::'))
        .map(({ isLocal }: { isLocal: boolean }) => isLocal),
      [false],
    )
  })

  test('the node itself knows its participants by name', async () => {
    await network.reset()
    const { customer, bank } = network.participants
    const contractId = await customer.runScript('Scripts:coinAcross')
    await bank.contract(coinType, (_, contract) => contract.contractId === contractId)
  })

  test('in tallystick test there is one participant, which all names mean', async () => {
    const { output } = await call(['test', at('scripts.dar'), '--name', 'onBoth|coinOfBoth|coinAcross'])
    assert.match(output, /3 passed, 0 failed/)
  })
})
