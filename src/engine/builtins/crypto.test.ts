import assert from 'node:assert/strict'
import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { test } from 'node:test'
import { evaluate } from '../../../test/support/engine/evaluate.ts'
import type { BuiltinName } from '../../lf/syntax/builtins.ts'

const malformed = (what: string, cause: string) =>
  `INTERPRETATION_CRYPTO_ERROR_MALFORMED_BYTE_ENCODING: Invalid byte encoding format for ${what} :\n${cause}`
const emptySha256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'

const cases: [name: BuiltinName, arg: string, want: string][] = [
  ['SHA256_TEXT', '', emptySha256],
  ['SHA256_TEXT', 'é', '4a99557e4033c3539de2eb65472017cad5f9557f7a0625a09f1c3f6e2ba69c4c'],
  ['SHA256_HEX', '', emptySha256],
  ['SHA256_HEX', 'c3a9', '4a99557e4033c3539de2eb65472017cad5f9557f7a0625a09f1c3f6e2ba69c4c'],
  ['SHA256_HEX', 'FF', malformed('FF', 'can not parse hex string')],
  ['SHA256_HEX', 'abc', malformed('abc', 'can not parse hex string')],
  ['SHA256_HEX', 'ff\n', malformed('ff\n', 'can not parse hex string')],
  ['KECCAK256_TEXT', '', 'c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470'],
  ['KECCAK256_TEXT', '616263', '4e03657aea45a94fc7d47ba826c8d667c0d1e6e33a64a036ec44f58fa12d6c45'],
  ['KECCAK256_TEXT', '0x00', malformed('0x00', 'can not parse hex string')],
  ['TEXT_TO_HEX', 'a😀', '61f09f9880'],
  ['TEXT_TO_HEX', '\ud83d', '3f'],
  ['HEX_TO_TEXT', '61f09f9880', 'a😀'],
  ['HEX_TO_TEXT', 'efbbbf61', '\ufeffa'],
  ['HEX_TO_TEXT', 'ff', '\ufffd'],
  ['HEX_TO_TEXT', 'eda080', '\ufffd'],
  ['HEX_TO_TEXT', 'eda061', '\ufffda'],
  ['HEX_TO_TEXT', 'ed9fbf', '\ud7ff'],
  ['HEX_TO_TEXT', 'f4908080', '\ufffd\ufffd\ufffd\ufffd'],
  ['HEX_TO_TEXT', 'fg', malformed('fg', 'can not parse hex string argument')],
]

for (const [name, arg, want] of cases) {
  test(`${name} ${JSON.stringify(arg)}`, () => assert.equal(evaluate(name, [arg]), want))
}

// ── Signatures

const message = Buffer.from('a message')
const messageHex = message.toString('hex')
const digestHex = createHash('sha256').update(message).digest('hex')
const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

const derOf = (key: KeyObject) => key.export({ format: 'der', type: 'spki' }).toString('hex')
const keyPairOf = (namedCurve: string) => generateKeyPairSync('ec', { namedCurve })
const { publicKey, privateKey } = keyPairOf('secp256k1')
const key = derOf(publicKey)
const signature = sign('sha256', message, privateKey).toString('hex')

const verifyBoth = (signatureHex: string, keyHex: string) => [
  evaluate('SECP256K1_BOOL', [signatureHex, messageHex, keyHex]),
  evaluate('SECP256K1_WITH_ECDSA_BOOL', [signatureHex, digestHex, keyHex]),
]

/** DER of two integers, given as the hex of their contents. */
function derSignature(...integers: string[]): string {
  const byte = (value: number) => value.toString(16).padStart(2, '0')
  const content = integers.map((hex) => `02${byte(hex.length / 2)}${hex}`).join('')
  return `30${byte(content.length / 2)}${content}`
}

const integerHex = (value: bigint) => {
  const hex = value.toString(16)
  const even = hex.length % 2 === 0 ? hex : `0${hex}`
  return even >= '8' ? `00${even}` : even
}

for (const curve of ['secp256k1', 'prime256v1', 'secp384r1', 'secp521r1']) {
  test(`a signature on ${curve} verifies with its key and message only`, () => {
    const pair = keyPairOf(curve)
    const own = sign('sha256', message, pair.privateKey).toString('hex')
    assert.deepEqual(verifyBoth(own, derOf(pair.publicKey)), [true, true])
    assert.deepEqual(verifyBoth(own, derOf(keyPairOf(curve).publicKey)), [false, false])
    assert.equal(evaluate('SECP256K1_BOOL', [own, '', derOf(pair.publicKey)]), false)
    assert.equal(evaluate('SECP256K1_WITH_ECDSA_BOOL', [own, '', derOf(pair.publicKey)]), false)
  })
}

