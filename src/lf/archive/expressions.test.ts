// Every form of expression, update, pattern and literal, written as each LF version writes it, decodes to one tree.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  archiveOf,
  createPackageWriter,
  goodFlags,
  type PackageWriter,
  payloadOf,
  sha256,
  type Written,
} from '../../../test/support/lf/package-writer.ts'
import { bytes, fixed64, message, signed, varint } from '../../../test/support/lf/proto-writer.ts'
import type { Expression, Minor } from '../syntax/ast.ts'
import { builtins } from '../syntax/builtins.ts'
import { decodeArchive } from './archive.ts'

type Row = readonly [
  name: string,
  write: (w: ReturnType<typeof forms>) => Buffer,
  want: object,
  minors?: readonly Minor[],
]

const selfId = (name: string) => ({ packageId: 'self', module: 'Test', name })
const unitType = { kind: 'builtin', name: 'Unit', args: [] }
const unit = { kind: 'builtin-constructor', name: 'unit', location: undefined }
const yes = { kind: 'builtin-constructor', name: 'true', location: undefined }
const t = { id: selfId('T'), args: [] }
const literal = (literal: object) => ({ kind: 'literal', literal })
const update = (update: object) => ({ kind: 'update', update })
const starParameter = (name: string) => ({ name, kind: { kind: 'star' } })

/** Short names for the parts that many rows use. */
function forms(w: PackageWriter) {
  const type = w.type(w.builtinType('Unit'))
  const name = (field: number, value: string) => varint(field, w.string(value))
  const id = (name: string) => w.id('Test', name)
  return {
    w,
    type,
    name,
    id,
    t: message(1, bytes(1, id('T'))),
    unit: () => w.expression(varint(5, 0)),
    yes: () => w.expression(varint(5, 2)),
    binder: (field: number, value: string) => message(field, name(3, value), bytes(2, type)),
    binding: (value: string, bound: Written) => message(1, message(1, name(3, value), bytes(2, type)), bytes(2, bound)),
    typeBinder: (value: string) => message(1, name(3, value), bytes(2, w.star())),
    caseOf: (...pattern: Buffer[]) =>
      message(19, bytes(1, w.expression(varint(5, 0))), message(2, ...pattern, bytes(1, w.expression(varint(5, 0))))),
  }
}

const alternative = (pattern: object) => ({
  kind: 'case',
  scrutinee: unit,
  alternatives: [{ pattern, body: unit }],
})

