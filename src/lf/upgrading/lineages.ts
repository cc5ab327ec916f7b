// The lineages that vetting packages affects: for each name among them and their dependencies, the vetted packages by
// version. Dependencies come first, because a package can be judged only after the packages that its types come from.
// Mirrors PackageUpgradeValidator.scala and UtilityDamlPackages.scala of Canton.
import { hashOfText } from '../../base/scala-hashes.ts'
import { inMapOrder, inTableOrder, inTrieOrder } from '../../base/scala-order.ts'
import type { Package } from '../syntax/ast.ts'
import { comparePackageVersions } from '../syntax/names.ts'

type LineagePackage = {
  readonly id: string
  readonly name: string
  readonly version: string
  /** False for libraries: packages without ledger types have no upgrades. */
  readonly isUpgradable: boolean
}

export type LineageStep<P> =
  /** A standard library with ledger types, which nobody may vet. */
  | { readonly kind: 'library'; readonly package: P }
  /** Two packages with one name and version. */
  | { readonly kind: 'same-version'; readonly past: P; readonly present: P }
  /** `present` must upgrade `past`. */
  | { readonly kind: 'upgrade'; readonly past: P; readonly present: P }

export type Affected<P> = {
  /** Ids of the packages that are vetted now. */
  readonly added: Iterable<string>
  /** Ids of all that will be vetted. */
  readonly vetted: Iterable<string>
  readonly find: (id: string) => P | undefined
  /** Ids of the packages that one refers to. */
  readonly dependenciesOf: (id: string) => readonly string[]
}

/** Problems and upgrades to check, in the reference's order: the first problem is the one to report. */
export function* lineageSteps<P extends LineagePackage>(affected: Affected<P>): Generator<LineageStep<P>> {
  const { added, vetted, find, dependenciesOf } = affected
  const order = dependencyOrder(added, dependenciesOf)
  const names = new Set(order.flatMap((id) => find(id)?.name ?? []))
  const candidates = [...vetted].flatMap((id) => find(id) ?? []).filter(({ name }) => names.has(name))
  const lineages = Map.groupBy(candidates, ({ name }) => name)
  for (const name of names) yield* stepsOf(lineages.get(name) ?? [])
}

function* stepsOf<P extends LineagePackage>(packages: readonly P[]): Generator<LineageStep<P>> {
  const lineage = packages.filter(({ isUpgradable }) => isUpgradable).sort(compare)
  for (const one of lineage) if (isStandardLibrary(one.name)) yield { kind: 'library', package: one }
  const pairs = lineage.slice(1).map((present, i) => ({ past: lineage[i]!, present }))
  for (const pair of pairs) if (pair.past.version === pair.present.version) yield { kind: 'same-version', ...pair }
  for (const pair of pairs) yield { kind: 'upgrade', ...pair }
}

/** These packages and all they depend on, each after its dependencies, in the reference's order. */
function dependencyOrder(ids: Iterable<string>, dependenciesOf: (id: string) => readonly string[]): string[] {
  const dependencies = new Map<string, readonly string[]>()
  const reached = new Set(ids)
  for (const id of reached) {
    const own = inReferenceOrder(dependenciesOf(id))
    dependencies.set(id, own)
    for (const dependency of own) reached.add(dependency)
  }
  const ordered = new Set<string>()
  const entered = new Set<string>()
  for (const root of inTrieOrder(reached, hashOfText)) {
    const pending = [root]
    for (let id = pending.at(-1); id !== undefined; id = pending.at(-1)) {
      if (entered.has(id)) {
        ordered.add(id)
        pending.pop()
        continue
      }
      entered.add(id)
      for (const dependency of dependencies.get(id)!.toReversed()) {
        if (!entered.has(dependency)) pending.push(dependency)
      }
    }
  }
  return [...ordered]
}

/** The reference collects references in a mutable set and copies it into an immutable one. */
function inReferenceOrder(ids: readonly string[]): readonly string[] {
  return inMapOrder(inTableOrder(ids, hashOfText), hashOfText)
}

function compare(a: LineagePackage, b: LineagePackage): number {
  return comparePackageVersions(a.version, b.version) || (a.id < b.id ? -1 : 1)
}

function isStandardLibrary(name: string): boolean {
  return name === 'daml-prim' || name === 'daml-stdlib'
}

/**
 * Only packages with ledger types have upgrades. Libraries have none, nor do the standard libraries of early snapshots of
 * SDK 3, which have a few serializable types by mistake.
 */
export function isUpgradable({ id, modules }: Package): boolean {
  if (earlyLibraries.has(id.slice(0, idDigits))) return false
  return [...modules.values()].some(
    ({ templates, interfaces, dataTypes }) =>
      templates.size > 0 || interfaces.size > 0 || [...dataTypes.values()].some((type) => type.isSerializable),
  )
}

/** 16 hex digits identify a package; collisions are infeasible. */
const idDigits = 16

