// Hashes, hexadecimal text and secp256k1. Keys and signatures were generated for these cases; the private keys were
// discarded.
import { createHash } from 'node:crypto'
import { type Cases, inPackage, text } from './case.ts'

const apply = inPackage('builtins-lf21')
const apply23 = inPackage('builtins-lf23')
const hex = (value: string) => Buffer.from(value).toString('hex')

const key =
  '3056301006072a8648ce3d020106052b8104000a03420004fef426f924109297e008d1d7b8ab7d797eb323a7c129112bc404676402c7e9d4a3885591b9e1b4b710d9c4791502fcbd07ab9fc6cfb42d8a8f25fc1bb64adf64'
const otherKey =
  '3056301006072a8648ce3d020106052b8104000a03420004ae21ac0f7626f66489b417b0cf36c7d354787ffb10642aa5ecf7b37ada94f9f8bca32f21cda8afdae721141dc1e39d725856f1e2cbda997b3e834ec8f37df24b'
const keyOfOtherCurve =
  '3059301306072a8648ce3d020106082a8648ce3d0301070342000410fe3c667c518624fbb019e8eac5b41f49bd1f72358ce956f25bf17d1e115a5f18490440afe48187f07116a5a2ac353a9655b3912f3f84e7218d28463ce9d413'
const offCurve = `${key.slice(0, -2)}65`
const r = '022100bcd90c99151278845ff7468a7f637dd1597464f321fdc62751308c5fb737de61'
// A signature of 'a message' and its twin, with s replaced by the group order minus s.
const signature = `3045${r}0220594e518be2e13fab6a382b57eb0ba64c4361752394bf496be2917515d135c7c9`
const twin = `3046${r}022100a6b1ae741d1ec05495c7d4a814f459b2774d67c31a8956cfdd40e976ff007978`
const message = hex('a message')
const digest = createHash('sha256').update('a message').digest('hex')

const texts = [
  '',
  'a',
  'abc',
  '\u00e9',
  '\u{1f600}',
  'A longer text, over several blocks of the hash function.'.repeat(4),
]
const hexes = ['', '00', 'ff', '616263', 'c3a9', 'f09f9880', 'FF', 'fF', 'f', 'fg', ' ff', '0x00', 'abc']
const signatures: [signature: string, message: string, key: string][] = [
  [signature, message, key],
  [twin, message, key],
  [signature, hex('another message'), key],
  [signature, message, otherKey],
  [signature, '', key],
  [signature.toUpperCase(), message, key],
  ['', message, key],
  ['00', message, key],
  [signature.slice(0, -2), message, key],
  [`${signature}00`, message, key],
  ['no hex', message, key],
  [signature, 'no hex', key],
  [signature, message, 'no hex'],
  [signature, message, ''],
  [signature, message, '00'],
  [signature, message, key.slice(0, -2)],
  [signature, message, offCurve],
  [signature, message, keyOfOtherCurve],
  ['no hex', 'no hex', 'no hex'],
  ['00', 'no hex', '00'],
  ['00', message, '00'],
]

export default {
  dars: ['test/lf/builtins-lf21.dar', 'test/lf/builtins-lf23.dar'],
  cases: [
    ...texts.flatMap((value) => [apply('Crypto:sha256', text(value)), apply('Crypto:toHex', text(value))]),
    ...['sha256OfHex', 'keccak256OfHex', 'fromHex'].flatMap((name) =>
      hexes.map((value) => apply(`Crypto:${name}`, text(value))),
    ),
    apply('Crypto:fromHex', text('c3')),
    apply('Crypto:fromHex', text('eda080')),
    apply('Crypto:fromHex', text('f4908080')),
    apply('Crypto:fromHex', text('c080')),
    ...signatures.flatMap(([s, m, k]) => [
      apply('Crypto:secp256k1', text(s), text(m), text(k)),
      apply('Crypto:secp256k1OfDigest', text(s), text(m === message ? digest : m), text(k)),
    ]),
    ...[key, otherKey, keyOfOtherCurve, offCurve, key.slice(0, -2), '', '00', 'no hex', key.toUpperCase()].map(
      (value) => apply23('Crypto23:isSecp256k1Key', text(value)),
    ),
  ],
} satisfies Cases
