// A template with a field whose type is nested very deep, each level written as an entry of the package's table of types.
// Written by hand in LF 2.1.
import { createExpressionWriter } from '../lf/expression-writer.ts'
import { archiveOf, createPackageWriter, goodFlags, payloadOf } from '../lf/package-writer.ts'
import { bytes, message, varint } from '../lf/proto-writer.ts'

const module = 'Main'

/** The template Deep: its field `deep` is a list of a list of … of Int64. Its choice Echo takes and returns one. */
export function deepTypePackage(depth: number): Uint8Array {
  const w = createPackageWriter(1)
  const write = createExpressionWriter(w, module)
  const party = w.builtinType('Party')
  let deep = w.builtinType('Int64')
  for (let level = 1; level < depth; level += 1) deep = w.builtinType('List', deep)
  const owners = write.cons(party, write.field('Deep', 'owner', write.variable('this')), write.nil(party))
  w.addModule(
    varint(1, w.dottedName(module)),
    goodFlags,
    write.data('Deep', 5, ['owner', party], ['deep', deep]),
    write.data('Echo', 5, ['deep', deep]),
    message(
      6,
      varint(1, w.dottedName('Deep')),
      varint(2, w.string('this')),
      bytes(3, write.isTrue(true)),
      bytes(4, owners),
      write.choice(6, 'Echo', {
        argument: w.constructorType(write.id('Echo')),
        returns: deep,
        controllers: owners,
        body: write.pure(deep, write.field('Echo', 'deep', write.variable('arg'))),
        parties: party,
        isConsuming: false,
      }),
      bytes(7, write.nil(party)),
    ),
  )
  const metadata = message(4, varint(1, w.string('deep')), varint(2, w.string('1.0.0')))
  return archiveOf(payloadOf(w.finish(metadata), '1'))
}