const rows: Row[] = [
  ['variable', (f) => f.name(2, 'x'), { kind: 'variable', name: 'x' }],
  ['value', (f) => bytes(3, f.id('f')), { kind: 'value', id: selfId('f') }],
  ['builtin', () => varint(4, 7), { kind: 'builtin', name: 'ADD_INT64' }],
  ['builtin of 2.3', () => varint(4, 73), { kind: 'builtin', name: 'SECP256K1_VALIDATE_KEY' }, [3]],
  ['unit', () => varint(5, 0), { kind: 'builtin-constructor', name: 'unit' }],
  ['false', () => varint(5, 1), { kind: 'builtin-constructor', name: 'false' }],
  ['true', () => varint(5, 2), { kind: 'builtin-constructor', name: 'true' }],
  ['int64', () => message(6, signed(1, -3n)), literal({ kind: 'int64', value: -3n })],
  ['smallest int64', () => message(6, signed(1, -(2n ** 63n))), literal({ kind: 'int64', value: -(2n ** 63n) })],
  ['largest int64', () => message(6, signed(1, 2n ** 63n - 1n)), literal({ kind: 'int64', value: 2n ** 63n - 1n })],
  ['timestamp', () => message(6, fixed64(2, -1n)), literal({ kind: 'timestamp', micros: -1n })],
  ['numeric', (f) => message(6, f.name(3, '-1.50')), literal({ kind: 'numeric', unscaled: -150n, scale: 2 })],
  ['numeric of scale 0', (f) => message(6, f.name(3, '7.')), literal({ kind: 'numeric', unscaled: 7n, scale: 0 })],
  ['text', (f) => message(6, f.name(4, 'é \0 😀')), literal({ kind: 'text', value: 'é \0 😀' })],
  ['date', () => message(6, varint(5, -1)), literal({ kind: 'date', days: -1 })],
  [
    'failure category',
    () => message(6, varint(6, 1)),
    literal({ kind: 'failure-category', category: 'InvalidGivenCurrentSystemStateOther' }),
  ],
  [
    'record',
    (f) => message(7, f.t, message(2, f.name(3, 'a'), bytes(2, f.unit()))),
    { kind: 'record', type: t, fields: [{ name: 'a', value: unit }] },
  ],
  [
    'record projection',
    (f) => message(8, f.t, f.name(4, 'a'), bytes(3, f.unit())),
    { kind: 'record-projection', type: t, field: 'a', record: unit },
  ],
  [
    'record update',
    (f) => message(9, f.t, f.name(2, 'a'), bytes(3, f.unit()), bytes(4, f.yes())),
    { kind: 'record-update', type: t, field: 'a', record: unit, value: yes },
  ],
  [
    'variant',
    (f) => message(10, message(1, bytes(1, f.id('T')), bytes(2, f.type)), f.name(2, 'C'), bytes(3, f.unit())),
    { kind: 'variant', type: { id: selfId('T'), args: [unitType] }, tag: 'C', value: unit },
  ],
  ['enum', (f) => message(11, bytes(1, f.id('T')), f.name(2, 'C')), { kind: 'enum', id: selfId('T'), tag: 'C' }],
  [
    'struct',
    (f) => message(12, ...['b', 'a'].map((name) => message(1, f.name(3, name), bytes(2, f.unit())))),
    {
      kind: 'struct',
      fields: [
        { name: 'b', value: unit },
        { name: 'a', value: unit },
      ],
    },
  ],
  [
    'struct projection',
    (f) => message(13, f.name(1, 'a'), bytes(2, f.unit())),
    { kind: 'struct-projection', field: 'a', struct: unit },
  ],
  [
    'struct update',
    (f) => message(14, f.name(1, 'a'), bytes(2, f.unit()), bytes(3, f.yes())),
    { kind: 'struct-update', field: 'a', struct: unit, value: yes },
  ],
  [
    'application',
    (f) => message(15, bytes(1, f.unit()), bytes(2, f.yes()), bytes(2, f.unit())),
    { kind: 'application', function: unit, args: [yes, unit] },
  ],
  [
    'nested application',
    (f) =>
      message(15, bytes(1, f.w.expression(message(15, bytes(1, f.unit()), bytes(2, f.yes())))), bytes(2, f.unit())),
    { kind: 'application', function: unit, args: [yes, unit] },
  ],
  [
    'type application',
    (f) => {
      const inner = f.w.expression(message(16, bytes(1, f.unit()), bytes(2, f.type)))
      return message(16, bytes(1, inner), bytes(2, f.type))
    },
    { kind: 'type-application', expression: unit, types: [unitType, unitType] },
  ],
  [
    'abstraction',
    (f) => {
      const inner = f.w.expression(message(17, f.binder(1, 'y'), bytes(2, f.unit())))
      return message(17, f.binder(1, 'x'), bytes(2, inner))
    },
    {
      kind: 'abstraction',
      parameters: [
        { name: 'x', type: unitType },
        { name: 'y', type: unitType },
      ],
      body: unit,
    },
  ],
  [
    'abstraction with several parameters',
    (f) => message(17, f.binder(1, 'x'), f.binder(1, 'y'), bytes(2, f.unit())),
    {
      kind: 'abstraction',
      parameters: [
        { name: 'x', type: unitType },
        { name: 'y', type: unitType },
      ],
      body: unit,
    },
    [1],
  ],
  [
    'type abstraction',
    (f) => {
      const inner = f.w.expression(message(18, f.typeBinder('b'), bytes(2, f.unit())))
      return message(18, f.typeBinder('a'), bytes(2, inner))
    },
    { kind: 'type-abstraction', parameters: [starParameter('a'), starParameter('b')], body: unit },
  ],
  ['case default', (f) => f.caseOf(message(2)), alternative({ kind: 'default' })],
  [
    'case variant',
    (f) => f.caseOf(message(3, bytes(1, f.id('T')), f.name(2, 'C'), f.name(3, 'x'))),
    alternative({ kind: 'variant', id: selfId('T'), tag: 'C', binder: 'x' }),
  ],
  ['case true', (f) => f.caseOf(varint(4, 2)), alternative({ kind: 'builtin-constructor', name: 'true' })],
  ['case nil', (f) => f.caseOf(message(5)), alternative({ kind: 'nil' })],
  [
    'case cons',
    (f) => f.caseOf(message(6, f.name(1, 'h'), f.name(2, 't'))),
    alternative({ kind: 'cons', head: 'h', tail: 't' }),
  ],
  ['case none', (f) => f.caseOf(message(7)), alternative({ kind: 'none' })],
  ['case some', (f) => f.caseOf(message(8, f.name(1, 'x'))), alternative({ kind: 'some', binder: 'x' })],
  [
    'case enum',
    (f) => f.caseOf(message(9, bytes(1, f.id('T')), f.name(2, 'C'))),
    alternative({ kind: 'enum', id: selfId('T'), tag: 'C' }),
  ],
  [
    'let',
    (f) => {
      const inner = f.w.expression(message(20, f.binding('y', f.yes()), bytes(2, f.unit())))
      return message(20, f.binding('x', f.unit()), bytes(2, inner))
    },
    {
      kind: 'let',
      bindings: [
        { name: 'x', type: unitType, bound: unit },
        { name: 'y', type: unitType, bound: yes },
      ],
      body: unit,
    },
  ],
  ['nil', (f) => message(21, bytes(1, f.type)), { kind: 'nil', type: unitType }],
  [
    'cons',
    (f) => message(22, bytes(1, f.type), bytes(2, f.unit()), bytes(2, f.yes()), bytes(3, f.unit())),
    { kind: 'cons', type: unitType, front: [unit, yes], tail: unit },
  ],
  ['none', (f) => message(25, bytes(1, f.type)), { kind: 'none', type: unitType }],
  ['some', (f) => message(26, bytes(1, f.type), bytes(2, f.unit())), { kind: 'some', type: unitType, value: unit }],
  ['to_any', (f) => message(27, bytes(1, f.type), bytes(2, f.unit())), { kind: 'to-any', type: unitType, value: unit }],
  [
    'from_any',
    (f) => message(28, bytes(1, f.type), bytes(2, f.unit())),
    { kind: 'from-any', type: unitType, value: unit },
  ],
  ['type_rep', (f) => bytes(29, f.type), { kind: 'type-rep', type: unitType }],
  [
    'to_any_exception',
    (f) => message(30, bytes(1, f.type), bytes(2, f.unit())),
    { kind: 'to-any-exception', type: unitType, value: unit },
  ],
  [
    'from_any_exception',
    (f) => message(31, bytes(1, f.type), bytes(2, f.unit())),
    { kind: 'from-any-exception', type: unitType, value: unit },
  ],
  [
    'throw',
    (f) => message(32, bytes(1, f.type), bytes(2, f.type), bytes(3, f.unit())),
    { kind: 'throw', returnType: unitType, exceptionType: unitType, exception: unit },
  ],
  [
    'to_interface',
    (f) => message(33, bytes(1, f.id('I')), bytes(2, f.id('T')), bytes(3, f.unit())),
    { kind: 'to-interface', interface: selfId('I'), template: selfId('T'), value: unit },
  ],
  [
    'from_interface',
    (f) => message(34, bytes(1, f.id('I')), bytes(2, f.id('T')), bytes(3, f.unit())),
    { kind: 'from-interface', interface: selfId('I'), template: selfId('T'), value: unit },
  ],
  [
    'call_interface',
    (f) => message(35, bytes(1, f.id('I')), f.name(2, 'm'), bytes(3, f.unit())),
    { kind: 'call-interface', interface: selfId('I'), method: 'm', value: unit },
  ],
  [
    'signatory_interface',
    (f) => message(36, bytes(1, f.id('I')), bytes(2, f.unit())),
    { kind: 'signatory-interface', interface: selfId('I'), value: unit },
  ],
  [
    'observer_interface',
    (f) => message(37, bytes(1, f.id('I')), bytes(2, f.unit())),
    { kind: 'observer-interface', interface: selfId('I'), value: unit },
  ],
  [
    'view_interface',
    (f) => message(38, bytes(1, f.id('I')), bytes(2, f.unit())),
    { kind: 'view-interface', interface: selfId('I'), value: unit },
  ],
  [
    'unsafe_from_interface',
    (f) => message(39, bytes(1, f.id('I')), bytes(2, f.id('T')), bytes(3, f.unit()), bytes(4, f.yes())),
    { kind: 'unsafe-from-interface', interface: selfId('I'), template: selfId('T'), contractId: unit, value: yes },
    [1],
  ],
  [
    'interface_template_type_rep',
    (f) => message(40, bytes(1, f.id('I')), bytes(2, f.unit())),
    { kind: 'interface-template-type-rep', interface: selfId('I'), value: unit },
  ],
  [
    'to_required_interface',
    (f) => message(41, bytes(1, f.id('I')), bytes(2, f.id('J')), bytes(3, f.unit())),
    { kind: 'to-required-interface', required: selfId('I'), requiring: selfId('J'), value: unit },
  ],
  [
    'from_required_interface',
    (f) => message(42, bytes(1, f.id('I')), bytes(2, f.id('J')), bytes(3, f.unit())),
    { kind: 'from-required-interface', required: selfId('I'), requiring: selfId('J'), value: unit },
  ],
  [
    'unsafe_from_required_interface',
    (f) => message(43, bytes(1, f.id('I')), bytes(2, f.id('J')), bytes(3, f.unit()), bytes(4, f.yes())),
    {
      kind: 'unsafe-from-required-interface',
      required: selfId('I'),
      requiring: selfId('J'),
      contractId: unit,
      value: yes,
    },
  ],
  [
    'pure',
    (f) => message(23, message(1, bytes(1, f.type), bytes(2, f.unit()))),
    update({ kind: 'pure', type: unitType, value: unit }),
  ],
  [
    'block',
    (f) => message(23, message(2, f.binding('x', f.unit()), bytes(2, f.yes()))),
    update({ kind: 'block', bindings: [{ name: 'x', type: unitType, bound: unit }], body: yes }),
  ],
  [
    'create',
    (f) => message(23, message(3, bytes(1, f.id('T')), bytes(2, f.unit()))),
    update({ kind: 'create', template: selfId('T'), value: unit }),
  ],
  [
    'exercise',
    (f) => message(23, message(4, bytes(1, f.id('T')), f.name(6, 'C'), bytes(3, f.unit()), bytes(5, f.yes()))),
    update({ kind: 'exercise', template: selfId('T'), choice: 'C', contractId: unit, argument: yes }),
  ],
  [
    'fetch',
    (f) => message(23, message(5, bytes(1, f.id('T')), bytes(2, f.unit()))),
    update({ kind: 'fetch', template: selfId('T'), contractId: unit }),
  ],
  ['get_time', () => message(23, message(6)), update({ kind: 'get-time' })],
  [
    'embed_expr',
    (f) => message(23, message(7, bytes(1, f.type), bytes(2, f.unit()))),
    update({ kind: 'embed-expression', type: unitType, body: unit }),
  ],
  [
    'fetch_by_key',
    (f) => message(23, message(9, bytes(1, f.id('T')))),
    update({ kind: 'fetch-by-key', template: selfId('T') }),
    [3],
  ],
  [
    'exercise_by_key',
    (f) => message(23, message(10, bytes(1, f.id('T')), f.name(2, 'C'), bytes(3, f.unit()), bytes(4, f.yes()))),
    update({ kind: 'exercise-by-key', template: selfId('T'), choice: 'C', key: unit, argument: yes }),
    [3],
  ],
  [
    'try_catch',
    (f) => message(23, message(11, bytes(1, f.type), bytes(2, f.unit()), f.name(3, 'e'), bytes(4, f.yes()))),
    update({ kind: 'try-catch', returnType: unitType, body: unit, binder: 'e', handler: yes }),
  ],
  [
    'create_interface',
    (f) => message(23, message(12, bytes(1, f.id('I')), bytes(2, f.unit()))),
    update({ kind: 'create-interface', interface: selfId('I'), value: unit }),
  ],
  [
    'exercise_interface',
    (f) => message(23, message(13, bytes(1, f.id('I')), f.name(2, 'C'), bytes(3, f.unit()), bytes(4, f.yes()))),
    update({ kind: 'exercise-interface', interface: selfId('I'), choice: 'C', contractId: unit, argument: yes }),
  ],
  [
    'fetch_interface',
    (f) => message(23, message(14, bytes(1, f.id('I')), bytes(2, f.unit()))),
    update({ kind: 'fetch-interface', interface: selfId('I'), contractId: unit }),
  ],
  ['ledger_time_lt', (f) => message(23, bytes(15, f.unit())), update({ kind: 'ledger-time-lt', time: unit })],
  [
    'query_n_by_key',
    (f) => message(23, message(16, bytes(1, f.id('T')))),
    update({ kind: 'query-n-by-key', template: selfId('T') }),
    [3],
  ],
]

