// Signatories and controllers as compilers write them, and the fields that they are.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Expression, Package, Type } from '../lf/syntax/ast.ts'
import { requiredParties } from './required-parties.ts'

const party: Type = { kind: 'builtin', name: 'Party', args: [] }
/** No place in a source. */
const code = (expression: object): Expression => ({ location: undefined, ...expression }) as unknown as Expression
const of = (module: string, name: string, packageId = 'stdlib') =>
  code({ kind: 'value', id: { packageId, module, name } })
const variable = (name: string) => code({ kind: 'variable', name })
const call = (called: Expression, ...args: Expression[]) => code({ kind: 'application', function: called, args })
const at = (expression: Expression) => code({ kind: 'type-application', expression, types: [party] })
const field = (record: Expression, name: string) => code({ kind: 'record-projection', record, field: name })
const list = (...front: Expression[]) => code({ kind: 'cons', type: party, front, tail: code({ kind: 'nil' }) })
const abstraction = (names: readonly string[], body: Expression) =>
  code({ kind: 'abstraction', parameters: names.map((name) => ({ name, type: party })), body })

const self = variable('this')
const argument = variable('arg')
const toParties = (value: Expression) => call(of('DA.Internal.Template.Functions', '$$ctoParties'), value)
const instance = of('DA.Internal.Template.Functions', '$$fIsPartiesParty')
const concat = (...lists: Expression[]) => call(at(of('DA.Internal.Prelude', 'concat')), list(...lists))

/** A package with functions of its own. */
const values = new Map([
  ['both', abstraction(['r'], list(field(variable('r'), 'issuer'), field(variable('r'), 'owner')))],
  ['forever', call(of('Main', 'forever', 'main'), self)],
  [
    'curried',
    abstraction(
      ['this'],
      code({
        kind: 'let',
        bindings: [{ name: 'ds', type: party, bound: field(self, 'dso') }],
        body: abstraction(['arg'], toParties(variable('ds'))),
      }),
    ),
  ],
])
const main = {
  id: 'main',
  modules: new Map([['Main', { values: new Map([...values].map(([name, body]) => [name, { body: () => body }])) }]]),
} as unknown as Package
const packages = { main, get: (id: string) => (id === 'main' ? main : undefined) }

const rows: [title: string, body: Expression, places: string | undefined][] = [
  ['a list of fields', list(field(self, 'issuer'), field(self, 'owner')), 'contract.issuer contract.owner'],
  ['one party', toParties(field(self, 'owner')), 'contract.owner'],
  [
    'several, in nested records',
    concat(toParties(field(field(self, 'terms'), 'bank')), toParties(field(argument, 'buyer'))),
    'contract.terms.bank argument.buyer',
  ],
  [
    'a method of a class',
    call(at(of('DA.Internal.Template.Functions', 'toParties')), instance, field(argument, 'actor')),
    'argument.actor',
  ],
  [
    'a function of the package',
    call(of('Main', 'both', 'main'), field(self, 'iou')),
    'contract.iou.issuer contract.iou.owner',
  ],
  ['a function that returns one', call(of('Main', 'curried', 'main'), self, argument), 'contract.dso'],
  ['the signatories', call(at(of('DA.Internal.Template.Functions', 'signatory')), instance, self), 'signatories.'],
  [
    'a field of the view',
    toParties(field(call(at(of('DA.Internal.Interface', 'view')), instance, self), 'owner')),
    'view.owner',
  ],
  ['an unknown function', call(of('DA.Set', 'toList'), field(self, 'owners')), undefined],
  ['one that is known and one that is not', list(field(self, 'owner'), call(of('DA.List', 'head'), self)), undefined],
  [
    'a decision',
    code({ kind: 'case', scrutinee: self, alternatives: [{ pattern: { kind: 'default' }, body: list() }] }),
    undefined,
  ],
  ['a function without an end', of('Main', 'forever', 'main'), undefined],
]

for (const [title, body, places] of rows) {
  test(`required parties: ${title}`, () => {
    const names = { contract: 'this', argument: 'arg', isOfInterface: true }
    const found = requiredParties(() => body, names, packages)
    assert.equal(found?.map((place) => `${place.of}.${place.path.join('.')}`).join(' '), places)
  })
}

test('required parties: a template knows no view of its own', () => {
  const body = toParties(field(call(at(of('DA.Internal.Interface', 'view')), instance, self), 'owner'))
  assert.equal(
    requiredParties(() => body, { contract: 'this' }, packages),
    undefined,
  )
})
