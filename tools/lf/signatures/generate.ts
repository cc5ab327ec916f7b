// Keys and signatures with something wrong, or unusual: generate.ts SEED COUNT writes lines for Reference.java.
import { createHash } from 'node:crypto'
import { brainpoolP256r1 } from '@noble/curves/misc.js'
import { p256, p384, p521 } from '@noble/curves/nist.js'
import { secp256k1 } from '@noble/curves/secp256k1.js'

const [seed, count] = process.argv.slice(2).map(Number) as [number, number]
let state = seed >>> 0
/** A number below the limit, of a linear congruential generator. */
function below(limit: number): number {
  state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
  return Math.floor((state / 2 ** 32) * limit)
}
const oneOf = <T>(choices: readonly T[]): T => choices[below(choices.length)]!
const bytes = (...values: number[]) => Uint8Array.from(values)
const fromHex = (hex: string) => Uint8Array.from(Buffer.from(hex, 'hex'))
const toHex = (value: Uint8Array) => Buffer.from(value).toString('hex')

// ── DER as a tree, so that parts can be changed and the lengths around them stay right

type Form = 'shortest' | 'long' | 'longer' | 'indefinite'
type Value = { tag: number; content: Uint8Array | Value[]; form: Form }

const value = (tag: number, content: Uint8Array | Value[]): Value => ({ tag, content, form: 'shortest' })

function encode({ tag, content, form }: Value): Uint8Array {
  const body = Array.isArray(content) ? Buffer.concat(content.map(encode)) : content
  const high = (body.length >> 8) & 0xff
  const low = body.length & 0xff
  if (form === 'indefinite') return Buffer.concat([bytes(tag, 0x80), body, bytes(0, 0)])
  if (form === 'longer' || high > 0) return Buffer.concat([bytes(tag, 0x82, high, low), body])
  return Buffer.concat([form === 'long' || low >= 0x80 ? bytes(tag, 0x81, low) : bytes(tag, low), body])
}

const withParts = (whole: Value): Value[] => [
  whole,
  ...(Array.isArray(whole.content) ? whole.content.flatMap(withParts) : []),
]

// ── Keys and signatures that are right

const identifiers = [
  '2a8648ce3d0201', // EC public key, the algorithm
  '2b8104000a', // secp256k1
  '2a8648ce3d030107', // P-256
  '2b81040022', // P-384
  '2b81040023', // P-521
  '2b2403030208010107', // brainpoolP256r1
  '2b81040020', // secp224k1, of which we know the size only
  '2a864886f70d010101', // RSA, the algorithm
  '2a8648ce3e0201', // Diffie-Hellman, the algorithm
]
const [ecPublicKey] = identifiers as [string]
const curves = [
  { curve: secp256k1, identifier: identifiers[1]! },
  { curve: p256, identifier: identifiers[2]! },
  { curve: p384, identifier: identifiers[3]! },
  { curve: p521, identifier: identifiers[4]! },
  { curve: brainpoolP256r1, identifier: identifiers[5]! },
]

type Signed = { digest: Uint8Array; key: Value; signature: Value }

/** Making them is slow, so a few serve for all cases. */
const signed: Signed[] = Array.from({ length: 40 }, makeSigned)

function makeSigned(): Signed {
  const { curve, identifier } = oneOf([...curves, curves[0]!, curves[0]!])
  const { publicKey, secretKey } = curve.keygen(Buffer.alloc(curve.lengths.seed!, `${seed} ${below(1000)}`))
  const digest = createHash(oneOf(['sha256', 'sha256', 'sha1', 'sha512']))
    .update(`${below(1000)}`)
    .digest()
  const both = curve.sign(digest, secretKey, { prehash: false, format: 'compact', lowS: false })
  const integers = [both.subarray(0, both.length / 2), both.subarray(both.length / 2)].map(integer)
  const algorithm = [ecPublicKey, identifier].map((hex) => value(0x06, fromHex(hex)))
  const point = curve.Point.fromBytes(publicKey).toBytes(false)
  const key = value(0x30, [value(0x30, algorithm), value(0x03, Buffer.concat([bytes(0), point]))])
  return { digest, key, signature: value(0x30, integers) }
}