for (const [name, write, want, minors = [1, 2, 3]] of rows) {
  for (const minor of [1, 2, 3] as const) {
    const isAvailable = minors.includes(minor)
    test(`LF 2.${minor} ${isAvailable ? 'has' : 'refuses'} ${name}`, () => {
      const writer = createPackageWriter(minor)
      const { archive, packageId } = valueArchive(writer, writer.expression(write(forms(writer))))
      if (!isAvailable)
        return assert.throws(() => decodeArchive(archive).checkBodies(), {
          name: 'ArchiveError',
          message: /is not available in LF 2|allows 1/,
        })
      assert.deepEqual(onlyBody(archive), withPackageId({ ...want, location: undefined }, packageId))
    })
  }
}

test('locations are kept, with the module they name or the one they are in', () => {
  for (const minor of [1, 2, 3] as const) {
    const w = createPackageWriter(minor)
    const range = message(2, varint(1, 3), varint(2, 4), varint(3, 5), varint(4, 6))
    const other = message(1, message(1, message(1)), varint(2, w.dottedName('Other')))
    const inner = w.expression(varint(5, 0), Buffer.concat([other, range]))
    const body = w.expression(message(15, bytes(1, inner), bytes(2, w.expression(varint(5, 0)))), range)
    const { archive, packageId } = valueArchive(w, body)
    const location = { packageId, startLine: 3, startColumn: 4, endLine: 5, endColumn: 6 }
    assert.deepEqual(onlyBody(archive), {
      kind: 'application',
      function: { ...unit, location: { ...location, module: 'Other' } },
      args: [unit],
      location: { ...location, module: 'Test' },
    })
  }
})

