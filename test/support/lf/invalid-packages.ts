// Packages that are invalid in one way each: every error of the type checker and every reason of unserializability that
// a package can have. Each row is a module's definitions; what the reference says of it is recorded beside the test.
import type { Minor } from '../../../src/lf/syntax/ast.ts'
import { createExpressionWriter } from './expression-writer.ts'
import { archiveOf, createPackageWriter, goodFlags, payloadOf } from './package-writer.ts'
import { bytes, message, varint } from './proto-writer.ts'

type Tools = ReturnType<typeof toolsFor>
type Row = readonly [name: string, definitions: (tools: Tools) => readonly Buffer[], minor?: Minor]

export type InvalidPackage = { readonly name: string; readonly archive: Buffer }

/** A module `M`, and `N` beside it where a row adds one. */
export function invalidPackages(): readonly InvalidPackage[] {
  return rows.map(([name, definitions, minor = 1]) => {
    const tools = toolsFor(minor)
    const { w } = tools
    const written = definitions(tools)
    w.addModule(varint(1, w.dottedName('M')), goodFlags, ...written)
    return { name, archive: archiveOf(payloadOf(w.finish(), `${minor}`)) }
  })
}

function toolsFor(minor: Minor) {
  const w = createPackageWriter(minor)
  const e = createExpressionWriter(w, 'M')
  const star = message(1)
  const nat = message(3)
  const arrow = (from: Buffer, to: Buffer): Buffer => message(2, bytes(1, from), bytes(2, to))
  const int = w.builtinType('Int64')
  const text = w.builtinType('Text')
  const unit = w.builtinType('Unit')
  const bool = w.builtinType('Bool')
  const party = w.builtinType('Party')
  const parties = w.builtinType('List', party)
  const named = (name: string, ...args: number[]): number => w.constructorType(e.id(name), ...args)
  const parameter = (name: string, kind: Buffer = star): Buffer => {
    return message(3, varint(3, w.string(name)), bytes(2, kind))
  }
  const field = (name: string, type: number): Buffer => message(1, varint(3, w.string(name)), bytes(2, w.type(type)))
  /** A data type that does not say it is serializable, with parameters. */
  const plain = (name: string, kind: 5 | 6, parameters: readonly Buffer[], ...fields: Buffer[]): Buffer => {
    return message(4, varint(2, w.dottedName(name)), ...parameters, message(kind, ...fields))
  }
  const serializable = (name: string, kind: 5 | 6, parameters: readonly Buffer[], ...fields: Buffer[]): Buffer => {
    return message(4, varint(2, w.dottedName(name)), ...parameters, varint(4, 1), message(kind, ...fields))
  }
  const synonym = (name: string, parameters: readonly Buffer[], type: number): Buffer => {
    return message(3, varint(2, w.dottedName(name)), ...parameters, bytes(4, w.type(type)))
  }
  const synonymType = (name: string, ...args: number[]): number => {
    return w.addType(message(7, bytes(1, e.id(name)), ...args.map((arg) => bytes(2, w.type(arg)))))
  }
  const forall = (name: string, body: number, kind: Buffer = star): number => {
    return w.addType(message(4, message(1, varint(3, w.string(name)), bytes(2, kind)), bytes(2, w.type(body))))
  }
  const struct = (...fields: [string, number][]): number => {
    return w.addType(message(5, ...fields.map(([name, type]) => field(name, type))))
  }
  const natType = (value: number): number => w.addType(varint(6, value * 2))
  const value = (body: Buffer, type: number = int): Buffer => e.define('v', type, body)
  const located = (body: Buffer): Buffer => {
    return Buffer.concat([message(1, message(2, varint(1, 3), varint(2, 4), varint(3, 5), varint(4, 6))), body])
  }

  const viewRecord = e.data('View', 5)
  const template = (...parts: Buffer[]): Buffer => {
    return message(
      6,
      ...[varint(1, w.dottedName('T')), varint(2, w.string('this'))],
      ...[bytes(4, e.nil(party)), bytes(7, e.nil(party)), ...parts],
    )
  }
  const templateData = e.data('T', 5, ['p', party])
  const instance = (of: string, methods: [string, Buffer][], view: Buffer): Buffer => {
    const written = methods.map(([name, body]) => message(1, varint(1, w.string(name)), bytes(2, body)))
    return message(10, bytes(1, e.id(of)), message(2, ...written, bytes(2, view)))
  }
  /** An interface and the data type that stands for it. */
  const iface = (name: string, view: number, ...parts: Buffer[]): Buffer[] => [
    message(4, varint(2, w.dottedName(name)), message(8)),
    message(8, varint(2, w.dottedName(name)), varint(4, w.string('this')), bytes(6, w.type(view)), ...parts),
  ]
  const requires = (name: string): Buffer => bytes(7, e.id(name))
  const method = (name: string, type: number): Buffer => {
    return message(3, varint(2, w.string(name)), bytes(3, w.type(type)))
  }
  const exception = (name: string, body: Buffer): Buffer => {
    return message(7, varint(1, w.dottedName(name)), bytes(3, body))
  }
  const choice = (name: string, argument: number, returns: number, body: Buffer): Buffer => {
    return e.choice(6, name, { argument, returns, controllers: e.nil(party), body, parties: party })
  }
  return {
    ...{ w, e, star, nat, arrow, int, text, unit, bool, party, parties, named, parameter, field, plain, serializable },
    ...{ synonym, synonymType, forall, struct, natType, value, located, viewRecord, template, templateData, instance },
    ...{ iface, requires, method, exception, choice },
  }
}

