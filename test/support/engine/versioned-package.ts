// Versions of a package that differ as a test says: a template that gains, loses and renames fields, changes its
// signatories, and implements an interface of a separate package. Written by hand in LF 2.1.
import { decodeArchive } from '../../../src/lf/archive/archive.ts'
import { createExpressionWriter } from '../lf/expression-writer.ts'
import { archiveOf, createPackageWriter, goodFlags, payloadOf, type Written } from '../lf/package-writer.ts'
import { bytes, message, varint } from '../lf/proto-writer.ts'

export type ItemVersion = {
  readonly version: string
  readonly packageName?: string
  /** Added at the end, and optional unless `isMandatory`. */
  readonly added?: readonly string[]
  readonly isMandatory?: boolean
  readonly noteName?: string
  readonly colours?: readonly string[]
  readonly signatories?: readonly ('owner' | 'other')[]
  readonly observers?: readonly 'other'[]
  readonly isRefusing?: boolean
  /** Whether it has the choice Archive, as all templates that are compiled from Daml. */
  readonly isArchivable?: boolean
  readonly view?: 'good' | 'fails' | 'loops' | 'piles' | 'none'
  /** Another version, for the choices that use it: Renew and Cast. */
  readonly older?: VersionedPackage & { readonly noteName?: string }
}

export type VersionedPackage = { readonly id: string; readonly bytes: Uint8Array }

const module = 'Main'

/** The interface Shown. Its view holds the note, and the version of the package that computed it. */
export const shownPackage: VersionedPackage = packageFrom('shown', '1.0.0', (w) => {
  const write = createExpressionWriter(w, module)
  const text = w.builtinType('Text')
  const party = w.builtinType('Party')
  w.addModule(
    varint(1, w.dottedName(module)),
    goodFlags,
    message(4, varint(2, w.dottedName('Shown')), message(8)),
    write.data('ShownView', 5, ['note', text], ['by', text]),
    write.data('Touch', 5),
    message(
      8,
      varint(2, w.dottedName('Shown')),
      varint(4, w.string('this')),
      write.choice(5, 'Touch', {
        argument: w.constructorType(write.id('Touch')),
        returns: text,
        controllers: write.signatoriesOf('Shown', write.variable('this')),
        body: write.pure(text, write.text('touched')),
        parties: party,
      }),
      bytes(6, w.type(w.constructorType(write.id('ShownView')))),
    ),
  )
})

export const shownId = `${shownPackage.id}:${module}:Shown`
export const itemId = ({ id }: VersionedPackage) => `${id}:${module}:Item`

export function itemPackage(item: ItemVersion): VersionedPackage {
  const { version, packageName = 'item', added = [], noteName = 'note', colours = ['Red', 'Green'], older } = item
  return packageFrom(packageName, version, (w) => {
    const write = createExpressionWriter(w, module)
    const { variable, field, record, pure } = write
    const text = w.builtinType('Text')
    const int = w.builtinType('Int64')
    const ints = w.builtinType('List', int)
    const party = w.builtinType('Party')
    const itemType = w.constructorType(write.id('Item'))
    const itemIdType = w.builtinType('ContractId', itemType)
    const shown = w.id(module, 'Shown', shownPackage.id)
    const shownView = w.id(module, 'ShownView', shownPackage.id)
    const ofThis = (name: string): Written => field('Item', name, variable('this'))
    const parties = (names: readonly string[]): Written =>
      names.reduceRight((tail, name) => write.cons(party, ofThis(name), tail), write.nil(party))
    const choice = (name: string, returns: number, body: Written) =>
      write.choice(6, name, {
        argument: w.constructorType(write.id(name)),
        returns,
        controllers: parties(['owner']),
        body,
        parties: party,
      })
    const note = field('Item', noteName, variable('item'))
    const views = {
      good: record(shownView, ['note', ofThis(noteName)], ['by', write.text(version)]),
      fails: write.call(write.at(write.builtin('ERROR'), w.constructorType(shownView)), write.text('no view')),
      loops: write.call(write.value('loop'), write.unit),
      piles: write.call(write.value('pile'), write.nil(int)),
    }
    const usingOlder = () => {
      const olderItem = w.id(module, 'Item', older!.id)
      const olderType = w.constructorType(olderItem)
      const made = record(
        olderItem,
        ['owner', ofThis('owner')],
        ['other', ofThis('other')],
        [older!.noteName ?? 'note', write.text('made by the older')],
        ['colour', write.enumeration(w.id(module, 'Colour', older!.id), 'Red')],
      )
      const coerce = write.at(write.builtin('COERCE_CONTRACT_ID'), olderType, itemType)
      const renewed = write.block(
        'item',
        itemType,
        write.fetch('Item', write.call(coerce, variable('id'))),
        pure(text, note),
      )
      const cast = write.fromInterface(shown, 'Item', write.toInterface(shown, olderItem, made))
      return [
        choice(
          'Renew',
          text,
          write.block('id', w.builtinType('ContractId', olderType), write.create(olderItem, made), renewed),
        ),
        choice('Cast', w.builtinType('Optional', itemType), pure(w.builtinType('Optional', itemType), cast)),
      ]
    }

    w.addModule(
      varint(1, w.dottedName(module)),
      goodFlags,
      write.enumType('Colour', ...colours),
      write.data(
        'Item',
        5,
        ['owner', party],
        ['other', party],
        [noteName, text],
        ['colour', w.constructorType(write.id('Colour'))],
        ...added.map((name): [string, number] => [name, item.isMandatory ? text : w.builtinType('Optional', text)]),
      ),
      ...['Keep', 'Renew', 'Cast', ...(item.isArchivable ? ['Archive'] : [])].map((name) => write.data(name, 5)),
      write.data('Look', 5, ['id', itemIdType]),
      write.define(
        'loop',
        w.builtinType('Arrow', w.builtinType('Unit'), w.constructorType(shownView)),
        write.lambda([['u', w.builtinType('Unit')]], write.call(write.value('loop'), variable('u'))),
      ),
      write.define(
        'pile',
        w.builtinType('Arrow', ints, w.constructorType(shownView)),
        write.lambda(
          [['l', ints]],
          write.call(write.value('pile'), write.cons(int, write.number(2n ** 60n), variable('l'))),
        ),
      ),
      message(
        6,
        varint(1, w.dottedName('Item')),
        varint(2, w.string('this')),
        bytes(3, write.isTrue(item.isRefusing !== true)),
        bytes(4, parties(item.signatories ?? ['owner'])),
        choice('Keep', text, pure(text, write.text(version))),
        ...(item.isArchivable
          ? [choice('Archive', w.builtinType('Unit'), pure(w.builtinType('Unit'), write.unit))]
          : []),
        choice(
          'Look',
          text,
          write.block('item', itemType, write.fetch('Item', field('Look', 'id', variable('arg'))), pure(text, note)),
        ),
        ...(older === undefined ? [] : usingOlder()),
        bytes(7, parties(item.observers ?? [])),
        ...(item.view === 'none'
          ? []
          : [message(10, bytes(1, shown), message(2, bytes(2, views[item.view ?? 'good'])))]),
      ),
    )
  })
}

function packageFrom(
  name: string,
  version: string,
  write: (writer: ReturnType<typeof createPackageWriter>) => void,
): VersionedPackage {
  const w = createPackageWriter(1)
  write(w)
  const metadata = message(4, varint(1, w.string(name)), varint(2, w.string(version)))
  const archive = archiveOf(payloadOf(w.finish(metadata), '1'))
  return { id: decodeArchive(archive).package.id, bytes: archive }
}
