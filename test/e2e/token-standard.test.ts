// Tokens of one's own by the token standard: instruments from the command line, their registry, transfers in one step and in two,
// allocations, and a delivery versus payment between two participants and over two synchronizers. The interfaces are our stand-ins for
// Splice's.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import { createLog } from '../../src/base/log.ts'
import { systemRandom } from '../../src/base/random.ts'
import { UsageError } from '../../src/cli/command.ts'
import { leaveNodeRecord } from '../../src/cli/node-record.ts'
import { createParticipant } from '../../src/splice/ledger/participant.ts'
import { openTokenRegistry } from '../../src/splice/tokens/registry-server.ts'
import { call } from '../fixtures/command.ts'
import type { Json } from '../fixtures/ledger.ts'
import { startTestNetwork, type TestNetwork, type TestParticipant } from '../fixtures/network.ts'
import { createSigner } from '../fixtures/signer.ts'
import { onboard, runSigned } from '../fixtures/signing-participants.ts'
import { answerProblem } from '../fixtures/splice/answer-check.ts'

const standard = {
  holding: '#splice-api-token-holding-v1:Splice.Api.Token.HoldingV1:Holding',
  transferFactory: '#splice-api-token-transfer-instruction-v1:Splice.Api.Token.TransferInstructionV1:TransferFactory',
  transferInstruction:
    '#splice-api-token-transfer-instruction-v1:Splice.Api.Token.TransferInstructionV1:TransferInstruction',
  allocation: '#splice-api-token-allocation-v1:Splice.Api.Token.AllocationV1:Allocation',
  allocationFactory:
    '#splice-api-token-allocation-instruction-v1:Splice.Api.Token.AllocationInstructionV1:AllocationFactory',
}
const noExtraArgs = { context: { values: {} }, meta: { values: {} } }
const past = '1970-01-01T00:00:00Z'
const future = '2999-01-01T00:00:00Z'

let last = 0

/** The answer, whatever it is. */
function send(at: TestParticipant, actAs: readonly string[], command: object, fields: object = {}) {
  const commands = { commandId: `command-${++last}`, userId: 'u', actAs, commands: [command], ...fields }
  const eventFormat = {
    filtersByParty: Object.fromEntries(actAs.map((party) => [party, { cumulative: [] }])),
    verbose: true,
  }
  const transactionFormat = { eventFormat, transactionShape: 'TRANSACTION_SHAPE_LEDGER_EFFECTS' }
  return at.post('/v2/commands/submit-and-wait-for-transaction', { commands, transactionFormat })
}

/** The result of a choice. */
async function exercise(at: TestParticipant, actAs: readonly string[], command: object, fields: object = {}) {
  const { status, json, text } = await send(at, actAs, command, fields)
  assert.equal(status, 200, text)
  return json.transaction.events[0].ExercisedEvent.exerciseResult as Json
}

const choiceOf = (templateId: string, contractId: string, choice: string, choiceArgument: object) => ({
  ExerciseCommand: { templateId, contractId, choice, choiceArgument },
})

