// Arguments of commands: a value of every type, right in every form and wrong in every place, at several depths.
import { doing, target as targetArguments } from '../../../test/fixtures/ledger.ts'
import { mutationsOf } from '../mutations.ts'
import { exercise, target, type World } from '../world.ts'

const everythingType = '#effects-lf21:Effects:Everything'
const path = '/v2/commands/submit-and-wait-for-transaction'

export async function valueSession(world: World): Promise<void> {
  const { both, alice, bank, commandsOf, create, everything: transactionFormat } = world
  const contractId = await create({
    CreateCommand: { templateId: target, createArguments: targetArguments([alice, bank]) },
  })
  const sample = everythingOf(alice, contractId)
  const submit = (command: object, note: string) => {
    return both.call('POST', path, { as: 'app', body: { commands: commandsOf([command]), transactionFormat }, note })
  }
  const createAll = (createArguments: unknown) => ({ CreateCommand: { templateId: everythingType, createArguments } })
  await submit(createAll(sample), 'as it should be')
  for (const { note, body } of mutationsOf(sample)) await submit(createAll(body), note)
  for (const [field, values] of Object.entries(formsOf(alice))) {
    for (const value of values) {
      await submit(createAll({ ...sample, [field]: value }), `${field} is ${JSON.stringify(value)}`)
    }
  }
  const all = await create(createAll(sample))
  for (const { note, body } of mutationsOf({ optional: '1', maybe: { label: 'x', signatories: [alice] } })) {
    const argument = typeof body === 'object' && body !== null ? { ...sample, ...body } : body
    await submit(exercise(everythingType, all, 'Everything_Same', argument as object), note)
  }
  const ref = { tag: 'Given', value: contractId }
  const inner = doing([alice], { tag: 'Create', value: targetArguments([alice]) }, { tag: 'Throw', value: 'thrown' })
  const body = [{ tag: 'Keep', value: { target: ref, argument: inner } }]
  const deep = doing([alice], { tag: 'Try', value: { body, handler: { tag: 'Handle', value: [] } } })
  for (const { note, body: argument } of mutationsOf(deep)) {
    await submit(exercise(target, contractId, 'Keep', argument as object), note)
  }
}

function everythingOf(party: string, contractId: string): object {
  return {
    party,
    unit: {},
    bool: true,
    int: '-7',
    numeric: '1.5',
    text: 'text',
    date: '2026-02-28',
    timestamp: '2026-01-02T03:04:05.678901Z',
    optional: '5',
    optional2: [['6']],
    list: ['1', '2'],
    textMap: { b: '2', a: '1' },
    genMap: [
      ['2', 'two'],
      ['1', 'one'],
    ],
    fault: 'Fine',
    ref: { tag: 'Given', value: contractId },
    faults: { precondition: 'Fine', signatories: 'Fine', observers: 'Lies', view: 'Throws' },
    maybe: { label: 'label', signatories: [party] },
    last: {},
  }
}

/** Forms that a type has in JSON, and near misses. */
function formsOf(party: string): Readonly<Record<string, readonly unknown[]>> {
  const most = '9223372036854775807'
  return {
    party: ['alice', 'a b', 'ä', `${party} `, 'a'.repeat(256), '::'],
    unit: [{ a: 1 }, [1], [[]], 0],
    bool: ['true', 'false', 0, 1],
    int: [most, '9223372036854775808', '-9223372036854775808', '+1', '01', '-0', '1.0', '1e3', 1.5, 1e3, ' 1', '0x1'],
    numeric: [
      ...['1', '01.50', '-0', '.5', '5.', '1e2', '1E-2', '+1.5', 1.5, '1.00000000000', '1.00000000001', 'NaN'],
      ...['9999999999999999999999999999.9999999999', '10000000000000000000000000000', 1e30, ' 1'],
    ],
    text: ['', 'a\u0000b', '\ud83d\ude00', '\ud83d', 'ä'.repeat(50)],
    date: [
      '2026-02-29',
      '2024-02-29',
      '0001-01-01',
      '9999-12-31',
      '0000-12-31',
      '10000-01-01',
      '2026-2-8',
      '2026-02-08Z',
    ],
    timestamp: [
      ...['2026-01-01T00:00:00Z', '2026-01-01T00:00:00.1234567Z', '2026-01-01T00:00:00+01:00', '2026-01-01 00:00:00Z'],
      ...['0001-01-01T00:00:00Z', '9999-12-31T23:59:59.999999Z', '2026-01-01T24:00:00Z', '2026-01-01T23:59:60Z'],
      ...['+10000-01-01T00:00:00Z', '0000-12-31T23:59:59.999999Z', '-0001-01-01T00:00:00Z'],
      ...['2026-01-01T00:00Z', '2026-01-01', '2026-01-01T00:00:00', '2026-01-01t00:00:00z'],
    ],
    optional: [null, [], ['5'], [[]], [null], { Some: '5' }],
    optional2: [null, [], [null], ['6'], [[]], [['6']], '6', [['6', '7']], [[], []]],
    list: [[], [null], [['1']], ['1', 'x'], { 0: '1' }],
    textMap: [{}, [], [['a', '1']], { a: null }, { a: 'x' }, { 'a\u0000': '1' }],
    genMap: [
      [],
      [
        ['1', 'a'],
        ['1', 'b'],
      ],
      [['1']],
      [['1', 'a', 'b']],
      {},
      [['x', 'a']],
      [['1', 5]],
      ['1', 'a'],
      [[]],
    ],
    fault: ['fine', 'Nothing', { tag: 'Fine' }, { Fine: {} }, ['Fine'], { tag: 'Fine', value: {} }],
    ref: [
      ...[
        { tag: 'Made', value: '0' },
        { tag: 'Made', value: 0 },
        { tag: 'Made' },
        { value: '0' },
        { tag: 'Nothing', value: 0 },
      ],
      ...[
        { tag: 'Made', value: '0', more: 1 },
        { Made: '0' },
        { tag: 'Given', value: '00' },
        { tag: 5, value: '0' },
        'Made',
      ],
    ],
    faults: [
      ...[['Fine', 'Fine', 'Fine', 'Fine'], ['Fine'], [], {}, { precondition: 'Fine' }],
      { precondition: 'Fine', signatories: 'Fine', observers: 'Fine', view: 'Fine', more: null },
    ],
    maybe: [null, {}, [], [{ label: 'x', signatories: [] }], { label: 'x' }, { label: 'x', signatories: [], more: 1 }],
    last: [null, {}, [], [{}], 5],
  }
}
