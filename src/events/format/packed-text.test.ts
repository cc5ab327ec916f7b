import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { GrowingBytes } from '../../base/growing-bytes.ts'
import { PackedWords, phrases, wordCodes } from './packed-text.ts'
import { unpackBytes, unpackText } from './unpacking.ts'

const alice = 'alice::1220aa'
const contractId = `00${'a7'.repeat(68)}`
const base64 = Buffer.from(contractId, 'hex').toString('base64')
const longName = 'A7'.repeat(69)

const cases: [title: string, text: string, words: readonly string[], packed: string][] = [
  [
    'words that repeat',
    `"${alice}":["${alice}","bob"]`,
    [alice, 'eve'],
    '["alice::1220aa"]\n"\u0001":["\u0001","bob"]',
  ],
  ['a word in another', `"${alice}","mal${alice}"`, [alice], '["alice::1220aa"]\n"\u0001","mal\u0001"'],
  ['a word that JSON would escape', '"a\\\\b"', ['a\\\\b'], '[]\n"a\\\\b"'],
  ['a word with signs of replacements', '"$&$1"', ['$&$1'], '["$&$1"]\n"\u0001"'],
  ['a word that begins like a code', '"1::a1::a"', ['1::a'], '["1::a"]\n"\u0001\u0001"'],
  ['no word', '"é"', [], '[]\n"é"'],
  ['a contract id', `"${contractId}","${contractId}"`, [contractId], `["~${base64}"]\n"\u0001","\u0001"`],
  ['a few hexadecimal digits', '"00ab"', ['00ab'], '["00ab"]\n"\u0001"'],
  ['more digits than a contract id', `"${contractId}00"`, [`${contractId}00`], `["${contractId}00"]\n"\u0001"`],
  ['a party as long as a contract id', `"${longName}"`, [longName], `["${longName}"]\n"\u0001"`],
  ['a word that begins with the mark', '"~ab="', ['~ab='], '[]\n"~ab="'],
]

describe('a packed text', () => {
  for (const [title, text, words, packed] of cases) {
    test(`with ${title}`, () => {
      const packing = new PackedWords()
      const rest = packing.pack(text, words)
      assert.equal(packing.line() + rest, packed)
      assert.equal(gainOf(packing, rest) + rest.length, text.length)
      assert.equal(unpackText(packed), text)
      assert.equal(String(unpackBytes(Buffer.from(packed))), text)
    })
  }

  test('with every phrase', () => {
    const all = Object.values(phrases)
    const packed = `[]\n${all.map(([code]) => code).join('x')}`
    assert.equal(unpackText(packed), all.map(([, text]) => text).join('x'))
  })

  test('keeps the tabs of values, whose code is that of a word', () => {
    const packing = new PackedWords()
    const text = `{"a":"${alice}"\t \t}`
    const words = Array.from({ length: 12 }, (_, index) => `party-${index}::1220`)
    const packed = packing.pack(text + words.join(), [...words, alice])
    assert.ok(packed.includes('\t'), 'a word has that code')
    assert.equal(unpackText(packing.line() + packed), text + words.join())
  })

  test('of an older ledger has contract ids as they are', () => {
    assert.equal(unpackText(`["${contractId}","${alice}"]\n"\u0001":"\u0002"`), `"${contractId}":"${alice}"`)
  })

  test('has as many words as there are codes', () => {
    const packing = new PackedWords()
    const words = Array.from({ length: 40 }, (_, index) => `party-${index}::1220`)
    const text = words.map((word) => `"${word}"`).join()
    const packed = packing.pack(text, words)
    assert.equal(JSON.parse(packing.line()).length, wordCodes.length)
    assert.equal(unpackText(packing.line() + packed), text)
  })

  test('has nothing of the text before it, wherever it is cut', () => {
    const whole = `["${alice}","~${base64}"]\n"\u0001":"\u0002"`
    for (let length = 1; length < whole.length; length += 1) {
      assert.equal(unpackText(whole), `"${alice}":"${contractId}"`)
      const cut = whole.slice(0, length)
      const rest = cut.includes('\n') ? cut.slice(cut.indexOf('\n') + 1) : undefined
      const unpacked = unpackText(cut)
      if (rest === undefined) assert.ok(unpacked.length <= length, unpacked)
      else assert.equal(unpacked, rest.replace('\u0001', alice).replace('\u0002', contractId))
    }
    assert.equal(unpackText('[]\n"\u0001\u0002"'), '""')
  })

  test('may be large, and the next one is not', () => {
    const text = `${alice}é`.repeat(100_000)
    const packing = new PackedWords()
    const packed = packing.pack(text, [alice])
    assert.equal(unpackText(packing.line() + packed), text)
    assert.equal(String(unpackBytes(Buffer.from(packing.line() + packed))), text)
    assert.equal(unpackText('[]\n\u001f'), phrases.contractId[1])
  })

  test('gives each code one meaning', () => {
    const codes = [...wordCodes, ...Object.values(phrases).map(([code]) => code)]
    assert.equal(new Set(codes).size, codes.length)
    assert.ok(codes.every((code) => code < ' '))
    assert.ok(!wordCodes.includes('\n'), 'the list of words ends with the first one')
  })
})

test('a text that is not packed stays as it is', () => {
  const packing = new PackedWords(false)
  const text = `${packing.phrase.contractId}${packing.code(alice)}${packing.pack(alice, [alice])}`
  assert.equal(text, `"contractId":"${alice}${alice}`)
  assert.equal(gainOf(packing, text), 0)
  assert.equal(unpackText('"a"'), '"a"')
  assert.deepEqual(unpackBytes(new Uint8Array()), new Uint8Array())
})

/** How many bytes longer the text is when it is unpacked. */
function gainOf({ gains }: PackedWords, text: string): number {
  const bytes = new GrowingBytes()
  bytes.utf8(text)
  return bytes.weightFrom(0, gains)
}
