// COMPAT.md lists every builtin function of Daml-LF, and no others.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { builtins } from '../../src/lf/syntax/builtins.ts'

test('COMPAT.md names every builtin once', () => {
  const text = readFileSync(new URL('../../COMPAT.md', import.meta.url), 'utf8')
  const table = text.slice(text.indexOf('| builtins |'), text.indexOf('Packages are type-checked at upload'))
  const named = [...table.matchAll(/`([A-Z0-9_]+)`/g)].map(([, name]) => name!)
  assert.deepEqual(named.sort(), Object.keys(builtins).sort())
})
