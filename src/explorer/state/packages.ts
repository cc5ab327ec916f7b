// The types of packages, read once each and kept while the page is open.
import { type Signal, signal } from '@preact/signals'
import type { ChoiceTypes, PackageTypes, TemplateTypes, TypeDescription } from '../../codegen/type-description.ts'
import { isBusy, isOffline } from '../api/api-error.ts'
import { get } from '../api/client.ts'

export type { ChoiceTypes, PackageTypes, TemplateTypes, TypeDescription }

/** The least recently used are forgotten. */
const packagesMax = 50
const retryMs = 2_000
/** A package that takes too long to describe is 503 each time, and each time costs the node as much. */
const busyAnswersMax = 3

const known = new Map<string, Signal<PackageTypes | undefined>>()
const loading = new Map<string, Promise<PackageTypes | undefined>>()

/** Undefined until they are read, and where they cannot be: values are then shown by their JSON. */
export function typesOfPackage(packageId: string): PackageTypes | undefined {
  return entryOf(packageId).value
}

export async function loadTypes(packageId: string): Promise<PackageTypes | undefined> {
  const entry = entryOf(packageId)
  return entry.peek() ?? loading.get(packageId)
}

function entryOf(packageId: string): Signal<PackageTypes | undefined> {
  const found = known.get(packageId)
  const entry = found ?? signal<PackageTypes | undefined>(undefined)
  known.delete(packageId)
  known.set(packageId, entry)
  if (found !== undefined) return entry
  if (known.size > packagesMax) known.delete(known.keys().next().value!)
  read(packageId, entry)
  return entry
}

/** Again later if the node does not answer, and a few times if it is busy. */
function read(packageId: string, entry: Signal<PackageTypes | undefined>, busyAnswers = 0): void {
  const reading = get<PackageTypes>('/docs/types', { query: { package: packageId } })
    .then((types) => {
      entry.value = types
      return types
    })
    .catch((error) => {
      const answers = busyAnswers + Number(isBusy(error))
      const again = () => known.get(packageId) === entry && read(packageId, entry, answers)
      if (isOffline(error) || (isBusy(error) && answers < busyAnswersMax)) setTimeout(again, retryMs)
      return undefined
    })
  loading.set(packageId, reading)
  void reading.finally(() => loading.delete(packageId))
}

/** `package-id:Module:Entity` in parts. */
export function partsOf(id: string): { readonly packageId: string; readonly module: string; readonly name: string } {
  const [packageId = '', module = '', ...name] = id.split(':')
  return { packageId, module, name: name.join(':') }
}

/** How filters name a template, in any version of its package. */
export function referenceTo(templateId: string, packageName: string): string {
  const { module, name } = partsOf(templateId)
  return `#${packageName}:${module}:${name}`
}

/** The same for a template or interface that a package uses. */
export function referenceIn(types: PackageTypes, id: string): string {
  const { packageId } = partsOf(id)
  return referenceTo(id, Object.hasOwn(types.packages, packageId) ? types.packages[packageId]!.name : types.name)
}

export function templateIn(types: PackageTypes | undefined, templateId: string): TemplateTypes | undefined {
  return types?.templates.find(({ id }) => id === templateId)
}

/** Also a choice of an interface that the template implements. */
export function choiceIn(types: PackageTypes | undefined, ownerId: string, choice: string): ChoiceTypes | undefined {
  const owner = templateIn(types, ownerId) ?? types?.interfaces.find(({ id }) => id === ownerId)
  return owner?.choices.find(({ name }) => name === choice)
}
