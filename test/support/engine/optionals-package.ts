// A package whose data types have an Optional of their type parameter, which stands for an Optional: the JSON API does not
// write all their values apart. Written by hand in LF 2.1.
import { decodeArchive } from '../../../src/lf/archive/archive.ts'
import { createExpressionWriter } from '../lf/expression-writer.ts'
import { archiveOf, createPackageWriter, goodFlags, payloadOf, type Written } from '../lf/package-writer.ts'
import { bytes, message, varint } from '../lf/proto-writer.ts'
import type { VersionedPackage } from './versioned-package.ts'

const module = 'Main'

/**
 * A contract holds a Sample. The choice Echo returns its argument; Fill creates a contract with `Some None` wherever there
 * is an Optional in an Optional, and returns what it holds.
 */
export function optionalsPackage(packageName = 'optionals'): VersionedPackage {
  const w = createPackageWriter(1)
  const write = createExpressionWriter(w, module)
  const { id, variable, field, name, none, some } = write
  const [int, party] = [w.builtinType('Int64'), w.builtinType('Party')]
  const optional = (type: number) => w.builtinType('Optional', type)
  const a = w.variableType('a')
  const own = (of: string, ...args: number[]) => w.constructorType(id(of), ...args)
  const [ofInt, ofOfInt] = [optional(int), optional(optional(int))]

  /** A data type with the parameter `a`. */
  const generic = (of: string, kind: 5 | 6, ...fields: [string, number][]) =>
    message(
      4,
      varint(2, w.dottedName(of)),
      message(3, name(3, 'a'), bytes(2, w.star())),
      varint(4, 1),
      message(kind, ...fields.map(([label, type]) => message(1, name(3, label), bytes(2, w.type(type))))),
    )
  const record = (of: string, argument: number, ...fields: [string, Written][]): Written =>
    message(
      7,
      message(1, bytes(1, id(of)), bytes(2, w.type(argument))),
      ...fields.map(([label, content]) => message(2, name(3, label), bytes(2, content))),
    )
  const someNone = some(ofInt, none(int))
  const someSomeNone = some(ofOfInt, someNone)
  const insert = write.call(
    write.at(write.builtin('TEXTMAP_INSERT'), ofOfInt),
    write.text('key'),
    someNone,
    write.at(write.builtin('TEXTMAP_EMPTY'), ofOfInt),
  )
  const filled = write.record(
    'Sample',
    ['box', record('Box', ofInt, ['content', someNone])],
    ['row', record('Row', ofInt, ['first', someNone], ['second', none(ofInt)], ['last', none(int)])],
    ['gap', record('Row', ofInt, ['first', none(ofInt)], ['second', someNone], ['last', none(int)])],
    ['deep', record('Deep', ofInt, ['content', someSomeNone], ['after', write.number(1n)])],
    [
      'many',
      record(
        'Many',
        ofInt,
        ['list', write.cons(ofOfInt, someNone, write.cons(ofOfInt, none(ofInt), write.nil(ofOfInt)))],
        ['map', insert],
        ['after', write.number(2n)],
      ),
    ],
    [
      'either',
      message(10, message(1, bytes(1, id('Either')), bytes(2, w.type(ofInt))), name(2, 'Right'), bytes(3, someNone)),
    ],
    ['outer', record('Outer', ofInt, ['box', record('Box', ofOfInt, ['content', someSomeNone])])],
    ['nested', record('Box', ofOfInt, ['content', someSomeNone])],
    ['plain', record('Box', int, ['content', none(int)])],
  )
  const [sample, held] = [own('Sample'), own('Held')]
  const owners = write.cons(party, field('Held', 'owner', variable('this')), write.nil(party))
  const choice = (of: string, body: Written) =>
    write.choice(6, of, { argument: own(of), returns: sample, controllers: owners, body, parties: party })
  const filledHeld = write.record('Held', ['owner', field('Held', 'owner', variable('this'))], ['sample', filled])

  w.addModule(
    varint(1, w.dottedName(module)),
    goodFlags,
    generic('Box', 5, ['content', optional(a)]),
    generic('Row', 5, ['first', optional(a)], ['second', optional(a)], ['last', ofInt]),
    generic('Deep', 5, ['content', optional(optional(a))], ['after', int]),
    generic(
      'Many',
      5,
      ['list', w.builtinType('List', optional(a))],
      ['map', w.builtinType('TextMap', optional(a))],
      ['after', int],
    ),
    generic('Either', 6, ['Left', a], ['Right', optional(a)]),
    generic('Outer', 5, ['box', own('Box', optional(a))]),
    write.data(
      'Sample',
      5,
      ['box', own('Box', ofInt)],
      ['row', own('Row', ofInt)],
      ['gap', own('Row', ofInt)],
      ['deep', own('Deep', ofInt)],
      ['many', own('Many', ofInt)],
      ['either', own('Either', ofInt)],
      ['outer', own('Outer', ofInt)],
      ['nested', own('Box', ofOfInt)],
      ['plain', own('Box', int)],
    ),
    write.data('Held', 5, ['owner', party], ['sample', sample]),
    write.data('Echo', 5, ['sample', sample]),
    write.data('Fill', 5),
    message(
      6,
      varint(1, w.dottedName('Held')),
      varint(2, w.string('this')),
      bytes(3, write.isTrue(true)),
      bytes(4, owners),
      choice('Echo', write.pure(sample, field('Echo', 'sample', variable('arg')))),
      choice(
        'Fill',
        write.block(
          'id',
          w.builtinType('ContractId', held),
          write.create('Held', filledHeld),
          write.pure(sample, filled),
        ),
      ),
      bytes(7, write.nil(party)),
    ),
  )
  const metadata = message(4, varint(1, w.string(packageName)), varint(2, w.string('1.0.0')))
  const archive = archiveOf(payloadOf(w.finish(metadata), '1'))
  return { id: decodeArchive(archive).package.id, bytes: archive }
}
