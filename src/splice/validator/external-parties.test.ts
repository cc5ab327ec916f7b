import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { answerProblem } from '../../../test/fixtures/splice/answer-check.ts'
import { transactionHash } from '../../ledger/topology/mappings.ts'
import { encodePreparedTransaction } from '../../lf/codec/prepared-transaction.ts'
import type { LocalNetwork } from '../founding/founding.ts'
import type { Validator } from '../founding/parties.ts'
import { createDsoReads } from '../ledger/dso-reads.ts'
import { type Contract, type Json, type Participant, ParticipantRefusal } from '../ledger/participant.ts'
import { templates } from '../ledger/templates.ts'
import { RouteRefusal, type ValidatorContext } from '../serving/route.ts'
import { topologyHash } from './external-party-topology.ts'
import { validatorRoutes } from './validator-routes.ts'

const nowMs = Date.parse('2030-01-01T00:10:00Z')
const key = 'ab'.repeat(32)
const signature = 'cd'.repeat(64)
const topology = Buffer.from('topology').toString('base64')

const create = {
  kind: 'create',
  value: {
    lfVersion: '2.1',
    contractId: '00ff',
    packageName: 'p',
    templateId: undefined,
    signatories: [],
    stakeholders: [],
    key: undefined,
    argument: undefined,
  },
}
const prepared = encodePreparedTransaction({
  transaction: { version: '2.1', roots: ['0'], nodes: [{ nodeId: '0', v1: create }], nodeSeeds: [] },
  metadata: undefined,
} as never)

/** The validator of `host`, with these contracts; what it asks its participant is in `calls`. */
function validatorWith(payloads: Readonly<Record<string, readonly object[]>> = {}, failure?: ParticipantRefusal) {
  const all: Readonly<Record<string, readonly object[]>> = {
    [templates.walletAppInstall]: [{ endUserName: 'host-user', endUserParty: 'host', validatorParty: 'host' }],
    [templates.amuletRules]: [{}],
    [templates.externalPartyAmuletRules]: [{}],
    [templates.openMiningRound]: [3, 4].map((number) => ({ round: { number }, opensAt: '2030-01-01T00:00:00Z' })),
    ...payloads,
  }
  const calls: [path: string, body: Json][] = []
  const answers: Readonly<Record<string, object>> = {
    '/v2/parties/external/generate-topology': {
      partyId: 'ext::1220',
      publicKeyFingerprint: '1220',
      topologyTransactions: [topology],
    },
    '/v2/parties/external/allocate': { partyId: 'ext::1220' },
    '/v2/interactive-submission/prepare': {
      preparedTransaction: Buffer.from(prepared).toString('base64'),
      preparedTransactionHash: Buffer.from('hash').toString('base64'),
      hashingDetails: null,
    },
    '/v2/interactive-submission/executeAndWait': { updateId: 'update' },
  }
  const participant = {
    userId: 'operator',
    newId: () => 'id',
    end: async () => 1,
    contracts: async (template: string): Promise<Contract[]> =>
      (all[template] ?? []).map((payload, index) => ({
        contractId: `${template.split(':')[2]}-${index}`,
        templateId: template,
        packageName: 'p',
        payload,
        blob: 'AA',
        createdAt: '2030-01-01T00:00:00Z',
        synchronizerId: 's',
      })),
    async call(_: string, path: string, body: Json) {
      calls.push([path, body])
      return answers[path]
    },
    async submit(submission: Json) {
      if (failure !== undefined) throw failure
      calls.push(['submit', submission])
      return { events: [{ ExercisedEvent: { exerciseResult: { outcomes: [{ value: 'proposal' }] } } }] }
    },
  } as unknown as Participant
  const validator = { participant, party: 'host', profile: { walletUser: 'host-user' } } as unknown as Validator
  const context: ValidatorContext = {
    network: { dso: 'DSO', synchronizerId: 's', sv: validator } as unknown as LocalNetwork,
    validator,
    dso: createDsoReads(participant, 'DSO', true),
    now: async () => nowMs,
  }
  async function ask(line: string, body: Json = {}, query = ''): Promise<Json> {
    const [method, path] = line.split(' ')
    const full = `/api/validator/v0/admin/external-party/${path}`
    const route = validatorRoutes.find((one) => one.method === method && one.path === full)
    assert.ok(route, line)
    assert.equal(route.access, 'operator')
    const request = { params: {}, query: new URLSearchParams(query), body, user: 'operator' }
    const answer = await route.answer(context, request)
    assert.equal(answerProblem(method!, full, 200, answer), undefined)
    return answer
  }
  return { ask, calls }
}