const earlyLibraries: ReadonlySet<string> = new Set(
  `
  011989d25f8608c0 0338e485e0134aae 04ec67ca1921680d 05451e66c06256be 06b2d393df4600e5 0a435a8f32cd5221
  0b3438f34f7b83e2 0b95d4fff3cfa8fb 0fb4dd8fef4b3305 0feeddf1b90d9ee4 112130af94bb26df 122fa84511e7e024
  12bceafb7924fe9d 16ef6eb7f4be3352 1711d5e06dcf941a 17ae1e88b0d96abb 17c9aa658c7a6e9c 17e996cbc233aee7
  18d117c207232d9d 194ea82a7302940d 19951d3420b936fd 1cf9d6320ba599da 1ebdbc3145ba9d85 1fb4f5d8c38cf7a3
  1fd9e6ac080afe94 20514c746c9e3a65 2339fdc9606cefc1 24715ad96618d06d 264ff8e3f862c1bc 26d2e643d609a1de
  2857149df3c364fa 29b9ea01f4e6e7df 2bd379215def06fb 2dd4f7d973154b64 2e23d11c8abca588 30665f4c5989880b
  312ca256af30f7d4 325a7d032db914aa 32e835cb40c974df 3312182a0384fcd6 33a78feebd60292d 33fac61ea0638454
  34866ab6b8306283 34a7f85362d35ea2 3697a9dababb6879 39290bb07e6f233d 3b8dfc9092c645d2 3fa2a7fbdecc98af
  45c27920dc4ef847 46f5848f672f4bb5 47266d37851f742c 4af1199e20125914 4e6680e5ce40fe77 538f3d7fae1067e5
  53954530d9acd1e3 53e027ef4d937fc8 54f85ebfc7dfae18 57b1a48160727ccf 5855fd4050b1ae97 58738692a801a12f
  58fe9601048005ff 5a913268f25780bc 5ab4a8d3d09d8a2f 5cf84b885b148ce8 5f125a777c3b1d28 6208ddc06c8862fc
  6355d8e5ea55fdc2 69485648bfcecc40 6ac721e1e48c5088 6dc733ac74471417 6fb7745d62cbd0f5 723a2a08760db176
  730bd758f9d6b770 7408c607bd740957 76ef5cb7323c4253 782c276b9f8ca172 786f68dbf8ba0c6c 7952a12d02bd4820
  796a6328cc07e063 7a231d41bb740341 7adf4c0bbdf3d791 7b3ddda83572724e 7bb94aefab6786a6 7c066529013df1c5
  7e75a8e697c678d9 7fe3abe61259535e 8093f409d0c4b8be 80b4337860a8d39c 838b3a33987db20d 8396e311bdef1b27
  83ea861b3ce81161 85a8a6e14c1887af 86438345a3474eec 876b5f7c057eeb7f 89c1a813f0468049 89c2bdeebf057f0d
  8a0404e6519c6386 8b35b9fd9c93e0fd 8d4efa892d9e5bfc 8e0aa3aa731a2778 8e262cf44631c75c 8fb936845fdd7307
  904377d13ccac3fb 910f6c1bddca75e6 9438c6bca05a98f7 94a049bae2824d2a 95f6bb91268c2668 97b861b358e51f20
  980f45d822566dba 9926e26963f212bd 999fb49a474e47ca 9ac9b8dc70a1864c 9f10daff9c629ba4 9f8fe5a6f83a2e6a
  9fbaf5b6bf7c1192 a1e65032ca5770b5 a533d24d6c4d26ad a8a3d6ed90a5e6b3 a912c66db9dd3f6b ad651bfe621a2a5e
  af770cb0e94586de b15978d01bfc277b b21d757ec5e3ad75 b26f844108fc0152 b2e626d8b0e8b830 b37de384e5f0c337
  b40e70eb730924e6 b5d3898a4154dabc b66e8ea594fab6ff b7fe292b7deca42d b8f8b37c42e9d68f b904aae5c622c76c
  b9e04e0e77fe03df bf64cd2c21182df1 c3816bbafc11be22 c3baad09ba8c5249 c5939b2fdb757520 c8204f85470a125e
  c87e149ced7ddbac cf41849286584169 cfc22ba2c7362172 cffe5f1376bad5ab d4e141452bedfac3 d526e692940a839b
  d6c880da16012f5e e04ca96b09f74103 e07848a54a4c577b e0f7ee16ba0266fc e2640247b240bfdf ea434905ca39454c
  eba5e81e3826d041 ed9e5889173f75c7 ee9d2e4d3bc678f9 eede7235c7100fe8 ef506ea663857f58 f09296bdc18e5c80
  f124487975f4fd4a f13583ef3631c563 f2527edb436d909c f4282af36495e3b7 f4657688933115a2 f4e72a72c6b13a29
  f7a28e57c73e25a0 f8cb271b9e781168 fbf715db8d4366bc fdcd008e83e0317b
`
    .trim()
    .split(/\s+/),
)
