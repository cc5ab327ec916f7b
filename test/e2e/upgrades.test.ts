// Upgrades through HTTP: which packages may be vetted beside one another, at upload, when validating and when vetting;
// every refusal with its code and its words, and nothing changed by it.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { refusalOf, startTestNode, stores, type TestNode } from '../fixtures/node.ts'
import { intType, optionalType, partyType, textType, unitType } from '../support/lf/data-package.ts'
import { type DescribedPackage, darWith, type WrittenPackage, writePackage } from '../support/lf/described-package.ts'
import { upgradePairs } from '../support/lf/upgrade-pairs.ts'

type Fields = Readonly<Record<string, typeof intType>>

/** A template with these fields. */
function versionOf(version: string, fields: Fields, name = 'asset'): WrittenPackage & { readonly shown: string } {
  const Main = { data: { Asset: { record: fields } }, templates: { Asset: { choices: { Use: unitType } } } }
  const written = writePackage({ name, version, modules: { Main } })
  return { ...written, shown: `${written.id} (${name} v${version})` }
}

const first = versionOf('1.0.0', { owner: partyType })
const second = versionOf('1.1.0', { owner: partyType, note: optionalType(textType) })
const third = versionOf('1.2.0', { owner: partyType, note: optionalType(textType), count: optionalType(intType) })
const broken = versionOf('2.0.0', { owner: partyType, count: intType })

const reason = 'Reason: The upgraded template Asset'
const notOptional = `${reason} has added new fields, but those fields are not Optional.`
const missing = `${reason} is missing some of its original fields.`
const refusal = (present: { shown: string }, past: { shown: string }, why: string) => [
  400,
  'NOT_VALID_UPGRADE_PACKAGE',
  `Upgrade checks indicate that ${present.shown} cannot be an upgrade of ${past.shown}. ${why}`,
]

const upload = (node: TestNode, dar: WrittenPackage, query = '', ...needs: WrittenPackage[]) =>
  node.call('POST', `/v2/dars${query}`, { body: darWith(dar, ...needs) })
const uploadOlder = (node: TestNode, dar: WrittenPackage) => node.call('POST', '/v2/packages', { body: darWith(dar) })
const validate = (node: TestNode, dar: WrittenPackage) => node.call('POST', '/v2/dars/validate', { body: darWith(dar) })
const accept = async (node: TestNode, dar: WrittenPackage, query = '', ...needs: WrittenPackage[]) => {
  const { status, text } = await upload(node, dar, query, ...needs)
  assert.equal(status, 200, text)
}
const vet = (node: TestNode, packages: readonly WrittenPackage[], more: object = {}) => {
  const value = { packages: packages.map(({ id }) => ({ packageId: id })) }
  return node.call('POST', '/v2/package-vetting/update', {
    body: { changes: [{ operation: { Vet: { value } } }], ...more },
  })
}
const unvet = (node: TestNode, { id }: WrittenPackage) => {
  const value = { packages: [{ packageId: id }] }
  return node.call('POST', '/v2/package-vetting/update', { body: { changes: [{ operation: { Unvet: { value } } }] } })
}

/** Packages and vetting: what a refusal must not change. */
async function stateOf(node: TestNode): Promise<[packages: { packageIds: string[] }, vetting: unknown]> {
  const packages = await node.call('GET', '/v2/packages')
  const vetting = await node.call('POST', '/v2/package-vetting/list', { body: {} })
  return [packages.json, vetting.json]
}

