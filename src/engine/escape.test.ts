// Ways out of the engine that ill-typed packages try: to JavaScript objects, to code, and into what others read. Each
// ends in a refusal that says where, and the node goes on as before.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Hostile, hostile, hostilePackages, projected } from '../../test/support/engine/hostile-packages.ts'
import { runHostile } from '../../test/support/engine/hostile-run.ts'
import type { IllTyped, IllTypedParts } from '../../test/support/engine/ill-typed-package.ts'
import { expressionOfKind, type ValueKind, valueKinds } from '../../test/support/engine/kinds-of-values.ts'
import type { Written } from '../../test/support/lf/package-writer.ts'
import { decodeDar } from '../lf/dar/dar.ts'

/** Names with a meaning in JavaScript, or in this program. */
const namesOfJavaScript = [
  ...['constructor', '__proto__', 'prototype', 'toString', 'valueOf', 'hasOwnProperty', 'isPrototypeOf'],
  ...['__defineGetter__', '__lookupGetter__', '__defineSetter__', 'call', 'apply', 'bind', 'caller', 'arguments'],
  ...['length', 'name', 'stack', 'message', 'cause', 'then', 'next', 'raw', 'entries', 'type', 'value', 'head'],
  ...['tail', 'rank', 'text', 'isSome', 'create', 'getTime', 'exercise', '$0', '$1', '$s0', '$1_0', '_1'],
]

function refusalOf(attack: Hostile) {
  const end = runHostile(attack)
  if (end.kind === 'accepted') return assert.fail(`${attack.name} was accepted with ${JSON.stringify(end.results)}`)
  return end.error
}

