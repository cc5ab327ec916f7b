import assert from 'node:assert/strict'
import { test } from 'node:test'
import { plain } from '../../test/support/engine/evaluate.ts'
import type { Expression, Location, Module, Package, Type } from '../lf/syntax/ast.ts'
import { createEngine } from './engine.ts'
import { Failure } from './failures/failures.ts'

const packageId = 'p'.repeat(64)
const text: Type = { kind: 'builtin', name: 'Text', args: [] }
const at = (startLine: number, startColumn: number): Location => ({
  packageId,
  module: 'Main',
  startLine,
  startColumn,
  endLine: startLine,
  endColumn: startColumn + 1,
})
const nowhere = { location: undefined }
const value = (name: string): Expression => ({ kind: 'value', id: { packageId, module: 'Main', name }, ...nowhere })

const fails: Expression = {
  kind: 'application',
  function: { kind: 'builtin', name: 'ERROR', ...nowhere },
  args: [{ kind: 'literal', literal: { kind: 'text', value: 'broken' }, ...nowhere }],
  location: at(11, 4),
}
/** `let kept = fails in kept`, so that the call is not in tail position. */
const calls: Expression = {
  kind: 'let',
  bindings: [{ name: 'kept', type: text, bound: { ...value('fails'), location: at(20, 2) } }],
  body: { kind: 'variable', name: 'kept', ...nowhere },
  location: at(19, 0),
}
/** `loops = \x -> loops x`. */
const loops: Expression = {
  kind: 'abstraction',
  parameters: [{ name: 'x', type: text }],
  body: {
    kind: 'application',
    function: value('loops'),
    args: [{ kind: 'variable', name: 'x', ...nowhere }],
    ...nowhere,
  },
  ...nowhere,
}

const textOf = (literal: string): Expression => ({
  kind: 'literal',
  literal: { kind: 'text', value: literal },
  ...nowhere,
})
const oddNames: Expression = {
  kind: 'struct',
  fields: ['__proto__', 'constructor', 'toString'].map((name) => ({ name, value: textOf(name) })),
  ...nowhere,
}
const oddName: Expression = { kind: 'struct-projection', field: '__proto__', struct: oddNames, ...nowhere }
const oddUpdate: Expression = {
  kind: 'struct-update',
  field: '__proto__',
  struct: oddNames,
  value: textOf('new'),
  ...nowhere,
}

const variableOf = (name: string): Expression => ({ kind: 'variable', name, ...nowhere })
const functionOf = (name: string, body: Expression): Expression => ({
  kind: 'abstraction',
  parameters: [{ name, type: text }],
  body,
  ...nowhere,
})
const apply = (called: Expression, ...args: Expression[]): Expression => {
  return { kind: 'application', function: called, args, ...nowhere }
}
/** `let f = \x -> /\t. \y -> x <> y in (f "a" @t) "b"`: a type parameter between value parameters. */
const betweenTypes: Expression = {
  kind: 'let',
  bindings: [
    {
      name: 'f',
      type: text,
      bound: functionOf('x', {
        kind: 'type-abstraction',
        parameters: [{ name: 't', kind: { kind: 'star' } }],
        body: functionOf(
          'y',
          apply({ kind: 'builtin', name: 'APPEND_TEXT', ...nowhere }, variableOf('x'), variableOf('y')),
        ),
        ...nowhere,
      }),
    },
  ],
  body: apply(
    { kind: 'type-application', expression: apply(variableOf('f'), textOf('a')), types: [text], ...nowhere },
    textOf('b'),
  ),
  ...nowhere,
}

function packageWith(bodies: Record<string, Expression>): Package {
  const values = Object.entries(bodies).map(([name, body]) => [name, { name, type: text, body: () => body }] as const)
  const main: Module = {
    name: 'Main',
    synonyms: new Map(),
    dataTypes: new Map(),
    values: new Map(values),
    templates: new Map(),
    exceptions: new Map(),
    interfaces: new Map(),
  }
  return {
    id: packageId,
    languageVersion: '2.1',
    name: 'test',
    version: '1.0.0',
    upgrades: undefined,
    imports: undefined,
    modules: new Map([['Main', main]]),
  }
}

const bodies = { fails, calls, loops, oddNames, oddName, oddUpdate, betweenTypes }
const engine = createEngine(new Map([[packageId, packageWith(bodies)]]))
const evaluate = (name: string, ...args: unknown[]) =>
  engine.evaluate({ packageId, module: 'Main', name }, args, 10_000)

test('a failure names the definitions and places in Daml that it came from', () => {
  assert.throws(
    () => evaluate('calls'),
    (error) => {
      const origins = engine.code.originsOf(error as Error)
      const places = origins.map(({ definition, location }) => [definition, location?.startLine, location?.startColumn])
      assert.deepEqual(places.slice(0, 1), [['Main:fails', 11, 4]])
      assert.ok(places.some(([definition, line]) => definition === 'Main:calls' && line === 20))
      return true
    },
  )
})

test('an endless loop ends when its steps are used up', () => {
  assert.throws(
    () => evaluate('loops', 'x'),
    (error) => error instanceof Failure && error.code === 'INTERPRETATION_TIME_EXCEEDED',
  )
})

test('a value that failed is computed anew the next time', () => {
  assert.throws(() => evaluate('fails'), /User abort: broken/)
  assert.throws(() => evaluate('fails'), /User abort: broken/)
})

test('a function with a type parameter between its parameters waits for all of them', () => {
  assert.equal(evaluate('betweenTypes'), 'ab')
})

test('fields may have names that mean something to JavaScript', () => {
  assert.equal(evaluate('oddName'), '__proto__')
  assert.deepEqual(plain(evaluate('oddUpdate')), [
    ['__proto__', 'new'],
    ['constructor', 'constructor'],
    ['toString', 'toString'],
  ])
})
