// Packages that attack the node through values of another kind; each name says what it tries. All must be refused.
import type { Written } from '../lf/package-writer.ts'
import { message } from '../lf/proto-writer.ts'
import { type HostilePackage, type IllTyped, type IllTypedParts, illTypedPackage } from './ill-typed-package.ts'

export type Hostile = HostilePackage & {
  /** Creates a contract of the package and exercises the attacking choice, as the party. */
  command(party: string): HostileCommand
}

export type HostileCommand = {
  readonly kind: 'create-and-exercise'
  readonly templateId: string
  readonly createArguments: { readonly owner: string }
  readonly choice: 'Go'
  readonly choiceArgument: Readonly<Record<string, never>>
}

export function hostile(name: string, build: (parts: IllTypedParts) => IllTyped): Hostile {
  const written = illTypedPackage(name, build)
  return {
    ...written,
    command: (owner) => ({
      kind: 'create-and-exercise',
      templateId: written.templateId,
      createArguments: { owner },
      choice: 'Go',
      choiceArgument: {},
    }),
  }
}

/** The choice returns something else than it declares. */
const returning = (name: string, of: (parts: IllTypedParts) => { returns: number; value: Written }): Hostile =>
  hostile(`returns-${name}`, (parts) => {
    const { returns, value } = of(parts)
    return { returns, body: parts.write.pure(returns, value) }
  })

const runsShell = 'return process.getBuiltinModule("node:child_process").execSync("echo escaped").toString()'

/** The field `name` of `of`, then the next name of the result, and so on. */
export function projected({ write }: IllTypedParts, of: Written, ...names: string[]): Written {
  return names.reduce((struct, name) => write.structField(name, struct), of)
}

/** Attempts to get hold of a JavaScript function or object, and to run code with it. */
export const escapes: readonly Hostile[] = [
  hostile('escape-function-constructor', (parts) => {
    const { write, types } = parts
    const { call, text } = write
    const made = call(projected(parts, text(''), 'constructor', 'constructor'), text(runsShell))
    return { returns: types.text, body: made } // Run as an update.
  }),
  hostile('escape-function-of-a-function', (parts) => {
    const { write, types } = parts
    const { call, text, lambda, variable } = write
    const identity = lambda([['x', types.text]], variable('x'))
    const made = call(projected(parts, identity, 'constructor'), text(runsShell))
    return { returns: types.text, body: made } // Run as an update.
  }),
  hostile('escape-prototype', (parts) => {
    const { write, types } = parts
    const changed = write.structUpdate('__proto__', write.struct(['a', write.number(1n)]), write.variable('this'))
    return { returns: types.party, body: write.pure(types.party, write.structField('owner', changed)) }
  }),
  hostile('escape-getter', (parts) => {
    const { write, types } = parts
    const { call, text, unit, struct, lambda, variable } = write
    const define = projected(parts, struct(['a', unit]), '__defineGetter__')
    const defined = call(define, text('a'), lambda([['x', types.text]], variable('x')))
    return { returns: types.unit, body: write.pure(types.unit, defined) }
  }),
  hostile('escape-effects', ({ write, types }) => {
    // A function of one parameter in the place of an update would receive the effects.
    const { lambda, variable, structField } = write
    const taken = lambda([['effects', types.int]], structField('constructor', variable('effects')))
    return { returns: types.int, body: taken }
  }),
  hostile('escape-effects-as-a-result', ({ write, types }) => ({
    returns: types.int,
    body: write.lambda([['effects', types.int]], write.variable('effects')),
  })),
  hostile('escape-update-as-a-function', ({ write, types }) => {
    const forged = write.struct(
      ['create', write.builtin('ADD_INT64')],
      ['getTime', write.lambda([['x', types.int]], write.number(1n))],
    )
    return { returns: types.int, body: write.pure(types.int, write.call(write.getTime, forged)) }
  }),
  hostile('escape-error-stack', (parts) => {
    const { write, types } = parts
    const { variable, call, some, at, builtin } = write
    const failing = write.embed(types.int, call(at(builtin('ERROR'), types.int), write.number(1n)))
    const stack = projected(parts, variable('e'), 'stack')
    const handler = some(types.update, write.pure(types.text, stack))
    return { returns: types.text, body: write.tryCatch(types.text, failing, 'e', handler) }
  }),
  hostile('escape-method-of-a-map', (parts) => {
    const { write, types } = parts
    const entries = projected(parts, write.builtin('GENMAP_EMPTY'), 'entries')
    return { returns: types.list, body: write.pure(types.list, write.call(entries, write.unit)) }
  }),
  hostile('escape-then', ({ write, types }) => ({
    // A value with a method `then`, in case it ever reaches an `await`.
    returns: types.int,
    body: write.pure(types.int, write.struct(['then', write.builtin('ADD_INT64')])),
  })),
]

