// Properly signed, but not what the model allows: the holder of a key may sign anything. Execution interprets the
// transaction again and refuses any difference; no content, however wrong, causes more than a refusal.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { hashPreparedTransaction } from '../../src/lf/codec/prepared-hash.ts'
import { HashingError, type HashingScheme } from '../../src/lf/codec/prepared-hash-input.ts'
import {
  decodePreparedTransaction,
  encodePreparedTransaction,
  type PreparedTransaction,
} from '../../src/lf/codec/prepared-transaction.ts'
import { executePath, type SigningLedger, startSigningLedger, waitPath } from '../fixtures/interactive.ts'
import { createTarget, doing, eventOf, exercise, type Json, target, targetType } from '../fixtures/ledger.ts'
import { type Answer, refusalOf } from '../fixtures/node.ts'
import { fc } from '../fixtures/seed.ts'
import type { Signer } from '../fixtures/signer.ts'

/** Tests change what is otherwise read-only. */
type Changeable = Json

/** Clients do not see its code, as with every alarm. */
const conformance = 'Rejected transaction due to a failed model conformance check'
const notExecuted = 'FAILED_TO_EXECUTE_TRANSACTION'

describe('a transaction that was changed and signed again', () => {
  let signing: SigningLedger
  let who: { party: string; signer: Signer }
  let other: { party: string; signer: Signer }
  let contractId: string
  let created: PreparedTransaction
  let exercised: PreparedTransaction
  let contractUsed: string

  before(async () => {
    signing = await startSigningLedger()
    who = await signing.newParty('owner')
    other = await signing.newParty('other')
    contractId = eventOf(await signing.run(who, createTarget([who.party])), 'CreatedEvent').contractId
    contractUsed = eventOf(await signing.run(who, createTarget([who.party])), 'CreatedEvent').contractId
    created = await prepared(createTarget([who.party], { note: 'a note' }))
    const program = [
      { tag: 'Create', value: target([who.party]) },
      { tag: 'Fetch', value: { tag: 'Given', value: contractUsed } },
    ]
    exercised = await prepared(exercise(targetType, contractId, 'Keep', doing([who.party], ...program)))
  })
  after(() => signing[Symbol.asyncDispose]())

  async function prepared(command: object): Promise<PreparedTransaction> {
    const answer = await signing.prepare([command], { actAs: [who.party] })
    assert.equal(answer.status, 200, answer.text)
    return decodePreparedTransaction(Buffer.from(answer.json.preparedTransaction, 'base64'))
  }

  /** Signs anything that can be hashed. */
  async function execute(transaction: PreparedTransaction, scheme: HashingScheme = 'V2', path = waitPath) {
    let hash: Buffer = Buffer.alloc(32)
    try {
      hash = hashPreparedTransaction(transaction.transaction!, transaction.metadata!, scheme)
    } catch (error) {
      if (!(error instanceof HashingError || error instanceof TypeError)) throw error
    }
    const body = {
      preparedTransaction: Buffer.from(encodePreparedTransaction(transaction)).toString('base64'),
      preparedTransactionHash: hash.toString('base64'),
      hashingSchemeVersion: `HASHING_SCHEME_VERSION_${scheme}`,
    }
    const signatures = { [who.party]: [who.signer], [other.party]: [other.signer] }
    return signing.post(path, signing.executionOf(body, signatures))
  }

  test('is refused in the words of Canton where an id of its metadata is none', async () => {
    const failed = (text: string) => `The participant failed to execute the transaction: ${text}`
    const parsing = (text: string) =>
      `Invalid field synchronizer_id: Unable to convert field \`synchronizer_id\`: Unable to parse \`${text}\` as physical synchronizer id`
    const rows: [metadata: (metadata: Changeable) => object, cause: string][] = [
      [
        ({ submitterInfo }) => ({ submitterInfo: { ...submitterInfo, commandId: '' } }),
        failed('Failed to deserialize submitter info: Daml-LF Ledger String is empty at path commandId'),
      ],
      [() => ({ synchronizerId: '' }), parsing('')],
      [() => ({ synchronizerId: 'x' }), parsing('x')],
      [() => ({ synchronizerId: 'a::b::c::d' }), parsing('a::b::c::d')],
    ]
    for (const [change, cause] of rows) {
      const metadata = { ...created.metadata!, ...change(created.metadata) }
      const { json, text } = await execute({ ...created, metadata })
      assert.ok(json.cause.endsWith(cause), text)
    }
  })

  test('is accepted if the acting parties were removed, and refused if the client waits for it, as in Canton', async () => {
    const metadata = { ...created.metadata!, submitterInfo: { ...created.metadata!.submitterInfo!, actAs: [] } }
    const accepted = await execute({ ...created, metadata }, 'V2', executePath)
    assert.deepEqual([accepted.status, accepted.json], [200, {}])
    const { status, json } = await execute({ ...created, metadata })
    assert.deepEqual(
      [status, json.code, json.context.reason],
      [400, 'MALFORMED_REQUEST', 'SubmitterMetadataError(The actAs set must not be empty.)'],
    )
  })

  const nodeOf = (transaction: Changeable, number = 0) => transaction.transaction.nodes[number].v1.value
  const fieldOf = (value: Changeable, label: string) =>
    value.value.fields.find((field: Changeable) => field.label === label)

  const changes: [title: string, of: 'create' | 'exercise', change: (tx: Changeable) => void, code: string][] = [
    ['another signatory', 'create', (tx) => nodeOf(tx).signatories.push(other.party), conformance],
    ['another stakeholder', 'create', (tx) => nodeOf(tx).stakeholders.push(other.party), conformance],
    [
      'the signatory replaced in the argument alone',
      'create',
      (tx) => {
        fieldOf(nodeOf(tx).argument, 'signatories').value.value.elements[0].value = other.party
      },
      conformance,
    ],
    [
      'a field with another name',
      'create',
      (tx) => {
        fieldOf(nodeOf(tx).argument, 'note').label = 'nota'
      },
      conformance,
    ],
    [
      'a value of another type',
      'create',
      (tx) => {
        fieldOf(nodeOf(tx).argument, 'note').value = { kind: 'int64', value: 1n }
      },
      conformance,
    ],
    [
      'a record of another type',
      'create',
      (tx) => {
        nodeOf(tx).argument.value.recordId.name = 'Other'
      },
      conformance,
    ],
    [
      'None at the end of a record',
      'create',
      (tx) => {
        nodeOf(tx).argument.value.fields.push({ label: 'first', value: { kind: 'optional', value: {} } })
      },
      conformance,
    ],
    [
      'another contract id',
      'create',
      (tx) => {
        nodeOf(tx).contractId = `00${'1'.repeat(64)}`
      },
      conformance,
    ],
    [
      'another seed',
      'create',
      (tx) => {
        tx.transaction.nodeSeeds[0].seed = Buffer.alloc(32, 7)
      },
      conformance,
    ],
    [
      'another time of preparation',
      'create',
      (tx) => {
        tx.metadata.preparationTime -= 1n
      },
      conformance,
    ],
    [
      'another template',
      'create',
      (tx) => {
        nodeOf(tx).templateId.name = 'Nothing'
      },
      conformance,
    ],
    [
      'another package',
      'create',
      (tx) => {
        nodeOf(tx).templateId.packageId = 'f'.repeat(64)
      },
      conformance,
    ],
    [
      'another package name',
      'create',
      (tx) => {
        nodeOf(tx).packageName = 'other'
      },
      conformance,
    ],
    [
      'a later version',
      'create',
      (tx) => {
        tx.transaction.version = '2'
      },
      notExecuted,
    ],
    [
      'an earliest time',
      'create',
      (tx) => {
        tx.metadata.minLedgerEffectiveTime = 1n
      },
      conformance,
    ],
    [
      'a mediator group',
      'create',
      (tx) => {
        tx.metadata.mediatorGroup = 1
      },
      'SYNCHRONIZER_WITHOUT_MEDIATOR',
    ],
    [
      'the logical synchronizer',
      'create',
      (tx) => {
        tx.metadata.synchronizerId = tx.metadata.synchronizerId.replace(/::35-0$/, '')
      },
      notExecuted,
    ],
    [
      'an unknown synchronizer',
      'create',
      (tx) => {
        tx.metadata.synchronizerId = 'a::1220ab::35-0'
      },
      notExecuted,
    ],
    ['another actor as well', 'create', (tx) => tx.metadata.submitterInfo.actAs.push(other.party), 'accepted'],
    [
      'another actor instead',
      'create',
      (tx) => {
        tx.metadata.submitterInfo.actAs = [other.party]
      },
      conformance,
    ],
    [
      'a node that is not reached',
      'create',
      (tx) => {
        tx.transaction.nodes.push({ nodeId: '7', v1: { kind: 'rollback', value: { children: [] } } })
      },
      'accepted',
    ],
    ['two roots', 'create', (tx) => tx.transaction.roots.push('0'), notExecuted],
    [
      'a rollback around it',
      'create',
      (tx) => {
        tx.transaction.nodes.push({ nodeId: '7', v1: { kind: 'rollback', value: { children: ['0'] } } })
        tx.transaction.roots = ['7']
      },
      conformance,
    ],
    [
      'no root',
      'create',
      (tx) => {
        tx.transaction.roots = []
      },
      notExecuted,
    ],
    [
      'a contract that it does not use',
      'create',
      (tx) => {
        tx.metadata.inputContracts = structuredClone(exercised.metadata!.inputContracts)
      },
      notExecuted,
    ],
    [
      'another choice',
      'exercise',
      (tx) => {
        nodeOf(tx).choiceId = 'Consume'
      },
      conformance,
    ],
    [
      'no such choice',
      'exercise',
      (tx) => {
        nodeOf(tx).choiceId = 'Nothing'
      },
      conformance,
    ],
    [
      'consuming',
      'exercise',
      (tx) => {
        nodeOf(tx).consuming = true
      },
      conformance,
    ],
    [
      'another result',
      'exercise',
      (tx) => {
        nodeOf(tx).exerciseResult = { kind: 'unit', value: {} }
      },
      conformance,
    ],
    [
      'no result',
      'exercise',
      (tx) => {
        nodeOf(tx).exerciseResult = undefined
      },
      conformance,
    ],
    [
      'another acting party',
      'exercise',
      (tx) => {
        nodeOf(tx).actingParties = [other.party]
      },
      conformance,
    ],
    ['a choice observer', 'exercise', (tx) => nodeOf(tx).choiceObservers.push(other.party), conformance],
    [
      'no children',
      'exercise',
      (tx) => {
        nodeOf(tx).children = []
      },
      conformance,
    ],
    ['children in another order', 'exercise', (tx) => nodeOf(tx).children.reverse(), conformance],
    ['a missing child', 'exercise', (tx) => nodeOf(tx).children.push('9'), notExecuted],
    [
      'an interface that it does not have',
      'exercise',
      (tx) => {
        nodeOf(tx).interfaceId = { ...nodeOf(tx).templateId, name: 'Asset' }
      },
      conformance,
    ],
    [
      'by key',
      'exercise',
      (tx) => {
        nodeOf(tx).byKey = true
      },
      conformance,
    ],
    [
      'another contract',
      'exercise',
      (tx) => {
        nodeOf(tx).contractId = `00${'2'.repeat(64)}ca12`
      },
      notExecuted,
    ],
    [
      'an invalid contract id',
      'exercise',
      (tx) => {
        nodeOf(tx).contractId = ''
      },
      notExecuted,
    ],
    [
      'a fetch without its stakeholders',
      'exercise',
      (tx) => {
        nodeOf(tx, 2).stakeholders = []
      },
      conformance,
    ],
    [
      'a used contract created earlier',
      'exercise',
      (tx) => {
        tx.metadata.inputContracts[0].createdAt -= 1n
      },
      conformance,
    ],
    [
      'a used contract without its blob',
      'exercise',
      (tx) => {
        tx.metadata.inputContracts[0].eventBlob = new Uint8Array()
      },
      conformance,
    ],
    [
      'the blob of another contract',
      'exercise',
      (tx) => {
        const [first, second] = tx.metadata.inputContracts
        first.eventBlob = second.eventBlob
      },
      conformance,
    ],
    ['a used contract left out', 'exercise', (tx) => tx.metadata.inputContracts.pop(), notExecuted],
    ['used contracts in another order', 'exercise', (tx) => tx.metadata.inputContracts.reverse(), 'accepted'],
    [
      'no metadata',
      'create',
      (tx) => {
        tx.metadata = undefined
      },
      'MISSING_FIELD',
    ],
    [
      'no transaction',
      'create',
      (tx) => {
        tx.transaction = undefined
      },
      'MISSING_FIELD',
    ],
    [
      'no submitter',
      'create',
      (tx) => {
        tx.metadata.submitterInfo = undefined
      },
      'MISSING_FIELD',
    ],
    [
      'no actor',
      'create',
      (tx) => {
        tx.metadata.submitterInfo.actAs = []
      },
      'MALFORMED_REQUEST',
    ],
    [
      'no UUID',
      'create',
      (tx) => {
        tx.metadata.transactionUuid = 'x'
      },
      notExecuted,
    ],
    [
      'a time beyond all times',
      'create',
      (tx) => {
        tx.metadata.preparationTime = 2n ** 62n
      },
      notExecuted,
    ],
  ]
  for (const [title, of, change, want] of changes) {
    test(`${title} is ${want === 'accepted' ? 'no other transaction' : 'refused'}`, async () => {
      const transaction = structuredClone(of === 'create' ? created : exercised)
      // A new command id for each, so that an accepted one does not affect the next.
      const changeable = transaction as Changeable
      changeable.metadata.transactionUuid = crypto.randomUUID()
      changeable.metadata.submitterInfo.commandId = `changed: ${title}`.replaceAll(',', '')
      change(changeable)
      const answer = await execute(transaction)
      if (want === 'accepted') assert.equal(answer.status, 200, answer.text)
      else assert.equal(verdictOf(answer), want, answer.text)
    })
  }

  test('missing and superfluous input contracts are named, before signatures are checked', async () => {
    const words = 'Provided input contracts do not match the input contracts in the transaction'
    const unsigned = async (transaction: Changeable) => {
      const body = {
        preparedTransaction: Buffer.from(encodePreparedTransaction(transaction)).toString('base64'),
        preparedTransactionHash: '',
        hashingSchemeVersion: 'HASHING_SCHEME_VERSION_V2',
      }
      return refusalOf(await signing.post(waitPath, signing.executionOf(body, {}))).slice(0, 3)
    }
    const failed = (reason: string) => [
      400,
      notExecuted,
      `The participant failed to execute the transaction: ${words}: ${reason}`,
    ]
    const [missing, superfluous] = [structuredClone(exercised), structuredClone(created)] as Changeable[]
    missing.metadata.inputContracts = []
    const ids = [contractId, contractUsed].map((id) => `ContractId(${id})`)
    assert.deepEqual(await unsigned(missing), failed(`Missing input contracts: ${ids.join(',')}`))
    superfluous.metadata.inputContracts = structuredClone(exercised.metadata!.inputContracts.slice(0, 1))
    const [{ v1 }] = superfluous.metadata.inputContracts
    assert.deepEqual(await unsigned(superfluous), failed(`Superfluous input contracts: ContractId(${v1.contractId})`))
  })

  test('a part of the blob of an input contract', async () => {
    const original = structuredClone(exercised) as Changeable
    const length = original.metadata.inputContracts[0].eventBlob.length
    for (let at = 0; at < length; at += 3) {
      const transaction = structuredClone(exercised) as Changeable
      transaction.metadata.transactionUuid = crypto.randomUUID()
      const blob = Uint8Array.from(transaction.metadata.inputContracts[0].eventBlob)
      blob[at]! ^= 1 << (at % 8)
      transaction.metadata.inputContracts[0].eventBlob = blob
      const answer = await execute(transaction)
      assert.equal(verdictOf(answer), conformance, `byte ${at}: ${answer.text}`)
    }
  })

  test('random changes are recorded or refused, and nothing else', async () => {
    const replacement = fc.constantFrom<unknown>(
      ...['', 'x', '00', '0', -1, 2 ** 31 - 1, -(2n ** 63n), 2n ** 63n - 1n, true, undefined],
    )
    await fc.assert(
      fc.asyncProperty(fc.constantFrom('create', 'exercise'), fc.nat(), replacement, async (of, at, value) => {
        const transaction = structuredClone(of === 'create' ? created : exercised) as Changeable
        transaction.metadata.transactionUuid = crypto.randomUUID()
        const places = leavesOf(transaction)
        const [holder, name] = places[at % places.length]!
        if (typeof holder[name] !== typeof value || holder[name] === value) return
        holder[name] = value
        let answer: Awaited<ReturnType<typeof execute>>
        try {
          answer = await execute(transaction)
        } catch (error) {
          if (error instanceof TypeError || error instanceof RangeError || /invalid/.test(String(error))) return
          throw error // It could not even be encoded.
        }
        assert.ok(answer.status < 500, `${name}: ${answer.status} ${answer.text}`) // Some changes are harmless.
      }),
      { numRuns: 100 },
    )
  })
})

function verdictOf(answer: Answer): unknown {
  const [, code, cause] = refusalOf(answer)
  return code === 'NA' ? String(cause).split(':')[0] : code
}

function leavesOf(value: Changeable): [holder: Changeable, name: string][] {
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return []
  return Object.entries(value).flatMap(([name, part]): [Changeable, string][] =>
    typeof part === 'object' && part !== null && !(part instanceof Uint8Array) ? leavesOf(part) : [[value, name]],
  )
}
