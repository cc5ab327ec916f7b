// A package of a few hundred bytes whose expressions unfold to millions: each entry of the table of expressions (LF
// 2.2) uses the one before it twice. One choice for each form that can multiply in this way.
import { decodeArchive } from '../../../src/lf/archive/archive.ts'
import { createExpressionWriter } from '../lf/expression-writer.ts'
import { archiveOf, createPackageWriter, goodFlags, payloadOf, type Written } from '../lf/package-writer.ts'
import { bytes, message, varint } from '../lf/proto-writer.ts'

export const sharedForms = ['sum', 'list', 'function', 'case', 'let', 'update', 'free'] as const

export type SharedForm = (typeof sharedForms)[number]

const module = 'Shared'

/** Each form unfolds to 2^`depth` parts. */
export function sharedPackage(depth: number) {
  const w = createPackageWriter(2)
  const write = createExpressionWriter(w, module)
  const { id, variable, builtin, number, call, lambda, ifTrue, cons, nil, pure, block, isTrue, data } = write
  const int = w.builtinType('Int64')
  const ints = w.builtinType('List', int)
  const party = w.builtinType('Party')
  const size = w.constructorType(id('Size'))
  const owner = cons(party, write.field('Shared', 'owner', variable('this')), nil(party))

  /** Doubles the entry `depth` times. */
  const grown = (start: Written, twice: (before: Written, level: number) => Written): Written => {
    let entry = w.expression(start)
    for (let level = 0; level < depth; level += 1) entry = w.expression(twice(entry, level))
    return entry
  }
  const add = (a: Written, b: Written) => call(call(builtin('ADD_INT64'), a), b)
  const letIn = (name: string, bound: Written, body: Written) =>
    message(20, message(1, message(1, write.name(3, name), bytes(2, w.type(int))), bytes(2, bound)), bytes(2, body))
  const given = write.field('Size', 'size', variable('arg'))

  const bodies: Record<SharedForm, () => Written> = {
    sum: () =>
      pure(
        int,
        grown(number(1n), (before) => add(before, before)),
      ),
    list: () => pure(int, listSize(grown(nil(int), (before) => cons(int, listSize(before), before)))),
    function: () =>
      pure(
        int,
        call(
          grown(lambda([['x', int]], variable('x')), (f) => lambda([['x', int]], call(f, call(f, variable('x'))))),
          given,
        ),
      ),
    case: () =>
      pure(
        int,
        grown(number(1n), (before) => ifTrue(isTrue(true), before, before)),
      ),
    let: () =>
      pure(
        int,
        grown(number(1n), (before, level) => letIn(`x${level}`, before, add(before, variable(`x${level}`)))),
      ),
    update: () => grown(pure(int, number(1n)), (before, level) => block(`x${level}`, int, before, before)),
    free: () =>
      pure(
        int,
        grown(given, (before) => add(before, before)),
      ),
  }
  const listSize = (list: Written) =>
    ifTrue(call(call(write.at(builtin('EQUAL'), ints), list), nil(int)), number(1n), number(2n))

  const choices = sharedForms.map((form) =>
    write.choice(6, form, { argument: size, returns: int, controllers: owner, body: bodies[form](), parties: party }),
  )
  w.addModule(
    varint(1, w.dottedName(module)),
    goodFlags,
    data('Shared', 5, ['owner', party]),
    data('Size', 5, ['size', int]),
    message(
      6,
      varint(1, w.dottedName('Shared')),
      varint(2, w.string('this')),
      bytes(3, isTrue(true)),
      bytes(4, owner),
      ...choices,
      write.choice(6, 'Quick', {
        argument: size,
        returns: int,
        controllers: owner,
        body: pure(int, given),
        parties: party,
      }),
      bytes(7, nil(party)),
    ),
  )
  const named = message(4, varint(1, w.string('shared-package')), varint(2, w.string('1.0.0')))
  const dalf = archiveOf(payloadOf(w.finish(named), '2'))
  const packageId = decodeArchive(dalf).package.id
  return {
    dalf,
    packageId,
    command: (choice: SharedForm | 'Quick') =>
      ({
        kind: 'create-and-exercise',
        templateId: `${packageId}:${module}:Shared`,
        createArguments: { owner: 'Alice' },
        choice,
        choiceArgument: { size: '1' },
      }) as const,
  }
}
