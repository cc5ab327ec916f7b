import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  delta,
  effects,
  forAnybody,
  forParties,
  sampleContents,
  template,
  updates,
  viewOf,
} from '../../../../test/support/reading/sample-formats.ts'
import { LedgerError } from '../../../base/errors.ts'
import { checkNamesOfUpdates, checkUpdateFormat } from './format-checks.ts'
import type { EventFormat, IdentifierFilter, UpdateFormat } from './queries.ts'

const byTemplate = (templateId: string): EventFormat =>
  forAnybody({ kind: 'template', templateId, includeCreatedEventBlob: false })
const byInterface = (interfaceId: string): IdentifierFilter => ({
  kind: 'interface',
  interfaceId,
  includeInterfaceView: false,
  includeCreatedEventBlob: false,
})
const nobody: EventFormat = { filtersByParty: new Map(), filtersForAnyParty: undefined }
const argument = (reason: string) => `INVALID_ARGUMENT The submitted request has invalid arguments: ${reason}`
const field = (text: string) =>
  `INVALID_FIELD The submitted command has a field with invalid value: Invalid field ${text}`
const missing = (name: string) => `MISSING_FIELD The submitted command is missing a mandatory field: ${name}`
const unknownTemplates =
  'NO_TEMPLATES_FOR_PACKAGE_NAME_AND_QUALIFIED_NAME The following package-name/template qualified-name pairs do not ' +
  'reference any template-id uploaded on this participant:'
const unknownInterfaces =
  'NO_INTERFACE_FOR_PACKAGE_NAME_AND_QUALIFIED_NAME The following package-name/interface qualified-name pairs do not ' +
  'reference any interface-id uploaded on this participant:'
const unknownPackages =
  'PACKAGE_NAMES_NOT_FOUND The following package names do not match upgradable packages uploaded on this participant:'

const cases: [title: string, format: UpdateFormat, want: string | undefined][] = [
  ['an empty format is valid', updates(undefined), undefined],
  ['known names are valid', updates(delta(forParties(['alice', template('Iou'), viewOf('Token')]))), undefined],
  ['an unknown party is valid', updates(delta(forParties('nobody::1220'))), undefined],
  ['no shape', updates({ eventFormat: nobody, shape: 'TRANSACTION_SHAPE_UNSPECIFIED' }), missing('transaction_shape')],
  [
    'no event format',
    updates({ eventFormat: undefined, shape: 'TRANSACTION_SHAPE_ACS_DELTA' }),
    missing('event_format'),
  ],
  [
    'no parties',
    updates(effects(nobody)),
    argument('filtersByParty and filtersForAnyParty cannot be empty simultaneously'),
  ],
  [
    'no parties for reassignments',
    { ...updates(undefined), reassignments: nobody },
    argument('filtersByParty and filtersForAnyParty cannot be empty simultaneously'),
  ],
  ['an empty party', updates(delta(forParties(''))), argument('Daml-LF Party is empty')],
  [
    'an invalid party',
    updates(delta(forParties('a,b'))),
    argument('non expected character 0x2c in Daml-LF Party "a,b"'),
  ],
  [
    'an invalid party of a topology format',
    { ...updates(undefined), topology: ['%'] },
    field('parties: non expected character 0x25 in Daml-LF Party "%"'),
  ],
  ['no template id', updates(delta(byTemplate(''))), missing('templateId')],
  [
    'a missing template before a bad interface',
    updates(delta(forAnybody(byInterface('x:Main:T'), { ...template('x'), templateId: '' }))),
    missing('templateId'),
  ],
  ['no interface id', updates(delta(forAnybody(byInterface('')))), missing('interfaceId')],
  ['no module', updates(delta(byTemplate('#sample::Iou'))), field('module_name: Expected a non-empty string')],
  ['an empty segment', updates(delta(byTemplate('#sample:A..B:Iou'))), field('module_name: Daml-LF Name is empty')],
  [
    'a bad first character',
    updates(delta(byTemplate('#sample:Main:1'))),
    field('entity_name: non expected first character 0x31 in Daml-LF Name "1"'),
  ],
  [
    'a bad later character',
    updates(delta(byTemplate('#sample:Ma-in:Iou'))),
    field('module_name: non expected non first character 0x2d in Daml-LF Name "Ma-in"'),
  ],
  [
    'a long name',
    updates(delta(byTemplate(`#sample:Main:${'a'.repeat(1001)}`))),
    field('entity_name: DottedName is too long (max: 1000)'),
  ],
  ['no package', updates(delta(byTemplate('#:Main:Iou'))), field('package reference: Daml-LF Package Name is empty')],
  [
    'a package id',
    updates(delta(byTemplate('abc:Main:Iou'))),
    field('packageId: Received an identifier with package ID abc, but expected a package name.'),
  ],
  [
    'unknown packages of templates and interfaces together',
    updates(
      delta(forParties(['alice', byInterface('#b:Main:T')], ['bob', byTemplate('#a:M:T').filtersForAnyParty![0]!])),
    ),
    `${unknownPackages} [a, b].`,
  ],
  [
    'unknown templates, before unknown interfaces',
    updates(delta(forAnybody(byInterface('#sample:Main:Iou'), template('Token'), template('X')))),
    `${unknownTemplates} [(sample,Main:Token), (sample,Main:X)].`,
  ],
  [
    'a template as an interface',
    updates(delta(forAnybody(byInterface('#sample:Main:Iou')))),
    `${unknownInterfaces} [(sample,Main:Iou)].`,
  ],
]

for (const [title, format, want] of cases) {
  test(`a format: ${title}`, () => {
    assert.equal(refusalOf(format), want)
  })
}

function refusalOf(format: UpdateFormat): string | undefined {
  try {
    checkUpdateFormat(format)
    checkNamesOfUpdates(format, sampleContents)
    return undefined
  } catch (error) {
    assert.ok(error instanceof LedgerError)
    return `${error.code} ${error.message}`
  }
}
