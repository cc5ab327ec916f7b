// Random programs that are nearly well-typed, for fast-check: expressions are generated for a type, but now and then
// one of another type takes the place of what belongs there.
import fc from 'fast-check'
import type { BuiltinName } from '../../../src/lf/syntax/builtins.ts'
import type { Written } from '../lf/package-writer.ts'
import { type Hostile, hostile } from './hostile-packages.ts'
import type { IllTypedParts } from './ill-typed-package.ts'
import { expressionOfKind, type ValueKind, valueKinds } from './kinds-of-values.ts'

type Program = (parts: IllTypedParts) => Written
type Make = (...inner: Program[]) => Program

/** A way to make a value of a type from values of others. */
type Row = readonly [takes: readonly Sort[], make: Make]
type Sort = 'int' | 'text' | 'bool' | 'unit' | 'party' | 'numeric' | 'list' | 'optional' | 'map' | MoreSorts
type MoreSorts = 'record' | 'variant' | 'enum' | 'struct' | 'function' | 'update' | 'id' | 'template' | 'any'

const call =
  (name: BuiltinName): Make =>
  (...args) =>
  (parts) =>
    parts.write.call(parts.write.builtin(name), ...args.map((arg) => arg(parts)))

const of = (kind: ValueKind): Row => [[], () => (parts) => expressionOfKind(kind, parts)]

/** Names of struct fields here, and some names of JavaScript. */
const names = ['s', 's', 's', 's', 's', 't', 'constructor', '__proto__', 'then']

const match =
  (patterns: (parts: IllTypedParts) => Written[]): Make =>
  (scrutinee, ...bodies) =>
  (parts) =>
    parts.write.match(
      scrutinee!(parts),
      ...patterns(parts).map((pattern, index): [Written, Written] => [pattern, bodies[index % bodies.length]!(parts)]),
    )

/** Ways to make any type from parts of that type. */
const branches = (sort: Sort): Row[] => [
  [['bool', sort, sort], (c, a, b) => (p) => p.write.ifTrue(c!(p), a!(p), b!(p))],
  [['list', sort, sort], match(({ write }) => [write.patterns.nil, write.patterns.cons('h', 'l')])],
  [['optional', sort, sort], match(({ write }) => [write.patterns.none, write.patterns.some('x')])],
  [['variant', sort, sort], match(({ write }) => [write.patterns.variant('V', 'A', 'x'), write.patterns.otherwise])],
  [['enum', sort, sort], match(({ write }) => ['X', 'Y'].map((tag) => write.patterns.enumeration('E', tag)))],
  [['unit', sort], match(({ write }) => [write.patterns.unit])],
  [['int', sort], (bound, body) => (p) => p.write.let('v', p.types.int, bound!(p), body!(p))],
  [['text', sort], (text, value) => (p) => p.write.call(p.write.builtin('TRACE'), text!(p), value!(p))],
]

