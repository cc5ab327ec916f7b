// Contract keys: created, fetched, exercised and queried, with several contracts for one key, and what can go wrong.
import {
  type Case,
  type Cases,
  contractId,
  enumeration,
  id,
  int64,
  list,
  none,
  record,
  settings,
  some,
  text,
  type Value,
  variant,
} from './case.ts'
import { parties } from './effects.ts'

type Fault = 'Fine' | 'Throws' | 'Errors'
type Key = { maintainers?: string[]; name?: string; fault?: Fault; last?: number }
const key = ({ maintainers = ['Alice'], name = 'key', fault = 'Fine', last }: Key = {}): Value =>
  record(parties(...maintainers), text(name), enumeration(fault), last === undefined ? none : some(int64(last)))
const storedKey = (fields: Key = {}): Value =>
  record(...(key(fields).record as Value[]).slice(0, fields.last === undefined ? -1 : undefined))

type Keyed = { signatories?: string[]; observers?: string[]; key?: Key; keyFault?: Fault; note?: string }
const keyed = (
  { signatories = ['Alice'], observers = [], key: k = {}, keyFault = 'Fine', note = '' }: Keyed,
  keyOf = key,
): Value => record(parties(...signatories), parties(...observers), keyOf(k), enumeration(keyFault), text(note))

const given = (number: number) => variant('Given', contractId(id(number)))
const made = (index: number) => variant('Made', int64(index))
const doing = (controllers: string[], program: Value[] = []) => record(parties(...controllers), list(...program))
const create = (fields: Keyed = {}) => variant('Create', keyed(fields))
const fetch = (ref: Value) => variant('Fetch', ref)
const archive = (ref: Value) => variant('Archive', ref)
const keep = (ref: Value, controllers: string[], program: Value[] = []) =>
  variant('Keep', record(ref, doing(controllers, program)))
const fetchByKey = (k: Key = {}) => variant('FetchByKey', key(k))
const keepByKey = (k: Key = {}, controllers = ['Alice'], program: Value[] = []) =>
  variant('KeepByKey', record(key(k), doing(controllers, program)))
const consumeByKey = (k: Key = {}, controllers = ['Alice'], program: Value[] = []) =>
  variant('ConsumeByKey', record(key(k), doing(controllers, program)))
const query = (count: number, k: Key = {}) => variant('Query', record(int64(count), key(k)))
const attempt = (body: Value[], handler: Value[] = []) => variant('Try', record(list(...body), list(...handler)))
const raise = variant('Throw', text('undo'))

const contract = (number: number, fields: Keyed = {}, differing: Case = {}): Case => ({
  id: id(number),
  template: '#keys-lf23:Keys:Keyed',
  argument: keyed({ note: `contract ${number}`, ...fields }, storedKey),
  signatories: fields.signatories ?? ['Alice'],
  observers: fields.observers ?? [],
  key: key(fields.key),
  maintainers: fields.key?.maintainers ?? ['Alice'],
  ...differing,
})
const run = (name: string, actions: Value[], contracts: Case[] = [], actAs = ['Alice']): Case => ({
  name,
  actAs,
  commands: [
    { exercise: '#keys-lf23:Keys:Actor', contractId: id(1), choice: 'Actor_Run', argument: record(list(...actions)) },
  ],
  contracts: [
    {
      id: id(1),
      template: '#keys-lf23:Keys:Actor',
      argument: record(parties(...actAs)),
      signatories: actAs,
      observers: [],
    },
    ...contracts,
  ],
})
const command = (name: string, actAs: string[], c: Case, contracts: Case[]): Case => ({
  name,
  actAs,
  commands: [c],
  contracts,
})
const two = [contract(2), contract(3)]
const bobs = { maintainers: ['Bob'] }

