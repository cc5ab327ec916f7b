// What each participant sees of a transaction with several nodes: which nodes, their numbers, and their witnesses.
import { doing, exercise, target } from '../../../../test/fixtures/ledger.ts'
import { createdIn, effects, type Network, shapes, updateFormat } from '../../network.ts'
import { contractOf } from './reads.ts'

type Parties = readonly string[]

const contract = (signatories: Parties, observers: Parties, note: string) => target(signatories, { observers, note })
const creating = (signatories: Parties, observers: Parties, note: string) => ({
  CreateCommand: { templateId: effects, createArguments: contract(signatories, observers, note) },
})
const create = (signatories: Parties, observers: Parties, note: string) => ({
  tag: 'Create',
  value: contract(signatories, observers, note),
})
const given = (contractId: string) => ({ tag: 'Given', value: contractId })
const made = { tag: 'Made', value: '0' }
const fetch = (contractId: string) => ({ tag: 'Fetch', value: given(contractId) })
const use = (tag: 'Keep' | 'Consume', ref: object, controllers: Parties, ...program: readonly object[]) => ({
  tag,
  value: { target: ref, argument: doing(controllers, ...program) },
})

export async function viewSession(network: Network): Promise<void> {
  const { sandbox, pebblebox, alice, bob, carol, second } = network
  const on = { synchronizerId: second }
  const contractOf = async (observers: Parties, note: string) =>
    createdIn(await sandbox.submit(`a contract ${note}`, [creating([alice], observers, note)], [alice], on))
  const own = await contractOf([], 'of alice')
  const shared = await contractOf([bob], 'with bob')
  const consent = exercise(
    effects,
    await contractOf([bob], 'to agree on'),
    'Consume',
    doing([bob], create([alice, bob], [], 'both')),
  )
  const both = createdIn(await pebblebox.submit('a contract that both sign', [consent], [bob], on))
  const keep = (...program: readonly object[]) => exercise(effects, own, 'Keep', doing([alice], ...program))
  const [c, b] = [create([alice], [carol], 'for carol'), create([alice], [bob], 'for bob')]
  const a = (note: string) => create([alice], [], note)
  const consumed = async (...program: readonly object[]) =>
    use('Consume', given(await contractOf([bob], 'to consume')), [alice], ...program)
  const cases: readonly [note: string, commands: readonly object[]][] = [
    ['an observer of a nested create', [keep(a('x'), b, a('z'))]],
    [
      'an observer of a contract that is only used',
      [keep(use('Keep', given(shared), [alice], a('inside')), a('after'))],
    ],
    ['a sub-tree', [keep(await consumed(a('inside'), c), a('after'))]],
    ['two sub-trees', [keep(a('1'), await consumed(a('2')), a('3'), await consumed(a('4'), c), a('5'))]],
    [
      'several roots',
      [creating([alice], [], 'r'), creating([alice], [bob], 's'), keep(c, b), creating([alice], [bob], 't')],
    ],
    [
      'everything below a shared root',
      [
        exercise(
          effects,
          await contractOf([bob], 'root'),
          'Consume',
          doing([alice], use('Keep', given(own), [alice], a('deep')), c),
        ),
      ],
    ],
    ['a contract that does not last', [keep(fetch(shared), b, { tag: 'Archive', value: made })]],
    ['the same, consumed by a choice', [keep(a('p'), b, use('Consume', made, [alice], a('q')))]],
    ['a fetch', [keep(fetch(both), b)]],
    ['nothing but a fetch', [keep(fetch(both))]],
    ['a fetch inside', [keep(a('1'), use('Keep', given(both), [alice], fetch(own), a('2')), b)]],
    [
      'what is rolled back',
      [
        keep(
          {
            tag: 'Try',
            value: {
              body: [use('Keep', given(both), [alice]), { tag: 'Throw', value: 'x' }],
              handler: { tag: 'Handle', value: [] },
            },
          },
          b,
        ),
      ],
    ],
    ['a choice observer', [exercise(effects, own, 'Keep', { ...doing([alice], a('seen')), observers: [carol] })]],
  ]
  for (const [note, commands] of cases) await shown(network, note, commands)
  await divulged(network, await consumed(a('divulged')), keep)
}

async function shown(network: Network, note: string, commands: readonly object[]): Promise<void> {
  const { all, sandbox, alice, bob, carol, second } = network
  const transaction = await sandbox.submit(note, commands, [alice], { synchronizerId: second })
  const updateId = transaction?.updateId ?? `1220${'00'.repeat(32)}`
  for (const one of all) {
    for (const parties of [undefined, [alice], [bob], [carol]]) {
      for (const shape of shapes) {
        const body = { updateId, updateFormat: updateFormat(parties, shape) }
        const reader = parties?.[0]?.split('::')[0] ?? 'any party'
        await one.post(`${note}: ${shape} for ${reader}`, '/v2/updates/update-by-id', body)
      }
    }
  }
}

/** bob witnesses the creation of a contract that is none of his. */
async function divulged(
  network: Network,
  action: object,
  keep: (...program: readonly object[]) => object,
): Promise<void> {
  const { all, sandbox, pebblebox, alice, bob, carol, second } = network
  const on = { synchronizerId: second }
  const contractId = createdIn(await sandbox.submit('a divulged contract', [keep(action)], [alice], on))
  for (const one of all) for (const party of [alice, bob, carol]) await contractOf(one, contractId, party)
  const use = exercise(effects, contractId, 'Keep', doing([bob]))
  await pebblebox.submit('a divulged contract, used', [use], [bob], on)
  await pebblebox.submit('a divulged contract, used with a reader', [use], [bob], { ...on, readAs: [alice] })
}