test('a signature verifies with a high s as well', () => {
  const [r, s] = integersOf(signature)
  assert.deepEqual(verifyBoth(derSignature(integerHex(r), integerHex(order - s)), key), [true, true])
})

function integersOf(hex: string): [bigint, bigint] {
  const length = 2 * Number.parseInt(hex.slice(6, 8), 16)
  return [BigInt(`0x${hex.slice(8, 8 + length)}`), BigInt(`0x${hex.slice(8 + length + 4)}`)]
}

test('a signature of zeros is well-formed and verifies nothing', () => {
  assert.deepEqual(verifyBoth(derSignature('00', '00'), key), [false, false])
})

const malformedSignatures: [what: string, hex: string][] = [
  ['nothing', ''],
  ['a byte', '00'],
  ['one byte less', signature.slice(0, -2)],
  ['one byte more', `${signature}00`],
  ['one integer', derSignature('01')],
  ['three integers', derSignature('01', '01', '01')],
  ['a needless zero', derSignature('0001', '01')],
  ['an empty integer', derSignature('', '01')],
  ['a negative integer', derSignature('80', '01')],
  ['the order itself', derSignature(integerHex(order), '01')],
  ['a long form of length', '308106020101020101'],
]

for (const [what, hex] of malformedSignatures) {
  test(`${what} is not a signature`, () => {
    const want = `INTERPRETATION_CRYPTO_ERROR_MALFORMED_SIGNATURE: Malformed signature for ${hex} :\nerror decoding signature bytes.`
    assert.deepEqual(verifyBoth(hex, key), [want, want])
  })
}

const java = (cause: string) => `java.security.InvalidKeyException: ${cause}`
const malformedKeys: [what: string, hex: string, cause: string][] = [
  ['nothing', '', java('IOException: Tag number over 30 is not supported')],
  ['a byte', '00', java('IOException: Short read of DER length')],
  ['one byte less', key.slice(0, -2), java('IOException: null')],
  ['an integer', '020101', java('invalid key format')],
  ['a compressed point', key.replace('03420004', '03420002'), java('Invalid EC key')],
  [
    'an unknown curve',
    key.replace('2b8104000a', '2b8104007f'),
    java('IOException: Unknown named curve: 1.3.132.0.127'),
  ],
]

for (const [what, hex, cause] of malformedKeys) {
  test(`${what} is not a key`, () => {
    const want = `INTERPRETATION_CRYPTO_ERROR_MALFORMED_KEY: Malformed public key for ${hex} :\n${cause}`
    assert.deepEqual(verifyBoth('00', hex), [want, want])
    assert.equal(evaluate('SECP256K1_VALIDATE_KEY', [hex]), want)
  })
}

test('a point off the curve cannot verify, and is not valid', () => {
  const beside = `${key.slice(0, -2)}${key.endsWith('00') ? '01' : '00'}`
  const want = malformed(beside, 'can not parse DER encoded public key hex string')
  assert.deepEqual(verifyBoth(signature, beside), [want, want])
  assert.equal(evaluate('SECP256K1_VALIDATE_KEY', [beside]), false)
  assert.equal(evaluate('SECP256K1_VALIDATE_KEY', [key]), true)
  assert.equal(evaluate('SECP256K1_VALIDATE_KEY', [derOf(keyPairOf('prime256v1').publicKey)]), false)
})

test('hex is checked first: the message before the signature where the message is hashed', () => {
  const no = 'no hex'
  const cause = (what: string) => malformed(no, `can not parse ${what} hex string`)
  assert.equal(evaluate('SECP256K1_BOOL', [no, no, no]), cause('message'))
  assert.equal(evaluate('SECP256K1_WITH_ECDSA_BOOL', [no, no, no]), cause('signature'))
  assert.equal(evaluate('SECP256K1_WITH_ECDSA_BOOL', ['00', no, no]), cause('message'))
  assert.equal(evaluate('SECP256K1_BOOL', ['00', '00', no]), cause('DER encoded public key'))
  assert.equal(evaluate('SECP256K1_VALIDATE_KEY', [no]), cause('DER encoded public key'))
})
