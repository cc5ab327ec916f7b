// Our bytes and hashes against those of published clients: whatever we prepare, they must read and hash alike.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import * as visualizer from '@canton-network/core-tx-visualizer'
import { fc } from '../../../test/fixtures/seed.ts'
import { anyType, anyValueOf } from '../../../test/support/lf/arbitrary-values.ts'
import { compareValues } from '../../../test/support/lf/compare-values.ts'
import { sampleTypes } from '../../../test/support/lf/sample-types.ts'
import type { Type } from '../syntax/ast.ts'
import type { LfValue } from '../values/values.ts'
import { createLedgerValues, storedValueOf } from './api-value/convert.ts'
import type { LedgerValue, MaybeValue } from './api-value/type.ts'
import { hashPreparedTransaction } from './prepared-hash.ts'
import { HashingError } from './prepared-hash-input.ts'
import {
  decodePreparedTransaction,
  encodePreparedTransaction,
  type PreparedCreate,
  type PreparedMetadata,
  type PreparedNode,
  type PreparedNodes,
} from './prepared-transaction.ts'
import { createProtobufCodec } from './protobuf.ts'
import { ValueError } from './value-error.ts'

const ledgerValueOf = createLedgerValues(sampleTypes)
const protobuf = createProtobufCodec({ dataTypes: sampleTypes, compare: compareValues })

const typed: fc.Arbitrary<{ type: Type; value: LfValue }> = anyType.chain((type) => {
  return anyValueOf(type, sampleTypes).map((value) => ({ type, value }))
})
const ledgerValue: fc.Arbitrary<LedgerValue> = typed.map(({ type, value }) => ledgerValueOf(value, type))

const name = fc.stringMatching(/^[A-Z][a-z]{0,5}$/)
const identifier = fc.record({
  packageId: fc.stringMatching(/^[0-9a-f]{64}$/),
  module: fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => names.join('.')),
  name,
})
const party = name.map((hint) => `${hint}::1220${'a'.repeat(64)}`)
const parties = fc.uniqueArray(party, { minLength: 1, maxLength: 3 }).map((list) => list.sort())
const contractId = fc.stringMatching(/^00[0-9a-f]{64}(ca121220[0-9a-f]{64})?$/)
const seed = fc.uint8Array({ minLength: 32, maxLength: 32 })
const micros = fc.bigInt({ min: 0n, max: 253402300799999999n })

const ofContract = {
  lfVersion: fc.constant('2.1'),
  contractId,
  packageName: name,
  templateId: identifier,
  signatories: parties,
  stakeholders: parties,
  key: fc.constant(undefined),
}
const create: fc.Arbitrary<PreparedCreate> = fc.record({ ...ofContract, argument: ledgerValue })
const interfaceId = fc.option(identifier, { nil: undefined })

/** A node as a tree; numbers are assigned later. */
type Tree = { node: PreparedNode; children: Tree[] }

const tree: fc.Arbitrary<Tree> = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    create.map((value) => ({ node: { kind: 'create', value } as const, children: [] })),
    fc
      .record({ ...ofContract, actingParties: parties, interfaceId, byKey: fc.constant(false) })
      .map((value) => ({ node: { kind: 'fetch', value } as const, children: [] })),
    fc
      .tuple(
        fc.record({
          ...ofContract,
          actingParties: parties,
          interfaceId,
          choiceId: name,
          chosenValue: ledgerValue,
          consuming: fc.boolean(),
          children: fc.constant([]),
          exerciseResult: fc.option(ledgerValue, { nil: undefined }),
          choiceObservers: parties,
          byKey: fc.constant(false),
        }),
        fc.array(tie('tree'), { maxLength: 3 }),
      )
      .map(([value, children]) => ({ node: { kind: 'exercise', value } as const, children })),
    fc
      .array(tie('tree'), { minLength: 1, maxLength: 2 })
      .map((children) => ({ node: { kind: 'rollback', value: { children: [] } } as const, children })),
  ),
})).tree

const metadata: fc.Arbitrary<PreparedMetadata> = fc.record({
  submitterInfo: fc.record({ actAs: parties, commandId: name }),
  synchronizerId: name.map((alias) => `${alias}::1220${'b'.repeat(64)}::35-0`),
  mediatorGroup: fc.nat({ max: 3 }),
  transactionUuid: fc.uuid(),
  preparationTime: micros,
  inputContracts: fc
    .array(fc.record({ v1: create, createdAt: micros, eventBlob: fc.uint8Array({ minLength: 1 }) }), { maxLength: 3 })
    .map((contracts) => contracts.sort((a, b) => (a.v1.contractId < b.v1.contractId ? -1 : 1))),
  minLedgerEffectiveTime: fc.option(micros, { nil: undefined }),
  maxLedgerEffectiveTime: fc.option(micros, { nil: undefined }),
  maxRecordTime: fc.option(micros, { nil: undefined }),
})

