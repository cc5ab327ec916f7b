import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { JsonReader, nameBytes } from './json-reader.ts'
import { MessageWriter } from './message-writer.ts'

const readerOf = (text: string) => new JsonReader(Buffer.from(text))

/** What textTo writes after the length. */
function written(text: string): string {
  const writer = new MessageWriter()
  readerOf(JSON.stringify(text)).textTo(writer)
  const bytes = Buffer.from(writer.finish())
  return bytes.subarray(bytes[0]! < 0x80 ? 1 : 2).toString()
}

test('texts are read and written, whatever is in them', () => {
  const texts = fc.string({ unit: fc.constantFrom('a', '"', '\\', '\n', 'é', '漢', '😀', '\0'), maxLength: 600 })
  fc.assert(
    fc.property(texts, (text) => {
      const json = readerOf(`${JSON.stringify(text)}1`)
      assert.equal(json.text(), text)
      assert.equal(json.integer(), 1)
      assert.equal(written(text), text)
    }),
    { numRuns: 300 },
  )
})

test('a quotation mark is found at every place', () => {
  for (let length = 0; length < 300; length += 1) {
    const text = 'x'.repeat(length)
    const json = readerOf(`"${text}""y"`)
    assert.equal(json.text(), text)
    assert.equal(json.text(), 'y')
    assert.equal(written(text), text)
  }
})

test('integers are exact, as numbers and as texts', () => {
  for (const integer of ['0', '-1', '42', '999999999999999', '-9223372036854775808', '9223372036854775807']) {
    for (const source of [integer, `"${integer}"`]) {
      const json = readerOf(`[${source},true]`)
      json.enter()
      assert.equal(BigInt(json.integer()), BigInt(integer))
      assert.ok(json.more())
      assert.ok(json.bool())
      assert.ok(!json.more() && json.isAtEnd())
    }
  }
})

test('any value is passed as a whole', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = JSON.stringify(value)
      const json = readerOf(`{"a":${text},"b":[${text},7]}`)
      json.enter()
      assert.ok(json.passed(nameBytes('a')))
      assert.equal(json.source(), text)
      assert.ok(json.more())
      assert.equal(json.name(), 'b')
      json.enter()
      json.skip()
      assert.ok(json.more())
      assert.equal(json.integer(), 7)
      assert.ok(!json.more() && !json.more() && json.isAtEnd())
    }),
    { numRuns: 300 },
  )
})

test('a text without an end is an error', () => {
  for (const source of ['"', '"abc', '"abcdefgh', '"abc\\"', '"abc\\']) {
    assert.throws(() => readerOf(source).text(), /has no end/, source)
  }
})
