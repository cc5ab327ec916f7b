// A small package for tests, in any LF version: every kind of definition, each with all the fields it can have.
import type { Minor } from '../../../src/lf/syntax/ast.ts'
import {
  archiveOf,
  createPackageWriter,
  darOf,
  goodFlags,
  type PackageWriter,
  payloadOf,
  type Written,
} from './package-writer.ts'
import { bytes, message, varint } from './proto-writer.ts'

export const sampleModule = 'Main'

type Change = (writer: PackageWriter) => void

/** `test-package` 1.0.0 by default. */
export type NameAndVersion = { readonly name: string; readonly version: string }

/** `requires` names an interface that does not exist: without it the package is well typed. */
export function samplePackage(
  minor: Minor,
  change: Change = () => undefined,
  named?: NameAndVersion,
  requires = true,
): Buffer {
  const writer = createPackageWriter(minor)
  const { string, dottedName, type, id } = writer
  const party = writer.builtinType('Party')
  const parties = writer.builtinType('List', party)
  const text = writer.builtinType('Text')
  const amount = writer.builtinType('Numeric', writer.addType(varint(6, 20)))
  const iou = writer.constructorType(id(sampleModule, 'Iou'))
  const iouContract = writer.builtinType('ContractId', iou)

  const location = (number: number): Buffer => message(number, message(2, varint(1, 7), varint(3, 7), varint(4, 9)))
  const parameter = (name: string): Buffer => message(3, varint(3, string(name)), bytes(2, writer.star()))
  const field = (name: string, index: number): Buffer => message(1, varint(3, string(name)), bytes(2, type(index)))
  const data = (name: string, number: number, ...content: Buffer[]): Buffer => {
    return message(4, location(1), varint(2, dottedName(name)), varint(4, 1), message(number, ...content))
  }
  const nil = (): Written => writer.expression(message(21, bytes(1, type(party))))
  /** An expression of any type, which fails. */
  const failing = (of: number): Written => {
    const error = writer.expression(message(16, bytes(1, writer.expression(varint(4, 1))), bytes(2, type(of))))
    const reason = writer.expression(message(6, varint(4, string('reason'))))
    return writer.expression(message(15, bytes(1, error), bytes(2, reason)))
  }
  const maintainers = (): Written => {
    const key = message(1, varint(3, string('key')), bytes(2, type(party)))
    return writer.expression(message(17, key, bytes(2, nil())))
  }
  const view = writer.constructorType(id(sampleModule, 'View'))
  const viewOf = (): Written => {
    const owner = message(2, varint(3, string('owner')), bytes(2, failing(party)))
    return writer.expression(message(7, message(1, bytes(1, id(sampleModule, 'View'))), owner))
  }
  const choice = (number: number, name: string, isConsuming: boolean): Buffer => {
    return message(
      number,
      location(1),
      varint(2, string(name)),
      varint(3, isConsuming ? 1 : 0),
      bytes(4, nil()),
      bytes(5, nil()),
      message(6, varint(3, string('arg')), bytes(2, type(writer.constructorType(id(sampleModule, name))))),
      bytes(8, type(iouContract)),
      bytes(9, failing(writer.builtinType('Update', iouContract))),
      varint(10, string('self')),
    )
  }
  const instance = message(
    10,
    bytes(1, id(sampleModule, 'Holding')),
    message(2, message(1, varint(1, string('owner')), bytes(2, failing(party))), bytes(2, viewOf())),
    location(3),
  )
  const messageType = writer.builtinType('Arrow', writer.constructorType(id(sampleModule, 'Failure')), text)
  const key = minor < 3 ? [] : [message(9, bytes(1, type(party)), bytes(4, failing(party)), bytes(3, maintainers()))]

  writer.addModule(
    varint(1, dottedName(sampleModule)),
    goodFlags,
    message(3, location(1), varint(2, dottedName('Parties')), parameter('a'), bytes(4, type(parties))),
    data('Iou', 5, field('issuer', party), field('owner', party), field('amount', amount)),
    data('Transfer', 5, field('newOwner', party)),
    data('Shape', 6, field('Circle', amount), field('Point', writer.builtinType('Unit'))),
    data('Colour', 7, Buffer.concat([varint(2, string('Red')), varint(2, string('Green'))])),
    data('View', 5, field('owner', party)),
    data('Failure', 5, field('reason', text)),
    data('Lock', 5),
    message(4, varint(2, dottedName('Pair')), parameter('a'), parameter('b'), message(5)),
    message(4, varint(2, dottedName('Holding')), message(8)),
    message(5, location(1), message(2, varint(1, dottedName('nobody')), bytes(2, type(parties))), bytes(3, nil())),
    message(
      6,
      varint(1, dottedName('Iou')),
      varint(2, string('this')),
      bytes(3, failing(writer.builtinType('Bool'))),
      bytes(4, nil()),
      choice(6, 'Transfer', true),
      bytes(7, nil()),
      location(8),
      ...key,
      instance,
    ),
    message(7, varint(1, dottedName('Failure')), location(2), bytes(3, failing(messageType))),
    message(
      8,
      location(1),
      varint(2, dottedName('Holding')),
      message(3, location(1), varint(2, string('owner')), bytes(3, type(party))),
      varint(4, string('this')),
      choice(5, 'Lock', false),
      bytes(6, type(view)),
      ...(requires ? [bytes(7, id('Other', 'Base'))] : []),
    ),
  )
  change(writer)
  return writer.finish(named && message(4, varint(1, string(named.name)), varint(2, string(named.version))))
}

export function sampleArchive(minor: Minor, change?: Change, named?: NameAndVersion, requires = true): Buffer {
  return archiveOf(payloadOf(samplePackage(minor, change, named, requires), `${minor}`))
}

export function sampleDar(minor: Minor, named?: NameAndVersion): Buffer {
  return darOf({ 'sample.dalf': sampleArchive(minor, undefined, named, false) })
}
