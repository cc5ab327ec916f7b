// Errors a program raises itself, and the text of exceptions.
import { type Cases, inPackage, text, textMap } from './case.ts'

const apply = inPackage('builtins-lf21')
const names = [
  'error',
  'throw_',
  'throwWorse',
  'throwMute',
  'throwArithmeticError',
  'message',
  'messageOfWorse',
  'messageOfArithmeticError',
]

export default {
  dars: ['test/lf/builtins-lf21.dar'],
  cases: [
    ...names.flatMap((name) => [apply(`Failure:${name}`, text('broken')), apply(`Failure:${name}`, text(''))]),
    apply('Failure:error', text('a "quoted" line\nand \u{1f600}')),
    ...['failInvalid', 'failState'].flatMap((name) => [
      apply(`Failure:${name}`, text('MY_ERROR'), text('it broke'), textMap()),
      apply(`Failure:${name}`, text('a.b/c'), text(''), textMap(['b', text('2')], ['a', text('1')])),
    ]),
  ],
} satisfies Cases
