// Checks templates and interfaces: their choices, keys, methods, views and instances.

import type { Choice, Identifier, Interface, InterfaceInstance, Template } from '../syntax/ast.ts'
import { fullName, isSameIdentifier, qualifiedName } from '../syntax/names.ts'
import type { CheckBody, DefinitionParts } from './expression-checker.ts'
import { choicesOf, instancesOf, methodsOf, requiresOf } from './members.ts'
import type { Type } from './type.ts'
import { prettyType } from './type-text.ts'
import { reference, ValidationError } from './validation-error.ts'

export type TemplateChecker = {
  checkTemplate(id: Identifier, template: Template): void
  checkInterface(id: Identifier, iface: Interface): void
}

type Parts = DefinitionParts & { readonly checkBody: CheckBody }

export function createTemplateChecker(parts: Parts): TemplateChecker {
  const { types, place, signatures, kinding, expressions, checkBody } = parts
  const { binding } = expressions.variables
  const { fail } = kinding
  const { star } = types.kinds
  const scope = kinding.emptyScope

  function checkChoice(id: Identifier, owner: string, choice: Choice): void {
    const { name, argument, returnType, controllers, observers, update, selfBinder } = choice
    place.reference = reference.templateChoice(id, name) // Also of an interface.
    const argumentType = types.from(argument.type)
    const resultType = types.from(returnType)
    kinding.checkType(scope, argumentType, star)
    kinding.checkType(scope, resultType, star)
    const definition = `${owner}:${name}`
    binding(argument.name, argumentType, () => {
      checkBody(controllers, `${definition}:controller`, types.parties)
      checkBody(observers, `${definition}:observers`, types.parties)
    })
    binding(selfBinder, types.contractIdOf(types.named(id)), () => {
      binding(argument.name, argumentType, () => checkBody(update, `${definition}:choice`, types.updateOf(resultType)))
    })
  }

  function checkTemplate(id: Identifier, template: Template): void {
    const { name, parameter, precondition, signatories, observers, key } = template
    const own = reference.template(id)
    binding(parameter, types.named(id), () => {
      if (precondition !== undefined) checkBody(precondition, `${name}:ensure`, types.bool)
      checkBody(signatories, `${name}.signatory`, types.parties)
      checkBody(observers, `${name}:observer`, types.parties)
      for (const choice of choicesOf(template)) checkChoice(id, name, choice)
      for (const instance of instancesOf(template)) checkInstance(id, instance)
    })
    if (key === undefined) return
    place.reference = own
    const keyType = types.from(key.type)
    kinding.checkType(scope, keyType, star)
    binding(parameter, types.named(id), () => checkBody(key.body, `${name}:key`, keyType))
    checkBody(key.maintainers, `${name}:maintainer`, types.function(keyType, types.parties))
  }

  function checkInstance(template: Identifier, instance: InterfaceInstance): void {
    const of = instance.interface
    place.reference = reference.instance(of, template)
    const iface = signatures.interface(of)
    for (const required of requiresOf(iface)) {
      if (signatures.hasInstance(required, template)) continue
      const missing = `${reference.instance(required, template)}, required by interface ${fullName(of)}`
      fail('EMissingRequiredInterfaceInstance', `Missing required ${missing}`)
    }
    for (const [name] of methodsOf(iface.methods)) {
      if (instance.methods.has(name)) continue
      const problem = `Interface instance lacks an implementation for method '${name}'.`
      fail('EMissingMethodInInterfaceInstance', problem)
    }
    for (const [name, body] of methodsOf(instance.methods)) {
      const returned = iface.methods.get(name)
      if (returned === undefined) {
        const problem = `Tried to implement method ${name} but interface ${fullName(of)} does not have a method`
        return fail('EUnknownMethodInInterfaceInstance', `${problem} with that name.`)
      }
      renaming(
        () => checkBody(body, 'InterfaceInstanceMethod.value', types.from(returned)),
        'EMethodTypeMismatch',
        (found, expected) => {
          const returns = `${prettyType(expected)} but instead returns ${prettyType(found)}`
          return `Implementation of method ${name} on interface ${fullName(of)} should return ${returns}`
        },
      )
    }
    renaming(
      () => checkBody(instance.view, 'InterfaceInstanceBody.view', types.from(iface.viewType)),
      'EViewTypeMismatch',
      (found, expected) => {
        const name = qualifiedName(of)
        const tried = `Tried to implement a view of type ${prettyType(found)} on interface ${name}`
        const needs = `but the definition of interface ${name} requires a view of type ${prettyType(expected)}`
        return `${tried} for template ${qualifiedName(template)}, ${needs}`
      },
    )
  }

  /** A type mismatch anywhere in the body gets another name and text; where it is stays. */
  function renaming(
    check: () => void,
    name: 'EMethodTypeMismatch' | 'EViewTypeMismatch',
    problem: (found: Type, expected: Type) => string,
  ): void {
    try {
      check()
    } catch (error) {
      if (!(error instanceof ValidationError) || error.mismatch === undefined) throw error
      const { context, found, expected } = error.mismatch
      throw new ValidationError(name, context, problem(found, expected))
    }
  }

  function checkInterface(id: Identifier, iface: Interface): void {
    const own = reference.interface(id)
    place.reference = own
    checkRequires(id, iface)
    for (const [, returned] of methodsOf(iface.methods)) kinding.checkType(scope, types.from(returned), star)
    binding(iface.parameter, types.named(id), () => {
      for (const choice of choicesOf(iface)) checkChoice(id, iface.name, choice)
    })
    place.reference = own
    checkView(types.from(iface.viewType))
  }

  function checkRequires(id: Identifier, iface: Interface): void {
    const isRequired = (other: Identifier): boolean => iface.requires.some((one) => isSameIdentifier(one, other))
    if (isRequired(id)) {
      const problem = 'Circular interface requirement is not allowed'
      fail('ECircularInterfaceRequires', `${problem}: interface ${fullName(id)} requires itself.`)
    }
    for (const required of requiresOf(iface)) {
      for (const other of requiresOf(signatures.interface(required))) {
        if (isRequired(other)) continue
        const problem = `Interface ${fullName(id)} is missing requirements ${fullName(other)}`
        fail('ENotClosedInterfaceRequires', `${problem} required by ${fullName(required)}`)
      }
    }
  }

  function checkView(view: Type): void {
    const problem = 'expected monomorphic record type in view type, but found'
    const hasVariables = (): never => {
      return fail('EViewTypeHasVars', `${problem} a type constructor with type variables: ${prettyType(view)}`)
    }
    if (view.tag === 'application') hasVariables()
    if (view.tag !== 'constructor') {
      return fail('EViewTypeHeadNotCon', `${problem} ${headNames[view.tag]} instead: ${prettyType(view)}`)
    }
    const { parameters, constructors } = signatures.dataType(view.identifier!)
    if (parameters.length > 0) hasVariables()
    if (constructors.kind === 'record') return
    fail('EViewTypeConNotRecord', `${problem} ${dataNames[constructors.kind]} instead: ${prettyType(view)}`)
  }

  return { checkTemplate, checkInterface }
}

const headNames: Readonly<Record<Exclude<Type['tag'], 'constructor'>, string>> = {
  variable: 'a type variable',
  synonym: 'a type synonym',
  builtin: 'a built-in type',
  forall: 'a forall-quantified type',
  struct: 'a structural record',
  nat: 'a type-level natural number',
  application: 'an application',
}

const dataNames = { variant: 'a variant type', enum: 'an enum type', interface: 'a interface type' } as const
