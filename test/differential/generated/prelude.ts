// What every generated package has: a few data types, exceptions, and functions that recurse with a bound.
import type { DataType, Exception, Type, Value } from '../../../src/lf/syntax/ast.ts'
import { builtin, e, ofStar, p, types } from './syntax.ts'

const { int64, text, bool } = types
const [a, b] = [types.variable('a'), types.variable('b')]

type Fields = readonly (readonly [name: string, type: Type])[]

export function record(name: string, parameters: readonly string[], fields: Fields, isSerializable = true): DataType {
  const those = fields.map(([field, type]) => ({ name: field, type }))
  return { name, parameters: parameters.map(ofStar), isSerializable, constructors: { kind: 'record', fields: those } }
}

export function variant(name: string, parameters: readonly string[], fields: Fields): DataType {
  const those = fields.map(([field, type]) => ({ name: field, type }))
  return {
    name,
    parameters: parameters.map(ofStar),
    isSerializable: true,
    constructors: { kind: 'variant', fields: those },
  }
}

export function enumeration(name: string, names: readonly string[]): DataType {
  return { name, parameters: [], isSerializable: true, constructors: { kind: 'enum', names } }
}

const tree = types.data('Tree', a)

/** Those that values are made of. */
export const preludeData: readonly DataType[] = [
  record(
    'Pair',
    ['a', 'b'],
    [
      ['first', a],
      ['second', b],
    ],
  ),
  variant(
    'Either',
    ['a', 'b'],
    [
      ['Left', a],
      ['Right', b],
    ],
  ),
  variant(
    'Tree',
    ['a'],
    [
      ['Leaf', types.unit],
      ['Node', types.data('Node', a)],
    ],
  ),
  record(
    'Node',
    ['a'],
    [
      ['left', tree],
      ['value', a],
      ['right', tree],
    ],
  ),
  enumeration('Colour', ['Red', 'Green', 'Blue']),
]

/** How to compare and to show a type, as a type class does. */
export const dictionary: DataType = record(
  'Showing',
  ['a'],
  [
    ['less', types.to(a, a, bool)],
    ['show', types.to(a, text)],
  ],
  false,
)

export const exceptionData: readonly DataType[] = [
  record(
    'Oops',
    [],
    [
      ['code', int64],
      ['why', text],
    ],
  ),
  record('Speechless', [], [['why', text]]),
]

const oops = types.data('Oops')

export const exceptions: readonly Exception[] = [
  {
    name: 'Oops',
    message: () =>
      e.lambda(
        [{ name: 'e', type: oops }],
        builtin('APPEND_TEXT', [], e.text('Oops: '), e.field(oops, 'why', e.variable('e'))),
      ),
  },
  {
    name: 'Speechless',
    message: () =>
      e.lambda(
        [{ name: 'e', type: types.data('Speechless') }],
        e.throw(text, oops, e.record(oops, ['code', e.int64(1)], ['why', e.text('speechless')])),
      ),
  },
]

const v = e.variable
const isDone = builtin('LESS_EQ', [int64], v('n'), e.int64(0))
const less = builtin('SUB_INT64', [], v('n'), e.int64(1))
const step = types.to(int64, a, a)
const loopParameters = [
  { name: 'n', type: int64 },
  { name: 'f', type: step },
  { name: 'z', type: a },
]
const again = (name: string, ...args: Parameters<typeof e.call>[1][]) => e.call(e.at(e.value(name), a), ...args)

function value(name: string, type: Type, body: ReturnType<Value['body']>): Value {
  return { name, type, body: () => body }
}

const overLists = types.forall(['a', 'b'], types.to(types.to(a, b), types.list(a), types.list(b)))
const folding = types.forall(['a'], types.to(int64, step, a, a))

export const preludeValues: readonly Value[] = [
  /** In tail position. */
  value(
    'loop',
    folding,
    e.typeLambda(
      ['a'],
      e.lambda(
        loopParameters,
        e.match(isDone, [p.true, v('z')], [p.false, again('loop', less, v('f'), e.call(v('f'), v('n'), v('z')))]),
      ),
    ),
  ),
  /** Not in tail position. */
  value(
    'stack',
    folding,
    e.typeLambda(
      ['a'],
      e.lambda(
        loopParameters,
        e.match(isDone, [p.true, v('z')], [p.default, e.call(v('f'), v('n'), again('stack', less, v('f'), v('z')))]),
      ),
    ),
  ),
  value(
    'map',
    overLists,
    e.typeLambda(
      ['a', 'b'],
      e.lambda(
        [
          { name: 'f', type: types.to(a, b) },
          { name: 'xs', type: types.list(a) },
        ],
        e.match(
          v('xs'),
          [p.nil, e.nil(b)],
          [
            p.cons('x', 'rest'),
            e.cons(b, [e.call(v('f'), v('x'))], e.call(e.at(e.value('map'), a, b), v('f'), v('rest'))),
          ],
        ),
      ),
    ),
  ),
  value(
    'filter',
    types.forall(['a'], types.to(types.to(a, bool), types.list(a), types.list(a))),
    e.typeLambda(
      ['a'],
      e.lambda(
        [
          { name: 'f', type: types.to(a, bool) },
          { name: 'xs', type: types.list(a) },
        ],
        builtin(
          'FOLDR',
          [a, types.list(a)],
          e.lambda(
            [
              { name: 'x', type: a },
              { name: 'rest', type: types.list(a) },
            ],
            e.match(e.call(v('f'), v('x')), [p.true, e.cons(a, [v('x')], v('rest'))], [p.false, v('rest')]),
          ),
          e.nil(a),
          v('xs'),
        ),
      ),
    ),
  ),
  value(
    'even',
    types.to(int64, bool),
    e.lambda(
      [{ name: 'n', type: int64 }],
      e.match(isDone, [p.true, e.bool(true)], [p.false, e.call(e.value('odd'), less)]),
    ),
  ),
  value(
    'odd',
    types.to(int64, bool),
    e.lambda(
      [{ name: 'n', type: int64 }],
      e.match(isDone, [p.true, e.bool(false)], [p.false, e.call(e.value('even'), less)]),
    ),
  ),
  value(
    'insert',
    types.forall(['a'], types.to(types.data('Showing', a), a, types.list(a), types.list(a))),
    e.typeLambda(
      ['a'],
      e.lambda(
        [
          { name: 'd', type: types.data('Showing', a) },
          { name: 'x', type: a },
          { name: 'xs', type: types.list(a) },
        ],
        e.match(
          v('xs'),
          [p.nil, e.cons(a, [v('x')], e.nil(a))],
          [
            p.cons('y', 'rest'),
            e.match(
              e.call(e.field(types.data('Showing', a), 'less', v('d')), v('x'), v('y')),
              [p.true, e.cons(a, [v('x'), v('y')], v('rest'))],
              [p.default, e.cons(a, [v('y')], e.call(e.at(e.value('insert'), a), v('d'), v('x'), v('rest')))],
            ),
          ],
        ),
      ),
    ),
  ),
]
