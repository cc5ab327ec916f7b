// Folds and maps.
import { type Cases, contractId, genMap, id, inPackage, int64, list, text, textMap, unit, variant } from './case.ts'

const apply = inPackage('builtins-lf21')
const ints = (...values: (number | bigint)[]) => list(...values.map(int64))
// In code-point order: U+FFFD before U+10000, which UTF-16 puts the other way round.
const words = textMap(['', int64(0)], ['B', int64(1)], ['a', int64(2)], ['\ufffd', int64(3)], ['\u{10000}', int64(4)])
const numbers = genMap([int64(-5), text('a')], [int64(0), text('b')], [int64(7), text('c')])

export default {
  dars: ['test/lf/builtins-lf21.dar'],
  cases: [
    ...['foldl', 'foldr'].flatMap((fold) => [
      apply(`List:${fold}`, int64(1), ints()),
      apply(`List:${fold}`, int64(1), ints(1, 2, 3)),
      apply(`List:${fold}`, int64(2n ** 62n), ints(1)),
      apply(`List:${fold}Fails`, list()),
      apply(`List:${fold}Fails`, list(text('first'), text('last'))),
    ]),
    ...['equal', 'equalByLess'].flatMap((predicate) =>
      [
        [ints(), ints()],
        [ints(1), ints()],
        [ints(), ints(1)],
        [ints(1, 2), ints(1, 2)],
        [ints(1, 2), ints(1, 3)],
        [ints(1, 2), ints(2, 1)],
        [ints(2, 1), ints(1, 2)],
        [ints(1, 1), ints(2, 2)],
        [ints(2, 2), ints(1, 1)],
        [ints(1, 2, 3), ints(1, 2)],
      ].map(([a, b]) => apply(`List:${predicate}`, a!, b!)),
    ),
    apply('TextMap:empty'),
    ...['', 'a', 'aa', 'B', '\ufffd', '\u{10000}', '\u{1f600}'].flatMap((key) => [
      apply('TextMap:insert', text(key), int64(9), words),
      apply('TextMap:lookup', text(key), words),
      apply('TextMap:delete', text(key), words),
    ]),
    apply('TextMap:insert', text('x'), int64(1), textMap()),
    apply('TextMap:toList', words),
    apply('TextMap:toList', textMap()),
    apply('TextMap:size', words),
    apply('TextMap:size', textMap()),
    apply('GenMap:empty'),
    ...[-6, -5, 0, 7, 8].flatMap((key) => [
      apply('GenMap:insert', int64(key), text('z'), numbers),
      apply('GenMap:lookup', int64(key), numbers),
      apply('GenMap:delete', int64(key), numbers),
    ]),
    ...['keys', 'values', 'size'].flatMap((name) => [
      apply(`GenMap:${name}`, numbers),
      apply(`GenMap:${name}`, genMap()),
    ]),
    apply('GenMap:insertShape', variant('Point', unit), int64(1), genMap([variant('Circle', int64(1)), int64(2)])),
    apply('GenMap:insertShape', variant('Named', text('')), int64(1), genMap([variant('Circle', int64(1)), int64(2)])),
    apply('GenMap:insertId', contractId(id(1)), int64(1), genMap([contractId(id(2)), int64(2)])),
    apply('GenMap:insertId', contractId(id(2)), int64(1), genMap([contractId(id(2)), int64(2)])),
    apply('GenMap:insertId', contractId(id(2).slice(0, 66)), int64(1), genMap([contractId(id(2)), int64(2)])),
    apply('GenMap:insertFunction'),
    apply('GenMap:lookupFunction'),
    apply('GenMap:deleteFunction'),
  ],
} satisfies Cases
