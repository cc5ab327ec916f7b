// Versions of a package that grow as upgrades do: optional fields at the end of the template, of nested records, of
// arguments and of results, and new constructors. Choices return what they saw. Written by hand in LF 2.1.
import { decodeArchive } from '../../../src/lf/archive/archive.ts'
import { createExpressionWriter } from '../lf/expression-writer.ts'
import { archiveOf, createPackageWriter, goodFlags, payloadOf, type Written } from '../lf/package-writer.ts'
import { bytes, message, varint } from '../lf/proto-writer.ts'
import { shownPackage, type VersionedPackage } from './versioned-package.ts'

export type DepositVersion = {
  readonly version: string
  readonly packageName?: string
  /** How many optional fields were added, and constructors. */
  readonly added: 0 | 1 | 2
  readonly signatories?: readonly ('owner' | 'other')[]
  readonly observers?: readonly ('owner' | 'other')[]
  readonly isRefusing?: boolean
  /** What computing the view does. */
  readonly view?: 'good' | 'fails'
}

const module = 'Main'

export function depositPackage(deposit: DepositVersion): VersionedPackage {
  const { version, packageName = 'deposit', added, signatories = ['owner'], observers = [], view = 'good' } = deposit
  const w = createPackageWriter(1)
  const write = createExpressionWriter(w, module)
  const { variable, field, record, pure, data, id } = write
  const text = w.builtinType('Text')
  const int = w.builtinType('Int64')
  const bool = w.builtinType('Bool')
  const party = w.builtinType('Party')
  const optional = (type: number) => w.builtinType('Optional', type)
  const contractId = (type: number) => w.builtinType('ContractId', type)
  const own = (name: string) => w.constructorType(id(name))
  const shown = w.id(module, 'Shown', shownPackage.id)
  const shownType = w.constructorType(shown)
  const depositType = own('Deposit')
  const ofThis = (name: string): Written => field('Deposit', name, variable('this'))
  const ofArgument = (choice: string, name: string): Written => field(choice, name, variable('arg'))
  const parties = (names: readonly string[]): Written =>
    names.reduceRight((tail, name) => write.cons(party, ofThis(name), tail), write.nil(party))
  const extras = (...names: string[]): [string, number][] => {
    return names.slice(0, added).map((name) => [name, optional(text)])
  }
  const choice = (name: string, returns: number, body: Written, isConsuming = false) =>
    write.choice(6, name, {
      argument: own(name),
      returns,
      controllers: parties(['owner']),
      body,
      parties: party,
      isConsuming,
    })
  const viewOf = {
    good: record(w.id(module, 'ShownView', shownPackage.id), ['note', ofThis('note')], ['by', write.text(version)]),
    fails: write.call(
      write.at(write.builtin('ERROR'), w.constructorType(w.id(module, 'ShownView', shownPackage.id))),
      write.text('no view'),
    ),
  }
  const fetchedShown = (returns: number, body: Written, of: string): Written =>
    write.block('shown', shownType, write.fetchInterface(shown, ofArgument(of, 'id')), pure(returns, body))
  const typeRep = w.builtinType('TypeRep')
  const isOwn = write.call(
    write.at(write.builtin('EQUAL'), typeRep),
    write.typeRepOf(shown, variable('shown')),
    write.typeRep(depositType),
  )
  const outcome = record(
    'Outcome',
    ['sum', ofArgument('Change', 'by')],
    ...extras('why', 'because').map(([name]): [string, Written] => [name, ofArgument('Change', name)]),
  )

  w.addModule(
    varint(1, w.dottedName(module)),
    goodFlags,
    write.enumType('Colour', ...['Red', 'Green', 'Blue', 'Black'].slice(0, 2 + added)),
    data('Part', 5, ['n', int], ...extras('tag', 'label')),
    data('Shape', 6, ['Round', own('Part')], ['Square', int], ...extras('Oval', 'Flat')),
    data(
      'Deposit',
      5,
      ...([
        ['owner', party],
        ['other', party],
        ['note', text],
        ['part', own('Part')],
        ['shape', own('Shape')],
        ['colour', own('Colour')],
        ...extras('extra', 'more'),
      ] as [string, number][]),
    ),
    data('Keep', 5),
    data('Renew', 5),
    data('Change', 5, ['by', int], ...extras('why', 'because')),
    data('Outcome', 5, ['sum', int], ...extras('why', 'because')),
    data('Echo', 5, ['part', own('Part')], ['shape', own('Shape')], ['colour', own('Colour')], ...extras('a', 'b')),
    data('Look', 5, ['id', contractId(depositType)]),
    data('Show', 5, ['id', contractId(shownType)]),
    data('IsOwn', 5, ['id', contractId(shownType)]),
    data('Cast', 5, ['id', contractId(shownType)]),
    data('Force', 5, ['id', contractId(shownType)]),
    data('Touch', 5, ['id', contractId(shownType)]),
    message(
      6,
      varint(1, w.dottedName('Deposit')),
      varint(2, w.string('this')),
      bytes(3, write.isTrue(deposit.isRefusing !== true)),
      bytes(4, parties(signatories)),
      choice('Keep', text, pure(text, write.text(version))),
      choice('Renew', contractId(depositType), write.create('Deposit', variable('this')), true),
      choice('Change', own('Outcome'), pure(own('Outcome'), outcome)),
      choice('Echo', own('Echo'), pure(own('Echo'), variable('arg'))),
      choice('Look', depositType, write.fetch('Deposit', ofArgument('Look', 'id'))),
      choice(
        'Show',
        w.constructorType(w.id(module, 'ShownView', shownPackage.id)),
        fetchedShown(
          w.constructorType(w.id(module, 'ShownView', shownPackage.id)),
          write.viewOf(shown, variable('shown')),
          'Show',
        ),
      ),
      choice('IsOwn', bool, fetchedShown(bool, isOwn, 'IsOwn')),
      choice(
        'Cast',
        optional(depositType),
        fetchedShown(optional(depositType), write.fromInterface(shown, 'Deposit', variable('shown')), 'Cast'),
      ),
      choice(
        'Force',
        depositType,
        fetchedShown(
          depositType,
          write.unsafeFromInterface(shown, 'Deposit', ofArgument('Force', 'id'), variable('shown')),
          'Force',
        ),
      ),
      choice(
        'Touch',
        text,
        write.exerciseInterface(
          shown,
          'Touch',
          ofArgument('Touch', 'id'),
          record(w.id(module, 'Touch', shownPackage.id)),
        ),
      ),
      bytes(7, parties(observers)),
      message(10, bytes(1, shown), message(2, bytes(2, viewOf[view]))),
    ),
  )
  const metadata = message(4, varint(1, w.string(packageName)), varint(2, w.string(version)))
  const archive = archiveOf(payloadOf(w.finish(metadata), '1'))
  return { id: decodeArchive(archive).package.id, bytes: archive }
}