for (const store of stores) {
  describe(`upgrades on ${store}`, () => {
    test('are checked at upload and by validation; a refused upload leaves its packages, unvetted', async () => {
      await using node = await startTestNode({ store })
      for (const version of [first, third]) await accept(node, version)
      const [packages, vetting] = await stateOf(node)
      const want = refusal(broken, third, missing)
      assert.deepEqual(refusalOf(await validate(node, broken)), want)
      assert.deepEqual(await stateOf(node), [packages, vetting])
      const refused = await upload(node, broken)
      assert.deepEqual(refusalOf(refused), want)
      assert.deepEqual(
        [refused.json.grpcCodeValue, refused.json.errorCategory, refused.json.context.action],
        [3, 8, 'package-vetting'],
      )
      assert.equal(refused.json.context.definite_answer, undefined)
      assert.deepEqual(refusalOf(await uploadOlder(node, broken)), want)
      const validated = await validate(node, broken)
      assert.deepEqual(refusalOf(validated), want)
      assert.equal(validated.json.context.action, undefined)
      const kept = { packageIds: [...packages.packageIds, broken.id].sort() }
      assert.deepEqual(await stateOf(node), [kept, vetting])
      await node.restart()
      assert.deepEqual(await stateOf(node), [kept, vetting])
      assert.equal((await validate(node, second)).status, 200)
      await accept(node, second)
    })

    test('are checked with both neighbours, and the older pair is reported first', async () => {
      await using node = await startTestNode({ store })
      await accept(node, first)
      await accept(node, versionOf('3.0.0', { owner: partyType, flag: optionalType(intType) }))
      assert.deepEqual(refusalOf(await upload(node, broken)), refusal(broken, first, notOptional))
      const between = versionOf('2.5.0', { owner: partyType, other: optionalType(intType) })
      const last = versionOf('3.0.0', { owner: partyType, flag: optionalType(intType) })
      assert.deepEqual(refusalOf(await upload(node, between)), refusal(last, between, missing))
    })

    test('are not checked for packages that are not vetted', async () => {
      await using node = await startTestNode({ store })
      await accept(node, first)
      await accept(node, broken, '?vetAllPackages=false')
      const before = await stateOf(node)
      assert.deepEqual(refusalOf(await vet(node, [broken])), refusal(broken, first, notOptional))
      assert.deepEqual(refusalOf(await vet(node, [broken], { dryRun: true })), refusal(broken, first, notOptional))
      assert.deepEqual(await stateOf(node), before)

      assert.equal((await unvet(node, first)).status, 200)
      assert.equal((await vet(node, [broken])).status, 200)
      assert.deepEqual(refusalOf(await vet(node, [first])), refusal(broken, first, notOptional))
    })

    test('are left to the administrator who says so, and checked again with the next version', async () => {
      await using node = await startTestNode({ store })
      await accept(node, first)
      await accept(node, broken, '?vetAllPackages=false')
      const force = 'UPDATE_VETTED_PACKAGES_FORCE_FLAG_ALLOW_VET_INCOMPATIBLE_UPGRADES'
      const forced = await vet(node, [broken], { updateVettedPackagesForceFlags: [force] })
      assert.equal(forced.status, 200, forced.text)
      const next = versionOf('2.1.0', { owner: partyType, count: intType })
      assert.deepEqual(refusalOf(await upload(node, next)), refusal(broken, first, notOptional))
      const other = versionOf('1.0.0', { owner: partyType }, 'other')
      await accept(node, other)
    })

    test('of a dependency are reported before those of what needs it', async () => {
      await using node = await startTestNode({ store })
      const library = (version: string, fields: Fields) => versionOf(version, fields, 'library')
      const [old, recent] = [library('1.0.0', { a: intType }), library('2.0.0', { b: intType })]
      const user = (version: string, of: WrittenPackage, more: DescribedPackage['modules'] = {}) => {
        const held = { kind: 'constructor', id: { packageId: of.id, module: 'Main', name: 'Asset' }, args: [] } as const
        const Main = { data: { Holder: { record: { held } } } }
        return writePackage({ name: 'holder', version, modules: { Main, ...more } })
      }
      await accept(node, user('1.0.0', old, { Gone: {} }), '', old)
      const refused = await upload(node, user('2.0.0', recent), '', recent)
      assert.deepEqual(refusalOf(refused), refusal(recent, old, missing))
    })

    test('are known after a restart, with a package that is only stored', async () => {
      await using node = await startTestNode({ store })
      for (const version of [first, second, third]) await accept(node, version)
      await accept(node, broken, '?vetAllPackages=false')
      await node.restart()
      assert.deepEqual(refusalOf(await vet(node, [broken])), refusal(broken, third, missing))
      await accept(
        node,
        versionOf('1.3.0', { owner: partyType, note: optionalType(textType), count: optionalType(intType) }),
      )
    })

    test('of uploads that come together are checked one after the other', async () => {
      await using node = await startTestNode({ store })
      const answers = await Promise.all([first, second, third, broken, first, broken].map((dar) => upload(node, dar)))
      const vetted = await node.call('POST', '/v2/package-vetting/list', { body: { packageNamePrefixes: ['asset'] } })
      const ids: string[] = vetted.json.vettedPackages[0].packages.map(
        ({ packageId }: { packageId: string }) => packageId,
      )
      const isVetted = (one: WrittenPackage) => ids.includes(one.id)
      assert.ok(!(isVetted(broken) && [first, second, third].some(isVetted)), ids.join())
      for (const { status, json } of answers) if (status !== 200) assert.equal(json.code, 'NOT_VALID_UPGRADE_PACKAGE')
    })

    test('do not concern libraries, except those that call themselves standard', async () => {
      await using node = await startTestNode({ store })
      const library = (version: string, value: string) =>
        writePackage({ name: 'tools', version, modules: { Tools: { values: { [value]: intType } } } })
      await accept(node, library('1.0.0', 'a'))
      await accept(node, library('1.0.0', 'b'))
      await accept(node, library('2.0.0', 'c'))
      const false_ = versionOf('1.0.0', { owner: partyType }, 'daml-prim')
      assert.deepEqual(refusalOf(await upload(node, false_)), [
        400,
        'DAML_PRIM_NOT_UTILITY_PACKAGE',
        `Tried to vet a package ${false_.shown}, but this package is not a utility package. All packages named ` +
          '`daml-prim` or `daml-std-lib` must be a utility package.',
      ])
    })
  })
}

