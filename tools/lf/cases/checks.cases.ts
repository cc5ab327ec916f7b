// Errors of creates, fetches and exercises: which one is reported if there are several, and which can be caught.
import { type Case, type Cases, id, settings, type Value } from './case.ts'
import * as effects from './effects.ts'
import {
  archive,
  attempt,
  consume,
  contract,
  create,
  error,
  fail,
  fetch,
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
const run = (name: string, actions: Value[], contracts: Case[] = [], rest: Case = {}) =>
  program(name, ['Alice'], actions, { contracts, ...rest })
/** The same action alone and inside a try: shows whether it can be caught. */
const caught = (name: string, action: Value, contracts: Case[] = []) => [
  run(name, [action], contracts),
  run(`${name}, in a try`, [attempt([action], handle(create(alice)))], contracts),
]

const parts = ['precondition', 'signatories', 'observers'] as const
const faults = parts.flatMap((part) => [
  ...caught(`create: ${part} throws`, create({ ...alice, faults: { [part]: 'Throws' } })),
  ...caught(`create: ${part} is an error`, create({ ...alice, faults: { [part]: 'Errors' } })),
  ...caught(`fetch: ${part} throws`, fetch(given(2)), [contract(2, { ...alice, faults: { [part]: 'Throws' } })]),
  ...caught(`fetch: ${part} is an error`, fetch(given(2)), [contract(2, { ...alice, faults: { [part]: 'Errors' } })]),
  ...caught(`exercise: ${part} throws`, keep(given(2), { controllers: ['Alice'] }), [
    contract(2, { ...alice, faults: { [part]: 'Throws' } }),
  ]),
])

const choiceFaults = (['controllersFault', 'observersFault'] as const).flatMap((part) =>
  (['Throws', 'Errors'] as const).flatMap((fault) => [
    ...caught(`exercise: ${part} ${fault}`, keep(given(2), { controllers: ['Alice'], [part]: fault }), [
      contract(2, alice),
    ]),
    ...caught(
      `exercise by interface: ${part} ${fault}`,
      effects.keepByInterface(given(2), { controllers: ['Alice'], [part]: fault }),
      [contract(2, alice)],
    ),
  ]),
)

const order = [
  run('create: precondition before signatories', [
    create({ ...alice, faults: { precondition: 'Errors', signatories: 'Errors', observers: 'Errors' } }),
  ]),
  run('create: signatories before observers', [
    create({ ...alice, faults: { signatories: 'Errors', observers: 'Errors' } }),
  ]),
  run('create: observers before authorization', [create({ signatories: ['Bob'], faults: { observers: 'Errors' } })]),
  run('create: precondition False before signatories', [
    create({ ...alice, faults: { precondition: 'Lies', signatories: 'Errors' } }),
  ]),
  ...caught('create: precondition False', create({ ...alice, faults: { precondition: 'Lies' } })),
  run('fetch: precondition False', [fetch(given(2))], [contract(2, { ...alice, faults: { precondition: 'Lies' } })]),
  ...caught('create: no signatory', create({ signatories: [] })),
  run('create: no signatory, an observer', [create({ signatories: [], observers: ['Alice'] })]),
  run(
    'exercise: controllers before choice observers',
    [keep(given(2), { controllers: [], controllersFault: 'Errors', observersFault: 'Errors' })],
    [contract(2, alice)],
  ),
  run(
    'exercise: choice observers before authorization',
    [keep(given(2), { controllers: ['Bob'], observersFault: 'Errors' })],
    [contract(2, alice)],
  ),
  run(
    'exercise: authorization before the body',
    [keep(given(2), { controllers: ['Bob'], program: [error('body')] })],
    [contract(2, alice)],
  ),
  run('exercise: the contract before the controllers', [
    keep(given(9), { controllers: [], controllersFault: 'Errors' }),
  ]),
  run(
    'exercise: inactive before the controllers',
    [archive(given(2)), keep(given(2), { controllers: [], controllersFault: 'Errors' })],
    [contract(2, alice)],
  ),
  ...caught('exercise: no controllers', keep(given(2), { controllers: [] }), [contract(2, alice)]),
]

const activeness = [
  ...caught('fetch: unknown', fetch(given(9))),
  ...caught('exercise: unknown', consume(given(9), { controllers: ['Alice'] })),
  run('fetch after archive', [archive(given(2)), fetch(given(2))], [contract(2, alice)]),
  run('archive twice', [archive(given(2)), archive(given(2))], [contract(2, alice)]),
  run('archive twice, local', [create(alice), archive(made(0)), archive(made(0))]),
  run(
    'a consuming choice cannot fetch its contract',
    [consume(given(2), { controllers: ['Alice'], program: [fetch(made(0))] })],
    [contract(2, alice)],
  ),
  run(
    'a consuming choice cannot consume its contract',
    [consume(given(2), { controllers: ['Alice'], program: [consume(made(0), { controllers: ['Alice'] })] })],
    [contract(2, alice)],
  ),
  run(
    'a non-consuming choice can consume its contract',
    [keep(given(2), { controllers: ['Alice'], program: [archive(made(0))] })],
    [contract(2, alice)],
  ),
  run(
    'consumed before authorization is checked, caught too late',
    [attempt([consume(given(2), { controllers: ['Bob'] })], handle())],
    [contract(2, alice)],
  ),
  run(
    'fetch by interface after archive',
    [archive(given(2)), effects.fetchByInterface(given(2))],
    [contract(2, alice)],
  ),
]

const typing = [
  ...caught('fetch: another template', fetch(given(3)), [effects.other(3, 'Alice')]),
  ...caught('exercise: another template', keep(given(3), { controllers: ['Alice'] }), [effects.other(3, 'Alice')]),
  ...caught('fetch of the other: another template', effects.fetchOther(2), [contract(2, alice)]),
  run('fetch: another template, local', [create(alice), effects.fetchOther(2)], [contract(2, alice)]),
  ...caught('fetch by interface: not implemented', effects.fetchByOtherInterface(given(2)), [contract(2, alice)]),
  ...caught(
    'exercise by interface: not implemented',
    effects.keepByOtherInterface(given(2), { controllers: ['Alice'] }),
    [contract(2, alice)],
  ),
  run(
    'exercise by interface: not implemented, before authorization',
    [effects.keepByOtherInterface(given(2), { controllers: ['Bob'] })],
    [contract(2, alice)],
  ),
  run('fetch by interface: unknown', [effects.fetchByInterface(given(9))]),
]

const stored = [
  run(
    'fetch: signatories on the ledger differ',
    [fetch(given(2))],
    [contract(2, alice, { signatories: ['Alice', 'Bob'] })],
  ),
  run('fetch: observers on the ledger differ', [fetch(given(2))], [contract(2, alice, { observers: ['Bob'] })]),
  run('fetch: both differ', [fetch(given(2))], [contract(2, alice, { signatories: ['Bob'], observers: ['Charlie'] })]),
  run('fetch: not authentic', [fetch(given(2))], [contract(2, alice, { authentic: false })]),
  ...caught('exercise: not authentic', keep(given(2), { controllers: ['Alice'] }), [
    contract(2, alice, { authentic: false }),
  ]),
  run(
    'fetch: argument of another shape',
    [fetch(given(2))],
    [contract(2, alice, { argument: { record: [{ int64: '1' }] } })],
  ),
  run(
    'fetch: a field too many',
    [fetch(given(2))],
    [
      contract(2, alice, {
        argument: {
          record: [
            ...(contract(2, alice).argument as { record: Value[] }).record,
            { none: true },
            { none: true },
            { none: true },
          ],
        },
      }),
    ],
  ),
  run(
    'fetch: None at the end of the stored argument',
    [fetch(given(2))],
    [
      contract(2, alice, {
        argument: { record: [...(contract(2, alice).argument as { record: Value[] }).record, { none: true }] },
      }),
    ],
  ),
  run('fetch: another package name', [fetch(given(2))], [contract(2, alice, { packageName: 'another' })]),
  run('fetch twice, of which the ledger is asked once', [fetch(given(2)), fetch(given(2))], [contract(2, alice)]),
]

const ends = [
  ...caught('error', error('stop')),
  ...caught('fail with status', fail('MY_ERROR')),
  ...caught('exception', raise('stop')),
  ...caught('arithmetic', effects.divide(0)),
  ...caught('exception without message', effects.raiseSpeechless('stop')),
  ...caught('text with NUL', effects.createWithCodePoints(97, 0)),
  ...caught('text of surrogates', effects.createWithCodePoints(0xd800)),
  ...caught('nested 99 deep', effects.createNested(97)),
  ...caught('nested 100 deep', effects.createNested(98)),
  ...caught('nested 101 deep', effects.createNested(99)),
  ...caught('nested 102 deep', effects.createNested(100)),
  run('exception, rethrown', [attempt([raise('stop')], rethrow)]),
  run('exception of another type, not handled', [attempt([effects.divide(0)], handleOops())]),
  run('exception, handled by type', [attempt([raise('stop')], handleOops(create(alice)))]),
  run('exception, rethrown to an outer try', [
    attempt([attempt([raise('inner')], rethrow), error('not reached')], handle(create(alice))),
  ]),
  run('handler throws', [attempt([raise('body')], effects.handlerThrows('handler'))]),
  run('handler throws into an outer try', [
    attempt([attempt([raise('body')], effects.handlerThrows('handler'))], handle()),
  ]),
  run('handler is an error', [attempt([raise('body')], effects.handlerErrors('handler'))]),
  run('handled program throws', [attempt([raise('body')], handle(raise('in the handler')))]),
  run(
    'deep in exercises',
    [
      keep(given(2), {
        controllers: ['Alice'],
        program: [create(alice), keep(made(0), { controllers: ['Alice'], program: [raise('deep')] })],
      }),
    ],
    [contract(2, alice)],
  ),
  run(
    'error deep in exercises',
    [
      keep(given(2), {
        controllers: ['Alice'],
        program: [create(alice), keep(made(0), { controllers: ['Alice'], program: [error('deep')] })],
      }),
    ],
    [contract(2, alice)],
  ),
]

const local = [
  // The id is the one the create gets, with a suffix.
  run('equal: a local id against one of the same prefix', [
    create(alice),
    effects.equalIds(made(0), {
      variant: [
        'Given',
        { contractId: `00fddd272fd41bcd276a795c3c3dfe4c2328ff73f08c3c683c0fcc49a6a6741042ca121220${'00'.repeat(32)}` },
      ],
    }),
  ]),
  {
    name: 'the command names a local contract id',
    actAs: ['Alice'],
    commands: [
      {
        exercise: '#effects-lf21:Effects:Target',
        contractId: id(2).slice(0, 66),
        choice: 'Keep',
        argument: effects.doing({ controllers: ['Alice'] }),
      },
    ],
    contracts: [contract(2, alice)],
  },
]

export default {
  ...settings,
  dars: ['test/lf/effects-lf21.dar'],
  cases: [...faults, ...choiceFaults, ...order, ...activeness, ...typing, ...stored, ...ends, ...local],
} satisfies Cases
