import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../test/fixtures/seed.ts'
import { compareValues } from '../../../test/support/lf/compare-values.ts'
import { dataTypesOf, packageOf, partyType, record, textType } from '../../../test/support/lf/data-package.ts'
import { ContractId } from '../values/values.ts'
import { type ContractBlob, decodeContractBlob, encodeContractBlob } from './contract-blob.ts'
import { createJsonCodec } from './json.ts'
import { createProtobufCodec } from './protobuf.ts'
import { ValueError } from './value-error.ts'

/** The ping contract that Canton's documentation prints (external_signing_submission.rst). */
const ping = [
  'CgMyLjESuQQKRQBjTUl2dyqzat8236jWAVQ7N5fKufP9tC25XfYKc8tcGMoQEiCC572aoJidPFPbnuK4QKF9wAuxGP1l7xumvhhN',
  'wM7khRIOQWRtaW5Xb3JrZmxvd3MaYApAOWExOWU5Y2MxNTI1MzhkM2FkM2I5OWI5MzNjY2Y4ODFlNTNiMTkzZWU2YWYxN2JkZDlh',
  'NjU5MDVhNmUxZjhhYhIGQ2FudG9uEghJbnRlcm5hbBIEUGluZxoEUGluZyKwAWqtAQoLCglCB3BpbmdfaWQKTwpNOkthbGljZTo6',
  'MTIyMGQ0NjZhNWQ5NmEzNTA5NzM2YzgyMWUyNWZlODFmYzhhNzNmMjI2ZDkyZTU3ZTk0YTY1MTcwZTU4YjA3ZmMwOGUKTQpLOkli',
  'b2I6OjEyMjAyNTRkMDYwOTViNDA3ZjhjNmEzNzhiNmZjNDQzYTY3ZDMzNTZhYjhlZGZiZjEzNzhjYjNlNDQyMThkZTMyYzhhKkth',
  'bGljZTo6MTIyMGQ0NjZhNWQ5NmEzNTA5NzM2YzgyMWUyNWZlODFmYzhhNzNmMjI2ZDkyZTU3ZTk0YTY1MTcwZTU4YjA3ZmMwOGUy',
  'SWJvYjo6MTIyMDI1NGQwNjA5NWI0MDdmOGM2YTM3OGI2ZmM0NDNhNjdkMzM1NmFiOGVkZmJmMTM3OGNiM2U0NDIxOGRlMzJjOGE5',
  '44B3nIAuBgBCKgomCiQIARIgZrl+7TfHbM1LcYFnlh0pNxS091G09Le5mhD5PUCvwmkQHg==',
].join('')

const alice = 'alice::1220d466a5d96a3509736c821e25fe81fc8a73f226d92e57e94a65170e58b07fc08e'
const bob = 'bob::1220254d06095b407f8c6a378b6fc443a67d3356ab8edfbf1378cb3e44218de32c8a'
const pingPackage = '9a19e9cc152538d3ad3b99b933ccf881e53b193ee6af17bdd9a65905a6e1f8ab'

test('a blob of Canton is read, and written again byte for byte', () => {
  const bytes = Buffer.from(ping, 'base64')
  const blob = decodeContractBlob(bytes)
  const { packageName, templateId, signatories, stakeholders, key } = blob
  assert.deepEqual(
    { packageName, templateId, signatories, stakeholders, key },
    {
      packageName: 'AdminWorkflows',
      templateId: { packageId: pingPackage, module: 'Canton.Internal.Ping', name: 'Ping' },
      signatories: [alice],
      stakeholders: [alice, bob],
      key: undefined,
    },
  )
  assert.match(blob.contractId.text, /^00634d4976.*ca101220/)
  assert.equal(blob.createdAt, 1739979776032995)
  assert.equal(blob.authenticationData.length, 42)
  assert.deepEqual(Buffer.from(encodeContractBlob(blob)), bytes)
})

test("the argument in a blob of Canton is a value of the template's type", () => {
  const { templateId, createArgument } = decodeContractBlob(Buffer.from(ping, 'base64'))
  const fields = { id: textType, initiator: partyType, responder: partyType }
  const dataTypes = dataTypesOf(packageOf(pingPackage, [record('Ping', fields)], templateId.module))
  const parts = { dataTypes, compare: compareValues }
  const type = { kind: 'constructor', id: templateId, args: [] } as const
  const protobuf = createProtobufCodec(parts)
  const value = protobuf.decode(createArgument, type)
  const json = createJsonCodec(parts).codecFor(type).encode(value)
  assert.equal(json, JSON.stringify({ id: 'ping_id', initiator: alice, responder: bob }))
  assert.deepEqual(Buffer.from(protobuf.encode(value, type)), Buffer.from(createArgument))
})

const plain: ContractBlob = {
  contractId: new ContractId(`00${'ab'.repeat(32)}ca12`),
  packageName: 'test',
  templateId: { packageId: 'p'.repeat(64), module: 'Main.Sub', name: 'Outer.Inner' },
  createArgument: Buffer.from('6a00', 'hex'),
  signatories: ['alice', 'carol'],
  stakeholders: ['alice', 'bob', 'carol'],
  key: undefined,
  createdAt: 1,
  authenticationData: Buffer.from('0102', 'hex'),
}
const key = { value: Buffer.from('4200', 'hex'), maintainers: ['carol'], hash: Buffer.alloc(32, 7) }

