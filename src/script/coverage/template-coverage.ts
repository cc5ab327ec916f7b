// Which templates scripts created and which choices they exercised, counted and told as `dpm test --show-coverage` does.
// Mirrors damlc's DA.Cli.Damlc.Test.TestResults.
import type { Package } from '../../lf/syntax/ast.ts'

/**
 * A package: `local` for the one under test, and otherwise its id and name with `separator` between. So is the name of a
 * template or interface: `Module:Name`, and its package if it is not local. As texts, they sort as the reference's do.
 */
export type PackageText = string
export type NameText = string

export const separator = '\0'
export const local: PackageText = ''

export type TestResults = {
  /** The choices of each template and interface. */
  readonly templates: Map<NameText, Set<string>>
  readonly interfaces: Map<NameText, Set<string>>
  /** By all their parts, as text. */
  readonly instances: Map<string, InterfaceInstance>
  /** The packages in whose tests a template was created. */
  readonly created: Map<NameText, Set<PackageText>>
  /** And in whose tests a choice, which comes first, was exercised on a template. */
  readonly exercised: Map<string, Map<NameText, Set<PackageText>>>
}

export type InterfaceInstance = {
  readonly template: NameText
  readonly interface: NameText
  readonly package: PackageText
}

/** What a script did. Names are `package-id:Module:Name`, as the Ledger API writes them. */
export type UsedTemplates = {
  readonly created: ReadonlySet<string>
  /** The choices that were exercised on each template. */
  readonly exercised: ReadonlyMap<string, ReadonlySet<string>>
}

export function noResults(): TestResults {
  return {
    templates: new Map(),
    interfaces: new Map(),
    instances: new Map(),
    created: new Map(),
    exercised: new Map(),
  }
}

// ── What there is, and what was used

/** Adds what the package under test defines. */
export function addDefinitions(results: TestResults, { modules }: Package): void {
  for (const [module, { templates, interfaces }] of modules) {
    // The names of a nested definition are not separated.
    const nameOf = (name: string): NameText => `${module}:${name.replaceAll('.', '')}`
    for (const [name, { choices, interfaceInstances }] of templates) {
      results.templates.set(nameOf(name), new Set(choices.keys()))
      for (const { interface: implemented } of interfaceInstances) {
        // The reference takes every interface for one of the template's own module.
        addInstance(results, { template: nameOf(name), interface: nameOf(implemented.name), package: local })
      }
    }
    for (const [name, { choices }] of interfaces) {
      results.interfaces.set(nameOf(name), new Set([...choices.keys()].filter((choice) => choice !== 'Archive')))
    }
  }
}

export function addInstance({ instances }: TestResults, instance: InterfaceInstance): void {
  instances.set([instance.template, instance.interface, instance.package].join('\n'), instance)
}

/** Adds what a script of the package under test did. */
export function addUse(results: TestResults, ownId: string, { created, exercised }: UsedTemplates): void {
  const nameOf = (id: string): NameText => {
    const packageId = id.slice(0, id.indexOf(':'))
    const name = id.slice(packageId.length + 1)
    // The reference knows the names of the packages that it tests, and takes the id of all others for their name.
    return packageId === ownId ? name : [name, packageId, packageId].join(separator)
  }
  for (const id of created) setIn(results.created, nameOf(id)).add(local)
  for (const [id, choices] of exercised) {
    for (const choice of choices) setIn(mapIn(results.exercised, choice), nameOf(id)).add(local)
  }
}

export function addResults(to: TestResults, from: TestResults): void {
  for (const kind of ['templates', 'interfaces', 'created'] as const) {
    for (const [name, members] of from[kind]) for (const member of members) setIn(to[kind], name).add(member)
    // A template without choices is there, too.
    for (const name of from[kind].keys()) setIn(to[kind], name)
  }
  for (const instance of from.instances.values()) addInstance(to, instance)
  for (const [choice, templates] of from.exercised) {
    for (const [name, packages] of templates) {
      for (const one of packages) setIn(mapIn(to.exercised, choice), name).add(one)
    }
  }
}

export function setIn(map: Map<string, Set<string>>, key: string): Set<string> {
  const set = map.get(key) ?? new Set()
  map.set(key, set)
  return set
}

function mapIn(map: Map<string, Map<string, Set<string>>>, key: string): Map<string, Set<string>> {
  const inner = map.get(key) ?? new Map()
  map.set(key, inner)
  return inner
}

// ── Names

const packageIn = (name: NameText): PackageText => name.split(separator).slice(1).join(separator)
const isLocal = (name: NameText): boolean => packageIn(name) === local

function shownName(name: NameText): string {
  const [qualified, , packageName] = name.split(separator)
  return packageName === undefined ? qualified! : `${packageName}:${qualified}`
}

/** Without the choices whose full name matches one of the patterns. */
export function withoutChoices(results: TestResults, patterns: readonly RegExp[]): TestResults {
  const isKept = (name: NameText, choice: string) => !patterns.some((each) => each.test(`${shownName(name)}:${choice}`))
  const kept = (map: ReadonlyMap<NameText, ReadonlySet<string>>) =>
    new Map([...map].map(([name, choices]) => [name, new Set([...choices].filter((choice) => isKept(name, choice)))]))
  return { ...results, templates: kept(results.templates), interfaces: kept(results.interfaces) }
}

