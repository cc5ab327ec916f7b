// Looks up the definitions of packages. Mirrors PackageInterface.scala: an error names the definition that is missing and
// the one that needed it.
import type {
  Choice,
  DataConstructors,
  DataType,
  Exception,
  Identifier,
  Interface,
  Module,
  Package,
  Template,
  TemplateKey,
  TypeSynonym,
  Value,
} from '../syntax/ast.ts'
import { isSameIdentifier } from '../syntax/names.ts'
import type { ModuleUses } from './module-uses.ts'
import { reference, ValidationError } from './validation-error.ts'

/** A package by its id. */
export type FindPackage = (packageId: string) => Package | undefined

export type Signatures = ReturnType<typeof createSignatures>

type Parts = {
  readonly find: FindPackage
  readonly uses: ModuleUses
  /** Where a look-up is made that fails. */
  readonly context: () => string
}

export function createSignatures({ find, uses, context }: Parts) {
  const known = new Map<string, Package | undefined>()
  const dataTypes = uses.cache<Identifier, DataType>()

  function packageOf(packageId: string): Package | undefined {
    if (known.has(packageId)) return known.get(packageId)
    const found = find(packageId)
    known.set(packageId, found)
    return found
  }

  function missing(what: string, wanted: string): never {
    const isPackage = wanted.startsWith('package ')
    const purpose = what === wanted || isPackage ? '' : ` while looking for ${wanted}`
    throw new ValidationError('EUnknownDefinition', context(), `unknown ${what}${purpose}`)
  }

  function wholePackage(packageId: string): Package {
    const what = reference.package(packageId)
    return packageOf(packageId) ?? missing(what, what)
  }

  function moduleOf(id: Identifier): Module | undefined {
    uses.definition(id)
    return packageOf(id.packageId)?.modules.get(id.module)
  }

  function module(id: Identifier, wanted: string): Module {
    const { packageId, module: name } = id
    uses.definition(id)
    const found = packageOf(packageId)
    if (found === undefined) return missing(reference.package(packageId), wanted)
    return found.modules.get(name) ?? missing(reference.module(packageId, name), wanted)
  }

  const isDefined = ({ dataTypes, values, synonyms }: Module, name: string): boolean => {
    return dataTypes.has(name) || values.has(name) || synonyms.has(name)
  }

  function dataType(id: Identifier, wanted?: string): DataType {
    const cached = dataTypes.get(id)
    if (cached !== undefined) return cached
    const found = moduleOf(id)?.dataTypes.get(id.name)
    if (found !== undefined) {
      dataTypes.set(id, found)
      return found
    }
    const for_ = wanted ?? reference.dataType(id)
    const inModule = module(id, for_)
    return missing(isDefined(inModule, id.name) ? reference.dataType(id) : reference.definition(id), for_)
  }

  function constructors<Kind extends DataConstructors['kind']>(id: Identifier, kind: Kind, what: string, for_: string) {
    const found = dataType(id, for_).constructors
    if (found.kind !== kind) return missing(what, for_)
    return found as Extract<DataConstructors, { kind: Kind }>
  }

  function template(id: Identifier, wanted = reference.template(id)): Template {
    return module(id, wanted).templates.get(id.name) ?? missing(reference.template(id), wanted)
  }

  function interfaceOf(id: Identifier, wanted = reference.interface(id)): Interface {
    return module(id, wanted).interfaces.get(id.name) ?? missing(reference.interface(id), wanted)
  }

  const implementsInterface = ({ interfaceInstances }: Template, of: Identifier): boolean => {
    return interfaceInstances.some((instance) => isSameIdentifier(instance.interface, of))
  }

  return {
    package: wholePackage,
    dataType,

    /** Whether the id is a data type that says it is serializable; anything else that is defined is not. */
    isSerializable(id: Identifier): boolean {
      const wanted = reference.definition(id)
      const inModule = module(id, wanted)
      if (!isDefined(inModule, id.name)) missing(wanted, wanted)
      return inModule.dataTypes.get(id.name)?.isSerializable === true
    },

    synonym(id: Identifier): TypeSynonym {
      const wanted = reference.synonym(id)
      const inModule = module(id, wanted)
      const found = inModule.synonyms.get(id.name)
      return found ?? missing(isDefined(inModule, id.name) ? wanted : reference.definition(id), wanted)
    },

    value(id: Identifier): Value {
      const found = moduleOf(id)?.values.get(id.name)
      if (found !== undefined) return found
      const wanted = reference.value(id)
      return missing(isDefined(module(id, wanted), id.name) ? wanted : reference.definition(id), wanted)
    },

    /** The place of a constructor among those of its variant; the last one of a name counts. */
    variantRank(id: Identifier, tag: string): number {
      const wanted = reference.variantConstructor(id, tag)
      const { fields } = constructors(id, 'variant', reference.variant(id), wanted)
      const rank = fields.findLastIndex((field) => field.name === tag)
      return rank >= 0 ? rank : missing(wanted, wanted)
    },

    enumRank(id: Identifier, tag: string): number {
      const wanted = reference.enumConstructor(id, tag)
      const rank = constructors(id, 'enum', reference.enum(id), wanted).names.lastIndexOf(tag)
      return rank >= 0 ? rank : missing(wanted, wanted)
    },

    template,
    interface: interfaceOf,

    templateChoice(id: Identifier, name: string): Choice {
      const wanted = reference.templateChoice(id, name)
      return template(id, wanted).choices.get(name) ?? missing(wanted, wanted)
    },

    interfaceChoice(id: Identifier, name: string): Choice {
      const wanted = reference.interfaceChoice(id, name)
      return interfaceOf(id, wanted).choices.get(name) ?? missing(wanted, wanted)
    },

    key(id: Identifier): TemplateKey {
      const wanted = reference.key(id)
      return template(id, wanted).key ?? missing(wanted, wanted)
    },

    /** Refuses a template that does not implement the interface. */
    instance(of: Identifier, templateId: Identifier): void {
      const wanted = reference.instance(of, templateId)
      if (!implementsInterface(template(templateId, wanted), of)) missing(wanted, wanted)
    },

    hasInstance(of: Identifier, templateId: Identifier): boolean {
      const found = moduleOf(templateId)?.templates.get(templateId.name)
      return found !== undefined && implementsInterface(found, of)
    },

    method(id: Identifier, name: string) {
      const wanted = reference.method(id, name)
      return interfaceOf(id, wanted).methods.get(name) ?? missing(wanted, wanted)
    },

    exception(id: Identifier): Exception {
      const wanted = reference.exception(id)
      return module(id, wanted).exceptions.get(id.name) ?? missing(wanted, wanted)
    },
  }
}
