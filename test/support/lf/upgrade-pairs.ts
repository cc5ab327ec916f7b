// Pairs of packages, one an upgrade of the other or not, with the reference's first problem: at least one pair for each
// rule. The texts were compared with the reference by tools/lf/upgrades.
import type { Identifier, Kind, Type } from '../../../src/lf/syntax/ast.ts'
import {
  intType,
  listType,
  numericType,
  optionalType,
  partyType,
  textType,
  unitType,
  variableType,
} from './data-package.ts'
import {
  type DescribedModule,
  type DescribedPackage,
  self,
  type WrittenPackage,
  writePackage,
} from './described-package.ts'

export type UpgradePair = {
  readonly name: string
  readonly past: DescribedPackage
  readonly present: DescribedPackage
  /** What both may refer to. */
  readonly dependencies?: readonly WrittenPackage[]
  /** Undefined for a valid upgrade. */
  readonly problem?: string
}

const own = (name: string, ...args: Type[]): Type => of(self, name, ...args)
const of = (packageId: string, name: string, ...args: Type[]): Type => {
  return { kind: 'constructor', id: { packageId, module: 'Main', name }, args }
}
const interfaceId = (name: string, packageId = self): Identifier => ({ packageId, module: 'Main', name })
const star: Kind = { kind: 'star' }
const functionKind: Kind = { kind: 'arrow', parameter: star, result: star }
const scale: Kind = { kind: 'nat' }

/** One module, `Main`. */
const main = (content: DescribedModule): DescribedPackage => ({ modules: { Main: content } })
const record = (fields: Readonly<Record<string, Type>>) => main({ data: { R: { record: fields } } })
const template = (fields: Readonly<Record<string, Type>>, choices: Readonly<Record<string, Type>> = {}) =>
  main({ data: { T: { record: fields } }, templates: { T: { choices } } })
const variant = (constructors: Readonly<Record<string, Type>>) => main({ data: { V: { variant: constructors } } })
const enumeration = (...names: string[]) => main({ data: { E: { enum: names } } })
const keyed = (key?: Type): DescribedPackage => ({
  ...main({ data: { T: { record: { p: partyType } } }, templates: { T: key ? { key } : {} } }),
  minor: 3,
})
const holder = (type: Type) => main({ data: { R: { record: { field: type } } } })
const choice = (fields: Readonly<Record<string, Type>>) =>
  main({
    data: { T: { record: { p: partyType } }, C: { record: fields } },
    templates: { T: { choices: { C: unitType } } },
  })

const view = { record: { p: partyType } } as const
const interfaces = (...implemented: Identifier[]) =>
  main({
    data: {
      T: { record: { p: partyType } },
      I: { interface: true },
      IView: view,
      J: { interface: true },
      JView: view,
    },
    templates: { T: { implements: implemented } },
    interfaces: { I: 'IView', J: 'JView' },
  })

const dependency = (version: string, name = 'dependency') =>
  writePackage({ ...main({ data: { D: { record: { d: intType } } } }), name, version })
const [old, recent, foreign] = [dependency('1.0.0'), dependency('1.10.0'), dependency('2.0.0', 'another')]
const implementable = writePackage({
  ...main({ data: { I: { interface: true }, IView: view }, interfaces: { I: 'IView' } }),
  name: 'interfaces',
})

/** So many that the reference keeps them in the order of their hashes. */
const many = (count: number, type: (i: number) => Type): DescribedModule => {
  const names = Array.from({ length: count }, (_, i) => `R${i}`)
  return { data: Object.fromEntries(names.map((name, i) => [name, { record: { field: type(i) } }])) }
}

const gone = 'appears in package that is being upgraded, but does not appear in the upgrading package.'
const order = (what: string) => `has changed the order of its ${what} - any new ${what.replace(/s$/, '')}`

