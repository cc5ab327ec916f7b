// A package whose choices exhaust their budgets: time, steps, stack and memory. Written by hand in LF 2.1.
import { decodeArchive } from '../../../src/lf/archive/archive.ts'
import { createExpressionWriter } from '../lf/expression-writer.ts'
import { archiveOf, createPackageWriter, goodFlags, payloadOf, type Written } from '../lf/package-writer.ts'
import { bytes, message, varint } from '../lf/proto-writer.ts'

export type HostileChoice = 'Loop' | 'Recurse' | 'Grow' | 'Pile' | 'Same' | 'Fork' | 'Flood' | 'Count' | 'Quick'

const module = 'Hostile'

export function hostileDalf(): Uint8Array {
  const w = createPackageWriter(1)
  const write = createExpressionWriter(w, module)
  const { id, variable, value, builtin, number, call, at, lambda, record, field, variant, ifTrue } = write
  const { cons, nil, pure, create, block, define, data } = write

  const int = w.builtinType('Int64')
  const text = w.builtinType('Text')
  const unit = w.builtinType('Unit')
  const bool = w.builtinType('Bool')
  const party = w.builtinType('Party')
  const ints = w.builtinType('List', int)
  const tree = w.constructorType(id('Tree'))
  const fork = w.constructorType(id('Tree.Fork'))
  const hostile = w.constructorType(id('Hostile'))
  const size = w.constructorType(id('Size'))
  const hostileId = w.builtinType('ContractId', hostile)
  const update = (of: number) => w.builtinType('Update', of)
  const arrow = (from: number, to: number) => w.builtinType('Arrow', from, to)

  const owner = cons(party, field('Hostile', 'owner', variable('this')), nil(party))
  const given = field('Size', 'size', variable('arg'))
  const choice = (choiceName: HostileChoice, returns: number, body: Written) =>
    write.choice(6, choiceName, { argument: size, returns, controllers: owner, body, parties: party })
  const less = call(builtin('SUB_INT64'), variable('n'), number(1n))
  const forked = call(value('fork'), given, variant('Tree', 'Leaf', write.unit))

  w.addModule(
    varint(1, w.dottedName(module)),
    goodFlags,
    data('Hostile', 5, ['owner', party]),
    data('Size', 5, ['size', int]),
    data('Tree', 6, ['Leaf', unit], ['Fork', fork]),
    data('Tree.Fork', 5, ['left', tree], ['right', tree]),
    define('loop', arrow(int, int), lambda([['n', int]], call(value('loop'), variable('n')))),
    define(
      'count',
      arrow(int, int),
      lambda(
        [['n', int]],
        ifTrue(call(at(builtin('EQUAL'), int), variable('n'), number(0n)), variable('n'), call(value('count'), less)),
      ),
    ),
    define(
      'recurse',
      arrow(int, int),
      lambda([['n', int]], call(builtin('ADD_INT64'), number(1n), call(value('recurse'), variable('n')))),
    ),
    define(
      'grow',
      arrow(text, text),
      lambda([['t', text]], call(value('grow'), call(builtin('APPEND_TEXT'), variable('t'), variable('t')))),
    ),
    define(
      'pile',
      arrow(ints, ints),
      lambda([['l', ints]], call(value('pile'), cons(int, number(2n ** 60n), variable('l')))),
    ),
    define(
      'fork',
      arrow(int, arrow(tree, tree)),
      lambda(
        [
          ['n', int],
          ['t', tree],
        ],
        ifTrue(
          call(at(builtin('EQUAL'), int), variable('n'), number(0n)),
          variable('t'),
          call(
            value('fork'),
            less,
            variant('Tree', 'Fork', record('Tree.Fork', ['left', variable('t')], ['right', variable('t')])),
          ),
        ),
      ),
    ),
    define(
      'flood',
      arrow(party, update(unit)),
      lambda(
        [['p', party]],
        block(
          'made',
          hostileId,
          create('Hostile', record('Hostile', ['owner', variable('p')])),
          call(value('flood'), variable('p')),
        ),
      ),
    ),
    message(
      6,
      varint(1, w.dottedName('Hostile')),
      varint(2, w.string('this')),
      bytes(3, write.isTrue(true)),
      bytes(4, owner),
      choice('Loop', int, pure(int, call(value('loop'), given))),
      choice('Recurse', int, pure(int, call(value('recurse'), given))),
      choice('Grow', text, pure(text, call(value('grow'), write.text('x')))),
      choice('Pile', ints, pure(ints, call(value('pile'), nil(int)))),
      choice('Same', bool, pure(bool, call(at(builtin('EQUAL'), tree), forked, forked))),
      choice('Fork', tree, pure(tree, forked)),
      choice('Flood', unit, call(value('flood'), field('Hostile', 'owner', variable('this')))),
      choice('Count', int, pure(int, call(value('count'), given))),
      choice('Quick', int, pure(int, given)),
      bytes(7, nil(party)),
    ),
  )
  return archiveOf(payloadOf(w.finish(), '1'))
}

export function hostilePackage() {
  const dalf = hostileDalf()
  const { id } = decodeArchive(dalf).package
  return {
    dalf,
    /** Creates a contract, and exercises the choice on it. */
    command: (choice: HostileChoice, size = 0) =>
      ({
        kind: 'create-and-exercise',
        templateId: `${id}:${module}:Hostile`,
        createArguments: { owner: 'Alice' },
        choice,
        choiceArgument: { size: String(size) },
      }) as const,
  }
}
