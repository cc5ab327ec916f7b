// A DAR of many well-typed packages of some size, each of which uses the one before it: records, functions over them, and
// a template.
import { createExpressionWriter } from '../test/support/lf/expression-writer.ts'
import {
  archiveOf,
  createPackageWriter,
  darOf,
  goodFlags,
  payloadOf,
  sha256,
  type Written,
} from '../test/support/lf/package-writer.ts'
import { bytes, message, varint } from '../test/support/lf/proto-writer.ts'

const module = 'Main'
const recordsEach = 40
const functionsEach = 120

type Generated = { readonly id: string; readonly archive: Buffer }

/** `seed` makes packages with other ids. The main package has the template `Main:Note`, with one field, `owner`. */
export function generatedDar(packages: number, seed = 1): { readonly bytes: Buffer; readonly mainId: string } {
  const made: Generated[] = []
  for (let i = 0; i < packages; i += 1) made.push(generatedPackage(`generated-${seed}-${i}`, made.at(-1)?.id))
  const dalfs = made.toReversed().map(({ id, archive }): [string, Buffer] => [`${id}.dalf`, archive])
  return { bytes: darOf(Object.fromEntries(dalfs)), mainId: made.at(-1)!.id }
}

function generatedPackage(name: string, before: string | undefined): Generated {
  const w = createPackageWriter(1)
  const write = createExpressionWriter(w, module)
  const { variable, builtin, number, text, call, lambda, field, record, cons, nil } = write
  const [int, label, party] = [w.builtinType('Int64'), w.builtinType('Text'), w.builtinType('Party')]
  const ints = w.builtinType('List', int)
  const numbers = Array.from({ length: recordsEach }, (_, i) => i)
  const types = numbers.map((i) => w.constructorType(write.id(`Record${i}`)))
  const add = (a: Written, b: Written): Written => call(builtin('ADD_INT64'), a, b)
  const sum = call(
    write.at(builtin('FOLDL'), int, int),
    lambda(
      [
        ['total', int],
        ['one', int],
      ],
      add(variable('total'), variable('one')),
    ),
    number(0n),
    field('Record0', 'parts', variable('given')),
  )

  /** Counts something, changes the record and hands it to the function before it. */
  const body = (i: number): Written => {
    const of = `Record${i % recordsEach}`
    const value = (fieldName: string): Written => field(of, fieldName, variable('given'))
    const next = `Record${(i + 1) % recordsEach}`
    const made = record(
      next,
      ['count', add(value('count'), number(BigInt(i)))],
      ['name', call(builtin('APPEND_TEXT'), value('name'), text(`step ${i}`))],
      ['parts', cons(int, variable('more'), value('parts'))],
    )
    const rest = i === 0 ? sum : call(write.value(`function${i - 1}`), recordOf((i - 1) % recordsEach, made, next))
    const isSmall = call(write.at(builtin('LESS'), int), value('count'), number(1000n))
    const bound = write.let('more', int, add(value('count'), number(1n)), rest)
    return lambda([['given', types[i % recordsEach]!]], write.ifTrue(isSmall, bound, fromBefore(i, value('count'))))
  }
  const recordOf = (i: number, from: Written, of: string): Written =>
    record(`Record${i}`, ...['count', 'name', 'parts'].map((one): [string, Written] => [one, field(of, one, from)]))
  const fromBefore = (i: number, count: Written): Written => {
    if (before === undefined) return count
    const record0 = w.id(module, 'Record0', before)
    const made = record(record0, ['count', count], ['name', text(`${i}`)], ['parts', nil(int)])
    return call(bytes(3, w.id(module, 'function0', before)), made)
  }

  const owner = cons(party, field('Note', 'owner', variable('this')), nil(party))
  w.addModule(
    varint(1, w.dottedName(module)),
    goodFlags,
    ...numbers.map((i) => write.data(`Record${i}`, 5, ['count', int], ['name', label], ['parts', ints])),
    write.data('Note', 5, ['owner', party]),
    ...Array.from({ length: functionsEach }, (_, i) =>
      write.define(`function${i}`, w.builtinType('Arrow', types[i % recordsEach]!, int), body(i)),
    ),
    message(
      6,
      ...[varint(1, w.dottedName('Note')), varint(2, w.string('this'))],
      ...[4, 7].map((place) => bytes(place, owner)),
    ),
  )
  const metadata = message(4, varint(1, w.string(name)), varint(2, w.string('1.0.0')))
  const payload = payloadOf(w.finish(metadata), '1')
  return { id: sha256(payload), archive: archiveOf(payload) }
}
