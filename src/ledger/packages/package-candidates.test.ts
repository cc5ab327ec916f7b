import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PackageRecord } from '../../store/core/administration-records.ts'
import type { Synchronizer } from '../model/synchronizers.ts'
import { checkVettedDependencies } from './dependency-vetting.ts'
import type { Contents, KnownPackages } from './known-packages.ts'
import { createCandidates } from './package-candidates.ts'

const idOf = (letter: string) => letter.repeat(64)
const [app1, app2, shown, helper] = ['a', 'b', 'c', 'd'].map(idOf) as [string, string, string, string]
const record = (id: string, name: string, version: string) => ({ id, name, version }) as PackageRecord
const records = [
  record(app1, 'app', '1.0.0'),
  record(app2, 'app', '2.0.0'),
  record(shown, 'shown', '1.0.0'),
  record(helper, 'helper', '1.0.0'),
]
const template = { interfaces: [], templates: { 'Main:T': [] } }
/** The application depends on an interface by way of a library that has no templates. */
const contents: Record<string, Contents> = {
  [app1]: { ...template, dependencies: [helper] },
  [app2]: { ...template, dependencies: [helper] },
  [helper]: { interfaces: [], templates: {}, dependencies: [shown] },
  [shown]: { interfaces: ['Main:Shown'], templates: {} },
}
const contentsOf = (id: string) => contents[id]
const vettingOf = (ids: readonly string[]) => ({
  serial: 1,
  packages: new Map(ids.map((packageId) => [packageId, { packageId, validFrom: undefined, validUntil: undefined }])),
})

type Row = [what: string, protocolVersion: 34 | 35, vetted: string[], names: string[], want: string[] | RegExp]

const unvetted =
  /^Packages with required dependencies not vetted by all interested parties: List\(pkg:app:1\.0\.0\/a{12}\.\.\. -> pkg:shown:1\.0\.0\/c{12}\.\.\., pkg:app:2\.0\.0\/b{12}\.\.\. -> pkg:shown:1\.0\.0\/c{12}\.\.\.\)$/
const rows: Row[] = [
  ['all vetted versions, the lowest first', 35, [app1, app2, shown], ['app'], [app1, app2]],
  ['not those that are not vetted', 35, [app1, shown], ['app'], [app1]],
  ['whatever they depend on', 35, [app1, app2], ['app'], [app1, app2]],
  ['unless that was asked for, too', 35, [app1, app2], ['app', 'shown'], unvetted],
  ['with 34 not without what defines templates or interfaces', 34, [app1, app2], ['app'], unvetted],
  ['with 34 without libraries', 34, [app1, shown], ['app'], [app1]],
]

for (const [what, protocolVersion, vetted, names, want] of rows) {
  test(`candidates of a name are ${what}`, () => {
    const known = {
      get: (id) => records.find((one) => one.id === id),
      named: (name) => records.filter((one) => one.name === name),
      names: () => [],
      vetting: () => undefined,
    } satisfies KnownPackages
    const synchronizer = { number: 1n, protocolVersion } as Synchronizer
    const isVetted = (id: string) => vetted.includes(id)
    const found = createCandidates({ known, synchronizer, isVetted, names: new Set(names), contentsOf })('app')
    if (want instanceof RegExp) assert.match(String(found), want)
    else assert.deepEqual(typeof found === 'string' ? found : found.map(({ id }) => id), want)
  })
}

const changes: [what: string, past: string[], next: string[], unvetted: string | undefined][] = [
  ['a package with all it depends on', [], [app1, helper, shown], undefined],
  ['a package without', [], [app1, helper], `Set(${shown})`],
  ['a package whose dependencies were vetted before', [helper, shown], [app1, helper, shown], undefined],
  ['taking away what a vetted package needs', [app1, helper, shown], [app1, helper], `Set(${shown})`],
  ['taking away both', [app1, helper, shown], [], undefined],
  ['nothing new about what lacks a dependency already', [app1], [app1], undefined],
]

for (const [what, past, next, want] of changes) {
  test(`vetting with 34: ${what}`, () => {
    const check = () => checkVettedDependencies(vettingOf(past), vettingOf(next).packages, contentsOf)
    if (want === undefined) return check()
    assert.throws(check, { code: 'TOPOLOGY_DEPENDENCIES_NOT_VETTED', details: { context: { unvetted: want } } })
  })
}