test('a body is read anew at each call, and shared entries stay shared within one', () => {
  const w = createPackageWriter(2)
  const shared = w.expression(varint(5, 0))
  const { archive } = valueArchive(w, w.expression(message(15, bytes(1, shared), bytes(2, shared))))
  const first = onlyBody(archive)
  assert(first.kind === 'application')
  assert.equal(first.function, first.args[0])
  assert.notEqual(first, onlyBody(archive))
})

test('a chain of 2,000 interned expressions is read without recursion', () => {
  const w = createPackageWriter(2)
  let body = w.expression(varint(5, 0))
  for (let i = 0; i < 2000; i++) body = w.expression(message(13, varint(1, w.string('a')), bytes(2, body)))
  let found = onlyBody(valueArchive(w, body).archive)
  let depth = 0
  for (; found.kind === 'struct-projection'; found = found.struct) depth++
  assert.equal(depth, 2000)
})

test('an application may have 200,000 interned arguments', () => {
  const w = createPackageWriter(2)
  const count = 200_000
  for (let i = 0; i < count; i++) w.expression(varint(5, 0))
  const args = Buffer.concat(Array.from({ length: count }, (_, i) => message(2, varint(44, i))))
  const body = w.expression(message(15, bytes(1, w.expression(varint(5, 0))), args))
  const found = onlyBody(valueArchive(w, body).archive)
  assert(found.kind === 'application')
  assert.equal(found.args.length, count)
})

