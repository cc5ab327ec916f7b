import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventFormatShown } from './request-context.ts'

const template = (name: string) =>
  ({ kind: 'template', templateId: `#nopkg:Iou:${name}`, includeCreatedEventBlob: false }) as const

test('more than four types are shown in the order of a hash set, as Canton was seen to show them', () => {
  const filtersByParty = new Map([['alice', [...'ABCDEFG'].map(template)]])
  const types = [...'FGEDACB'].map((name) => `'#nopkg:Iou:${name}'`).join(', ')
  assert.equal(
    eventFormatShown({ filtersByParty, filtersForAnyParty: undefined }),
    `{alice: {templates: [${types}], interfaces: []}}`,
  )
})

test('filters for any party come after those of up to three parties', () => {
  const filtersByParty = new Map([['bob', [template('T')]]])
  const wildcard = '{templates: [], interfaces: [], all-templates, created_event_blob: false}'
  assert.equal(
    eventFormatShown({ filtersByParty, filtersForAnyParty: [] }),
    `{bob: {templates: ['#nopkg:Iou:T'], interfaces: []}, anyParty: ${wildcard}}`,
  )
})
