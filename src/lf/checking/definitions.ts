// Checks the definitions of a module: data types, synonyms, values, exceptions, and with templates.ts the rest.
import type { DataType, Exception, Identifier, Module, TypeParameter, TypeSynonym, Value } from '../syntax/ast.ts'
import { qualifiedName } from '../syntax/names.ts'
import type { CheckBody, DefinitionParts } from './expression-checker.ts'
import type { TypeScope } from './kinding.ts'
import { sortedByName, type VisitDefinitions } from './members.ts'
import type { TemplateChecker } from './templates.ts'
import { reference } from './validation-error.ts'

type Parts = DefinitionParts & { readonly checkBody: CheckBody; readonly templates: TemplateChecker }

export function createModuleCheck({ types, place, signatures, kinding, checkBody, templates }: Parts) {
  const { star } = types.kinds
  const { fail, checkType } = kinding

  /** The scope of a definition's own parameters. */
  function scopeOf(parameters: readonly TypeParameter[]): TypeScope {
    const kinds = parameters.map(({ name, kind }) => [name, types.kinds.from(kind)] as const)
    for (const [, kind] of kinds) kinding.checkKind(kind)
    checkUnique(parameters, (name) => fail('EDuplicateTypeParam', `duplicate type parameter: ${name}`))
    return kinds.reduce((scope, [name, kind]) => kinding.extend(scope, name, kind), kinding.emptyScope)
  }

  function checkDataType(id: Identifier, { parameters, constructors }: DataType): void {
    place.reference = reference.dataType(id)
    const scope = scopeOf(parameters)
    switch (constructors.kind) {
      case 'record':
      case 'variant': {
        const [error, what] =
          constructors.kind === 'record'
            ? (['EDuplicateField', 'field'] as const)
            : (['EDuplicateVariantCon', 'variant constructor'] as const)
        checkUnique(constructors.fields, (name) => fail(error, `duplicate ${what}: ${name}`))
        for (const field of constructors.fields) checkType(scope, types.from(field.type), star)
        return
      }
      case 'enum': {
        if (parameters.length > 0) fail('EIllegalHigherEnumType', 'illegal higher order enum type')
        const names = constructors.names.map((name) => ({ name }))
        return checkUnique(names, (name) => fail('EDuplicateEnumCon', `duplicate enum constructor: ${name}`))
      }
      case 'interface':
        if (parameters.length > 0) fail('EIllegalHigherInterfaceType', 'illegal higher interface type')
        signatures.interface(id)
    }
  }

  function checkSynonym(id: Identifier, { parameters, type }: TypeSynonym): void {
    place.reference = reference.template(id) // That is what the reference calls a synonym.
    checkType(scopeOf(parameters), types.from(type), star)
  }

  function checkValue(id: Identifier, { name, type, body }: Value): void {
    place.reference = reference.value(id)
    const expected = types.from(type)
    checkType(kinding.emptyScope, expected, star)
    checkBody(body, name, expected)
  }

  /** Templates and exceptions are defined for records without parameters. */
  function isPlainRecord(id: Identifier): boolean {
    const { parameters, constructors } = signatures.dataType(id)
    return parameters.length === 0 && constructors.kind === 'record'
  }

  function checkException(id: Identifier, { name, message }: Exception): void {
    place.reference = reference.exception(id)
    if (!isPlainRecord(id)) {
      const problem = 'expected monomorphic record type in exception definition, but found'
      fail('EExpectedExceptionableType', `${problem}: ${qualifiedName(id)}`)
    }
    checkBody(message, `${name}:message`, types.function(types.named(id), types.text))
  }

  return (packageId: string, module: Module, visitDefinitions: VisitDefinitions): void => {
    const idOf = (name: string): Identifier => ({ packageId, module: module.name, name })
    place.location = undefined
    visitDefinitions(module, {
      synonym: (one) => checkSynonym(idOf(one.name), one),
      dataType: (one) => checkDataType(idOf(one.name), one),
      value: (one) => checkValue(idOf(one.name), one),
    })
    for (const template of sortedByName(module.templates)) {
      const id = idOf(template.name)
      place.reference = reference.template(id)
      if (!isPlainRecord(id)) {
        const problem = 'expected monomorphic record type in template definition, but found'
        fail('EExpectedTemplatableType', `${problem}: ${qualifiedName(id)}`)
      }
      templates.checkTemplate(id, template)
    }
    for (const exception of sortedByName(module.exceptions)) checkException(idOf(exception.name), exception)
    for (const iface of sortedByName(module.interfaces)) templates.checkInterface(idOf(iface.name), iface)
  }
}

function checkUnique(members: readonly { readonly name: string }[], fail: (name: string) => never): void {
  const names = new Set<string>()
  for (const { name } of members) {
    if (names.has(name)) fail(name)
    names.add(name)
  }
}