const rows: Readonly<Record<Sort, readonly Row[]>> = {
  int: [
    of('int'),
    of('large int'),
    [['int', 'int'], call('ADD_INT64')],
    [['int', 'int'], call('MUL_INT64')],
    [['int', 'int'], call('DIV_INT64')],
    [['numeric'], call('NUMERIC_TO_INT64')],
    [['map'], call('GENMAP_SIZE')],
    [['function', 'int', 'list'], call('FOLDL')],
    [['function', 'int'], (f, x) => (p) => p.write.call(f!(p), x!(p), x!(p))],
    [['record'], (record) => (p) => p.write.field('R', 'a', record!(p))],
    ...names.map((name): Row => [['struct'], (struct) => (p) => p.write.structField(name, struct!(p))]),
    [['template'], (value) => (p) => p.write.callMethod('I', 'm', value!(p))],
  ],
  text: [
    of('text'),
    [['text', 'text'], call('APPEND_TEXT')],
    [['int'], call('INT64_TO_TEXT')],
    [['numeric'], call('NUMERIC_TO_TEXT')],
    [['party'], call('PARTY_TO_TEXT')],
    [['text'], call('SHA256_TEXT')],
    [['int'], call('DATE_TO_TEXT')],
    [['any'], call('ANY_EXCEPTION_MESSAGE')],
    [['record'], (record) => (p) => p.write.field('R', 'b', record!(p))],
  ],
  bool: [
    of('bool'),
    [['int', 'int'], call('EQUAL')],
    [['record', 'record'], call('EQUAL')],
    [['struct', 'struct'], call('LESS')],
    [['any', 'any'], call('GREATER_EQ')],
    [['text', 'text'], call('LESS_EQ')],
    [['function', 'list', 'list'], call('EQUAL_LIST')],
  ],
  unit: [of('unit')],
  party: [of('party'), [['template'], (value) => (p) => p.write.field('T', 'owner', value!(p))]],
  numeric: [
    of('numeric'),
    [['numeric', 'numeric'], call('ADD_NUMERIC')],
    [['numeric', 'numeric', 'numeric'], call('MUL_NUMERIC')],
    [['numeric', 'int'], call('INT64_TO_NUMERIC')],
  ],
  list: [
    of('nil'),
    [['int', 'list'], (head, tail) => (p) => p.write.cons(p.types.int, head!(p), tail!(p))],
    [['map'], call('GENMAP_KEYS')],
    [['text'], call('TEXT_TO_CODE_POINTS')],
  ],
  optional: [
    of('none'),
    [['int'], (value) => (p) => p.write.some(p.types.int, value!(p))],
    [['int', 'map'], call('GENMAP_LOOKUP')],
    [['text'], call('TEXT_TO_INT64')],
  ],
  map: [of('gen map'), [['int', 'int', 'map'], call('GENMAP_INSERT')], [['int', 'map'], call('GENMAP_DELETE')]],
  record: [
    of('record'),
    [['int', 'text'], (a, b) => (p) => p.write.record('R', ['a', a!(p)], ['b', b!(p)])],
    [['record', 'int'], (record, value) => (p) => p.write.update('R', 'a', record!(p), value!(p))],
  ],
  variant: [
    of('variant'),
    [['int'], (value) => (p) => p.write.variant('V', 'A', value!(p))],
    [['text'], (value) => (p) => p.write.variant('V', 'B', value!(p))],
  ],
  enum: [of('enum')],
  struct: [
    of('struct'),
    [['int', 'text'], (s, t) => (p) => p.write.struct(['s', s!(p)], ['t', t!(p)])],
    ...names.map(
      (name): Row => [['struct', 'int'], (struct, value) => (p) => p.write.structUpdate(name, struct!(p), value!(p))],
    ),
  ],
  function: [
    of('function of two'),
    of('builtin'),
    [
      ['int'],
      (body) => (p) =>
        p.write.lambda(
          [
            ['a', p.types.int],
            ['b', p.types.int],
          ],
          p.write.call(p.write.builtin('ADD_INT64'), p.write.variable('a'), body!(p)),
        ),
    ],
  ],
  update: [
    of('pure update'),
    [['int'], (value) => (p) => p.write.pure(p.types.int, value!(p))],
    [['update', 'update'], (a, b) => (p) => p.write.block('u', p.types.int, a!(p), b!(p))],
    [
      ['template', 'update'],
      (value, next) => (p) => p.write.block('c', p.types.id, p.write.create('T', value!(p)), next!(p)),
    ],
    [['id', 'update'], (id, next) => (p) => p.write.block('c', p.types.t, p.write.fetch('T', id!(p)), next!(p))],
    [['id', 'unit'], (id, argument) => (p) => p.write.exercise('T', 'Go', id!(p), argument!(p))],
    [['update'], (inner) => (p) => p.write.embed(p.types.int, inner!(p))],
    [['int'], (time) => (p) => p.write.isBefore(time!(p))],
    [['update', 'optional'], (body, handler) => (p) => p.write.tryCatch(p.types.int, body!(p), 'e', handler!(p))],
    [
      ['update', 'update'],
      (body, handler) => (p) => p.write.tryCatch(p.types.int, body!(p), 'e', p.write.some(p.types.update, handler!(p))),
    ],
    [
      ['text'],
      (text) => (p) =>
        p.write.embed(
          p.types.int,
          p.write.throwing(p.types.int, p.types.exception, p.write.record('Ex', ['m', text!(p)])),
        ),
    ],
  ],
  id: [of('contract id')],
  template: [of('template'), [['party'], (owner) => (p) => p.write.record('T', ['owner', owner!(p)])]],
  any: [of('any'), of('any exception')],
}

