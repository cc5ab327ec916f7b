// Packages that no type checker would accept, written by hand in LF 2.1: a template, a choice and whatever a test puts
// where a value of another kind belongs.
import { decodeArchive } from '../../../src/lf/archive/archive.ts'
import { createExpressionWriter } from '../lf/expression-writer.ts'
import {
  archiveOf,
  createPackageWriter,
  darOf,
  goodFlags,
  type PackageWriter,
  payloadOf,
  type Written,
} from '../lf/package-writer.ts'
import { bytes, message, varint } from '../lf/proto-writer.ts'

export type HostilePackage = {
  readonly name: string
  readonly packageId: string
  readonly dalf: Uint8Array
  readonly dar: Uint8Array
  /** `packageId:Main:T`; `#name:Main:T` works too. */
  readonly templateId: string
}

/** What the package does; absent parts are well-typed. */
export type IllTyped = {
  /** The declared return type of the choice Go; Int64 by default. */
  readonly returns?: number
  /** The update that the choice Go runs. It sees `self`, `this` and `arg`. */
  readonly body: Written
  readonly isConsuming?: boolean
  readonly controllers?: Written
  readonly choiceObservers?: Written
  readonly precondition?: Written
  readonly signatories?: Written
  readonly observers?: Written
  /** For the interface I, whose view is `View{n: Int64}`. */
  readonly view?: Written
  readonly method?: Written
  readonly message?: Written
  /** More definitions of the module. */
  readonly definitions?: readonly Buffer[]
}

export type IllTypedParts = ReturnType<typeof partsOf>

const module = 'Main'

/**
 * Besides the template `T{owner}` and its choice `Go`, the module has the records `R{a: Int64, b: Text}` and `S{x:
 * Text}`, the variant `V{A Int64, B Text}`, the enums `E{X, Y}` and `F{P, Q, Z}`, the exception `Ex{m}` and the
 * interface `I` with the method `m`, which T implements.
 */
export function illTypedPackage(name: string, build: (parts: IllTypedParts) => IllTyped): HostilePackage {
  const w = createPackageWriter(1)
  const parts = partsOf(w)
  writeModule(parts, build(parts))
  const metadata = message(4, varint(1, w.string(name)), varint(2, w.string('1.0.0')))
  const dalf = archiveOf(payloadOf(w.finish(metadata), '1'))
  const { id } = decodeArchive(dalf).package
  return {
    name,
    packageId: id,
    dalf,
    dar: darOf({ [`${name}-1.0.0-${id}.dalf`]: dalf }),
    templateId: `${id}:${module}:T`,
  }
}

function partsOf(w: PackageWriter) {
  const write = createExpressionWriter(w, module)
  const party = w.builtinType('Party')
  const int = w.builtinType('Int64')
  const owner = write.field('T', 'owner', write.variable('this'))
  const ten = w.addType(varint(6, 20)) // A sint64: 10.
  return {
    w,
    write,
    owner,
    ownerOnly: write.cons(party, owner, write.nil(party)),
    types: {
      party,
      int,
      text: w.builtinType('Text'),
      bool: w.builtinType('Bool'),
      unit: w.builtinType('Unit'),
      date: w.builtinType('Date'),
      time: w.builtinType('Timestamp'),
      numeric: w.builtinType('Numeric', ten),
      optional: w.builtinType('Optional', int),
      list: w.builtinType('List', int),
      textMap: w.builtinType('TextMap', int),
      genMap: w.builtinType('GenMap', int, int),
      any: w.builtinType('Any'),
      typeRep: w.builtinType('TypeRep'),
      t: w.constructorType(write.id('T')),
      go: w.constructorType(write.id('Go')),
      id: w.builtinType('ContractId', w.constructorType(write.id('T'))),
      record: w.constructorType(write.id('R')),
      otherRecord: w.constructorType(write.id('S')),
      variant: w.constructorType(write.id('V')),
      enumeration: w.constructorType(write.id('E')),
      exception: w.constructorType(write.id('Ex')),
      function: w.builtinType('Arrow', int, int),
      update: w.builtinType('Update', int),
    },
  }
}

function writeModule({ w, write, ownerOnly, types }: IllTypedParts, hostile: IllTyped): void {
  const { party, int, text } = types
  const { data, enumType, choice, nil, lambda, variable, number } = write
  w.addModule(
    varint(1, w.dottedName(module)),
    goodFlags,
    data('T', 5, ['owner', party]),
    data('Go', 5),
    data('R', 5, ['a', int], ['b', text]),
    data('S', 5, ['x', text]),
    data('View', 5, ['n', int]),
    data('Ex', 5, ['m', text]),
    data('V', 6, ['A', int], ['B', text]),
    enumType('E', 'X', 'Y'),
    enumType('F', 'P', 'Q', 'Z'),
    message(4, varint(2, w.dottedName('I')), message(8)),
    ...(hostile.definitions ?? []),
    message(
      6,
      varint(1, w.dottedName('T')),
      varint(2, w.string('this')),
      bytes(3, hostile.precondition ?? write.isTrue(true)),
      bytes(4, hostile.signatories ?? ownerOnly),
      choice(6, 'Go', {
        argument: types.go,
        returns: hostile.returns ?? int,
        controllers: hostile.controllers ?? ownerOnly,
        observers: hostile.choiceObservers,
        isConsuming: hostile.isConsuming ?? false,
        body: hostile.body,
        parties: party,
      }),
      bytes(7, hostile.observers ?? nil(party)),
      message(
        10,
        bytes(1, write.id('I')),
        message(
          2,
          message(1, varint(1, w.string('m')), bytes(2, hostile.method ?? number(1n))),
          bytes(2, hostile.view ?? write.record('View', ['n', number(1n)])),
        ),
      ),
    ),
    message(
      7,
      varint(1, w.dottedName('Ex')),
      bytes(3, hostile.message ?? lambda([['e', types.exception]], write.field('Ex', 'm', variable('e')))),
    ),
    message(
      8,
      varint(2, w.dottedName('I')),
      message(3, varint(2, w.string('m')), bytes(3, w.type(int))),
      varint(4, w.string('this')),
      bytes(6, w.type(w.constructorType(write.id('View')))),
    ),
  )
}