test('each rule refuses an upload, in the words of the reference', async () => {
  await using node = await startTestNode({ store: 'sqlite' })
  const illTyped: string[] = []
  for (const [i, { name, past, present, dependencies = [], problem }] of upgradePairs.entries()) {
    const before = writePackage({ ...past, name: `pair-${i}` })
    const after = writePackage({ ...present, name: `pair-${i}`, version: '2.0.0' })
    const needs = (one: DescribedPackage) => dependencies.filter(({ id }) => JSON.stringify(one).includes(id))
    const first = await upload(node, before, '', ...needs(past))
    const answer = await upload(node, after, '', ...needs(present))
    if ([first, answer].some(({ json }) => json.code === 'DAR_VALIDATION_ERROR')) {
      illTyped.push(name)
      continue
    }
    assert.equal(first.status, 200, `${name}: ${first.text}`)
    if (!hasLedgerTypes(past) || !hasLedgerTypes(present) || problem === undefined) {
      assert.equal(answer.status, 200, `${name}: ${answer.text}`)
      continue
    }
    const shown = (one: WrittenPackage, version: string) => ({ shown: `${one.id} (pair-${i} v${version})` })
    const want = refusal(shown(after, '2.0.0'), shown(before, '1.0.0'), `Reason: ${problem}`)
    assert.deepEqual(refusalOf(answer), want, name)
  }
  // Only forced vetting of packages from older nodes could meet these rules.
  assert.deepEqual(illTyped, [
    'a type parameter has another kind',
    'a type parameter takes a parameter now',
    'a field is a synonym, which the reference takes for a change',
  ])
})

/** A package without any has no upgrades. */
function hasLedgerTypes({ modules }: DescribedPackage): boolean {
  const data = Object.values(modules).flatMap((module) => Object.values(module.data ?? {}))
  return data.some(({ isSerializable = true }) => isSerializable)
}
