// The description of a DAR as text for a terminal: packages with templates or interfaces in full, the rest as a list.
import type {
  ChoiceDescription,
  DarDescription,
  InterfaceDescription,
  PackageDescription,
  TemplateDescription,
} from './inspect.ts'
import type { DataDescription, Member } from './members.ts'

export function renderDar(dar: DarDescription): string {
  const isShown = (one: PackageDescription) => one.isMain || one.templates.length > 0 || one.interfaces.length > 0
  const names = new Map(dar.packages.map((one) => [one.packageId, `${one.name}-${one.version}`]))
  const shown = dar.packages.filter(isShown).map((one) => renderPackage(one, names))
  const rest = dar.packages.filter((one) => !isShown(one)).map((one) => `  ${headline(one)}`)
  const libraries = rest.length > 0 ? [['Libraries', ...rest].join('\n')] : []
  const sdk = dar.sdkVersion ? `, built with SDK ${dar.sdkVersion}` : ''
  const count = dar.packages.length === 1 ? '1 package' : `${dar.packages.length} packages`
  const title = `${dar.name} ${dar.version}: ${count}${sdk}`
  return [title, ...shown, ...libraries].join('\n\n')
}

type Names = ReadonlyMap<string, string>

function renderPackage(described: PackageDescription, names: Names): string {
  return [
    headline(described),
    ...(described.upgrades ? [`  upgrades ${described.upgrades}`] : []),
    ...described.templates.flatMap((template) => renderTemplate(template, names)),
    ...described.interfaces.flatMap((iface) => renderInterface(iface, names)),
  ].join('\n')
}

function headline({ name, version, languageVersion, packageId }: PackageDescription): string {
  return `${name} ${version}  LF ${languageVersion}  ${packageId}`
}

function renderTemplate(template: TemplateDescription, names: Names): string[] {
  return [
    '',
    `  template ${template.name}`,
    ...renderMembers(template.fields, '    '),
    ...(template.key ? [`    key ${template.key}`] : []),
    ...template.implements.map((id) => `    implements ${readable(id, names)}`),
    ...template.choices.flatMap(renderChoice),
  ]
}

function renderInterface(iface: InterfaceDescription, names: Names): string[] {
  return [
    '',
    `  interface ${iface.name}`,
    ...iface.requires.map((id) => `    requires ${readable(id, names)}`),
    `    view ${iface.viewType}`,
    ...renderMembers(iface.view, '      '),
    ...iface.methods.map(({ name, type }) => `    method ${name} : ${type}`),
    ...iface.choices.flatMap(renderChoice),
    ...iface.implementedBy.map((id) => `    implemented by ${readable(id, names)}`),
  ]
}

function renderChoice(choice: ChoiceDescription): string[] {
  const kind = choice.isConsuming ? 'choice' : 'nonconsuming choice'
  const result = choice.result.length > 0 ? [`      returns ${choice.returns}`] : []
  return [
    `    ${kind} ${choice.name} : ${choice.returns}`,
    ...renderMembers(choice.fields, '      '),
    ...result,
    ...renderHeld(choice.result, '        '),
  ]
}

function renderMembers(members: readonly Member[], indent: string): string[] {
  return members.flatMap(({ name, type, holds = [] }) => [
    `${indent}${name} : ${type}`,
    ...renderHeld(holds, `${indent}  `),
  ])
}

/** A single record is clear from its position; several, and constructors of a variant, need their names. */
function renderHeld(held: readonly DataDescription[], indent: string): string[] {
  return held.flatMap(({ type, kind, fields }) => {
    const isAlone = held.length === 1 && kind === 'record'
    const title = kind === 'variant' ? `${type}, one of` : type
    return isAlone ? renderMembers(fields, indent) : [`${indent}${title}`, ...renderMembers(fields, `${indent}  `)]
  })
}

/** Ids are long, so the package's name is shown. */
function readable(id: string, names: Names): string {
  const colon = id.indexOf(':')
  const packageId = id.slice(0, colon)
  return `${id.slice(colon + 1)} (${names.get(packageId) ?? packageId})`
}