export const upgradePairs: readonly UpgradePair[] = [
  // ── The package
  { name: 'nothing changes', past: record({ a: intType }), present: record({ a: intType }) },
  {
    name: 'an older LF version',
    past: { ...record({ a: intType }), minor: 2 },
    present: record({ a: intType }),
    problem: 'The upgraded package uses an older LF version (2.1 < 2.2)',
  },
  { name: 'a newer LF version', past: record({ a: intType }), present: { ...record({ a: intType }), minor: 3 } },
  {
    name: 'a module is removed',
    past: { modules: { Main: {}, 'Main.Other': {} } },
    present: { modules: { Main: {} } },
    problem: `Module Main.Other ${gone}`,
  },
  { name: 'a module is added', past: { modules: { Main: {} } }, present: { modules: { Main: {}, Other: {} } } },
  {
    name: 'several modules are removed: the first by hash',
    past: { modules: Object.fromEntries(['A', 'B.C', 'D', 'E.F.G', 'H', 'I', 'J.K'].map((name) => [name, {}])) },
    present: { modules: { H: {} } },
    problem: `Module D ${gone}`,
  },

  // ── Templates, choices, keys, interface instances
  {
    name: 'a template is removed',
    past: template({ p: partyType }),
    present: record({ p: partyType }),
    problem: `Template T ${gone}`,
  },
  { name: 'a template is added', past: main({}), present: template({ p: partyType }, { C: unitType }) },
  {
    name: 'a choice is removed',
    past: template({ p: partyType }, { A: unitType, B: unitType }),
    present: template({ p: partyType }, { A: unitType }),
    problem: `Choice B ${gone}`,
  },
  {
    name: 'a choice is added',
    past: template({}, { A: unitType }),
    present: template({}, { B: intType, A: unitType }),
  },
  {
    name: 'a choice returns another type',
    past: template({}, { A: unitType, B: intType }),
    present: template({}, { A: unitType, B: textType }),
    problem: 'The upgraded choice B cannot change its return type.',
  },
  {
    name: 'a choice returns a type with other arguments',
    past: template({}, { A: listType(optionalType(intType)) }),
    present: template({}, { A: listType(optionalType(textType)) }),
    problem: 'The upgraded choice A cannot change its return type.',
  },
  {
    name: 'a choice returns a record that is upgraded',
    past: main({ data: { T: { record: {} }, R: { record: {} } }, templates: { T: { choices: { A: own('R') } } } }),
    present: main({
      data: { T: { record: {} }, R: { record: { more: optionalType(intType) } } },
      templates: { T: { choices: { A: own('R') } } },
    }),
  },
  {
    name: 'a key changes its type',
    past: keyed(partyType),
    present: keyed(textType),
    problem: 'The upgraded template T cannot change its key type.',
  },
  { name: 'a key stays', past: keyed(partyType), present: keyed(partyType) },
  {
    name: 'a key is removed',
    past: keyed(partyType),
    present: keyed(),
    problem: 'The upgraded template T cannot remove its key.',
  },
  {
    name: 'a key is added',
    past: keyed(),
    present: keyed(partyType),
    problem: 'The upgraded template T cannot add a key.',
  },
  {
    name: 'an interface instance is removed',
    past: main({
      data: { T: { record: { p: partyType } } },
      templates: { T: { implements: [interfaceId('I', implementable.id)] } },
    }),
    present: main({ data: { T: { record: { p: partyType } } }, templates: { T: {} } }),
    dependencies: [implementable],
    problem:
      `Implementation of interface ${implementable.id}:Main:I by template T appears in package that is being upgraded, ` +
      'but does not appear in this package.',
  },
  {
    name: 'an interface instance stays and another is added',
    past: main({
      data: { T: { record: { p: partyType } } },
      templates: { T: { implements: [interfaceId('I', implementable.id)] } },
    }),
    present: main({
      data: { T: { record: { p: partyType } }, J: { interface: true }, JView: view },
      templates: { T: { implements: [interfaceId('I', implementable.id), interfaceId('J')] } },
      interfaces: { J: 'JView' },
    }),
    dependencies: [implementable],
  },
  { name: 'an interface is defined again', past: interfaces(), present: interfaces() },
  {
    name: 'an exception is defined again, with other fields',
    past: main({ data: { X: { record: { a: intType } } }, exceptions: ['X'] }),
    present: main({ data: { X: { record: { b: textType } } }, exceptions: ['X'] }),
  },
  {
    name: 'an interface and an exception are removed',
    past: main({
      data: { X: { record: {} }, I: { interface: true }, IView: view },
      exceptions: ['X'],
      interfaces: { I: 'IView' },
    }),
    present: main({ data: { IView: view } }),
  },

  // ── Data types
  { name: 'a data type is removed', past: record({}), present: main({}), problem: `Data type R ${gone}` },
  {
    name: 'a data type that is not serializable is removed',
    past: main({ data: { R: { record: {}, isSerializable: false } } }),
    present: main({}),
  },
  {
    name: 'a data type becomes unserializable',
    past: record({ a: intType }),
    present: main({ data: { R: { record: { a: intType }, isSerializable: false } } }),
    problem:
      'The upgraded data type R was serializable and is now unserializable. Datatypes cannot change their ' +
      'serializability via upgrades.',
  },
  {
    name: 'a data type becomes serializable, and changes',
    past: main({ data: { R: { record: { a: intType }, isSerializable: false } } }),
    present: record({ b: textType }),
  },
  {
    name: 'a record becomes a template',
    past: record({ p: partyType }),
    present: main({ data: { R: { record: { p: partyType } } }, templates: { R: {} } }),
    problem: 'The record R has changed origin from data type R to template R',
  },
  {
    name: 'a record becomes the argument of a choice',
    past: main({ data: { T: { record: { p: partyType } }, C: { record: {} } }, templates: { T: {} } }),
    present: choice({}),
    problem: 'The record C has changed origin from data type C to input type of choice C on template T',
  },
  {
    name: 'a record becomes what a constructor carries',
    past: main({ data: { V: { variant: { A: intType } }, 'V.A': { record: {} } } }),
    present: main({ data: { V: { variant: { A: own('V.A') } }, 'V.A': { record: {} } } }),
    // Data types are walked as they were inserted.
    problem: 'The upgraded data type V has changed the type of a variant.',
  },
  {
    name: 'a constructor carries another record, and its own is a plain one now',
    past: main({ data: { 'V.A': { record: {} }, V: { variant: { A: own('V.A') } } } }),
    present: main({ data: { 'V.A': { record: {} }, V: { variant: { A: intType } } } }),
    problem: 'The record V.A has changed origin from variant constructor V.A from variant V to data type V.A',
  },
  {
    name: 'a record becomes a variant',
    past: main({ data: { R: { record: { a: intType } } } }),
    present: main({ data: { R: { variant: { a: intType } } } }),
    problem:
      'The upgraded data type R has changed from a record to a variant. Datatypes cannot change variety via upgrades.',
  },
  {
    name: 'an enum becomes a variant',
    past: main({ data: { R: { enum: ['A'] } } }),
    present: main({ data: { R: { variant: { A: unitType } } } }),
    problem:
      'The upgraded data type R has changed from a enum to a variant. Datatypes cannot change variety via upgrades.',
  },
  {
    name: 'a type parameter is added',
    past: record({}),
    present: main({ data: { R: { record: {}, parameters: [['a', star]] } } }),
    problem: 'The upgraded data type R has changed the number of type variables it has.',
  },
  {
    name: 'a type parameter has another kind',
    past: main({ data: { R: { record: {}, parameters: [['a', star]], isSerializable: true } } }),
    present: main({ data: { R: { record: {}, parameters: [['a', scale]], isSerializable: true } } }),
    problem: 'The upgraded data type R has changed the kind of one of its type variables.',
  },
  {
    name: 'a type parameter takes a parameter now',
    past: main({ data: { R: { record: {}, parameters: [['a', star]], isSerializable: true } } }),
    present: main({ data: { R: { record: {}, parameters: [['a', functionKind]], isSerializable: true } } }),
    problem: 'The upgraded data type R has changed the kind of one of its type variables.',
  },
  {
    name: 'type parameters are renamed',
    past: main({
      data: { R: { record: { f: variableType('a'), g: variableType('b') }, parameters: pairOf('a', 'b') } },
    }),
    present: main({
      data: { R: { record: { f: variableType('x'), g: variableType('y') }, parameters: pairOf('x', 'y') } },
    }),
  },
  {
    name: 'type parameters are exchanged',
    past: main({
      data: { R: { record: { f: variableType('a'), g: variableType('b') }, parameters: pairOf('a', 'b') } },
    }),
    present: main({
      data: { R: { record: { f: variableType('a'), g: variableType('b') }, parameters: pairOf('b', 'a') } },
    }),
    problem: 'The upgraded data type R has changed the types of some of its original fields.',
  },

  // ── Fields
  {
    name: 'an Optional field is added',
    past: record({ a: intType }),
    present: record({ a: intType, b: optionalType(textType) }),
  },
  {
    name: 'a field is removed',
    past: template({ a: intType, b: intType }),
    present: template({ a: intType }),
    problem: 'The upgraded template T is missing some of its original fields.',
  },
  {
    name: 'a field is renamed',
    past: record({ a: intType }),
    present: record({ b: intType }),
    problem: 'The upgraded data type R is missing some of its original fields.',
  },
  {
    name: 'a field of a choice changes its type',
    past: choice({ a: intType }),
    present: choice({ a: optionalType(intType) }),
    problem: 'The upgraded input type of choice C on template T has changed the types of some of its original fields.',
  },
  {
    name: 'a Numeric changes its scale',
    past: record({ a: numericType(10) }),
    present: record({ a: numericType(9) }),
    problem: 'The upgraded data type R has changed the types of some of its original fields.',
  },
  {
    name: 'a field that is not Optional is added',
    past: template({ a: intType }),
    present: template({ a: intType, b: listType(intType) }),
    problem: 'The upgraded template T has added new fields, but those fields are not Optional.',
  },
  {
    name: 'a field that is not Optional is added to what a constructor carries',
    past: main({ data: { V: { variant: { A: own('V.A') } }, 'V.A': { record: { a: intType } } } }),
    present: main({ data: { V: { variant: { A: own('V.A') } }, 'V.A': { record: { a: intType, b: intType } } } }),
    problem: 'The upgraded variant constructor V.A from variant V has added a field.',
  },
  {
    name: 'fields change places',
    past: record({ a: intType, b: intType }),
    present: record({ b: intType, a: intType }),
    problem: `The upgraded data type R ${order('fields')}s must be added at the end of the record.`,
  },
  {
    name: 'an Optional field is added at the front',
    past: record({ a: intType }),
    present: record({ b: optionalType(intType), a: intType }),
    problem: `The upgraded data type R ${order('fields')}s must be added at the end of the record.`,
  },
  {
    name: 'a field is a synonym, which the reference takes for a change',
    past: main({ synonyms: { S: intType }, data: { R: { record: { a: synonym('S') } } } }),
    present: main({ synonyms: { S: intType }, data: { R: { record: { a: synonym('S') } } } }),
    problem: 'The upgraded data type R has changed the types of some of its original fields.',
  },

  // ── Constructors
  {
    name: 'a constructor is removed',
    past: variant({ A: intType, B: intType }),
    present: variant({ A: intType }),
    problem: 'The upgraded data type V has removed an existing variant.',
  },
  { name: 'a constructor is added', past: variant({ A: intType }), present: variant({ A: intType, B: textType }) },
  {
    name: 'a constructor carries another type',
    past: variant({ A: intType }),
    present: variant({ A: textType }),
    problem: 'The upgraded data type V has changed the type of a variant.',
  },
  {
    name: 'constructors change places',
    past: variant({ A: intType, B: intType }),
    present: variant({ B: intType, A: intType }),
    problem: `The upgraded data type V ${order('variants')} must be added at the end of the variant.`,
  },
  {
    name: 'a constructor of an enum is removed',
    past: enumeration('A', 'B'),
    present: enumeration('B'),
    problem: 'The upgraded data type E has removed an existing variant.',
  },
  { name: 'a constructor of an enum is added', past: enumeration('A'), present: enumeration('A', 'B') },
  {
    name: 'constructors of an enum change places',
    past: enumeration('A', 'B'),
    present: enumeration('B', 'A', 'C'),
    problem: `The upgraded data type E ${order('variants')} must be added at the end of the enum.`,
  },

  // ── Types of other packages
  {
    name: 'a type of a later version of a dependency',
    past: holder(of(old.id, 'D')),
    present: holder(of(recent.id, 'D')),
    dependencies: [old, recent],
  },
  {
    name: 'a type of an earlier version of a dependency',
    past: holder(of(recent.id, 'D')),
    present: holder(of(old.id, 'D')),
    dependencies: [old, recent],
    problem: 'The upgraded data type R has changed the types of some of its original fields.',
  },
  {
    name: 'a type of another package',
    past: holder(of(old.id, 'D')),
    present: holder(of(foreign.id, 'D')),
    dependencies: [old, foreign],
    problem: 'The upgraded data type R has changed the types of some of its original fields.',
  },

  // ── Which comes first
  {
    name: 'many data types change: the first by hash',
    past: main(many(9, () => intType)),
    present: main(many(9, (i) => (i > 2 ? textType : intType))),
    problem: 'The upgraded data type R8 has changed the types of some of its original fields.',
  },
  {
    name: 'few data types change beside many values: the first by hash of them all',
    past: main({ ...many(3, () => intType), values: valuesOf(9) }),
    present: main({ ...many(3, () => textType), values: valuesOf(9) }),
    problem: 'The upgraded data type R1 has changed the types of some of its original fields.',
  },
  {
    name: 'a template comes before a data type, a module before all',
    past: { modules: { Main: { data: { R: { record: {} } } }, Other: {} } },
    present: { modules: { Main: {} } },
    problem: `Module Other ${gone}`,
  },
]

function pairOf(a: string, b: string) {
  return [
    [a, star],
    [b, star],
  ] as const
}

function synonym(name: string): Type {
  return { kind: 'synonym', id: { packageId: self, module: 'Main', name }, args: [] }
}

function valuesOf(count: number) {
  return Object.fromEntries(Array.from({ length: count }, (_, i) => [`v${i}`, intType]))
}