export default {
  ...settings,
  dars: ['test/lf/keys-lf23.dar'],
  cases: [
    run('create', [create({ observers: ['Bob'] })]),
    run('create twice with one key', [create({ note: 'old' }), create({ note: 'new' })]),
    run('create: the key throws', [create({ keyFault: 'Throws' })]),
    run('create: the key throws, in a try', [attempt([create({ keyFault: 'Throws' })])]),
    run('create: the key is an error', [create({ keyFault: 'Errors' })]),
    run('create: the maintainers throw', [create({ key: { fault: 'Throws' } })]),
    run('create: the maintainers throw, in a try', [attempt([create({ key: { fault: 'Throws' } })])]),
    run('create: the key before the maintainers', [create({ keyFault: 'Errors', key: { fault: 'Errors' } })]),
    run('create: no maintainers', [create({ key: { maintainers: [] } })]),
    run('create: no maintainers, in a try', [attempt([create({ key: { maintainers: [] } })])]),
    run('create: a maintainer that does not sign', [create({ key: bobs })]),
    run('create: a maintainer that does not sign and is no authorizer', [
      create({ signatories: ['Charlie'], key: bobs }),
    ]),
    run('create: no maintainers before no authority', [create({ signatories: ['Bob'], key: { maintainers: [] } })]),
    run('create: a contract id in the key', [variant('CreateKeyWithId', some(contractId(id(9))))]),
    run('create: no contract id in a key that may have one', [variant('CreateKeyWithId', none)]),
    run('fetch by key: a contract id in the key', [variant('QueryKeyWithId', contractId(id(9)))]),
    run('fetch: the key is part of the node', [fetch(given(2))], two),
    run('exercise: the key is part of the node', [keep(given(2), ['Alice'])], two),
    run(
      'fetch: the key on the ledger differs',
      [fetch(given(2))],
      [contract(2, {}, { key: key({ name: 'another' }) })],
    ),
    run(
      'fetch: the maintainers on the ledger differ',
      [fetch(given(2))],
      [contract(2, { signatories: ['Alice', 'Bob'] }, { maintainers: ['Bob'] })],
    ),
    run('fetch: no key on the ledger', [fetch(given(2))], [{ ...contract(2), key: undefined, maintainers: undefined }]),
    run('fetch by key', [fetchByKey()], two),
    run('fetch by key: a field that is not None', [fetchByKey({ last: 1 })], [contract(2, { key: { last: 1 } })]),
    run('fetch by key: none', [fetchByKey()]),
    run('fetch by key: none, in a try', [attempt([fetchByKey()])]),
    run('fetch by key: another key', [fetchByKey({ name: 'another' })], two),
    run('fetch by key: no maintainers', [fetchByKey({ maintainers: [] })]),
    run('fetch by key: the maintainers throw', [fetchByKey({ fault: 'Throws' })]),
    run('fetch by key: the maintainers throw, in a try', [attempt([fetchByKey({ fault: 'Throws' })])]),
    run(
      'fetch by key: the newest local contract',
      [create({ note: 'old' }), create({ note: 'new' }), fetchByKey()],
      two,
    ),
    run(
      'fetch by key: not the archived',
      [create({ note: 'old' }), create({ note: 'new' }), archive(made(0)), fetchByKey()],
      two,
    ),
    run('fetch by key: after the archived of the ledger', [archive(given(2)), fetchByKey()], two),
    run('fetch by key: all archived', [archive(given(2)), archive(given(3)), fetchByKey()], two),
    run('fetch by key: not by the maintainer', [fetchByKey(bobs)], [contract(2, { signatories: ['Bob'], key: bobs })]),
    run(
      'fetch by key: by an observer',
      [fetchByKey(bobs)],
      [contract(2, { signatories: ['Bob'], observers: ['Alice'], key: bobs })],
    ),
    run('fetch by key: none, not by the maintainer', [fetchByKey(bobs)]),
    run('exercise by key', [keepByKey()], two),
    run('exercise by key: consumes', [consumeByKey(), consumeByKey()], two),
    run('exercise by key: consumes one too many', [consumeByKey(), consumeByKey(), consumeByKey()], two),
    run('exercise by key: in its own body', [consumeByKey({}, ['Alice'], [fetchByKey()])], two),
    run('exercise by key: none', [keepByKey()]),
    run(
      'exercise by key: not by the maintainer',
      [keepByKey(bobs)],
      [contract(2, { signatories: ['Bob'], observers: ['Alice'], key: bobs })],
    ),
    run('exercise by key: controllers missing', [keepByKey({}, ['Bob'])], two),
    run('exercise by key: no maintainers', [keepByKey({ maintainers: [] })]),
    ...[1, 2, 3, 0, -1].map((count) => run(`query ${count} of two`, [query(count)], two)),
    run('query: none', [query(1)]),
    run('query: a million and more', [query(1000001)], two),
    run('query: local ones first', [create({ note: 'old' }), create({ note: 'new' }), query(3)], two),
    run('query: local ones are enough', [create({ note: 'old' }), create({ note: 'new' }), query(2)], two),
    run('query: without the archived', [create({ note: 'old' }), archive(given(2)), query(5)], two),
    run('query: twice, more the second time', [query(1), query(2), query(3)], two),
    run('query: twice, fewer the second time', [query(3), query(1)], two),
    run('query: a contract known by id', [fetch(given(3)), query(1), query(2)], two),
    run(
      'query: a contract known by id that the ledger does not report',
      [fetch(given(2)), query(1)],
      [contract(2, {}, { hiddenFromKeys: true })],
    ),
    run('query: not by the maintainer', [query(1, bobs)], [contract(2, { signatories: ['Bob'], key: bobs })]),
    run('query: no maintainers', [query(1, { maintainers: [] })]),
    run(
      'query: a key with two maintainers',
      [query(1, { maintainers: ['Alice', 'Bob'] })],
      [contract(2, { signatories: ['Alice', 'Bob'], key: { maintainers: ['Alice', 'Bob'] } })],
      ['Alice', 'Bob'],
    ),
    run('undone query', [attempt([query(2), raise]), query(1)], two),
    run('undone fetch by key', [attempt([fetchByKey(), raise]), fetchByKey()], two),
    run('undone create', [attempt([create(), raise]), query(5)], two),
    { ...run('undone create, allowed', [attempt([create(), raise]), query(5)], two), mode: 'NoKey' },
    command(
      'by key, by command',
      ['Alice'],
      { exerciseByKey: '#keys-lf23:Keys:Keyed', key: key(), choice: 'Keep', argument: doing(['Alice']) },
      two,
    ),
    command(
      'by key, by command: none',
      ['Alice'],
      { exerciseByKey: '#keys-lf23:Keys:Keyed', key: key(), choice: 'Keep', argument: doing(['Alice']) },
      [],
    ),
    command(
      'by key, by command: another party',
      ['Bob'],
      { exerciseByKey: '#keys-lf23:Keys:Keyed', key: key(), choice: 'Keep', argument: doing(['Bob']) },
      two,
    ),
    command(
      'by key, by command: a key that does not fit',
      ['Alice'],
      { exerciseByKey: '#keys-lf23:Keys:Keyed', key: text('key'), choice: 'Keep', argument: doing(['Alice']) },
      two,
    ),
    command(
      'by key, by command: a contract id in the key',
      ['Alice'],
      {
        exerciseByKey: '#keys-lf23:Keys:KeyWithId',
        key: record({ party: 'Alice' }, some(contractId(id(9)))),
        choice: 'Archive',
        argument: record(),
      },
      [],
    ),
    {
      ...command('create in mode NoKey', ['Alice'], { create: '#keys-lf23:Keys:Keyed', argument: keyed({}) }, []),
      mode: 'NoKey',
    },
  ],
} satisfies Cases
