// A small package whose types are large once they are written out: each entry of the table of types uses the one before
// it twice. Written by hand in LF 2.1.
import { createExpressionWriter } from './expression-writer.ts'
import { archiveOf, createPackageWriter, goodFlags, payloadOf } from './package-writer.ts'
import { message, varint } from './proto-writer.ts'

const module = 'Main'

/** The deepest that the limits of types allow: 2^14 times Int64. */
const depth = 14

/** A record with so many fields, all of the same large type. With one field, the archive has 300 bytes. */
export function doubledTypePackage(name: string, fields: number): Uint8Array {
  const w = createPackageWriter(1)
  const write = createExpressionWriter(w, module)
  let doubled = w.builtinType('Int64')
  for (let level = 0; level < depth; level += 1) doubled = w.builtinType('GenMap', doubled, doubled)
  const named = Array.from({ length: fields }, (_, i): [string, number] => [`f${i}`, doubled])
  w.addModule(varint(1, w.dottedName(module)), goodFlags, write.data('Doubled', 5, ...named))
  const metadata = message(4, varint(1, w.string(name)), varint(2, w.string('1.0.0')))
  return archiveOf(payloadOf(w.finish(metadata), '1'))
}
