// Sends the same uploads, validations and changes of vetting to two nodes, ours and a Canton, and compares status, code
// and text: the pairs of test/support/lf/upgrade-pairs.ts, each under a name of its own, and random mutants of packages.
// Both nodes should be new to packages whose names begin with --prefix; the token is for ours. Run: node compare-uploads.ts OUR-URL CANTON-URL --token T [--mutants N]
import { parseArgs } from 'node:util'
import { intType } from '../../../test/support/lf/data-package.ts'
import {
  type DescribedPackage,
  darWith,
  type WrittenPackage,
  writePackage,
} from '../../../test/support/lf/described-package.ts'
import { mutantDependencies, upgradeMutants } from '../../../test/support/lf/upgrade-mutants.ts'
import { upgradePairs } from '../../../test/support/lf/upgrade-pairs.ts'

type Pair = {
  readonly past: DescribedPackage
  readonly present: DescribedPackage
  readonly dependencies: readonly WrittenPackage[]
}
type Outcome = { readonly status: number; readonly code: unknown; readonly cause: unknown; readonly context: unknown }

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    mutants: { type: 'string', default: '50' },
    seed: { type: 'string', default: '3' },
    token: { type: 'string', default: '' },
    prefix: { type: 'string', default: 'pair' },
  },
})
const [ours, theirs] = positionals
if (ours === undefined || theirs === undefined) throw new Error('usage: compare-uploads.ts OUR-URL CANTON-URL')

const pairs: Pair[] = [
  ...upgradePairs.map(({ past, present, dependencies = [] }) => ({ past, present, dependencies })),
  ...[...upgradeMutants(Number(values.mutants), Number(values.seed))].map((mutant) => ({
    ...mutant,
    dependencies: mutantDependencies,
  })),
]
let [requests, differences] = [0, 0]
await compareOthers()
for (const [i, pair] of pairs.entries()) await comparePair(pair, `${values.prefix}-${i}`)
console.log(`${requests} requests, ${differences} differences`)
process.exitCode = differences === 0 ? 0 : 1

/** Two packages of one version, and one that calls itself a standard library. */
async function compareOthers(): Promise<void> {
  const written = (name: string, field: string, version = '1.0.0') =>
    darWith(writePackage({ name, version, modules: { Main: { data: { R: { record: { [field]: intType } } } } } }))
  for (const dar of [
    written('twice', 'a'),
    written('twice', 'b'),
    written('daml-prim', 'a'),
    written('daml-stdlib', 'a'),
  ]) {
    for (const path of ['/v2/dars/validate', '/v2/dars', '/v2/packages']) await compare('others', path, dar)
  }
}

async function comparePair({ past, present, dependencies }: Pair, name: string): Promise<void> {
  const before = writePackage({ ...past, name, version: '1.0.0' })
  const after = writePackage({ ...present, name, version: '2.0.0' })
  const [old, recent] = [darOf(before, past, dependencies), darOf(after, present, dependencies)]
  if ((await compare(name, '/v2/dars', old)) === 'ill-typed') return
  if ((await compare(name, '/v2/dars/validate', recent)) === 'ill-typed') return
  const uploaded = await compare(name, '/v2/dars', recent)
  await compare(name, '/v2/dars?vetAllPackages=false', recent)
  if (uploaded === 200) return
  const vet = { operation: { Vet: { value: { packages: [{ packageId: after.id }] } } } }
  const flags = ['UPDATE_VETTED_PACKAGES_FORCE_FLAG_ALLOW_VET_INCOMPATIBLE_UPGRADES']
  await compare(name, '/v2/package-vetting/update', { changes: [vet] })
  await compare(name, '/v2/package-vetting/update', { changes: [vet], updateVettedPackagesForceFlags: flags })
}

function darOf(main: WrittenPackage, described: DescribedPackage, dependencies: readonly WrittenPackage[]): Buffer {
  const text = JSON.stringify(described)
  return darWith(main, ...dependencies.filter(({ id }) => text.includes(id)))
}

async function compare(name: string, path: string, body: Buffer | object): Promise<number | 'ill-typed'> {
  const [our, their] = [await send(ours!, path, body), await send(theirs!, path, body)]
  if (their.code === 'DAR_VALIDATION_ERROR') return 'ill-typed' // A mutant that is no package: not about upgrades.
  requests += 1
  if (JSON.stringify(our) !== JSON.stringify(their)) {
    differences += 1
    console.log(`${name} ${path}\n  Canton: ${JSON.stringify(their)}\n  ours:   ${JSON.stringify(our)}`)
  }
  return their.status
}

async function send(url: string, path: string, body: Buffer | object): Promise<Outcome> {
  const isDar = Buffer.isBuffer(body)
  const response = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: {
      'Content-Type': isDar ? 'application/octet-stream' : 'application/json',
      ...(url === ours ? { Authorization: `Bearer ${values.token}` } : {}),
    },
    body: isDar ? new Uint8Array(body) : JSON.stringify(body),
  })
  const text = await response.text()
  if (response.ok) return { status: response.status, code: undefined, cause: undefined, context: undefined }
  const { code, cause, context: { tid, participant, ...context } = {} } = JSON.parse(text)
  void [tid, participant]
  return { status: response.status, code, cause, context: Object.entries(context).sort() }
}