function isRefused(status: number, message: string) {
  return (error: unknown) => {
    assert.ok(error instanceof RouteRefusal, String(error))
    assert.deepEqual([error.status, error.message], [status, message])
    return true
  }
}

const submission = { party_id: 'ext', transaction: 'AA==', signed_tx_hash: signature, public_key: key }

describe('an external party', () => {
  test('an external party signs the hash of its topology, as the ledger computes it', async () => {
    const { ask } = validatorWith()
    const hash = topologyHash(Buffer.from('topology'))
    assert.equal(hash, transactionHash(Buffer.from('topology')).toString('hex'))
    assert.deepEqual(await ask('POST topology/generate', { party_hint: 'ext', public_key: key }), {
      party_id: 'ext::1220',
      topology_txs: [{ topology_tx: topology, hash }],
    })
  })

  test('an external party is hosted with its signature, and the operator may act for it', async () => {
    const { ask, calls } = validatorWith()
    const signed = [{ topology_tx: topology, signed_hash: signature }]
    const answer = await ask('POST topology/submit', { public_key: key, signed_topology_txs: signed })
    assert.deepEqual(answer, { party_id: 'ext::1220' })
    const [, { onboardingTransactions, userId }] = calls.at(-1)!
    assert.equal(userId, 'operator')
    const [{ signatures, transaction }] = onboardingTransactions
    assert.equal(transaction, topology)
    assert.equal(Buffer.from(signatures[0].signature, 'base64').toString('hex'), signature)
    assert.equal(signatures[0].signedBy, '1220')
  })

  test('an external party is offered to be set up once', async () => {
    const { ask, calls } = validatorWith()
    assert.deepEqual(await ask('POST setup-proposal', { user_party_id: 'ext' }), { contract_id: 'proposal' })
    const [, { commands }] = calls.at(-1)!
    const [operation] = commands[0].ExerciseCommand.choiceArgument.operations
    assert.deepEqual(operation.value, { externalParty: 'ext', preapprovalExpiresAt: '2030-04-01T00:10:00.000Z' })
    const proposed = validatorWith({ [templates.externalPartySetupProposal]: [{ validator: 'host', user: 'ext' }] })
    await assert.rejects(
      proposed.ask('POST setup-proposal', { user_party_id: 'ext' }),
      isRefused(409, 'ExternalPartySetupProposal contract already exists: ContractId(ExternalPartySetupProposal-0)'),
    )
    const approved = validatorWith({ [templates.transferPreapproval]: [{ provider: 'host', receiver: 'ext' }] })
    await assert.rejects(
      approved.ask('POST setup-proposal', { user_party_id: 'ext' }),
      isRefused(409, 'TransferPreapproval contract already exists: ContractId(TransferPreapproval-0)'),
    )
  })

  test('a validator that cannot pay for it does not set up an external party', async () => {
    const metadata = { error_id: 'splice.lfdecentralizedtrust.org/insufficient-funds', requiredAmount: '1.0' }
    const { ask } = validatorWith({}, new ParticipantRefusal(400, 'DAML_FAILURE', '', { grpcCode: 9, metadata }))
    await assert.rejects(
      ask('POST setup-proposal', { user_party_id: 'ext' }),
      isRefused(400, 'Insufficient funds for the transfer pre-approval purchase (missing 1.0 CC)'),
    )
  })

  test('an external party accepts what it has signed', async () => {
    const { ask, calls } = validatorWith({
      [templates.externalPartySetupProposal]: [{ validator: 'host', user: 'ext' }],
      [templates.transferPreapproval]: [{ provider: 'host', receiver: 'ext' }],
    })
    const contract_id = 'ExternalPartySetupProposal-0'
    assert.deepEqual(await ask('POST setup-proposal/prepare-accept', { user_party_id: 'ext', contract_id }), {
      transaction: Buffer.from(prepared).toString('base64'),
      tx_hash: Buffer.from('hash').toString('hex'),
    })
    await assert.rejects(
      ask('POST setup-proposal/prepare-accept', { user_party_id: 'ext', contract_id: 'other' }),
      isRefused(400, 'Found contract does not match provided contractId.'),
    )
    assert.deepEqual(await ask('POST setup-proposal/submit-accept', { submission }), {
      transfer_preapproval_contract_id: 'TransferPreapproval-0',
      update_id: 'update',
    })
    const [, { partySignatures, preparedTransaction }] = calls.at(-1)!
    assert.equal(preparedTransaction, 'AA==')
    assert.equal(partySignatures.signatures[0].party, 'ext')
    assert.equal(partySignatures.signatures[0].signatures[0].signedBy, '1220')
  })

  test('an external party prepares to send to receivers who have approved', async () => {
    const { ask, calls } = validatorWith({ [templates.transferPreapproval]: [{ receiver: 'bob' }] })
    const request = {
      sender_party_id: 'ext',
      receiver_party_id: 'bob',
      amount: 1.5,
      expires_at: '2030-01-02T00:00:00Z',
      nonce: 0,
    }
    const answer = await ask('POST transfer-preapproval/prepare-send', request)
    assert.equal(answer.transfer_command_contract_id_prefix, '00ff')
    const [, { actAs, commands, disclosedContracts }] = calls.at(-1)!
    const { choiceArgument } = commands[0].ExerciseCommand
    assert.deepEqual(
      [actAs, choiceArgument.delegate, choiceArgument.amount, choiceArgument.nonce],
      [['ext'], 'host', '1.5', '0'],
    )
    assert.equal(disclosedContracts[0].contractId, 'ExternalPartyAmuletRules-0')
    await assert.rejects(
      ask('POST transfer-preapproval/prepare-send', { ...request, receiver_party_id: 'eve' }),
      isRefused(400, 'Receiver eve does not have a TransferPreapproval'),
    )
    assert.deepEqual(await ask('POST transfer-preapproval/submit-send', { submission }), { update_id: 'update' })
  })

  test('an external party has what it owns, as of the earliest open round', async () => {
    const amount = (initialAmount: string) => ({
      initialAmount,
      createdAt: { number: '1' },
      ratePerRound: { rate: '0.5' },
    })
    const { ask } = validatorWith({
      [templates.validatorRight]: [{ user: 'ext' }],
      [templates.amulet]: [
        { owner: 'ext', amount: amount('10.0') },
        { owner: 'other', amount: amount('99.0') },
      ],
      [templates.lockedAmulet]: [{ amulet: { owner: 'ext', amount: amount('4.0') } }],
    })
    assert.deepEqual(await ask('GET balance', {}, 'party_id=ext'), {
      party_id: 'ext',
      total_unlocked_coin: '10.0000000000',
      total_locked_coin: '4.0000000000',
      total_coin_holdings: '14.0000000000',
      accumulated_holding_fees_unlocked: '1.0000000000',
      accumulated_holding_fees_locked: '1.0000000000',
      accumulated_holding_fees_total: '2.0000000000',
      total_available_coin: '9.0000000000',
      computed_as_of_round: 3,
    })
    await assert.rejects(ask('GET balance', {}, 'party_id=eve'), isRefused(404, 'No wallet for external party eve'))
  })
})
