// Every form of update where it succeeds, in every LF version.
import { type Case, type Cases, id, settings } from './case.ts'
import * as effects from './effects.ts'
import {
  attempt,
  before,
  consume,
  contract,
  create,
  embed,
  equalIds,
  fetch,
  getTime,
  given,
  handle,
  idToText,
  keep,
  made,
  program,
  raise,
  target,
} from './effects.ts'

const alice = { signatories: ['Alice'] }
const now = 1767225600000000n // As in settings.

const cases = (lf: number): Case[] => {
  const run = (name: string, actions: Parameters<typeof program>[2], contracts: Case[] = []) =>
    program(`${name}, LF ${lf}`, ['Alice'], actions, { contracts, lf })
  const onLedger = contract(2, { ...alice, note: 'on the ledger', observers: ['Bob'] }, {}, lf)
  const command = (name: string, rest: Case): Case => ({ name: `${name}, LF ${lf}`, actAs: ['Alice'], ...rest })
  return [
    run('an empty program', []),
    run('create', [create({ ...alice, observers: ['Bob', 'Alice'], note: 'new' })]),
    run('create with optional fields set and not set', [
      create({ ...alice, first: 'x' }),
      create({ ...alice, second: 'y' }),
      create(alice),
    ]),
    run('create by interface', [effects.createByInterface({ ...alice, note: 'new' })]),
    run('fetch', [fetch(given(2))], [onLedger]),
    run('fetch by interface', [effects.fetchByInterface(given(2))], [onLedger]),
    run('consume', [consume(given(2), { controllers: ['Alice'] })], [onLedger]),
    run('keep with choice observers', [keep(given(2), { controllers: ['Alice'], observers: ['Charlie'] })], [onLedger]),
    run(
      'consume by interface',
      [effects.consumeByInterface(given(2), { controllers: ['Alice'], observers: ['Bob'] })],
      [onLedger],
    ),
    run('keep by interface', [effects.keepByInterface(given(2), { controllers: ['Alice'] })], [onLedger]),
    run('archive', [effects.archive(given(2))], [onLedger]),
    run('create, keep, fetch and consume a local contract', [
      create({ ...alice, note: 'local' }),
      keep(made(0), { controllers: ['Alice'], program: [fetch(made(0))] }),
      fetch(made(0)),
      effects.fetchByInterface(made(0)),
      consume(made(0), { controllers: ['Alice'], program: [create(alice)] }),
    ]),
    run(
      'nested exercises',
      [
        keep(given(2), {
          controllers: ['Alice'],
          program: [
            create(alice),
            keep(made(0), { controllers: ['Alice'], program: [create(alice), create(alice)] }),
            create(alice),
          ],
        }),
        create(alice),
      ],
      [onLedger],
    ),
    run('embedded expression', [embed(create(alice)), embed()]),
    run('get time', [getTime]),
    run('before: later', [before(now + 1n)]),
    run('before: now', [before(now)]),
    run('before: earlier', [before(now - 1n)]),
    run('before: bounds from both sides', [
      before(now + 5n),
      before(now - 5n),
      before(now + 3n),
      before(now - 7n),
      before(now + 9n),
    ]),
    run('before and get time', [before(now + 5n), getTime, before(now - 5n)]),
    run('before: the ends of time', [before(-62135596800000000n), before(253402300799999999n)]),
    run('bounds and time inside a try that is undone', [
      attempt([before(now + 5n), getTime, raise('undone')], handle()),
    ]),
    run('try without exception', [attempt([create(alice)], handle(create(alice)))]),
    run('ids of different contracts differ', [
      create(alice),
      create(alice),
      equalIds(made(0), made(1)),
      equalIds(made(0), made(0)),
      equalIds(made(0), given(2)),
    ]),
    run('an id has no text on the ledger', [idToText(given(2)), create(alice), idToText(made(0))]),
    command('create command', {
      commands: [{ create: `#effects-lf${lf}:Effects:Target`, argument: target({ ...alice, observers: ['Bob'] }) }],
    }),
    command('several commands', {
      commands: [
        { create: `#effects-lf${lf}:Effects:Target`, argument: target(alice) },
        {
          exercise: `#effects-lf${lf}:Effects:Target`,
          contractId: id(2),
          choice: 'Keep',
          argument: effects.doing({ controllers: ['Alice'], program: [create(alice)] }),
        },
        {
          createAndExercise: `#effects-lf${lf}:Effects:Target`,
          createArgument: target(alice),
          choice: 'Consume',
          choiceArgument: effects.doing({ controllers: ['Alice'] }),
        },
        {
          exercise: `#effects-lf${lf}:Effects:Asset`,
          contractId: id(2),
          choice: 'Asset_Consume',
          argument: effects.doing({ controllers: ['Alice'] }),
        },
      ],
      contracts: [onLedger],
    }),
    command('no commands', { commands: [] }),
  ]
}

export default {
  ...settings,
  dars: ['test/lf/effects-lf21.dar', 'test/lf/effects-lf22.dar', 'test/lf/effects-lf23.dar'],
  cases: [
    ...[21, 22, 23].flatMap(cases),
    // Time, seed and participant decide the ids.
    ...[{ seed: '00'.repeat(32) }, { time: '2026-01-01T00:00:00.000001Z' }, { participant: 'another' }].map(
      (different) => program(`create with another ${Object.keys(different)[0]}`, ['Alice'], [create(alice)], different),
    ),
    program(
      'create for several parties, out of order',
      ['Bob', 'Alice'],
      [create({ signatories: ['Bob', 'Alice', 'Bob'], observers: ['Zoe', 'Charlie', 'Alice'] })],
    ),
  ],
} satisfies Cases