function numbered(trees: readonly Tree[], seeds: readonly Uint8Array[]): PreparedNodes {
  const nodes: { nodeId: string; v1: PreparedNode }[] = []
  const nodeSeeds: { nodeId: number; seed: Uint8Array }[] = []
  const add = ({ node, children }: Tree): string => {
    const number = nodes.length
    nodes.push({ nodeId: String(number), v1: node })
    const ids = children.map(add)
    if (node.kind === 'exercise') nodes[number]!.v1 = { kind: 'exercise', value: { ...node.value, children: ids } }
    if (node.kind === 'rollback') nodes[number]!.v1 = { kind: 'rollback', value: { children: ids } }
    if (node.kind === 'create' || node.kind === 'exercise') {
      nodeSeeds.push({ nodeId: number, seed: seeds[number % seeds.length]! })
    }
    return String(number)
  }
  const roots = trees.map(add)
  return { version: '2.1', roots, nodes, nodeSeeds }
}

const transaction = fc
  .tuple(fc.array(tree, { minLength: 1, maxLength: 3 }), fc.array(seed, { minLength: 1, maxLength: 4 }))
  .map(([trees, seeds]) => numbered(trees, seeds))

describe('a prepared transaction', () => {
  test('is read by others as we read it, and has the hash that they compute', async () => {
    await fc.assert(
      fc.asyncProperty(transaction, metadata, async (nodes, facts) => {
        const bytes = encodePreparedTransaction({ transaction: nodes, metadata: facts })
        assert.deepEqual(encodePreparedTransaction(decodePreparedTransaction(bytes)), bytes)
        const base64 = Buffer.from(bytes).toString('base64')
        const ours = hashPreparedTransaction(nodes, facts, 'V2')
        const read = decodePreparedTransaction(bytes)
        assert.deepEqual(hashPreparedTransaction(read.transaction!, read.metadata!, 'V2'), ours)
        if (hasLargeInteger(nodes, facts)) return // The visualizer reads them as floating-point numbers.
        assert.equal(await visualizer.hashPreparedTransaction(base64, 'hex'), ours.toString('hex'))
      }),
      { numRuns: 300 },
    )
  })

  test('has another hash by scheme V3, which covers the latest record time', () => {
    fc.assert(
      fc.property(transaction, metadata, (nodes, facts) => {
        const [v2, v3] = (['V2', 'V3'] as const).map((scheme) => hashPreparedTransaction(nodes, facts, scheme))
        assert.notDeepEqual(v2, v3)
        const later = { ...facts, maxRecordTime: (facts.maxRecordTime ?? 0n) + 1n }
        assert.deepEqual(hashPreparedTransaction(nodes, later, 'V2'), v2)
        assert.notDeepEqual(hashPreparedTransaction(nodes, later, 'V3'), v3)
      }),
    )
  })

  test('with contract keys has a hash by scheme V3 only, and it covers the keys', () => {
    const keyed = fc.record({
      key: fc.record({ templateId: identifier, packageName: name, key: ledgerValue, hash: seed }),
      maintainers: parties,
    })
    const query = fc.record({
      lfVersion: fc.constant('2'),
      packageName: name,
      templateId: identifier,
      exhaustive: fc.boolean(),
      key: keyed,
      result: fc.array(contractId, { maxLength: 2 }),
    })
    fc.assert(
      fc.property(create, keyed, query, metadata, seed, (contract, key, value, facts, rootSeed) => {
        const hashOf = (changes: object, found = value) =>
          hashPreparedTransaction(
            {
              version: '2',
              roots: ['0', '1'],
              nodes: [
                { nodeId: '0', v1: { kind: 'create', value: { ...contract, lfVersion: '2', key, ...changes } } },
                { nodeId: '1', v1: { kind: 'query-by-key', value: found } },
              ],
              nodeSeeds: [{ nodeId: 0, seed: rootSeed }],
            },
            facts,
            'V3',
          )
        const hash = hashOf({})
        assert.notDeepEqual(hashOf({ key: undefined }), hash)
        assert.notDeepEqual(hashOf({ key: { ...key, key: { ...key.key, hash: Buffer.alloc(32, 9) } } }), hash)
        assert.notDeepEqual(hashOf({ key: { ...key, maintainers: [] } }), hash)
        assert.notDeepEqual(hashOf({}, { ...value, exhaustive: !value.exhaustive }), hash)
        assert.notDeepEqual(hashOf({}, { ...value, result: [...value.result, '00'] }), hash)
        assert.throws(
          () => hashPreparedTransaction({ version: '2', roots: [], nodes: [], nodeSeeds: [] }, facts, 'V2'),
          /Does the transaction use contract keys\? Please using hashing scheme V3 or higher\.$/,
        )
      }),
    )
  })

  test('is read, refused or has another hash when a bit of it changes', () => {
    fc.assert(
      fc.property(transaction, metadata, fc.nat(), (nodes, facts, at) => {
        const bytes = encodePreparedTransaction({ transaction: nodes, metadata: facts })
        const damaged = Uint8Array.from(bytes)
        damaged[at % damaged.length]! ^= 1 << (at % 8)
        try {
          const read = decodePreparedTransaction(damaged)
          hashPreparedTransaction(read.transaction!, read.metadata!, 'V2')
        } catch (error) {
          assert.ok(
            error instanceof ValueError || error instanceof HashingError || error instanceof TypeError,
            String(error),
          )
        }
      }),
      { numRuns: 1000 },
    )
  })

  test('returns the values that went into it', () => {
    fc.assert(
      fc.property(typed, ({ type, value }) => {
        const stored = storedValueOf(ledgerValueOf(value, type))
        assert.deepEqual(stored, protobuf.encode(value, type))
      }),
      { numRuns: 500 },
    )
  })
})

