// Suffixes byte by byte, on a real contract, and through a whole transaction.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { fc } from '../../../test/fixtures/seed.ts'
import { now, run, sample } from '../../../test/support/engine/run-sample.ts'
import { createRecordType } from '../../lf/values/structures.ts'
import { ContractId, type LfRecord, listFromArray, unit } from '../../lf/values/values.ts'
import { authenticateContract, deriveSalt, type HashContract, suffixOf, suffixTransaction } from './suffix.ts'

const salt = Buffer.alloc(32, 1)
const contractHash = '02'.repeat(32)
const committed = {
  salt,
  createdAt: now,
  signatories: ['Alice', 'Bob'],
  stakeholders: ['Alice', 'Bob', 'C'],
  key: undefined,
  contractHash,
}
const sha256 = (hex: string) => createHash('sha256').update(Buffer.from(hex, 'hex')).digest('hex')

const ones = '01'.repeat(32)
const twos = '02'.repeat(32)
const alice = '00000005416c696365'
const bob = '00000003426f62'
const seconds = '000000006955b900' // 2026-01-01T00:00:00Z

test('a suffix is ca12 and a SHA-256 over what it commits to', () => {
  const bytes = `0000001d${ones}${seconds}00000000${`00000014${'00000002'}${alice}${bob}`}${'00000009000000010000000143'}00${'0000000100'}${twos}`
  assert.equal(suffixOf(committed), `ca121220${sha256(bytes)}`)
})

test('with a key, it commits to the hash of the key and its maintainers', () => {
  const key = { hash: '03'.repeat(32), maintainers: ['Alice'] }
  const parties = `00000014${'00000002'}${alice}${bob}`
  const bytes = `0000001d${ones}${seconds}000003e8${parties}${'00000009000000010000000143'}01${'03'.repeat(32)}${`0000000e01${'00000001'}${alice}`}${twos}`
  assert.equal(suffixOf({ ...committed, key, createdAt: now + 1 }), `ca121220${sha256(bytes)}`)
})

test('time before 1970 is whole seconds rounded down, and a positive rest', () => {
  const bytes = `0000001d${ones}ffffffffffffffff3b9ac618${`00000014${'00000002'}${alice}${bob}`}${'00000009000000010000000143'}00${'0000000100'}${twos}`
  assert.equal(suffixOf({ ...committed, createdAt: -1 }), `ca121220${sha256(bytes)}`)
})

test('every time is the same as a number and as a bigint', () => {
  fc.assert(
    fc.property(fc.maxSafeInteger(), (createdAt) => {
      assert.equal(suffixOf({ ...committed, createdAt }), suffixOf({ ...committed, createdAt: BigInt(createdAt) }))
    }),
  )
  const lastMicrosecond = 9_000_000_000_999_999
  const asBigint = suffixOf({ ...committed, createdAt: BigInt(lastMicrosecond) })
  assert.equal(suffixOf({ ...committed, createdAt: lastMicrosecond }), asBigint)
})

// The contract of docs/src/app_dev/scan_api in canton-network/splice. Its id is of version ca10: the same hash, over
// another hash of the contract, which the reference engine computed from the event blob there.
test('the hash in the id of a real contract is reproduced', () => {
  const dso = 'DSO::122084177677350389dd0710d6516f700a33fe348c5f2702dffef6d36e1dedcbfc17'
  const validator = 'digitalasset-testValidator-1::1220167abbb792b81e5fb1dc45311f32eb9d796c46a5100a1cd446979176f699e117'
  const suffix = suffixOf({
    salt: Buffer.from('186003b069299a1dbf8d8e69361fc42aa4e1642181127eb1c3c842d99b87dea0', 'hex'),
    createdAt: 1737636501220193,
    signatories: [dso],
    stakeholders: [dso, validator],
    key: undefined,
    contractHash: 'f70da637d9c423951a719437f2959bec9132b73f2d36cc734118989540ff7d90',
  })
  assert.equal(suffix, 'ca121220d189c2482b5018eae7c656561bf201a54deb276f81e8a0d715b7305d3a03abc3')
})