function assertIllTyped(attack: Hostile): void {
  const { code, message, details } = refusalOf(attack)
  assert.equal(code, 'DAML_INTERPRETATION_ERROR', `${attack.name}: ${code} ${message}`)
  assert.match(message, /^Interpretation error: Error: the package's code met a value of another kind/)
  assert.doesNotMatch(message, /native code|\[object|daml-\d+\.js|node:|file:/, attack.name)
  // The place: the choice that ran, or the part of the template that was evaluated.
  assert.match(details.remarks?.definition ?? details.remarks?.choice ?? '', /Main:T/, attack.name)
}

for (const attack of hostilePackages) test(`${attack.name} is refused`, () => assertIllTyped(attack))

test('no name finds anything on a value that is not a struct with that field', () => {
  for (const [index, name] of namesOfJavaScript.entries()) {
    // All kinds with the names that lead furthest; some kinds with each other name, so that all are covered.
    const kinds = valueKinds.filter((_, number) => index < 3 || number % 6 === index % 6)
    for (const kind of kinds) {
      assertIllTyped(
        hostile('projection', (parts) => {
          const found = projected(parts, expressionOfKind(kind, parts), name)
          return { returns: parts.types.text, body: parts.write.pure(parts.types.text, found) }
        }),
      )
    }
  }
})

test('a struct has the fields that it was made with, whatever their names, and no others', () => {
  for (const name of namesOfJavaScript) {
    const of = (build: (parts: IllTypedParts, struct: Written) => Written) =>
      hostile('struct', (parts) => {
        const struct = parts.write.struct([name, parts.write.text(name)], ['other', parts.write.unit])
        return { returns: parts.types.text, body: parts.write.pure(parts.types.text, build(parts, struct)) }
      })
    const read = of(({ write }, struct) => write.structField(name, struct))
    const changed = of(({ write }, struct) =>
      write.structField(name, write.structUpdate(name, struct, write.text('new'))),
    )
    const added = of(({ write }, struct) => write.structUpdate(`${name}_`, struct, write.unit))
    assert.deepEqual(runHostile(read), { kind: 'accepted', results: [name] })
    assert.deepEqual(runHostile(changed), { kind: 'accepted', results: ['new'] })
    assertIllTyped(added)
  }
})

/** Places that take values of some kinds: all other kinds are refused. */
const places: Readonly<
  Record<string, { takes: readonly ValueKind[]; with(parts: IllTypedParts, of: Written): IllTyped }>
> = {
  'a record to project': {
    takes: ['record'],
    with: ({ write, types }, of) => ({ body: write.pure(types.int, write.field('R', 'a', of)) }),
  },
  'a record to update': {
    takes: ['record'],
    with: ({ write, types }, of) => ({
      returns: types.record,
      body: write.pure(types.record, write.update('R', 'a', of, write.number(2n))),
    }),
  },
  'a struct to update': {
    takes: ['struct'],
    with: ({ write, types }, of) => ({
      body: write.pure(types.int, write.structField('s', write.structUpdate('s', of, write.number(2n)))),
    }),
  },
  'a variant to match': {
    takes: ['variant'],
    with: ({ write, types }, of) => {
      const { variant, otherwise } = write.patterns
      const one = write.number(1n)
      return { body: write.pure(types.int, write.match(of, [variant('V', 'B', 'x'), one], [otherwise, one])) }
    },
  },
  'an enum to match': {
    takes: ['enum'],
    with: ({ write, types }, of) => {
      const { enumeration, otherwise } = write.patterns
      const one = write.number(1n)
      return { body: write.pure(types.int, write.match(of, [enumeration('E', 'Y'), one], [otherwise, one])) }
    },
  },
  'a Bool to match': {
    takes: ['bool'],
    with: ({ write, types }, of) => ({
      body: write.pure(types.int, write.ifTrue(of, write.number(1n), write.number(2n))),
    }),
  },
  'a Unit to match': {
    takes: ['unit'],
    with: ({ write, types }, of) => ({
      body: write.pure(types.int, write.match(of, [write.patterns.unit, write.number(1n)])),
    }),
  },
  'a List to match': {
    takes: ['nil', 'cons'],
    with: ({ write, types }, of) => {
      const { nil, otherwise } = write.patterns
      return { body: write.pure(types.int, write.match(of, [nil, write.number(1n)], [otherwise, write.number(2n)])) }
    },
  },
  'an Optional to match': {
    takes: ['none', 'some'],
    with: ({ write, types }, of) => {
      const { some, none } = write.patterns
      return { body: write.pure(types.int, write.match(of, [some('x'), write.number(1n)], [none, write.number(2n)])) }
    },
  },
  'patterns of two kinds': {
    takes: [],
    with: ({ write, types }, of) => {
      const { nil, none, otherwise } = write.patterns
      const one = write.number(1n)
      return { body: write.pure(types.int, write.match(of, [nil, one], [none, one], [otherwise, one])) }
    },
  },
  'a function of one': {
    takes: ['function', 'partial'],
    with: ({ write, types }, of) => ({ body: write.pure(types.int, write.call(of, write.number(1n))) }),
  },
  'a function of two': {
    takes: ['function of two', 'builtin'],
    with: ({ write, types }, of) => ({
      body: write.pure(types.int, write.call(of, write.number(1n), write.number(2n))),
    }),
  },
  'a function of five': {
    takes: [],
    with: ({ write, types }, of) => ({
      body: write.pure(types.int, write.call(of, ...[1n, 2n, 3n, 4n, 5n].map(write.number))),
    }),
  },
  'an update of a choice': { takes: ['pure update'], with: (_, of) => ({ body: of }) },
  'an update of a block': {
    takes: ['update', 'pure update'],
    with: ({ write, types }, of) => ({
      body: write.block('x', types.int, of, write.pure(types.int, write.number(1n))),
    }),
  },
  'an update of a handler': {
    takes: ['pure update'],
    with: ({ write, types }, of) => {
      const exception = write.record('Ex', ['m', write.text('')])
      const failing = write.embed(types.int, write.throwing(types.int, types.exception, exception))
      return { body: write.tryCatch(types.int, failing, 'e', write.some(types.update, of)) }
    },
  },
  'a handler': {
    takes: [],
    with: ({ write, types }, of) => {
      const failing = write.embed(types.int, write.call(write.builtin('DIV_INT64'), write.number(1n), write.number(0n)))
      return { body: write.tryCatch(types.int, failing, 'e', of) }
    },
  },
  'an exception': {
    takes: [],
    with: ({ write, types }, of) => ({ body: write.embed(types.int, write.throwing(types.int, types.exception, of)) }),
  },
  'a template to create': {
    takes: ['template'],
    with: ({ write, types }, of) => ({ returns: types.id, body: write.create('T', of) }),
  },
  'an interface to create': {
    takes: ['template'],
    with: ({ write, types }, of) => ({ returns: types.id, body: write.createInterface('I', of) }),
  },
  'a contract id to fetch': {
    takes: ['contract id'],
    with: ({ write, types }, of) => ({
      returns: types.t,
      body: write.fetch('T', of),
    }),
  },
  'a time to compare': {
    // A large Int64 is out of the range of times.
    takes: ['int'],
    with: ({ write, types }, of) => ({ returns: types.bool, body: write.isBefore(of) }),
  },
  'a value of an interface to call': {
    takes: ['template'],
    with: ({ write, types }, of) => ({ body: write.pure(types.int, write.callMethod('I', 'm', of)) }),
  },
  'a value of an interface to view': {
    takes: ['template'],
    with: ({ write, types }, of) => ({ body: write.pure(types.int, write.field('View', 'n', write.viewOf('I', of))) }),
  },
  'a value of an interface to ask for signatories': {
    takes: ['template'],
    with: ({ w, write, types }, of) => {
      const parties = w.builtinType('List', types.party)
      return { returns: parties, body: write.pure(parties, write.signatoriesOf('I', of)) }
    },
  },
  'a value of an interface to cast': {
    takes: ['template', 'record', 'other record'],
    with: ({ write, types }, of) => {
      const { some, none } = write.patterns
      const cast = write.match(
        write.fromInterface('I', 'T', of),
        [some('x'), write.number(1n)],
        [none, write.number(2n)],
      )
      return { body: write.pure(types.int, cast) }
    },
  },
  'an Any to open': {
    takes: ['any', 'any exception'],
    with: ({ write, types }, of) => {
      const { some, none } = write.patterns
      const opened = write.match(write.fromAny(types.t, of), [some('x'), write.number(1n)], [none, write.number(2n)])
      return { body: write.pure(types.int, opened) }
    },
  },
  'the key of a map': {
    // Functions have no order; comparing them has an error of its own.
    takes: valueKinds.filter(
      (kind) => !['update', 'pure update', 'builtin', 'partial'].includes(kind) && !kind.startsWith('function'),
    ),
    with: ({ write, types }, of) => {
      const map = write.call(write.builtin('GENMAP_INSERT'), of, write.unit, write.builtin('GENMAP_EMPTY'))
      return { body: write.pure(types.int, write.call(write.builtin('GENMAP_SIZE'), map)) }
    },
  },
  'a key among others': {
    takes: ['int', 'large int'],
    with: ({ write, types }, of) => {
      const one = write.call(
        write.builtin('GENMAP_INSERT'),
        write.number(1n),
        write.unit,
        write.builtin('GENMAP_EMPTY'),
      )
      const two = write.call(write.builtin('GENMAP_INSERT'), of, write.unit, one)
      return { body: write.pure(types.int, write.call(write.builtin('GENMAP_SIZE'), two)) }
    },
  },
  'a step of a fold': {
    takes: ['function of two', 'builtin'],
    with: ({ write, types }, of) => {
      const list = write.cons(types.int, write.number(1n), write.nil(types.int))
      return { body: write.pure(types.int, write.call(write.builtin('FOLDL'), of, write.number(1n), list)) }
    },
  },
  'a comparison of items': {
    takes: [],
    with: ({ write, types }, of) => {
      const list = write.cons(types.int, write.number(1n), write.nil(types.int))
      return {
        returns: types.bool,
        body: write.pure(types.bool, write.call(write.builtin('EQUAL_LIST'), of, list, list)),
      }
    },
  },
}

/** Functions have no order, and a handler may let an exception propagate. */
const ordinary = new Set(['NON_COMPARABLE_VALUES', 'DAML_FAILURE'])

for (const [place, { takes, with: put }] of Object.entries(places)) {
  test(`${place} takes values of its kind and refuses others`, () => {
    for (const kind of valueKinds) {
      const attack = hostile('place', (parts) => put(parts, expressionOfKind(kind, parts)))
      const end = runHostile(attack)
      if (takes.includes(kind)) assert.equal(end.kind, 'accepted', `${kind}: ${JSON.stringify(end)}`)
      else if (end.kind === 'accepted') assert.fail(`${kind} was accepted: ${JSON.stringify(end.results)}`)
      else if (!ordinary.has(end.error.code)) assertIllTyped(attack)
    }
  })
}

/** Texts that would end a JavaScript string, comment, line or template. */
const breakingTexts = [
  '"',
  "'",
  '`',
  '$' + '{process.exit()}',
  '*/ process.exit() /*',
  '\n//',
  '\r\n',
  '\u2028process.exit()\u2029',
  '\\',
  '\\u0022',
  '//# sourceURL=daml-0.js',
  '</script>',
  ']; process.exit(); [',
]

test('texts of packages stay texts', () => {
  for (const text of breakingTexts) {
    const attack = hostile('text', ({ write, types }) => ({
      returns: types.text,
      body: write.pure(types.text, write.text(text)),
    }))
    assert.deepEqual(runHostile(attack), { kind: 'accepted', results: [text] })
  }
})

test('names with characters other than letters, digits, $ and _ are refused before they are used', () => {
  const named: ((name: string) => () => Hostile)[] = [
    (name) => () =>
      hostile('n', ({ write, types }) => ({ body: write.pure(types.int, write.structField(name, write.unit)) })),
    (name) => () => hostile('n', ({ write, types }) => ({ body: write.pure(types.int, write.variable(name)) })),
    (name) => () =>
      hostile('n', ({ write }) => ({ body: write.exercise('T', name, write.variable('self'), write.unit) })),
    (name) => () => hostile('n', ({ write, types }) => ({ body: write.pure(types.int, write.enumeration('E', name)) })),
    (name) => () => hostile('n', ({ write, types }) => ({ body: write.pure(types.int, write.value(name)) })),
    (name) => () =>
      hostile('n', ({ write, types }) => ({
        body: write.pure(types.int, write.number(1n)),
        definitions: [write.define(name, types.int, write.number(1n))],
      })),
  ]
  for (const text of breakingTexts) {
    // As for an upload: with everything inside definitions.
    for (const attempt of named) assert.throws(() => decodeDar(attempt(text)().dar), /not a valid name/, text)
    assert.throws(() => hostile(text, ({ write, types }) => ({ body: write.pure(types.int, write.number(1n)) })), text)
  }
})

test('a text that looks like a stack frame does not change the reported place', () => {
  const attack = hostile('trace', ({ write, types }) => ({
    definitions: [
      write.define('elsewhere', types.int, write.call(write.builtin('ERROR'), write.text('\n    at daml-0.js:3:1\n'))),
    ],
    body: write.embed(types.int, write.value('elsewhere')),
  }))
  const { code, details } = refusalOf(attack)
  assert.equal(code, 'INTERPRETATION_USER_ERROR')
  assert.equal(details.remarks?.definition, 'Main:elsewhere')
})

test('a reference to something missing is an error where it is used, and nowhere else', () => {
  const missing: ((parts: IllTypedParts) => Written)[] = [
    ({ write }) => write.value('missing'),
    ({ write }) => write.variable('missing'),
    ({ write }) => write.record('Missing', ['a', write.unit]),
    ({ write }) => write.record('V', ['a', write.unit]),
    ({ write }) => write.record('R', ['a', write.unit], ['c', write.unit]),
    ({ write }) => write.record('R', ['a', write.unit], ['a', write.unit]),
    ({ write }) => write.field('R', 'constructor', write.variable('this')),
    ({ write }) => write.variant('V', 'C', write.unit),
    ({ write }) => write.variant('R', 'a', write.unit),
    ({ write }) => write.enumeration('E', 'Z'),
    ({ write }) => write.callMethod('J', 'm', write.variable('this')),
    ({ write }) => write.callMethod('I', 'constructor', write.variable('this')),
    ({ write }) => write.struct(['a', write.unit], ['a', write.unit]),
    ({ write, types }) => write.fromAny(types.int, write.toAny(types.t, write.variable('this'))),
    ({ w, write }) => write.value(w.id('Main', 'x', 'f'.repeat(64)) as never),
  ]
  for (const build of missing) {
    assertIllTyped(hostile('missing', (parts) => ({ body: parts.write.pure(parts.types.int, build(parts)) })))
    const unused = hostile('unused', (parts) => ({
      definitions: [parts.write.define('unused', parts.types.int, build({ ...parts }))],
      body: parts.write.pure(
        parts.types.int,
        parts.write.ifTrue(parts.write.isTrue(true), parts.write.number(1n), parts.write.value('unused')),
      ),
    }))
    assert.deepEqual(runHostile(unused), { kind: 'accepted', results: ['1'] })
  }
  const choice = ({ write }: IllTypedParts) => write.exercise('T', 'Missing', write.variable('self'), write.unit)
  assertIllTyped(hostile('missing', (parts) => ({ body: choice(parts) })))
})
