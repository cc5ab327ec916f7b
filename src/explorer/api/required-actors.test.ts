// Who has to act, from fields and from refusals.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { PartyPlace } from '../../codegen/type-description.ts'
import { ApiError } from './api-error.ts'
import { missingAuthorizers, type PartySources, requiredActors } from './required-actors.ts'

const [alice, bank, carol] = ['alice::1220aa', 'the bank::1220aa', 'carol::1220aa'] as const
const at = (of: PartyPlace['of'], ...path: string[]): PartyPlace => ({ of, path })

describe('the parties that have to act', () => {
  const rows: [title: string, places: PartyPlace[] | undefined, PartySources, string[], boolean][] = [
    ['one field', [at('contract', 'owner')], { contract: { owner: alice } }, [alice], true],
    [
      'each once, also in lists and inside records',
      [at('contract', 'iou', 'owner'), at('argument', 'others')],
      { contract: { iou: { owner: alice } }, argument: { others: [bank, alice] } },
      [alice, bank],
      true,
    ],
    ['nobody in an Optional without a value', [at('contract', 'agent')], { contract: { agent: null } }, [], true],
    [
      'what is filled in so far',
      [at('contract', 'issuer'), at('contract', 'owner')],
      { contract: { issuer: '', owner: alice } },
      [alice],
      false,
    ],
    ['the signatories', [at('signatories')], { signatories: [bank] }, [bank], true],
    ['nothing of a contract that cannot be read', [at('view', 'owner')], {}, [], false],
    ['nothing where the code does not tell', undefined, { contract: { owner: alice } }, [], false],
    ['no field of every object', [at('contract', 'constructor')], { contract: {} }, [], false],
  ]
  for (const [title, places, sources, parties, isComplete] of rows) {
    test(title, () => assert.deepEqual(requiredActors(places, sources), { parties, isComplete }))
  }
})

describe('a refusal names whose authority is missing', () => {
  const refusal = (cause: string, code = 'DAML_AUTHORIZATION_ERROR') => new ApiError(400, { code, cause })
  const begin = 'Interpretation error: Error: node NodeId(0) (0abc:Iou:Iou) requires'
  const rows: [title: string, error: unknown, parties: string[]][] = [
    [
      'of a create or an exercise',
      refusal(`${begin} authorizers ${alice},${bank},${carol}, but only ${alice} were given`),
      [bank, carol],
    ],
    ['if nobody acts', refusal(`${begin} authorizers ${bank}, but only  were given`), [bank]],
    ['of a look-up', refusal(`${begin} authorizers ${bank} for lookup by key, but it only has ${alice}`), [bank]],
    [
      'of a fetch: any stakeholder will do',
      refusal(
        `${begin} one of the stakeholders TreeSet(${bank}, ${carol}) of the fetched contract to be an authorizer, but authorizers were Set(${alice})`,
      ),
      [bank],
    ],
    ['of a contract that nobody acting can see', refusal('Contract could not be found', 'CONTRACT_NOT_FOUND'), [carol]],
    ['but no other refusal does', refusal(`${begin} authorizers ${bank}, but only  were given`, 'NA'), []],
    ['nor any other error', new Error('requires authorizers'), []],
  ]
  for (const [title, error, parties] of rows) {
    test(title, () => assert.deepEqual(missingAuthorizers(error, [carol]), parties))
  }
})