// ── The report

type Used = { readonly shown: string; readonly in: ReadonlySet<PackageText> }
const nowhere: ReadonlySet<PackageText> = new Set()

export function templateCoverageText(results: TestResults): string {
  const templates = usedTemplates(results)
  const choices = usedChoices(results)
  const inherited = inheritedChoices(results)
  const instances = [...results.instances.values()]
  const internal = instances.filter((each) => each.package === local)
  const ofLocal = internal.filter((each) => isLocal(each.interface)).length
  return [
    'Modules internal to this package:',
    ...internalPart('templates', 'created', templates.internal),
    ...internalPart('template choices', 'exercised', choices.internal),
    '- Internal interface implementations',
    `  ${internal.length} defined`,
    `    ${ofLocal} internal interfaces`,
    `    ${internal.length - ofLocal} external interfaces`,
    ...internalPart('interface choices', 'exercised', inherited.internal),
    'Modules external to this package:',
    ...externalPart('templates', 'created', templates.external),
    ...externalPart('template choices', 'exercised', choices.external),
    '- External interface implementations',
    `  ${instances.length - internal.length} defined`,
    ...externalPart('interface choices', 'exercised', inherited.external),
  ].join('\n')
}

type Parted = { readonly internal: readonly Used[]; readonly external: readonly Used[] }

function parted(all: readonly (Used & { readonly isLocal: boolean })[]): Parted {
  return { internal: all.filter((each) => each.isLocal), external: all.filter((each) => !each.isLocal) }
}

function usedTemplates({ templates, created }: TestResults): Parted {
  const names = [...templates.keys()].sort()
  return parted(
    names.map((name) => ({ shown: shownName(name), in: created.get(name) ?? nowhere, isLocal: isLocal(name) })),
  )
}

/** By choice first, and then by template. */
function usedChoices({ templates, exercised }: TestResults): Parted {
  const all = [...templates].flatMap(([name, choices]) => [...choices].map((choice) => ({ name, choice })))
  return parted(
    all
      .sort((one, other) => compare([one.choice, one.name], [other.choice, other.name]))
      .map(({ name, choice }) => ({
        shown: `${shownName(name)}:${choice}`,
        in: exercised.get(choice)?.get(name) ?? nowhere,
        isLocal: isLocal(name),
      })),
  )
}

/** The choices that templates have from interfaces. */
function inheritedChoices({ instances, interfaces, exercised }: TestResults): Parted {
  const all = [...instances.values()].flatMap((instance) =>
    [...(interfaces.get(instance.interface) ?? [])].map((choice) => ({ ...instance, choice })),
  )
  return parted(
    all
      .sort((one, other) =>
        compare([one.choice, one.template, one.interface], [other.choice, other.template, other.interface]),
      )
      .map(({ template, choice, package: definedIn }) => ({
        shown: `${shownName(template)}:${choice}`,
        in: exercised.get(choice)?.get(template) ?? nowhere,
        isLocal: definedIn === local,
      })),
  )
}

function compare(one: readonly string[], other: readonly string[]): number {
  const at = one.findIndex((text, index) => text !== other[index])
  return at < 0 ? 0 : one[at]! < other[at]! ? -1 : 1
}

function internalPart(what: string, done: string, all: readonly Used[]): string[] {
  const used = all.filter((each) => each.in.size > 0)
  return [
    `- Internal ${what}`,
    `  ${all.length} defined`,
    `  ${countText(used.length, all.length)} ${done}`,
    ...neverText(`internal ${what} never ${done}`, all),
  ]
}

function externalPart(what: string, done: string, all: readonly Used[]): string[] {
  const used = all.filter((each) => each.in.size > 0)
  const internally = used.filter((each) => each.in.has(local)).length
  const externally = used.filter((each) => [...each.in].some((one) => one !== local)).length
  return [
    `- External ${what}`,
    `  ${all.length} defined`,
    `  ${countText(used.length, all.length)} ${done} in any tests`,
    `  ${countText(internally, all.length)} ${done} in internal tests`,
    `  ${countText(externally, all.length)} ${done} in external tests`,
    ...neverText(`external ${what} never ${done}`, all),
  ]
}

function neverText(title: string, all: readonly Used[]): string[] {
  const never = all.filter((each) => each.in.size === 0)
  return [`  ${title}: ${never.length}`, ...never.map(({ shown }) => `    ${shown}`)]
}

/** `1 ( 33.3%)` */
function countText(count: number, all: number): string {
  const percent = all === 0 ? 100 : (100 * count) / all
  return `${count} (${oneDecimal(percent).padStart(5)}%)`
}

/** As Haskell rounds: the shortest digits that tell the number, and exactly half to the even digit. */
export function oneDecimal(value: number): string {
  const [whole, digits = ''] = String(value).split('.') as [string, string?]
  const [first = '0', ...rest] = digits
  const isHalf = rest.length === 1 && rest[0] === '5'
  const isUp = isHalf ? Number(first) % 2 === 1 : Number(rest[0] ?? 0) >= 5
  const tenths = Number(whole) * 10 + Number(first) + (isUp ? 1 : 0)
  return `${Math.floor(tenths / 10)}.${tenths % 10}`
}
