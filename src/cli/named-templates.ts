// Templates as people write them: `Iou` or `Iou:Iou` if only one package has it, or with the package. Their types are read
// from the packages themselves, so any node will do.
import { nearest } from '../base/nearest.ts'
import type { ChoiceTypes, PackageTypes, TemplateTypes } from '../codegen/type-description.ts'
import type { Package } from '../lf/syntax/ast.ts'
import { UsageError } from './command.ts'
import { onlyOne } from './named-parties.ts'
import type { NodeClient } from './node-client.ts'
import { listPackages, newestOf, readPackage, readPackageSet } from './packages-of-node.ts'

export type NamedTemplate = {
  /** `#package:Module:Template`, or with the id of a package if it was named by that. */
  readonly id: string
  readonly template: TemplateTypes
  readonly types: PackageTypes
}

type Wanted = {
  /** The name or the id of a package. */
  readonly packageName?: string | undefined
  readonly module?: string | undefined
  readonly name: string
}

/** `#package:Module:Template` */
export async function templateIdNamed(written: string, node: NodeClient): Promise<string> {
  return (await findTemplate(written, node)).id
}

export async function templateNamed(written: string, node: NodeClient): Promise<NamedTemplate> {
  const { id, package: of } = await findTemplate(written, node)
  const { packageTypes } = await import('../codegen/package-types.ts')
  const types = packageTypes(await readPackageSet(of, node))
  const entity = id.slice(id.indexOf(':'))
  return { id, types, template: types.templates.find((one) => one.id === `${of.id}${entity}`)! }
}

async function findTemplate(written: string, node: NodeClient): Promise<{ id: string; package: Package }> {
  const wanted = wantedFrom(written)
  const listed = await listPackages(node)
  const exactly = listed.filter(({ packageId }) => packageId === wanted.packageName)
  const candidates =
    exactly.length > 0
      ? exactly
      : newestOf(listed).filter(({ packageName }) => (wanted.packageName ?? packageName) === packageName)
  if (candidates.length === 0) throw new UsageError(`the node has no package ${wanted.packageName ?? 'with templates'}`)
  const names: string[] = []
  const found = new Map<string, Package>()
  for (const { packageId, packageName } of candidates) {
    const read = await readPackage(packageId, node)
    for (const [module, { templates }] of read.modules) {
      for (const name of templates.keys()) {
        names.push(name)
        const isWanted = name === wanted.name && (wanted.module ?? module) === module
        if (isWanted) found.set(`${exactly.length > 0 ? packageId : `#${packageName}`}:${module}:${name}`, read)
      }
    }
  }
  if (found.size === 0) {
    const meant = nearest(wanted.name, names)
    throw new UsageError(`there is no template ${written}${meant === undefined ? '' : `; did you mean ${meant}?`}`)
  }
  const id = onlyOne([...found.keys()], `several templates are called ${written}`)
  return { id, package: found.get(id)! }
}

function wantedFrom(written: string): Wanted {
  const parts = written.replace(/^#/, '').split(':')
  if (parts.length > 3 || parts.includes('')) throw new UsageError(`${written} is not [PACKAGE:][MODULE:]TEMPLATE`)
  const [name, module, packageName] = parts.reverse()
  return { name: name!, module, packageName }
}

export type NamedChoice = {
  /** Of the template, or of the interface that has the choice. */
  readonly templateId: string
  readonly choice: ChoiceTypes
}

/** Those of the template first, then those of its interfaces. */
export function choicesOf({ id, template, types }: NamedTemplate): NamedChoice[] {
  const own = template.choices.map((choice) => ({ templateId: id, choice }))
  const inherited = template.implements.flatMap((interfaceId) => {
    const { choices } = types.interfaces.find((one) => one.id === interfaceId) ?? { choices: [] }
    // Archiving is the template's own choice.
    return choices.filter(({ name }) => name !== 'Archive').map((choice) => ({ templateId: interfaceId, choice }))
  })
  return [...own, ...inherited]
}

export function choiceNamed(name: string, template: NamedTemplate): NamedChoice {
  const choices = choicesOf(template)
  const found = choices.filter(({ choice }) => choice.name === name)
  if (found.length === 1) return found[0]!
  if (found.length > 1) {
    const of = found.map(({ templateId }) => templateId).join(', ')
    throw new UsageError(`${name} is a choice of ${of}; name it with tallystick submit`)
  }
  const names = choices.map(({ choice }) => choice.name)
  const meant = nearest(name, names)
  const hint = meant === undefined ? `its choices are ${names.join(', ')}` : `did you mean ${meant}?`
  throw new UsageError(`${template.id} has no choice ${name}; ${hint}`)
}