const id = `00${'0a'.repeat(32)}${suffixOf(committed)}`
const changes: [what: string, change: Partial<typeof committed>][] = [
  ['salt', { salt: Buffer.alloc(32, 9) }],
  ['time', { createdAt: now + 1 }],
  ['signatories', { signatories: ['Alice'] }],
  ['stakeholders', { stakeholders: ['Alice', 'Bob'] }],
  ['contract', { contractHash: '09'.repeat(32) }],
]

test('a contract is authentic if it is the one its id commits to', () => {
  assert.equal(authenticateContract(id, committed), true)
  assert.equal(authenticateContract(id.slice(0, 66), committed), false)
})

for (const [what, change] of changes) {
  test(`another ${what} is not authentic`, () =>
    assert.equal(authenticateContract(id, { ...committed, ...change }), false))
}

test('every node gets full ids, also of contracts created after it began', () => {
  const linkType = createRecordType({ ...sample.target.id, name: 'Link' }, [
    'signatories',
    'observers',
    'note',
    'faults',
  ])
  const link = { ...sample.target, id: linkType.id, type: linkType }
  const hashed: string[] = []
  const hashContract: HashContract = (_, packageName, argument) => {
    const note = argument.type.fieldsOf(argument)[2]
    const text = note instanceof ContractId ? note.text : String(note)
    hashed.push(text)
    return createHash('sha256').update(`${packageName} ${text}`).digest('hex')
  }
  let first: ContractId | undefined
  const plain = run((effects) => {
    const id = effects.create(sample.target, sample.targetOf({ signatories: ['Alice'], note: 'first' }))
    return effects.exercise(
      sample.target,
      'Keep',
      id,
      sample.doing({
        controllers: ['Alice'],
        body: (inner) => {
          first = id
          const second = inner.create(link, new linkType.create(listFromArray(['Alice']), listFromArray([]), id, {}))
          inner.fetch(link, second)
          return listFromArray([id, second])
        },
      }),
    )
  })
  const secret = Buffer.alloc(32, 7)
  const { transaction, salts } = suffixTransaction(plain, {
    createdAt: now,
    hashContract,
    saltOf: (_, index) => deriveSalt(secret, index),
  })
  const [created, exercised, linked, fetched] = transaction.nodes
  assert.ok(
    created?.kind === 'create' &&
      exercised?.kind === 'exercise' &&
      linked?.kind === 'create' &&
      fetched?.kind === 'fetch',
  )
  assert.match(created.contractId, /^00[0-9a-f]{64}ca121220[0-9a-f]{64}$/)
  assert.equal(created.contractId.slice(0, 66), first?.text)
  assert.equal(exercised.contractId, created.contractId)
  assert.equal(fetched.contractId, linked.contractId)
  assert.deepEqual(
    exercised.result?.value,
    listFromArray([new ContractId(created.contractId), new ContractId(linked.contractId)]),
  )
  const argument = linked.argument.value as LfRecord
  assert.deepEqual(argument.type.fieldsOf(argument)[2], new ContractId(created.contractId))
  assert.deepEqual(hashed, ['first', created.contractId]) // The hash of the second covers the suffix of the first.
  assert.deepEqual([...salts.keys()], [created.contractId, linked.contractId])
  assert.ok(
    authenticateContract(linked.contractId, {
      ...linked,
      createdAt: now,
      salt: salts.get(linked.contractId)!,
      contractHash: hashContract(linked.templateId, 'sample', argument),
    }),
  )
})

test('a transaction without creates stays unchanged', () => {
  const plain = run(() => unit)
  const suffixing = { createdAt: now, hashContract: () => contractHash, saltOf: () => salt }
  assert.equal(suffixTransaction(plain, suffixing).transaction, plain)
})
