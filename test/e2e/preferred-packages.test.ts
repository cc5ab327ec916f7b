// Package preferences over HTTP: in Canton's newer and older form, with their refusals.
import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { quickstart, startTestLedger, type TestLedger } from '../fixtures/ledger.ts'
import { refusalOf } from '../fixtures/node.ts'

const path = '/v2/interactive-submission/preferred-packages'
const olderPath = '/v2/interactive-submission/preferred-package-version'

describe('preferred packages', () => {
  let ledger: TestLedger
  beforeEach(async () => {
    ledger = await startTestLedger()
  })
  afterEach(() => ledger[Symbol.asyncDispose]())

  const ask = (requirements: readonly object[], more: object = {}) =>
    ledger.post(path, { packageVettingRequirements: requirements, ...more })
  const reference = { packageId: quickstart, packageName: 'quickstart', packageVersion: '1.0.0' }

  test('come with their synchronizer', async () => {
    const { alice, bob, synchronizerId } = ledger
    const requirement = { packageName: 'quickstart', parties: [alice, bob] }
    for (const more of [{}, { synchronizerId }, { vettingValidAt: '2100-01-01T00:00:00Z' }]) {
      const { status, json, text } = await ask([requirement], more)
      assert.equal(status, 200, text)
      assert.deepEqual(
        { ...json, packageReferences: json.packageReferences.length },
        { packageReferences: 1, synchronizerId },
      )
      assert.equal(json.packageReferences[0].packageId, quickstart)
      assert.equal(json.packageReferences[0].packageName, reference.packageName)
      assert.match(json.packageReferences[0].packageVersion, /^\d+\.\d+\.\d+$/)
    }
    const query = `?parties=${alice}&parties=${bob}&package-name=quickstart&synchronizer-id=${synchronizerId}`
    const older = await ledger.node.call('GET', `${olderPath}${query}`)
    assert.equal(older.status, 200, older.text)
    const { packagePreference } = older.json
    assert.equal(packagePreference.packageReference.packageId, quickstart)
    assert.equal(packagePreference.synchronizerId, synchronizerId)
  })

  test('require names, vetting and at least one party', async () => {
    const { alice } = ledger
    const missing = (field: string) => [
      400,
      'MISSING_FIELD',
      `The submitted command is missing a mandatory field: ${field}`,
    ]
    const nobody = `nobody::1220${'0'.repeat(64)}`
    const cases: [requirements: object[], more: object, want: unknown[]][] = [
      [[], {}, missing('package_vetting_requirements/packageVettingRequirements')],
      [[{ parties: [alice] }], {}, missing('package_name/packageName')],
      [[{ packageName: 'quickstart', parties: [] }], {}, missing('parties')],
      [
        [{ packageName: '%', parties: [alice] }],
        {},
        [
          400,
          'INVALID_FIELD',
          'The submitted command has a field with invalid value: Invalid field package_name/packageName: non ' +
            'expected character 0x25 in Daml-LF Package Name "%"',
        ],
      ],
      [
        [{ packageName: 'quickstart', parties: ['%'] }],
        {},
        [
          400,
          'INVALID_ARGUMENT',
          'The submitted request has invalid arguments: non expected character 0x25 in Daml-LF Party "%"',
        ],
      ],
      [
        [{ packageName: 'quickstart', parties: [alice] }],
        { synchronizerId: 'x' },
        [
          400,
          'INVALID_FIELD',
          'The submitted command has a field with invalid value: Invalid field synchronizer_id/synchronizerId: ' +
            'Invalid unique identifier `x` with missing namespace.',
        ],
      ],
      [
        [{ packageName: 'nothing', parties: [alice] }],
        {},
        [
          404,
          'PACKAGE_NAMES_NOT_FOUND',
          'The following package names do not match upgradable packages uploaded on this participant: [nothing].',
        ],
      ],
      [
        [{ packageName: 'quickstart', parties: [nobody] }],
        {},
        [
          404,
          'UNKNOWN_INFORMEES',
          'The participant is not connected to any synchronizer where the given informees are known.',
        ],
      ],
    ]
    for (const [requirements, more, want] of cases) assert.deepEqual(refusalOf(await ask(requirements, more)), want)
  })

  test('are empty if nothing is vetted', async () => {
    const { alice, synchronizerId } = ledger
    const unvet = { operation: { Unvet: { value: { packages: [{ packageId: quickstart }] } } } }
    const changed = await ledger.node.call('POST', '/v2/package-vetting/update', {
      body: { changes: [unvet] },
    })
    assert.equal(changed.status, 200, changed.text)
    const refusal = refusalOf(await ask([{ packageName: 'quickstart', parties: [alice] }], { synchronizerId }))
    const short = (id: string) => id.replace(/(1220[0-9a-f]{8})[0-9a-f]{56}/g, '$1...')
    assert.deepEqual(refusal, [
      400,
      'NO_PREFERRED_PACKAGES_FOUND',
      'Failed to compute package preferences. Reason: No synchronizer satisfies the vetting requirements. Discarded ' +
        `synchronizers: List((${short(synchronizerId)}::35-0,No package with package-name 'quickstart' is consistently ` +
        `vetted by all hosting participants of party ${short(alice)}.))`,
    ])
    const older = await ledger.node.call('GET', `${olderPath}?parties=${alice}&package-name=quickstart`)
    assert.deepEqual(older.json, { packagePreference: null })
  })
})