/** Attempts to store a value that is malformed, or of another type than it claims. */
export const forgeries: readonly Hostile[] = [
  returning('fields-as-int', ({ write, types }) => ({
    returns: types.int,
    value: write.text('1","consuming":true,"forged":"yes'),
  })),
  returning('quote-as-int', ({ write, types }) => ({ returns: types.int, value: write.text('"') })),
  returning('quote-as-party', ({ write, types }) => ({ returns: types.party, value: write.text('"') })),
  returning('fields-as-contract-id', ({ write, types }) => ({
    returns: types.id,
    value: write.record('S', ['x', write.text('"')]),
  })),
  returning('text-as-date', ({ write, types }) => ({ returns: types.date, value: write.text('2020-01-01') })),
  returning('int-as-date', ({ write, types }) => ({ returns: types.date, value: write.number(2n ** 40n) })),
  returning('int-as-time', ({ write, types }) => ({ returns: types.time, value: write.number(2n ** 62n) })),
  returning('text-as-bool', ({ write, types }) => ({ returns: types.bool, value: write.text('true') })),
  returning('text-as-unit', ({ write, types }) => ({ returns: types.unit, value: write.text('x') })),
  returning('int-as-numeric', ({ write, types }) => ({ returns: types.numeric, value: write.number(1n) })),
  returning('other-scale', ({ write, types }) => ({ returns: types.numeric, value: write.numeric('1.5') })),
  returning('int-as-text', ({ write, types }) => ({ returns: types.text, value: write.number(1n) })),
  returning('some-as-int', ({ write, types }) => ({ returns: types.int, value: write.some(types.int, write.unit) })),
  returning('text-in-optional', ({ write, types }) => ({
    returns: types.optional,
    value: write.some(types.int, write.text('"')),
  })),
  returning('variant-as-optional', ({ write, types }) => ({
    returns: types.optional,
    value: write.variant('V', 'A', write.number(1n)),
  })),
  returning('text-in-list', ({ write, types }) => ({
    returns: types.list,
    value: write.cons(types.int, write.text('"'), write.nil(types.int)),
  })),
  returning('list-without-end', ({ write, types }) => ({
    returns: types.list,
    value: write.cons(types.int, write.number(1n), write.number(2n)),
  })),
  returning('gen-map-as-text-map', ({ write, types }) => ({
    returns: types.textMap,
    value: write.call(
      write.builtin('GENMAP_INSERT'),
      write.number(1n),
      write.number(1n),
      write.builtin('GENMAP_EMPTY'),
    ),
  })),
  returning('other-record', ({ write, types }) => ({
    returns: types.record,
    value: write.record('S', ['x', write.text('"')]),
  })),
  returning('fields-of-other-kinds', ({ write, types }) => ({
    returns: types.record,
    value: write.record('R', ['a', write.text('"')], ['b', write.number(1n)]),
  })),
  returning('missing-fields', ({ write, types }) => ({
    returns: types.record,
    value: write.record('R', ['a', write.number(1n)]),
  })),
  returning('other-enum', ({ write, types }) => ({
    returns: types.enumeration,
    value: write.enumeration('F', 'Z'),
  })),
  returning('enum-as-variant', ({ write, types }) => ({ returns: types.variant, value: write.enumeration('E', 'X') })),
  returning('struct-as-record', ({ write, types }) => ({
    returns: types.record,
    value: write.struct(['a', write.number(1n)], ['b', write.text('b')]),
  })),
  returning('function-as-int', ({ write, types }) => ({ returns: types.int, value: write.builtin('ADD_INT64') })),
  returning('any-as-int', ({ write, types }) => ({
    returns: types.int,
    value: write.toAny(types.t, write.variable('this')),
  })),
  returning('an-unserializable-type', ({ write, types }) => ({
    returns: types.typeRep,
    value: write.typeRep(types.int),
  })),
  hostile('signatory-is-no-party', ({ write, types, ownerOnly, owner }) => ({
    signatories: write.cons(types.party, owner, write.cons(types.party, write.number(1n), write.nil(types.party))),
    body: write.pure(types.int, write.number(1n)),
    observers: ownerOnly,
  })),
  hostile('observer-is-no-party', ({ write, types }) => ({
    observers: write.cons(types.party, write.text('"],"forged":["yes'), write.nil(types.party)),
    body: write.pure(types.int, write.number(1n)),
  })),
  hostile('observers-are-no-list', ({ write, types, owner }) => ({
    observers: owner,
    body: write.pure(types.int, write.number(1n)),
  })),
  hostile('controller-is-no-party', ({ write, types, owner }) => ({
    controllers: write.cons(types.party, owner, write.cons(types.party, write.unit, write.nil(types.party))),
    body: write.pure(types.int, write.number(1n)),
  })),
  hostile('choice-observer-is-no-party', ({ write, types }) => ({
    choiceObservers: write.cons(types.party, write.text('"'), write.nil(types.party)),
    body: write.pure(types.int, write.number(1n)),
  })),
  hostile('precondition-is-no-bool', ({ write, types }) => ({
    precondition: write.text('yes'),
    body: write.pure(types.int, write.number(1n)),
  })),
  hostile('argument-of-another-template', ({ write, types }) => ({
    returns: types.id,
    body: write.create('T', write.record('S', ['x', write.text('"')])),
  })),
  hostile('argument-with-fields-of-another-kind', ({ write, types }) => ({
    returns: types.id,
    body: write.create('T', write.record('T', ['owner', write.number(1n)])),
  })),
  hostile('choice-argument-of-another-kind', ({ write, types }) => ({
    body: write.exercise('T', 'Go', write.variable('self'), write.text('"')),
    returns: types.int,
  })),
  hostile('error-of-another-kind', ({ write, types }) => ({
    body: write.embed(types.int, write.call(write.builtin('ERROR'), write.struct(['a', write.unit]))),
  })),
  hostile('exception-without-a-type', ({ write, types }) => ({
    body: write.embed(types.int, write.throwing(types.int, types.int, write.number(1n))),
  })),
  hostile('message-of-another-kind', ({ write, types }) => ({
    message: write.lambda([['e', types.exception]], write.unit),
    body: write.embed(types.int, write.throwing(types.int, types.exception, write.record('Ex', ['m', write.text('')]))),
  })),
  hostile('status-of-another-kind', ({ write, types }) => ({
    body: write.embed(
      types.int,
      write.call(write.builtin('FAIL_WITH_STATUS'), write.unit, write.text('"'), write.number(1n), write.unit),
    ),
  })),
  hostile('two-fields-of-one-name', ({ write, types }) => ({
    definitions: [write.data('Twice', 5, ['a', types.int], ['a', types.text])],
    body: write.pure(types.int, write.field('Twice', 'a', write.record('Twice', ['a', write.number(1n)]))),
  })),
  hostile('case-without-alternatives', ({ write, types }) => ({
    body: write.pure(types.int, message(19, message(1, write.unit))),
  })),
]

export const hostilePackages: readonly Hostile[] = [...escapes, ...forgeries]
