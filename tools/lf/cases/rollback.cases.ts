// What remains after a try is rolled back. Every case twice: where a rolled-back create or archive is allowed (NoKey),
// and where it is an error (NUCK).
import { type Case, type Cases, settings, type Value } from './case.ts'
import * as effects from './effects.ts'
import {
  archive,
  attempt,
  before,
  consume,
  contract,
  create,
  fetch,
  getTime,
  given,
  handle,
  handleOops,
  keep,
  made,
  program,
  raise,
  rethrow,
} from './effects.ts'

const alice = { signatories: ['Alice'] }
const note = (text: string) => create({ ...alice, note: text })
const held = contract(2, alice)
const held3 = contract(3, alice)
const f = fetch(given(2))
const undone = (...body: Value[]) => attempt([...body, raise('undo')], handle())

const programs: [name: string, actions: Value[]][] = [
  ['nothing undone', [attempt([note('a')], handle())]],
  ['an empty try', [undone()]],
  ['a create', [undone(note('a'))]],
  ['a create, then others', [note('before'), undone(note('a')), note('after')]],
  ['an archive', [undone(archive(given(2))), f]],
  ['an archive of a local contract', [note('a'), undone(archive(made(0))), fetch(made(0)), archive(made(0))]],
  ['a fetch', [undone(f)]],
  ['a fetch, then a fetch', [undone(f), f]],
  ['a keep', [undone(keep(given(2), { controllers: ['Alice'] }))]],
  ['a keep with a fetch', [undone(keep(given(2), { controllers: ['Alice'], program: [f] }))]],
  ['a keep with a create', [undone(keep(given(2), { controllers: ['Alice'], program: [note('a')] }))]],
  [
    'thrown inside an exercise',
    [attempt([keep(given(2), { controllers: ['Alice'], program: [f, raise('inside')] })], handle())],
  ],
  [
    'thrown inside a consuming exercise',
    [attempt([consume(given(2), { controllers: ['Alice'], program: [raise('inside')] })], handle(f))],
  ],
  [
    'thrown inside two exercises',
    [
      attempt(
        [
          keep(given(2), {
            controllers: ['Alice'],
            program: [keep(given(3), { controllers: ['Alice'], program: [f, raise('inside')] })],
          }),
        ],
        handle(),
      ),
    ],
  ],
  ['caught inside an exercise', [keep(given(2), { controllers: ['Alice'], program: [undone(fetch(given(3))), f] })]],
  ['an undone try at the start of an undone try', [attempt([undone(f), fetch(given(3)), raise('outer')], handle())]],
  ['an undone try in the middle', [attempt([f, undone(fetch(given(3))), f, raise('outer')], handle())]],
  ['an undone try at the end', [attempt([f, undone(fetch(given(3))), raise('outer')], handle())]],
  ['an undone try alone in an undone try', [attempt([undone(f), raise('outer')], handle())]],
  ['three deep, alone', [attempt([attempt([undone(f), raise('middle')], handle()), raise('outer')], handle())]],
  [
    'three deep, with something at each level',
    [attempt([f, attempt([f, undone(f), f, raise('middle')], handle()), f, raise('outer')], handle())],
  ],
  ['two undone in a row', [undone(f), undone(fetch(given(3)))]],
  [
    'two undone at the start of an undone try',
    [attempt([undone(f), undone(fetch(given(3))), f, raise('outer')], handle())],
  ],
  [
    'two undone at the end of an undone try',
    [attempt([f, undone(f), undone(fetch(given(3))), raise('outer')], handle())],
  ],
  [
    'two undone and nothing else in an undone try',
    [attempt([undone(f), undone(fetch(given(3))), raise('outer')], handle())],
  ],
  ['empty undone tries around a fetch', [attempt([undone(), f, undone(), raise('outer')], handle())]],
  [
    'an exercise with undone tries in an undone try',
    [
      attempt(
        [keep(given(2), { controllers: ['Alice'], program: [undone(f), undone(fetch(given(3)))] }), raise('outer')],
        handle(),
      ),
    ],
  ],
  ['rethrown through two tries', [attempt([f, attempt([fetch(given(3)), raise('inner')], rethrow)], handle())]],
  [
    'the wrong type goes through',
    [attempt([f, attempt([fetch(given(3)), effects.divide(0)], handleOops())], handle())],
  ],
  ['the handler does something', [attempt([f, raise('undo')], handle(fetch(given(3))))]],
  ['the handler does something that is undone', [attempt([f, raise('undo')], handle(undone(fetch(given(3)))))]],
  ['seeds count on through what is undone', [note('a'), undone(f), note('b'), undone(fetch(given(3)), f), note('c')]],
  ['seeds count on through undone exercises', [undone(keep(given(2), { controllers: ['Alice'] })), note('a')]],
  ['a created contract that was undone, fetched', [attempt([note('a'), raise('undo')], handle(fetch(made(0))))]],
  [
    'a created contract that was undone, exercised',
    [attempt([note('a'), raise('undo')], handle(keep(made(0), { controllers: ['Alice'] })))],
  ],
  ['create and archive both undone', [undone(note('a'), archive(made(0)))]],
  ['archived, then an undone fetch of another', [archive(given(3)), undone(f)]],
  ['archived outside, fetched in a try', [archive(given(2)), undone(f)]],
  ['archive after the undone archive', [undone(archive(given(2))), archive(given(2))]],
  ['archive twice inside and outside', [archive(given(2)), undone(archive(given(2)))]],
  ['time in what is undone', [undone(getTime)]],
  ['bounds in what is undone', [undone(before(1767225600000001n)), before(1767225600000005n)]],
  ['an error in what would be undone', [attempt([f, effects.error('final')], handle())]],
  ['an unauthorized create in what would be undone', [attempt([create({ signatories: ['Bob'] })], handle())]],
  [
    'a precondition that throws is undone without a trace',
    [attempt([create({ ...alice, faults: { precondition: 'Throws' } })], handle())],
  ],
  [
    'a precondition that throws, after a fetch',
    [attempt([f, create({ ...alice, faults: { precondition: 'Throws' } })], handle())],
  ],
]

export default {
  ...settings,
  dars: ['test/lf/effects-lf21.dar'],
  cases: programs.flatMap(([name, actions]): Case[] =>
    ['NoKey', 'NUCK'].map((mode) =>
      program(`${name}, ${mode}`, ['Alice'], actions, { contracts: [held, held3], mode }),
    ),
  ),
} satisfies Cases