describe('tokens of one’s own', () => {
  let network: TestNetwork
  let v1: TestParticipant
  let v2: TestParticipant
  let [bank, issuer, venue] = ['', '', '']
  /** Where the parties are that are not on the first participant. */
  const places = new Map<string, TestParticipant>()
  const open = new AsyncDisposableStack()
  let registry: string
  const here = async (words: string): Promise<string> =>
    (await call(words.split(' '), { environment: { TALLYSTICK_STORE_DATA: network.node.folder } })).output

  before(async () => {
    network = await startTestNetwork()
    ;({ v1, v2 } = network)
    const participants = network.node.node.participants.map(({ name, url }) => ({ name, url }))
    open.use(network)
    open.use(leaveNodeRecord(network.node.folder, { url: v1.url, pid: process.pid, participants }))
    const { s1, s2 } = network
    venue = await v1.allocate('venue', s1, s2)
    const all = participants.map(({ url }) => createParticipant({ url, userId: 'registry', random: systemRandom }))
    const log = createLog('silent')
    const served = open.use(await openTokenRegistry({ participants: all, host: '127.0.0.1', port: 0, log }))
    registry = `${served.url}/tokens`
    await here('token instrument create EUR --admin bank --decimals 2 --stand-in --synchronizer synchronizer-1')
    await here('token instrument create CHF --admin bank')
    await here('token instrument create BOND --admin issuer --participant pebblebox --synchronizer synchronizer-2')
    bank = await partyOf(v1, 'bank')
    issuer = await partyOf(v2, 'issuer')
  })
  after(() => open.disposeAsync())

  /** Alice is on the first participant, Bob on the second. */
  async function traders(): Promise<[alice: string, bob: string]> {
    const { s1, s2 } = network
    const number = ++last
    const bob = await v2.allocate(`bob-${number}`, s1, s2)
    places.set(bob, v2)
    return [await v1.allocate(`alice-${number}`, s1, s2), bob]
  }

  const partyOf = async (at: TestParticipant, hint: string): Promise<string> =>
    (await at.ask(`/v2/parties?filter-party=${hint}::`)).partyDetails[0].party

  async function ask(path: string, body?: object): Promise<{ status: number; json: Json }> {
    const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }
    const response = await fetch(`${registry}/${path}`, init)
    const { status } = response
    const json = await response.json()
    const standardPath = path.slice(path.indexOf('/')).replace(/\?.*/, '')
    assert.equal(answerProblem(body === undefined ? 'GET' : 'POST', standardPath, status, json), undefined)
    return { status, json }
  }

  /** By the view of the standard's interface, as wallets see them. */
  async function holdings(at: TestParticipant, party: string): Promise<Json[]> {
    const value = { interfaceId: standard.holding, includeInterfaceView: true }
    const cumulative = [{ identifierFilter: { InterfaceFilter: { value } } }]
    const eventFormat = { filtersByParty: { [party]: { cumulative } }, verbose: false }
    const found = await at.ask('/v2/state/active-contracts', { activeAtOffset: await at.end(), eventFormat })
    return found
      .map(({ contractEntry }: Json) => contractEntry.JsActiveContract)
      .map(({ createdEvent: { contractId, interfaceViews }, synchronizerId }: Json) => ({
        contractId,
        synchronizerId,
        ...interfaceViews[0].viewValue,
      }))
      .filter(({ owner }: Json) => owner === party)
  }
  const free = async (at: TestParticipant, party: string, id = 'EUR') =>
    (await holdings(at, party)).filter(({ lock, instrumentId }) => lock === null && instrumentId.id === id)
  const totalOf = async (at: TestParticipant, party: string, id = 'EUR') =>
    (await free(at, party, id)).reduce((sum, { amount }) => sum + Number(amount), 0)

  type Leg = { at: TestParticipant; sender: string; receiver: string; amount: string; id: string; admin: string }
  const euros = (sender: string, receiver: string, amount: string): Leg => ({
    at: places.get(sender) ?? v1,
    sender,
    receiver,
    amount,
    id: 'EUR',
    admin: bank,
  })

  /** As a wallet does it: the factory and its context come from the registry. */
  async function transfer(leg: Leg, inputs?: readonly string[]) {
    const { at, sender, receiver, amount, id, admin } = leg
    const inputHoldingCids = inputs ?? (await free(at, sender, id)).map(({ contractId }) => contractId)
    const instrumentId = { admin, id }
    const meta = { values: {} }
    const times = { requestedAt: past, executeBefore: future }
    const argument = {
      expectedAdmin: admin,
      transfer: { sender, receiver, amount, instrumentId, ...times, inputHoldingCids, meta },
      extraArgs: noExtraArgs,
    }
    const path = `${admin}/registry/transfer-instruction/v1/transfer-factory`
    const { json: factory } = await ask(path, { choiceArguments: argument, excludeDebugFields: true })
    const extraArgs = { context: factory.choiceContext.choiceContextData, meta }
    const command = choiceOf(standard.transferFactory, factory.factoryId, 'TransferFactory_Transfer', {
      ...argument,
      extraArgs,
    })
    const disclosed = { disclosedContracts: factory.choiceContext.disclosedContracts }
    return { kind: factory.transferKind, answer: await send(at, [sender], command, disclosed) }
  }
  const resultOf = ({ answer }: Awaited<ReturnType<typeof transfer>>): Json => {
    assert.equal(answer.status, 200, answer.text)
    return answer.json.transaction.events[0].ExercisedEvent.exerciseResult
  }
  const offerOf = (sent: Awaited<ReturnType<typeof transfer>>): string =>
    resultOf(sent).output.value.transferInstructionCid

  async function decide(
    at: TestParticipant,
    party: string,
    contractId: string,
    choice: 'Accept' | 'Reject' | 'Withdraw',
  ) {
    const path = `bank/registry/transfer-instruction/v1/${contractId}/choice-contexts/${choice.toLowerCase()}`
    const { status, json } = await ask(path, {})
    assert.equal(status, 200)
    const extraArgs = { context: json.choiceContextData, meta: { values: {} } }
    const named = `TransferInstruction_${choice}`
    return exercise(at, [party], choiceOf(standard.transferInstruction, contractId, named, { extraArgs }))
  }

  test('are transferred from the command line, in one step or in two, between participants', async () => {
    const [alice, bob] = await traders()
    await here(`token mint 10 EUR --to ${alice}`)
    const send = (words: string) => here(`transfer ${words} --instrument EUR --from ${alice}`)
    const idIn = (output: string) => /transfer accept (\S+) --instrument EUR$/.exec(output)![1]!
    const first = idIn(await send(`4 ${bob} --description rent`))
    const pebblebox = '--instrument EUR --participant pebblebox'
    assert.equal(await here(`balance --party ${alice}`), 'TOKEN  ADMIN  AVAILABLE  LOCKED\nEUR    bank   6          4')
    assert.equal(await here(`balance --party ${venue}`), 'TOKEN  ADMIN  AVAILABLE  LOCKED')
    const hint = (party: string) => party.split('::')[0]
    const said = `4 EUR from ${hint(alice)} to ${hint(bob)}`
    assert.match(await here(`transfer list ${pebblebox}`), new RegExp(`${first}  ${hint(alice)}  ${hint(bob)}  4 EUR`))
    assert.equal(await here(`transfer accept ${first.slice(0, 30)} ${pebblebox}`), `accepted ${said}`)
    assert.equal(await totalOf(v2, bob), 4)
    const second = idIn(await send(`4 ${bob}`))
    assert.equal(await here(`transfer reject ${second} ${pebblebox}`), `rejected ${said}`)
    const third = idIn(await send(`4 ${bob}`))
    // What is locked for it is left alone.
    assert.equal(await here(`transfer 1 ${alice} --instrument EUR --from ${alice}`), `sent 1 EUR to ${alice}`)
    assert.equal(await here(`transfer withdraw ${third} --instrument EUR`), `withdrew ${said}`)
    assert.equal(await here(`transfer 6 ${alice} --instrument EUR --from ${alice}`), `sent 6 EUR to ${alice}`)
    await assert.rejects(send(`7 ${bob}`), /the node refused: .*/)
    await assert.rejects(here(`transfer 1 ${bob} --instrument EUR`), /--from is missing: whose EUR it is/)
    await assert.rejects(here(`transfer 1 ${bob} --instrument GBP --from ${alice}`), /there is no instrument GBP/)
    await assert.rejects(here(`transfer accept ${first} ${pebblebox}`), /no transfer .* waits on this participant/)
  })

  test('an instrument is created once, listed, minted and burned by commands', async () => {
    const [alice] = await traders()
    await here('token instrument create USD --admin bank --name Dollar --decimals 2')
    await here(`token mint 100 USD --to ${alice}`)
    await here(`token burn 30.5 USD --from ${alice}`)
    assert.equal(await totalOf(v1, alice, 'USD'), 69.5)
    assert.match(await here('token instrument list'), /^USD +bank +69\.5000000000 +2 +USD +Dollar$/m)
    await assert.rejects(here('token instrument create USD --admin bank'), /has an instrument USD already/)
    await assert.rejects(here('token mint 1 GBP'), /there is no instrument GBP; .* makes one/)
    await assert.rejects(here('token mint -1 EUR'), UsageError)
    await assert.rejects(here('token mint 0 EUR'), UsageError)
    await assert.rejects(here('token mint 0.001 EUR'), /Amount must have at most 2 decimals/)
    const tooMuch = here(`token burn 1000 USD --from ${alice}`)
    await assert.rejects(tooMuch, /alice\S+ has 69\.5000000000 USD that is not locked, not 1000$/)
  })

  test('a party of another participant is offered what is minted for it, and accepts', async () => {
    const [, bob] = await traders()
    const minted = JSON.parse(await here(`token mint 5 EUR --to ${bob} --json`))
    assert.equal(minted.kind, 'offered')
    await decide(v2, bob, minted.transferInstruction, 'Accept')
    assert.equal(await totalOf(v2, bob), 5)
  })

  test('so is a party with a key of its own, which the participant cannot sign for, and it accepts', async () => {
    const carol = await onboard(v1, createSigner(), `carol-${++last}`, network.s1)
    const minted = JSON.parse(await here(`token mint 7 EUR --to ${carol.party} --json`))
    assert.equal(minted.kind, 'offered')
    const argument = { extraArgs: noExtraArgs }
    const { transferInstruction: id } = minted
    const accept = choiceOf(standard.transferInstruction, id, 'TransferInstruction_Accept', argument)
    const { status, text } = await runSigned(v1, [carol], accept)
    assert.equal(status, 200, text)
    assert.equal(await totalOf(v1, carol.party), 7)
  })

  test('the registry tells its admin and instruments, page by page', async () => {
    for (const id of ['SILVER', 'GOLD']) await here(`token instrument create ${id} --admin mine`)
    const mine = await partyOf(v1, 'mine')
    const { json: info } = await ask('mine/registry/metadata/v1/info')
    assert.deepEqual(info, { adminId: mine, supportedApis: { 'splice-api-token-metadata-v1': 1 } })
    const { json: first } = await ask('mine/registry/metadata/v1/instruments?pageSize=1')
    const { json: second } = await ask(`mine/registry/metadata/v1/instruments?pageToken=${first.nextPageToken}`)
    assert.deepEqual(
      [...first.instruments, ...second.instruments].map(({ id }: Json) => id),
      ['GOLD', 'SILVER'],
    )
    assert.equal(second.nextPageToken, undefined)
    await here('token mint 12 GOLD')
    const { json: gold } = await ask(`${mine}/registry/metadata/v1/instruments/GOLD`)
    const { totalSupplyAsOf, supportedApis, ...terms } = gold
    assert.deepEqual(terms, { id: 'GOLD', name: 'GOLD', symbol: 'GOLD', decimals: 10, totalSupply: '12.0000000000' })
    assert.equal(supportedApis['splice-api-token-transfer-instruction-v1'], 1)
    assert.ok(Date.parse(totalSupplyAsOf) > 0)
  })

  test('the registry is served beside a node until it is stopped', async () => {
    const stop = Promise.withResolvers<string>()
    const ready = Promise.withResolvers<string>()
    const environment = { TALLYSTICK_STORE_DATA: network.node.folder }
    const words = ['token', 'registry', '--port', '0']
    const running = call(words, { environment, stopped: stop.promise, onPrint: ready.resolve })
    running.catch(ready.reject)
    const addresses = (await ready.promise).split('\n')
    const address = addresses.find((one) => one.endsWith('/tokens/issuer'))!
    const { adminId } = (await (await fetch(`${address}/registry/metadata/v1/info`)).json()) as Json
    assert.equal(adminId, issuer)
    stop.resolve('SIGTERM')
    await running
    await assert.rejects(fetch(address))
    await assert.rejects(here('token registry --port x'), UsageError)
  })

  const transferOf = (id: string) => ({
    choiceArguments: { transfer: { sender: bank, receiver: venue, instrumentId: { admin: bank, id } } },
  })
  const refused: readonly [
    what: string,
    path: string,
    body: (() => object) | undefined,
    status: number,
    error: RegExp,
  ][] = [
    ['an unknown admin', 'nobody/registry/metadata/v1/info', undefined, 404, /^No instrument of nobody found$/],
    [
      'an unknown instrument',
      'bank/registry/metadata/v1/instruments/X',
      undefined,
      404,
      /^No instrument with id X found$/,
    ],
    [
      'a transfer of an unknown instrument',
      'bank/registry/transfer-instruction/v1/transfer-factory',
      () => transferOf('X'),
      404,
      /^No instrument with id X found$/,
    ],
    [
      'no transfer at all',
      'bank/registry/transfer-instruction/v1/transfer-factory',
      () => ({ choiceArguments: {} }),
      400,
      /^Field `choiceArguments` does not contain a valid `TransferFactory_Transfer`/,
    ],
    [
      'no allocation at all',
      'bank/registry/allocation-instruction/v1/allocation-factory',
      () => ({ choiceArguments: {} }),
      400,
      /^Field `choiceArguments` does not contain a valid `AllocationFactory_Allocate`/,
    ],
    [
      'what is no contract id',
      'bank/registry/transfer-instruction/v1/abc/choice-contexts/accept',
      () => ({}),
      404,
      /^TransferOffer 'abc' not found\.$/,
    ],
    [
      'an allocation that does not exist',
      `bank/registry/allocations/v1/00${'ab'.repeat(32)}/choice-contexts/cancel`,
      () => ({}),
      404,
      /^Allocation '00\w+' not found\.$/,
    ],
  ]
  for (const [what, path, body, status, error] of refused) {
    test(`the registry refuses ${what}`, async () => {
      const answer = await ask(path, body?.())
      assert.equal(answer.status, status)
      assert.match(answer.json.error, error)
    })
  }

  test('a transfer to oneself merges, and one to a receiver who preapproved needs no second step', async () => {
    const [alice, bob] = await traders()
    for (const amount of [1, 2, 3]) await here(`token mint ${amount} EUR --to ${alice}`)
    const merged = await transfer(euros(alice, alice, '6'))
    assert.equal(merged.kind, 'self')
    assert.equal(resultOf(merged).output.tag, 'TransferInstructionResult_Completed')
    assert.deepEqual(
      (await free(v1, alice)).map(({ amount }) => amount),
      ['6.0000000000'],
    )

    const createArguments = { admin: bank, receiver: bob }
    const preapprove = { CreateCommand: { templateId: '#tallystick-token:Token:Preapproval', createArguments } }
    const { json } = await send(v2, [bob], preapprove)
    const direct = await transfer(euros(alice, bob, '4'))
    assert.equal(direct.kind, 'direct')
    assert.equal(resultOf(direct).output.tag, 'TransferInstructionResult_Completed')
    assert.deepEqual([await totalOf(v1, alice), await totalOf(v2, bob)], [2, 4])
    assert.equal(JSON.parse(await here(`token mint 1 EUR --to ${bob} --json`)).kind, 'received')

    const { contractId } = json.transaction.events[0].CreatedEvent
    await exercise(v2, [bob], choiceOf('#tallystick-token:Token:Preapproval', contractId, 'Archive', {}))
    assert.equal((await transfer(euros(bob, alice, '5'))).kind, 'offer')
  })

  test('a transfer in two steps is accepted, rejected or withdrawn, once', async () => {
    const [alice, bob] = await traders()
    await here(`token mint 50 EUR --to ${alice}`)
    const accepted = offerOf(await transfer(euros(alice, bob, '10')))
    const locked = (await holdings(v1, alice)).find(({ lock }) => lock !== null)
    assert.deepEqual([locked.amount, locked.lock.holders, locked.lock.expiresAt], ['10.0000000000', [bank], future])
    await decide(v2, bob, accepted, 'Accept')
    const rejected = offerOf(await transfer(euros(alice, bob, '11')))
    await decide(v2, bob, rejected, 'Reject')
    const withdrawn = offerOf(await transfer(euros(alice, bob, '12')))
    await decide(v1, alice, withdrawn, 'Withdraw')
    assert.deepEqual([await totalOf(v1, alice), await totalOf(v2, bob)], [40, 10])
    const again = await ask(`bank/registry/transfer-instruction/v1/${accepted}/choice-contexts/accept`, {})
    assert.deepEqual([again.status, again.json], [404, { error: `TransferOffer '${accepted}' not found.` }])
    const other = await ask(`issuer/registry/transfer-instruction/v1/${rejected}/choice-contexts/accept`, {})
    assert.equal(other.status, 404)
  })

  test('the package refuses amounts that are not there, locked, foreign or not positive', async () => {
    const [alice, bob] = await traders()
    await here(`token mint 20 EUR --to ${alice}`)
    await here(`token mint 20 CHF --to ${alice}`)
    const offer = offerOf(await transfer(euros(alice, bob, '1')))
    const locked = (await holdings(v1, alice)).find(({ lock }) => lock !== null)
    const [francs] = await free(v1, alice, 'CHF')
    const [own] = await free(v1, alice)
    const cases: readonly [Leg, readonly string[] | undefined, RegExp][] = [
      [euros(alice, bob, '1000000'), undefined, /the holdings add up to [\d.]+, less than 1000000\.0/],
      [euros(alice, bob, '-1'), undefined, /Amount must be positive/],
      [euros(alice, bob, '0.123'), undefined, /Amount must have at most 2 decimals/],
      [euros(alice, bob, '1'), [locked.contractId], /a holding is locked: transfer to bob/],
      [euros(alice, bob, '1'), [francs.contractId], /a holding is of another instrument/],
      [euros(alice, bob, '1'), [], /the holdings add up to 0\.0, less than 1\.0/],
      [euros(alice, bob, '1'), [own.contractId, own.contractId], /CONTRACT_NOT_ACTIVE|not active|consumed/i],
    ]
    for (const [leg, inputs, reason] of cases) {
      const { answer } = await transfer(leg, inputs)
      assert.ok(answer.status >= 400 && answer.status < 500, answer.text)
      assert.match(answer.text, reason)
    }
    await decide(v1, alice, offer, 'Withdraw')
  })

  const settlement = (executor: string, settleBefore = future) => ({
    executor,
    settlementRef: { id: 'trade-1', cid: null },
    requestedAt: past,
    allocateBefore: settleBefore,
    settleBefore,
    meta: { values: {} },
  })

  async function allocate(leg: Leg, fields: object = {}): Promise<string> {
    const { at, sender, receiver, amount, id, admin } = leg
    const meta = { values: {} }
    const transferLeg = { sender, receiver, amount, instrumentId: { admin, id }, meta }
    const inputHoldingCids = (await free(at, sender, id)).map(({ contractId }) => contractId)
    const argument = {
      expectedAdmin: admin,
      allocation: { settlement: settlement(venue), transferLegId: `leg-${id}`, transferLeg },
      requestedAt: past,
      inputHoldingCids,
      extraArgs: noExtraArgs,
    }
    const path = `${admin}/registry/allocation-instruction/v1/allocation-factory`
    const { json: factory } = await ask(path, { choiceArguments: argument })
    const command = choiceOf(standard.allocationFactory, factory.factoryId, 'AllocationFactory_Allocate', argument)
    const { disclosedContracts } = factory.choiceContext
    const result = await exercise(at, [sender], command, { disclosedContracts, ...fields })
    assert.equal(result.output.tag, 'AllocationInstructionResult_Completed')
    return result.output.value.allocationCid
  }

  test('an allocation locks an amount, and is withdrawn, or cancelled by all that it concerns', async () => {
    const [alice] = await traders()
    await here(`token mint 40 EUR --to ${alice}`)
    const withdrawn = await allocate(euros(alice, bank, '15'))
    assert.equal(await totalOf(v1, alice), 25)
    const path = `bank/registry/allocations/v1/${withdrawn}/choice-contexts/withdraw`
    assert.deepEqual((await ask(path, {})).json, { choiceContextData: { values: {} }, disclosedContracts: [] })
    const withdraw = choiceOf(standard.allocation, withdrawn, 'Allocation_Withdraw', { extraArgs: noExtraArgs })
    await exercise(v1, [alice], withdraw)
    assert.equal((await ask(path, {})).status, 404)
    const cancelled = await allocate(euros(alice, bank, '15'))
    const cancel = choiceOf(standard.allocation, cancelled, 'Allocation_Cancel', { extraArgs: noExtraArgs })
    assert.equal((await send(v1, [alice], cancel)).status, 400)
    await exercise(v1, [alice, bank, venue], cancel)
    assert.equal(await totalOf(v1, alice), 40)
  })

  async function traded(alice: string, bob: string): Promise<string> {
    const createArguments = { venue, proposer: alice, counterparty: bob }
    const proposal = { CreateCommand: { templateId: '#trades:Trades:TradeProposal', createArguments } }
    const { json } = await send(v1, [alice], proposal)
    const { contractId } = json.transaction.events[0].CreatedEvent
    return exercise(v2, [bob], choiceOf('#trades:Trades:TradeProposal', contractId, 'TradeProposal_Accept', {}))
  }

  async function settle(trade: string, allocations: readonly [admin: string, contractId: string][]) {
    const legs = []
    for (const [admin, allocation] of allocations) {
      const path = `${admin}/registry/allocations/v1/${allocation}/choice-contexts/execute-transfer`
      const { json } = await ask(path, {})
      legs.push({ allocation, extraArgs: { context: json.choiceContextData, meta: { values: {} } } })
    }
    return send(v1, [venue], choiceOf('#trades:Trades:Trade', trade, 'Trade_Settle', { legs }))
  }

  test('tokens of two admins, on two participants and two synchronizers, change hands in one step', async () => {
    const { s1, s2 } = network
    const trades = readFileSync(new URL('../lf/trades.dar', import.meta.url))
    for (const at of [v1, v2]) {
      for (const id of [s1, s2]) {
        const url = `${at.url}/v2/packages?synchronizerId=${encodeURIComponent(id)}`
        assert.equal((await fetch(url, { method: 'POST', body: trades })).status, 200)
      }
    }
    const [alice, bob] = await traders()
    await here(`token mint 50 EUR --to ${alice}`)
    await here(`token mint 3 BOND --to ${bob} --participant pebblebox`)
    const trade = await traded(alice, bob)
    const payment = await allocate(euros(alice, bob, '30'))
    const delivery = await allocate({ at: v2, sender: bob, receiver: alice, amount: '3', id: 'BOND', admin: issuer })
    const placeOf = async (at: TestParticipant, party: string) =>
      (await holdings(at, party)).find(({ lock }) => lock !== null).synchronizerId
    assert.deepEqual([await placeOf(v1, alice), await placeOf(v2, bob)], [s1, s2])
    const gone = await settle(trade, [
      ['bank', payment],
      ['issuer', payment],
    ])
    assert.ok(gone.status >= 400, gone.text)
    assert.equal(await totalOf(v2, bob), 0)
    const settled = await settle(trade, [
      ['bank', payment],
      ['issuer', delivery],
    ])
    assert.equal(settled.status, 200, settled.text)
    assert.deepEqual([await totalOf(v1, alice), await totalOf(v2, bob)], [20, 30])
    assert.deepEqual([await totalOf(v1, alice, 'BOND'), await totalOf(v2, bob, 'BOND')], [3, 0])
  })
})