const sorts = Object.keys(rows) as Sort[]
const wrongKind = fc.constantFrom(...valueKinds).map(
  (kind): Program =>
    (parts) =>
      expressionOfKind(kind, parts),
)
const levelsMax = 6

/** The programs of each sort; now and then a part is of any kind. */
const programs = fc.letrec<Record<Sort, Program>>((tie) => {
  const made = ([takes, make]: Row) => fc.tuple(...takes.map((each) => tie(each))).map((inner) => make(...inner))
  const ofSort = (sort: Sort) => {
    const simple = rows[sort].filter(([takes]) => takes.length === 0).map(made)
    const compound = [...rows[sort].filter(([takes]) => takes.length > 0), ...branches(sort)].map(made)
    return fc.oneof(
      { maxDepth: levelsMax, depthIdentifier: 'program' },
      { weight: 9, arbitrary: fc.oneof(...simple) },
      { weight: 1, arbitrary: wrongKind },
      { weight: 9, arbitrary: fc.oneof(...compound) },
    )
  }
  return Object.fromEntries(sorts.map((sort) => [sort, ofSort(sort)])) as Record<Sort, fc.Arbitrary<Program>>
})

/** The type that a choice declares to return; mostly the right one. */
const returned: Readonly<Partial<Record<Sort, (parts: IllTypedParts) => number>>> = {
  int: ({ types }) => types.int,
  text: ({ types }) => types.text,
  bool: ({ types }) => types.bool,
  unit: ({ types }) => types.unit,
  party: ({ types }) => types.party,
  numeric: ({ types }) => types.numeric,
  list: ({ types }) => types.list,
  optional: ({ types }) => types.optional,
  map: ({ types }) => types.genMap,
  record: ({ types }) => types.record,
  variant: ({ types }) => types.variant,
  enum: ({ types }) => types.enumeration,
  id: ({ types }) => types.id,
  template: ({ types }) => types.t,
}
const returnedSorts = Object.keys(returned) as (keyof typeof returned)[]

function rarely<T>(weight: number, arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> {
  return fc.oneof({ weight, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary })
}

/** A package whose choice computes a value, or runs an update; its parties are now and then something else. */
export const anyHostile: fc.Arbitrary<Hostile> = fc
  .constantFrom(...returnedSorts)
  .chain((sort) =>
    fc.record({
      sort: fc.constant(sort),
      value: programs[sort],
      update: rarely(1, programs.update),
      observers: rarely(10, programs.list),
      controllers: rarely(20, programs.list),
      precondition: rarely(10, programs.bool),
      isConsuming: fc.boolean(),
    }),
  )
  .map(({ sort, value, update, observers, controllers, precondition, isConsuming }) =>
    hostile('random', (parts) => {
      const type = returned[sort]!(parts)
      const pure = parts.write.pure(type, value(parts))
      return {
        returns: type,
        body: update === undefined ? pure : parts.write.block('r', parts.types.int, update(parts), pure),
        isConsuming,
        ...(observers === undefined ? {} : { observers: observers(parts) }),
        ...(controllers === undefined ? {} : { controllers: controllers(parts) }),
        ...(precondition === undefined ? {} : { precondition: precondition(parts) }),
      }
    }),
  )