function integer(unsigned: Uint8Array): Value {
  const start = unsigned.findIndex((byte) => byte !== 0)
  const shortest = unsigned.subarray(start < 0 ? unsigned.length - 1 : start)
  return value(0x02, shortest[0]! < 0x80 ? shortest : Buffer.concat([bytes(0), shortest]))
}

// ── What is done to them

function changeBytes(original: Uint8Array): Uint8Array {
  let changed = Buffer.from(original)
  for (let times = 1 + below(2); times > 0; times -= 1) {
    const at = below(below(2) === 0 ? changed.length : Math.min(changed.length, 32))
    const [before, after] = [changed.subarray(0, at), changed.subarray(at)]
    const byte = after[0] ?? 0
    changed = Buffer.concat(
      oneOf([
        () => [before, bytes(below(256)), after.subarray(1)],
        () => [before, bytes((byte + oneOf([1, 255])) & 0xff), after.subarray(1)],
        () => [before, bytes(byte ^ (1 << below(8))), after.subarray(1)],
        () => [before, bytes(below(256)), after],
        () => [before, after.subarray(1)],
        () => [before],
        () => [changed, bytes(below(256))],
      ])(),
    )
  }
  return changed
}

function changeStructure(whole: Value): Uint8Array {
  for (let times = 1 + below(2); times > 0; times -= 1) changePart(oneOf(withParts(whole)))
  return encode(whole)
}

function changePart(part: Value): void {
  const { tag, content } = part
  const what = below(6)
  if (what === 0) {
    part.form = oneOf(['long', 'longer', 'indefinite'])
  } else if (what === 1) {
    part.tag = oneOf([2, 3, 4, 5, 6, 0x0a, 0x13, 0x23, 0x24, 0x30, 0x31, 0x9f, 0xa0, below(256)])
  } else if (Array.isArray(content)) {
    if (what < 4) content.push(oneOf([value(5, bytes()), value(2, bytes(1))]))
    else content.splice(below(content.length), 1)
  } else if (what < 4) {
    part.content = changeBytes(content)
  } else if (tag === 0x03) {
    part.content = changePoint(content.subarray(1))
  } else if (tag === 0x06) {
    part.content = fromHex(oneOf(identifiers))
  } else {
    part.content = changeInteger(content)
  }
}

/** A bit string: its unused bits, and the point in another form. */
function changePoint(point: Uint8Array): Uint8Array {
  const x = point.subarray(1, (1 + point.length) / 2)
  const parity = point.at(-1)! & 1
  const right = oneOf([parity, parity, 1 - parity])
  return Buffer.concat(
    oneOf([
      () => [bytes(below(10)), point],
      () => [bytes(0, 2 + right), x],
      () => [bytes(0, 6 + right), point.subarray(1)],
      () => [bytes(0, 4, 1 + x.length, 2 + right), x],
      () => [bytes(0, 0)],
    ])(),
  )
}

function changeInteger(content: Uint8Array): Uint8Array {
  const orders = curves.map(({ curve }) =>
    fromHex(`00${curve.Point.Fn.ORDER.toString(16)}`.slice(-2 * curve.Point.Fn.BYTES)),
  )
  return oneOf([Buffer.concat([bytes(0), content]), bytes(), bytes(0), bytes(0x80), ...orders])
}

for (let made = 0; made < count; made += 1) {
  const { digest, key, signature } = structuredClone(oneOf(signed))
  const change = oneOf([(whole: Value) => changeBytes(encode(whole)), changeStructure])
  const fields = oneOf([
    () => [toHex(encode(signature)), toHex(digest), toHex(change(key))],
    () => [toHex(change(signature)), toHex(digest), toHex(encode(key))],
    () => ['validate', '', toHex(change(key))],
  ])()
  process.stdout.write(`${fields.join(' ')}\n`)
}