/** A template argument that holds a type; the reason is the type's. */
const unserializable = (name: string, type: (t: Tools) => number): Row => [
  `unserializable: ${name}`,
  (t) => [t.serializable('R', 5, [], t.field('x', type(t)))],
]

/** The same as an argument of a data type, which is itself found unserializable only after the record that holds it. */
const unapplied = (name: string, kind: (t: Tools) => Buffer, type: (t: Tools) => number): Row => [
  `unserializable: ${name}`,
  (t) => [
    t.serializable('R', 5, [], t.field('x', t.named('F', type(t)))),
    t.serializable('F', 5, [t.parameter('f', kind(t))]),
  ],
]

const rows: readonly Row[] = [
  ['ENatKindRightOfArrow', (t) => [t.plain('R', 5, [t.parameter('a', t.arrow(t.star, t.nat))])]],
  ['EUnknownTypeVar', (t) => [t.plain('R', 5, [], t.field('x', t.w.variableType('a')))]],
  ['EUnknownExprVar', (t) => [t.value(t.e.variable('x'))]],
  ['EUnknownExprVar at a location', (t) => [t.value(t.located(t.e.variable('x')))]],
  ['EUnknownDefinition: value', (t) => [t.value(t.e.value('nothing'))]],
  ['EUnknownDefinition: module', (t) => [t.value(bytes(3, t.w.id('Nowhere', 'nothing')))]],
  [
    'EUnknownDefinition: a value for a type',
    (t) => [t.value(t.e.number(1n)), t.plain('R', 5, [], t.field('x', t.named('v')))],
  ],
  ['EUnknownDefinition: a type for a value', (t) => [t.value(t.e.value('R')), t.plain('R', 5, [])]],
  ['EUnknownDefinition: template', (t) => [t.value(t.e.create('R', t.e.record('R'))), t.plain('R', 5, [])]],
  [
    'EUnknownDefinition: choice',
    (t) => [t.templateData, t.template(), t.value(t.e.exercise('T', 'C', t.e.unit, t.e.unit))],
  ],
  ['EUnknownDefinition: interface', (t) => [t.plain('R', 5, []), t.value(t.e.viewOf('R', t.e.record('R')))]],
  [
    'EUnknownDefinition: method',
    (t) => [t.viewRecord, ...t.iface('I', t.named('View')), t.value(t.e.callMethod('I', 'm', t.e.unit))],
  ],
  [
    'EUnknownDefinition: instance',
    (t) => [
      t.viewRecord,
      ...t.iface('I', t.named('View')),
      t.templateData,
      t.template(),
      t.value(t.e.toInterface('I', 'T', t.e.unit)),
    ],
  ],
  [
    'EUnknownDefinition: key',
    (t) => [t.templateData, t.template(), t.value(message(23, message(9, bytes(1, t.e.id('T')))))],
    3,
  ],
  [
    'EUnknownDefinition: exception',
    (t) => [t.plain('R', 5, []), t.value(t.e.throwing(t.int, t.named('R'), t.e.record('R')))],
  ],
  ['EUnknownDefinition: data type of an interface', (t) => [message(4, varint(2, t.w.dottedName('I')), message(8))]],
  [
    'ETypeSynAppWrongArity',
    (t) => [t.synonym('S', [t.parameter('a')], t.int), t.value(t.e.number(1n), t.synonymType('S'))],
  ],
  ['ETypeConAppWrongArity', (t) => [t.plain('R', 5, [t.parameter('a')]), t.value(t.e.record('R'))]],
  ['EDuplicateTypeParam', (t) => [t.plain('R', 5, [t.parameter('a'), t.parameter('a')])]],
  ['EDuplicateField', (t) => [t.value(t.e.struct(['a', t.e.unit], ['a', t.e.unit]))]],
  ['EExpectedRecordType', (t) => [t.plain('V', 6, []), t.value(t.e.record('V'))]],
  [
    'EFieldMismatch',
    (t) => [t.plain('R', 5, [], t.field('a', t.int)), t.value(t.e.record('R', ['b', t.located(t.e.number(1n))]))],
  ],
  ['EExpectedVariantType', (t) => [t.plain('R', 5, []), t.value(t.e.variant('R', 'A', t.e.unit))]],
  ['EExpectedEnumType', (t) => [t.plain('R', 5, []), t.value(t.e.enumeration('R', 'A'))]],
  ['EUnknownVariantCon', (t) => [t.plain('V', 6, [], t.field('A', t.unit)), t.value(t.e.variant('V', 'B', t.e.unit))]],
  ['EUnknownEnumCon', (t) => [t.e.enumType('E', 'A'), t.value(t.e.enumeration('E', 'B'))]],
  ['EUnknownField', (t) => [t.plain('R', 5, []), t.value(t.e.field('R', 'x', t.e.record('R')))]],
  ['EUnknownField of a struct', (t) => [t.value(t.e.structField('b', t.e.struct(['a', t.e.unit])))]],
  ['EExpectedStructType', (t) => [t.value(t.e.structField('a', t.e.unit))]],
  ['EKindMismatch', (t) => [t.plain('R', 5, [], t.field('x', t.w.builtinType('List')))]],
  ['ETypeMismatch', (t) => [t.value(t.e.text('one'))]],
  [
    'ETypeMismatch of an element of a list',
    (t) => [t.value(t.e.cons(t.int, t.e.text('one'), t.e.nil(t.int)), t.w.builtinType('List', t.int))],
  ],
  [
    'ETypeMismatch in the tail of a list',
    (t) => [t.value(t.e.cons(t.int, t.e.number(1n), t.e.nil(t.text)), t.w.builtinType('List', t.int))],
  ],
  ['ETypeMismatch between alternatives', (t) => [t.value(t.e.ifTrue(t.e.isTrue(true), t.e.number(1n), t.e.unit))]],
  [
    'ETypeMismatch with quantifiers',
    (t) => [t.value(t.e.builtin('FOLDL'), t.forall('a', t.w.builtinType('Optional', t.w.variableType('a'))))],
  ],
  [
    'EFieldTypeMismatch',
    (t) => [
      t.plain('R', 5, [], t.field('a', t.text)),
      t.value(
        t.e.some(t.int, t.e.field('R', 'a', t.e.record('R', ['a', t.e.text('')]))),
        t.w.builtinType('Optional', t.int),
      ),
    ],
  ],
  ['EPatternTypeMismatch', (t) => [t.value(t.e.match(t.e.unit, [t.e.patterns.none, t.e.number(1n)]))]],
  ['ENonExhaustivePatterns', (t) => [t.value(t.e.match(t.e.isTrue(true), [t.e.patterns.bool(true), t.e.number(1n)]))]],
  [
    'ENonExhaustivePatterns of a variant',
    (t) => [
      t.plain('V', 6, [t.parameter('a')], t.field('A', t.w.variableType('a')), t.field('B', t.unit)),
      t.value(
        t.e.match(t.e.call(t.e.at(t.e.builtin('ERROR'), t.named('V', t.int)), t.e.text('')), [
          t.e.patterns.variant('V', 'A', 'x'),
          t.e.variable('x'),
        ]),
      ),
    ],
  ],
  ['EExpectedAnyType', (t) => [t.value(t.e.toAny(t.int, t.e.number(1n)))]],
  ['EExpectedExceptionType', (t) => [t.value(t.e.toAnyException(t.int, t.e.number(1n)))]],
  ['EExpectedHigherKind', (t) => [t.plain('R', 5, [], t.field('x', t.w.builtinType('Int64', t.int)))]],
  [
    'EExpectedHigherKind of a number',
    (t) => [
      t.plain(
        'R',
        5,
        [],
        t.field('x', t.w.addType(message(9, bytes(1, t.w.type(t.natType(1))), bytes(2, t.w.type(t.int))))),
      ),
    ],
    2,
  ],
  ['EExpectedFunctionType', (t) => [t.value(t.e.call(t.e.unit, t.e.unit))]],
  ['EExpectedUniversalType', (t) => [t.value(t.e.at(t.e.unit, t.int))]],
  ['EExpectedUpdateType', (t) => [t.value(t.e.block('x', t.int, t.e.pure(t.int, t.e.number(1n)), t.e.unit))]],
  ['EEmptyCase', (t) => [t.value(t.e.match(t.e.unit))]],
  [
    'EClashingPatternVariables',
    (t) => [t.value(t.e.match(t.e.nil(t.int), [t.e.patterns.cons('x', 'x'), t.e.number(1n)]))],
  ],
  ['EExpectedTemplatableType', (t) => [t.plain('T', 6, []), t.template()]],
  ['EExpectedExceptionableType', (t) => [t.plain('X', 6, []), t.exception('X', t.e.unit)]],
  ['EViewTypeHeadNotCon', (t) => t.iface('I', t.int)],
  ['EViewTypeHeadNotCon: struct', (t) => t.iface('I', t.struct(['a', t.int]))],
  ['EViewTypeHasVars', (t) => [t.plain('R', 5, [t.parameter('a')]), ...t.iface('I', t.named('R', t.int))]],
  ['EViewTypeConNotRecord', (t) => [t.e.enumType('E', 'A'), ...t.iface('I', t.named('E'))]],
  [
    'EViewTypeMismatch',
    (t) => [t.viewRecord, ...t.iface('I', t.named('View')), t.templateData, t.template(t.instance('I', [], t.e.unit))],
  ],
  [
    'EMethodTypeMismatch',
    (t) => [
      t.viewRecord,
      ...t.iface('I', t.named('View'), t.method('m', t.int)),
      ...[
        t.templateData,
        t.template(t.instance('I', [['m', t.located(t.e.some(t.int, t.e.unit))]], t.e.record('View'))),
      ],
    ],
  ],
  [
    'EImportCycle',
    (t) => {
      const other = message(
        5,
        message(2, varint(1, t.w.dottedName('w')), bytes(2, t.w.type(t.int))),
        bytes(3, t.e.value('v')),
      )
      t.w.addModule(varint(1, t.w.dottedName('N')), goodFlags, other)
      return [t.value(bytes(3, t.w.id('N', 'w')))]
    },
  ],
  ['ETypeSynCycle', (t) => [t.synonym('A', [], t.synonymType('B')), t.synonym('B', [], t.synonymType('A'))]],
  ['EIllegalHigherInterfaceType', (t) => [message(4, varint(2, t.w.dottedName('I')), t.parameter('a'), message(8))]],
  ['ECollision', (t) => [t.plain('Thing', 5, []), t.plain('THING', 5, [])]],
  ['ECollision of fields', (t) => [t.plain('R', 5, [], t.field('a', t.int), t.field('A', t.int))]],
  ['ECollision of constructors', (t) => [t.plain('V', 6, [], t.field('A', t.int), t.field('A', t.int))]],
  ['ECollision of enum constructors', (t) => [t.e.enumType('E', 'A', 'a')]],
  [
    'ECollision of a choice and a field',
    (t) => [t.templateData, t.template(t.choice('P', t.named('T'), t.unit, t.e.pure(t.unit, t.e.unit)))],
  ],
  [
    'EMissingMethodInInterfaceInstance',
    (t) => [
      t.viewRecord,
      ...t.iface('I', t.named('View'), t.method('m', t.int)),
      t.templateData,
      t.template(t.instance('I', [], t.e.record('View'))),
    ],
  ],
  [
    'EUnknownMethodInInterfaceInstance',
    (t) => [
      t.viewRecord,
      ...t.iface('I', t.named('View')),
      t.templateData,
      t.template(t.instance('I', [['m', t.e.unit]], t.e.record('View'))),
    ],
  ],
  [
    'EMissingRequiredInterfaceInstance',
    (t) => [
      ...[t.viewRecord, ...t.iface('J', t.named('View')), ...t.iface('I', t.named('View'), t.requires('J'))],
      ...[t.templateData, t.template(t.instance('I', [], t.e.record('View')))],
    ],
  ],
  [
    'EWrongInterfaceRequirement',
    (t) => [
      ...[t.viewRecord, ...t.iface('J', t.named('View')), ...t.iface('I', t.named('View'))],
      t.value(message(41, bytes(1, t.e.id('J')), bytes(2, t.e.id('I')), bytes(3, t.e.unit))),
    ],
  ],
  [
    'ENotClosedInterfaceRequires',
    (t) => [
      ...[t.viewRecord, ...t.iface('K', t.named('View')), ...t.iface('J', t.named('View'), t.requires('K'))],
      ...t.iface('I', t.named('View'), t.requires('J')),
    ],
  ],
  ['ECircularInterfaceRequires', (t) => [t.viewRecord, ...t.iface('I', t.named('View'), t.requires('I'))]],

  unserializable('function type', (t) => t.w.builtinType('Arrow', t.int, t.int)),
  unserializable('higher-ranked type', (t) => t.forall('a', t.int)),
  unserializable('Update', (t) => t.w.builtinType('Update', t.int)),
  unserializable('structural record', (t) => t.struct(['a', t.int])),
  ['unserializable: data type', (t) => [t.serializable('R', 5, [], t.field('x', t.named('P'))), t.plain('P', 5, [])]],
  unserializable('Any', (t) => t.w.builtinType('Any')),
  unserializable('TypeRep', (t) => t.w.builtinType('TypeRep')),
  unserializable('FailureCategory', (t) => t.w.builtinType('FailureCategory')),
  [
    'unserializable: type synonym',
    (t) => [t.synonym('S', [], t.int), t.serializable('R', 5, [], t.field('x', t.synonymType('S')))],
  ],
  [
    'unserializable: higher-kinded variable',
    (t) => [t.serializable('R', 5, [t.parameter('f', t.arrow(t.star, t.star))])],
  ],
  ['unserializable: no constructors', (t) => [t.serializable('V', 6, [])]],
  ['unserializable: no enum constructors', (t) => [t.e.enumType('E')]],
  [
    'unserializable: Interface',
    (t) => [
      t.viewRecord,
      message(4, varint(2, t.w.dottedName('I')), varint(4, 1), message(8)),
      t.iface('I', t.named('View'))[1]!,
    ],
  ],
  ...(['List', 'Optional', 'TextMap', 'ContractId'] as const).map((name) => {
    return unapplied(
      `unapplied ${name}`,
      (t) => t.arrow(t.star, t.star),
      (t) => t.w.builtinType(name),
    )
  }),
  unapplied(
    'unapplied Numeric',
    (t) => t.arrow(t.nat, t.star),
    (t) => t.w.builtinType('Numeric'),
  ),
  unapplied(
    'unapplied GenMap',
    (t) => t.arrow(t.star, t.arrow(t.star, t.star)),
    (t) => t.w.builtinType('GenMap'),
  ),
  unapplied(
    'Nat',
    (t) => t.nat,
    (t) => t.natType(3),
  ),
  ['unserializable: template argument', (t) => [t.plain('T', 5, [], t.field('p', t.party)), t.template()]],
  [
    'unserializable: choice argument',
    (t) => [
      t.templateData,
      t.plain('C', 5, []),
      t.template(t.choice('C', t.named('C'), t.unit, t.e.pure(t.unit, t.e.unit))),
    ],
  ],
  [
    'unserializable: choice result',
    (t) => [
      t.templateData,
      t.e.data('C', 5),
      t.plain('R', 5, []),
      t.template(t.choice('C', t.named('C'), t.named('R'), t.e.pure(t.named('R'), t.e.record('R')))),
    ],
  ],
  [
    'unserializable: exception',
    (t) => [t.plain('X', 5, []), t.exception('X', t.e.lambda([['x', t.named('X')]], t.e.text('')))],
  ],
  ['unserializable: view', (t) => [t.plain('View', 5, []), ...t.iface('I', t.named('View'))]],
]
