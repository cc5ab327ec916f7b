// Types with shared parts: written out in full they would be far larger.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Type } from './ast.ts'
import { renderType, substitute } from './types.ts'

const pair = { packageId: 'p', module: 'M', name: 'Pair' }
const variable: Type = { kind: 'variable', name: 'a', args: [] }
const text: Type = { kind: 'builtin', name: 'Text', args: [] }

/** Pairs of pairs: two to the power of `depth`. */
function doubled(start: Type, depth: number): Type {
  let type = start
  for (let level = 0; level < depth; level += 1) type = { kind: 'constructor', id: pair, args: [type, type] }
  return type
}

test('a parameter is substituted once for each part, and shared parts stay shared', () => {
  let filled = substitute(doubled(variable, 60), new Map([['a', text]]))
  for (let level = 0; level < 60; level += 1) {
    assert.ok(filled.kind === 'constructor' && filled.args[0] === filled.args[1])
    filled = filled.args[0]!
  }
  assert.equal(filled, text)
})

test('types are shown up to a maximum number of parts', () => {
  assert.equal(renderType(doubled(text, 2), 'M'), 'Pair (Pair Text Text) (Pair Text Text)')
  assert.equal(renderType(doubled(text, 60), 'M'), '…')
})