const kept: [what: string, blob: ContractBlob][] = [
  ['a plain contract', plain],
  ['a contract with a key', { ...plain, key }],
  ['a contract of the running transaction', { ...plain, createdAt: undefined }],
  ['a contract of 1970', { ...plain, createdAt: 0 }],
  ['a contract of the year 9999', { ...plain, createdAt: 253402300799999999n }],
  ['a contract without authentication data', { ...plain, authenticationData: Buffer.alloc(0) }],
  ['a contract that only maintainers sign', { ...plain, signatories: ['carol'], key }],
]

for (const [what, blob] of kept) {
  test(`${what} is read as it was written`, () => {
    const bytes = encodeContractBlob(blob)
    assert.deepEqual(decodeContractBlob(bytes), blob)
    assert.equal(Buffer.from(bytes).toString('latin1', 2, 3 + (blob.key ? 0 : 2)), blob.key ? '2' : '2.1')
  })
}

const broken: [what: string, blob: ContractBlob, reason: RegExp][] = [
  ['without signatories', { ...plain, signatories: [], stakeholders: ['bob'] }, /should be non empty/],
  ['with a wrong id', { ...plain, contractId: new ContractId('ff') }, /cannot parse contractId "ff"/],
  ['without a package name', { ...plain, packageName: '' }, /^packageName must not be empty$/],
  [
    'with a wrong name',
    { ...plain, templateId: { ...plain.templateId, name: '1' } },
    /^Invalid name segments Buffer\(1\): non expected first character 0x31/,
  ],
  ['with a wrong party', { ...plain, signatories: ['a.b'] }, /^Cannot decode party: non expected character 0x2e/],
  ['with a short key hash', { ...plain, key: { ...key, hash: Buffer.alloc(31) } }, /hash should have 32 bytes, got 31/],
]

for (const [what, blob, reason] of broken) {
  test(`a contract ${what} is refused`, () => {
    assert.throws(() => decodeContractBlob(encodeContractBlob(blob)), { code: 'INVALID_ARGUMENT', reason })
  })
}

test('other versions are refused, and a key where the version has none', () => {
  const bytes = Buffer.from(encodeContractBlob({ ...plain, key }))
  const dev = Buffer.concat([Buffer.from('0a03646576', 'hex'), bytes.subarray(3)])
  assert.throws(() => decodeContractBlob(dev), { reason: /Unsupported serialization version 'dev'/ })
  const old = Buffer.concat([Buffer.from('0a03322e31', 'hex'), bytes.subarray(3)])
  assert.throws(() => decodeContractBlob(old), { reason: /too old to support contract keys/ })
})

const exception = 'exception com.google.protobuf.InvalidProtocolBufferException'
const truncated =
  'While parsing a protocol message, the input ended unexpectedly in the middle of a field.  This could mean either ' +
  'that the input has been truncated or that an embedded message misreported its own length.'
const unreadable: [bytes: string, reason: string][] = [
  ['000000', `${exception}: Protocol message contained an invalid tag (zero). while decoding the versioned object`],
  ['0a', `${exception}: ${truncated} while decoding the versioned object`],
  ['0a03', `${exception}: ${truncated} while decoding the versioned object`],
  ['0a01ff', `${exception}: Protocol message had invalid UTF-8. while decoding the versioned object`],
  [
    '0c',
    `${exception}: Protocol message end-group tag did not match expected tag. while decoding the versioned object`,
  ],
  [
    '0e',
    `${exception}$InvalidWireTypeException: Protocol message tag had invalid wire type. while decoding the versioned object`,
  ],
  ['5200', 'Message of type com.digitalasset.daml.lf.transaction.Versioned contains unknown field numbered 10'],
  ['0a00', "Unsupported serialization version ''"],
  ['0a03322e31', 'cannot parse contractId ""'],
  ['0a03322e3112020a05', `${exception}: ${truncated} while decoding the object`],
  [
    '0a03322e3112025200',
    'Message of type com.digitalasset.daml.lf.transaction.FatContractInstance contains unknown field numbered 10',
  ],
]

for (const [hex, reason] of unreadable) {
  test(`bytes that are no contract are refused in the words of Canton: ${hex}`, () => {
    assert.throws(() => decodeContractBlob(Buffer.from(hex, 'hex')), { code: 'INVALID_ARGUMENT', reason })
  })
}

test('groups in groups are refused at a depth, however many they are', () => {
  const reason = /Protocol message had too many levels of nesting\./
  assert.throws(() => decodeContractBlob(Buffer.alloc(1_000_000, 0x0b)), { code: 'INVALID_ARGUMENT', reason })
})

test('damaged blobs are read or refused with a ValueError', () => {
  const whole = Buffer.from(encodeContractBlob({ ...plain, key }))
  fc.assert(
    fc.property(fc.nat(whole.length - 1), fc.nat(7), fc.nat(whole.length), (at, bit, length) => {
      const bytes = Buffer.from(whole)
      bytes[at]! ^= 1 << bit
      try {
        decodeContractBlob(bytes.subarray(0, length))
      } catch (error) {
        assert.ok(error instanceof ValueError, String(error))
      }
    }),
    { numRuns: 2000 },
  )
})