test('there are 67 builtins, 66 of them in every version', () => {
  const since = Object.values(builtins).map((row) => ('since' in row ? row.since : 1))
  assert.equal(since.length, 67)
  assert.equal(since.filter((minor) => minor === 1).length, 66)
})

/** A package with the module `Test` and in it one value with the given body. */
function valueArchive(w: PackageWriter, body: Written): { archive: Buffer; packageId: string } {
  const name = message(2, varint(1, w.dottedName('x')), bytes(2, w.type(w.builtinType('Unit'))))
  w.addModule(varint(1, w.dottedName('Test')), goodFlags, message(5, name, bytes(3, body)))
  const payload = payloadOf(w.finish(), `${w.minor}`)
  return { archive: archiveOf(payload), packageId: sha256(payload) }
}

function onlyBody(archive: Buffer): Expression {
  const { package: decoded, checkBodies } = decodeArchive(archive)
  checkBodies()
  return decoded.modules.get('Test')!.values.get('x')!.body()
}

/** The rows say `self` where the tree has the id of the package it is in. */
function withPackageId(value: unknown, packageId: string): unknown {
  if (Array.isArray(value)) return value.map((one) => withPackageId(one, packageId))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, inner]) => {
    return [key, key === 'packageId' ? packageId : withPackageId(inner, packageId)]
  })
  return Object.fromEntries(entries)
}
