// Hints about packages, templates, interfaces and choices that a request names wrongly. Every user may list packages, so
// these reveal nothing. Comparing takes time: the mistakes of a request and the names compared with each are limited.
import type { ErrorSubject } from '../../base/errors.ts'
import { nearest } from '../../base/nearest.ts'
import type { PackageContents } from '../packages/package-contents.ts'

/** Names in one hint; more are only counted. */
const namesShown = 20
const mistakesMax = 3
const candidatesMax = 500

type Types = Extract<ErrorSubject, { kind: 'types' }>
type Choice = Extract<ErrorSubject, { kind: 'choice' }>

export function packagesHint(unknown: readonly string[], contents: PackageContents): string {
  const known = [...contents.packageNames()]
  const meant = unknown
    .slice(0, mistakesMax)
    .map((name) => nearest(name, known.slice(0, candidatesMax)))
    .filter((name) => name !== undefined)
  if (meant.length > 0) return didYouMean(meant.map((name) => `#${name}`))
  return `packages on this node: ${listed(known.toSorted())}; upload others with POST /v2/packages`
}

/** For `package:Module:Entity`, where the package is an id, a name, a misspelling of one, or empty. */
export function typesHint({ names, wanted }: Types, isFilter: boolean, contents: PackageContents): string | undefined {
  const meant: string[] = []
  for (const id of names.slice(0, mistakesMax)) {
    const name = nameOf(id, contents)
    const other = wanted && otherKindHint(name, wanted, isFilter, contents)
    if (other !== undefined) return other
    const found = typeMeantBy(name, wanted, contents)
    if (found !== undefined) meant.push(found)
  }
  return meant.length === 0 ? undefined : didYouMean(meant)
}

/** The id as a name, with the package that was probably meant. */
function nameOf(id: string, contents: PackageContents): string {
  const [reference = '', ...entity] = id.split(':')
  const written = contents.nameOfPackage(reference) ?? reference.replace(/^#/, '')
  const packageName = contents.hasPackage(written)
    ? written
    : (nearest(written, [...contents.packageNames()].slice(0, candidatesMax)) ?? written)
  return `#${packageName}:${entity.join(':')}`
}

/** It exists, but as an interface instead of a template, or the reverse. */
function otherKindHint(
  name: string,
  wanted: 'template' | 'interface',
  isFilter: boolean,
  contents: PackageContents,
): string | undefined {
  if (wanted === 'interface') {
    return contents.hasTemplate(name) ? `\`${name}\` is a template: write TemplateFilter with templateId` : undefined
  }
  if (!contents.hasInterface(name)) return undefined
  if (isFilter) return `\`${name}\` is an interface: write InterfaceFilter with interfaceId`
  const templates = contents.implementersOf(name)
  const which = templates.length === 0 ? '' : `; these implement it: ${listed(templates.map(quoted))}`
  return `\`${name}\` is an interface, and only templates can be created${which}`
}

/** In the package first: the same entity in another module, then the nearest name; then the same name in others. */
function typeMeantBy(name: string, wanted: Types['wanted'], contents: PackageContents): string | undefined {
  const isWanted = (one: string) =>
    wanted === undefined || (wanted === 'template' ? contents.hasTemplate(one) : contents.hasInterface(one))
  const all = [...contents.typeNames()].filter(isWanted)
  if (all.includes(name)) return name
  const qualified = name.slice(name.indexOf(':'))
  const inPackage = all.filter((one) => one.startsWith(`${name.slice(0, name.indexOf(':'))}:`))
  const entity = name.slice(name.lastIndexOf(':'))
  return (
    inPackage.find((one) => one.endsWith(entity)) ??
    nearest(name, inPackage.slice(0, candidatesMax)) ??
    all.find((one) => one.endsWith(qualified)) ??
    nearestQualified(qualified, inPackage.length === 0 ? all.slice(0, candidatesMax) : [])
  )
}

/** For a package that does not exist, only the module and the entity can be compared. */
function nearestQualified(qualified: string, names: readonly string[]): string | undefined {
  const byQualified = new Map(names.map((name) => [name.slice(name.indexOf(':')), name]))
  const found = nearest(qualified, [...byQualified.keys()])
  return found === undefined ? undefined : byQualified.get(found)
}

export function choiceHint({ name, choices, owner }: Choice): string {
  if (owner !== undefined) return `\`${name}\` is a choice of \`${owner}\`: write that as the templateId`
  const meant = nearest(name, choices) ?? choices.find((choice) => choice.endsWith(`_${name}`))
  return `${meant === undefined ? '' : `${didYouMean([meant])} `}the choices are ${listed(choices)}`
}

export function didYouMean(names: readonly string[]): string {
  return `did you mean ${listed([...new Set(names)].map(quoted))}?`
}

const quoted = (name: string): string => `\`${name}\``

function listed(names: readonly string[]): string {
  const more = names.length - namesShown
  return names.slice(0, namesShown).join(', ') + (more > 0 ? ` and ${more} more` : '')
}
