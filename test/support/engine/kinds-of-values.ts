// One expression for every kind of value that Daml code can hold, for tests to put where another kind belongs.
import type { Written } from '../lf/package-writer.ts'
import type { IllTypedParts } from './ill-typed-package.ts'

export const valueKinds = [
  'unit',
  'bool',
  'int',
  'large int',
  'numeric',
  'text',
  'party',
  'contract id',
  'none',
  'some',
  'nil',
  'cons',
  'text map',
  'gen map',
  'record',
  'other record',
  'template',
  'variant',
  'enum',
  'other enum',
  'struct',
  'any',
  'any exception',
  'type rep',
  'function',
  'function of two',
  'builtin',
  'partial',
  'update',
  'pure update',
  'builtin constant',
] as const

export type ValueKind = (typeof valueKinds)[number]

/** For use inside the choice Go of T, where `self`, `this` and `arg` are bound. */
export function expressionOfKind(kind: ValueKind, { write, types, owner, ownerOnly }: IllTypedParts): Written {
  const { variable, number, text, builtin, call, at } = write
  switch (kind) {
    case 'unit':
      return write.unit
    case 'bool':
      return write.isTrue(true)
    case 'int':
      return number(7n)
    case 'large int':
      return number(2n ** 62n)
    case 'numeric':
      return write.numeric('1.5000000000')
    case 'text':
      return text('text')
    case 'party':
      return owner
    case 'contract id':
      return variable('self')
    case 'none':
      return write.none(types.int)
    case 'some':
      return write.some(types.int, number(1n))
    case 'nil':
      return write.nil(types.int)
    case 'cons':
      return ownerOnly
    case 'text map':
      return call(at(builtin('TEXTMAP_INSERT'), types.int), text('k'), number(1n), builtin('TEXTMAP_EMPTY'))
    case 'gen map':
      return call(builtin('GENMAP_INSERT'), number(1n), number(2n), builtin('GENMAP_EMPTY'))
    case 'record':
      return write.record('R', ['a', number(1n)], ['b', text('b')])
    case 'other record':
      return write.record('S', ['x', text('x')])
    case 'template':
      return variable('this')
    case 'variant':
      return write.variant('V', 'A', number(1n))
    case 'enum':
      return write.enumeration('E', 'X')
    case 'other enum':
      return write.enumeration('F', 'Z')
    case 'struct':
      return write.struct(['s', number(1n)], ['t', text('t')])
    case 'any':
      return write.toAny(types.t, variable('this'))
    case 'any exception':
      return write.toAnyException(types.exception, write.record('Ex', ['m', text('m')]))
    case 'type rep':
      return write.typeRep(types.int)
    case 'function':
      return write.lambda([['x', types.int]], variable('x'))
    case 'function of two':
      return write.lambda(
        [
          ['x', types.int],
          ['y', types.int],
        ],
        variable('x'),
      )
    case 'builtin':
      return builtin('ADD_INT64')
    case 'partial':
      return call(builtin('ADD_INT64'), number(1n))
    case 'update':
      return write.create('T', variable('this'))
    case 'pure update':
      return write.pure(types.int, number(1n))
    case 'builtin constant':
      return builtin('TEXTMAP_EMPTY')
  }
}
