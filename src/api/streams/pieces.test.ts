import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pieceLength, piecesOf } from './pieces.ts'

test('pieces make up the text, and no character is split', () => {
  for (const text of [
    '',
    'x',
    '\u{1F600}'.repeat(pieceLength),
    `x${'\u{1F600}'.repeat(pieceLength)}`,
    '\ud83d'.repeat(pieceLength),
  ]) {
    const pieces = [...piecesOf(text)]
    assert.equal(pieces.join(''), text)
    if (text.isWellFormed()) assert.ok(pieces.every((piece) => piece.isWellFormed()))
    assert.ok(pieces.every((piece) => piece.length <= pieceLength + 1))
  }
})
