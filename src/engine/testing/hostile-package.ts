// A package whose choices use up whatever they are given: time, steps, stack and memory. Written by hand in LF 2.1.
import { decodeArchive } from '../../lf/archive.ts'
import { type BuiltinName, builtins } from '../../lf/builtins.ts'
import { archiveOf, createPackageWriter, goodFlags, payloadOf, type Written } from '../../lf/testing/package-writer.ts'
import { bytes, message, signed, varint } from '../../lf/testing/proto-writer.ts'

export type HostileChoice = 'Loop' | 'Recurse' | 'Grow' | 'Pile' | 'Same' | 'Fork' | 'Flood' | 'Quick'

const module = 'Hostile'

export function hostileDalf(): Uint8Array {
  const w = createPackageWriter(1)
  const name = (field: number, value: string) => varint(field, w.string(value))
  const id = (entity: string) => w.id(module, entity)

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

  // ── Expressions
  const variable = (value: string): Written => name(2, value)
  const value = (value: string): Written => bytes(3, id(value))
  const builtin = (builtinName: BuiltinName): Written => varint(4, builtins[builtinName].proto)
  const number = (literal: bigint): Written => message(6, signed(1, literal))
  const call = (f: Written, ...args: Written[]): Written =>
    message(15, bytes(1, f), ...args.map((arg) => bytes(2, arg)))
  const at = (f: Written, type: number): Written => message(16, bytes(1, f), bytes(2, w.type(type)))
  const binder = (field: number, variableName: string, type: number) =>
    message(field, name(3, variableName), bytes(2, w.type(type)))
  const lambda = (parameters: [string, number][], body: Written): Written =>
    message(17, ...parameters.map(([parameter, type]) => binder(1, parameter, type)), bytes(2, body))
  const record = (type: string, ...fields: [string, Written][]): Written =>
    message(
      7,
      message(1, bytes(1, id(type))),
      ...fields.map(([field, content]) => message(2, name(3, field), bytes(2, content))),
    )
  const field = (type: string, fieldName: string, of: Written): Written =>
    message(8, message(1, bytes(1, id(type))), name(4, fieldName), bytes(3, of))
  const variant = (tag: string, content: Written): Written =>
    message(10, message(1, bytes(1, id('Tree'))), name(2, tag), bytes(3, content))
  const ifTrue = (condition: Written, yes: Written, no: Written): Written =>
    message(19, bytes(1, condition), message(2, varint(4, 2), bytes(1, yes)), message(2, message(2), bytes(1, no)))
  const list = (type: number, ...items: [Written, Written]): Written =>
    message(22, bytes(1, w.type(type)), bytes(2, items[0]), bytes(3, items[1]))
  const nil = (type: number): Written => message(21, bytes(1, w.type(type)))
  const pure = (type: number, content: Written): Written =>
    message(23, message(1, bytes(1, w.type(type)), bytes(2, content)))
  const create = (content: Written): Written => message(23, message(3, bytes(1, id('Hostile')), bytes(2, content)))
  const block = (variableName: string, type: number, bound: Written, body: Written): Written =>
    message(23, message(2, message(1, binder(1, variableName, type), bytes(2, bound)), bytes(2, body)))

  // ── Definitions
  const define = (valueName: string, type: number, body: Written) =>
    message(5, message(2, varint(1, w.dottedName(valueName)), bytes(2, w.type(type))), bytes(3, body))
  const data = (dataName: string, kind: number, ...fields: [string, number][]) =>
    message(
      4,
      varint(2, w.dottedName(dataName)),
      varint(4, 1),
      message(kind, ...fields.map(([fieldName, type]) => message(1, name(3, fieldName), bytes(2, w.type(type))))),
    )
  const owner = list(party, field('Hostile', 'owner', variable('this')), nil(party))
  const given = field('Size', 'size', variable('arg'))
  const choice = (choiceName: HostileChoice, returns: number, body: Written) =>
    message(
      6,
      varint(2, w.string(choiceName)),
      varint(3, 0),
      bytes(4, owner),
      bytes(5, nil(party)),
      message(6, name(3, 'arg'), bytes(2, w.type(size))),
      bytes(8, w.type(returns)),
      bytes(9, body),
      varint(10, w.string('self')),
    )
  const less = call(builtin('SUB_INT64'), variable('n'), number(1n))
  const forked = call(value('fork'), given, variant('Leaf', varint(5, 0)))

  w.addModule(
    varint(1, w.dottedName(module)),
    goodFlags,
    data('Hostile', 5, ['owner', party]),
    data('Size', 5, ['size', int]),
    data('Tree', 6, ['Leaf', unit], ['Fork', fork]),
    data('Tree.Fork', 5, ['left', tree], ['right', tree]),
    define('loop', arrow(int, int), lambda([['n', int]], call(value('loop'), variable('n')))),
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
      lambda([['l', ints]], call(value('pile'), list(int, number(2n ** 60n), variable('l')))),
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
            variant('Fork', record('Tree.Fork', ['left', variable('t')], ['right', variable('t')])),
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
          create(record('Hostile', ['owner', variable('p')])),
          call(value('flood'), variable('p')),
        ),
      ),
    ),
    message(
      6,
      varint(1, w.dottedName('Hostile')),
      varint(2, w.string('this')),
      bytes(3, varint(5, 2)),
      bytes(4, owner),
      choice('Loop', int, pure(int, call(value('loop'), given))),
      choice('Recurse', int, pure(int, call(value('recurse'), given))),
      choice('Grow', text, pure(text, call(value('grow'), message(6, name(4, 'x'))))),
      choice('Pile', ints, pure(ints, call(value('pile'), nil(int)))),
      choice('Same', bool, pure(bool, call(at(builtin('EQUAL'), tree), forked, forked))),
      choice('Fork', tree, pure(tree, forked)),
      choice('Flood', unit, call(value('flood'), field('Hostile', 'owner', variable('this')))),
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
        choiceArgument: { size },
      }) as const,
  }
}