describe('hostile bytes', () => {
  const optionals = (depth: number): Buffer => {
    let bytes = Buffer.alloc(0)
    for (let level = 0; level < depth; level += 1)
      bytes = Buffer.concat([Buffer.from([0x0a, ...varint(bytes.length)]), bytes])
    return bytes
  }
  const cases: [title: string, bytes: Uint8Array][] = [
    ['an unknown field', Buffer.from([0x1a, 0])],
    ['a mapping of keys, which is not signed', Buffer.from([0x12, 2, 0x42, 0])],
    ['a field that comes twice', Buffer.from([0x12, 0, 0x12, 0])],
    ['a length beyond the end', Buffer.from([0x0a, 5, 0])],
    ['an endless varint', Buffer.alloc(20, 0xff)],
    ['an invalid Bool', Buffer.from([0x0a, 9, 0x1a, 7, 0xc2, 0x3e, 4, 0x1a, 2, 0x58, 2])],
    ['endless nesting', optionals(20_000)],
  ]
  for (const [title, bytes] of cases) {
    test(`${title} is refused`, () => {
      assert.throws(() => decodePreparedTransaction(bytes), ValueError)
    })
  }

  test('more messages than a transaction can have are refused', () => {
    const node = Buffer.from([0x1a, 0])
    const content = Buffer.concat(new Array(600_000).fill(node))
    const bytes = Buffer.concat([Buffer.from([0x0a, ...varint(content.length)]), content])
    assert.throws(() => decodePreparedTransaction(bytes), /too many messages/)
  })

  test('nodes that are not a tree cannot be hashed', () => {
    const rollback = (...children: string[]): PreparedNode => ({ kind: 'rollback', value: { children } })
    const facts = fc.sample(metadata, 1)[0]!
    const forests: [string, PreparedNode][][] = [
      [['0', rollback('0')]],
      [
        ['0', rollback('1', '1')],
        ['1', rollback()],
      ],
      [['0', rollback('1')]],
    ]
    for (const forest of forests) {
      const nodes = {
        version: '2.1',
        roots: ['0'],
        nodes: forest.map(([nodeId, v1]) => ({ nodeId, v1 })),
        nodeSeeds: [],
      }
      assert.throws(() => hashPreparedTransaction(nodes, facts, 'V2'), HashingError)
    }
  })
})

function varint(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...varint(value >>> 7)]
}

function hasLargeInteger(...parts: readonly unknown[]): boolean {
  const isLarge = (value: MaybeValue): boolean => value?.kind === 'int64' && !Number.isSafeInteger(Number(value.value))
  const pending: unknown[] = [...parts]
  for (let part = pending.pop(); part !== undefined; part = pending.pop()) {
    if (typeof part !== 'object' || part === null || part instanceof Uint8Array) continue
    if (isLarge(part as LedgerValue)) return true
    for (const inner of Object.values(part)) if (inner !== undefined) pending.push(inner)
  }
  return false
}
